#!/usr/bin/env python3
"""Counts patterns of English that are hard to read, and fails if a folder has too many of them.

    plain_english.py ROOT                  checks each folder of LIMITS, after the tests of this script
    plain_english.py ROOT --list PATH...   prints every place in these files and folders

Prose is Markdown outside of code, and the comments and Python docstrings of source files.
The count is a thermometer: it finds places to rewrite, and does not prove that other places are good.
"""

import ast
import collections
import contextlib
import io
import pathlib
import re
import sys
import tempfile
import unittest

# A file or folder, and the most uses for 1000 words of its prose.
LIMITS = {
    "README.md": 4,
    "docs": 4,
    "blitz": 4,
    "tests": 4,
    "bench": 4,
    "examples": 4,
}

# A pattern; a sentence that has it; the sentence in plain English.
PATTERNS = [
    (r"\bwhat\b(?![^.]*\?)", "It returns what was found.", "It returns the result."),
    (r"\bat once\b", "The loops run at once.", "The loops run concurrently."),
    (r"\b(?:of|for|to|in|by|on|behind|with|from|through) which\b", "A list, in which jobs wait.", "Jobs wait in a list."),
    (r"\bwhose\b", "A job whose owner sleeps.", "A job with an owner that sleeps."),
    (r"\b(?:that|those) of\b", "The queue is that of the thief.", "The queue belongs to the thief."),
    (r"\bwhere (?:it|its|they|there|this|that|the|a|one|no|not|both|all|such|nothing)\b", "Where it is full, it grows.",
     "If it is full, it grows."),
    (r"\b\w+ alone\b", "The owner alone pushes.", "Only the owner pushes."),
    (r"\bof (?:its|their|one's) own\b", "It has a thread of its own.", "It has a separate thread."),
    (r"\bor else\b|, else\b|\belse [a-z]+", "It is set, or else it waits.", "It is set, otherwise it waits."),
    (r"\b(?:lie|lies|lay|lying|stands?|stood)\b", "The job lies in the frame.", "The job is in the frame."),
    (r"\b(?:beside|behind)\b", "The flag is behind the word.", "The flag is after the word."),
    (r"\b(?:is|are|was|were) (?:not )?to (?:be |have )?[a-z]+", "The latch is to be set.", "The latch must be set."),
    (r", for (?:it|its|the|they|their|a|an|that|no|there|each|one|of|those|these|all|both|most|some|this|then|if)\b",
     "It is read first, for it may change.", "It is read first because it may change."),
    (r"\bbut for\b", "All but for the last.", "All except the last."),
    (r"\b(?:is|are|be|was|were) gone\b", "The job may be gone.", "The job may have ended."),
    (r"\b(?:has|have|had) (?:it|them|all|its \w+) (?:called|made|run|timed|woken|written)\b", "A join has it called.",
     "A join calls it."),
    (r"\bwho(?:ever|m)?\b", "Whoever sets it wakes them.", "The thread that sets it wakes them."),
    (r"\bnor\b", "It does not wait, nor sleep.", "It does not wait or sleep."),
    (r"\b(?:anew|heed\w*|dear(?:er|est)?|in vain|for ever|thereof|hereby|meanwhile|of late|likewise)\b", "Meanwhile it sleeps.",
     "It sleeps during this time."),
    (r"\bbe had\b|\bcomes? to\b|\bcame of\b", "If memory cannot be had.", "If memory is exhausted."),
    (r"\A(?-i:The same|As above|Otherwise as)\b", "The same for a loop.", "Like sort() on a loop."),
]
# A line may end between two words of a pattern.
COMPILED = [re.compile(pattern.replace(" ", r"\s+"), re.IGNORECASE) for pattern, _, _ in PATTERNS]

CODE_OR_TARGET = re.compile(r"`[^`]*`|(?<=\])\([^)]*\)")  # code within a line, and the target of a link

C_LIKE = {".hpp", ".cpp", ".h", ".c", ".rs"}
HASH = {".py", ".sh", ".toml", ".ini", ".cmake"}
NAMES = {"meson.build", "CMakeLists.txt", "Doxyfile"}


def paragraphs(lines):
    """[(first line, text)] of numbered lines of prose. Empty lines, headings, list items and table rows separate them."""
    found = []
    last = None
    for number, line in lines:
        text = line.strip()
        begins = re.match(r"[#|>*-]|\d+\.\s", text)
        text = text.strip(" #>|*-")
        if not text:
            last = None
        elif begins or last is None or number != last + 1:
            found.append((number, text))
            last = None if begins and begins[0] in "#|" else number
        else:
            first, above = found.pop()
            found.append((first, f"{above}\n{text}"))
            last = number
    return [(first, CODE_OR_TARGET.sub(lambda match: "X" + "\n" * match[0].count("\n"), text)) for first, text in found]


def without_code(lines):
    """The numbered lines outside of fences and of @code. A fenced or indented block becomes an empty line."""
    fenced = False
    above = ""
    for number, line in lines:
        text = line.strip()
        if text.startswith("```") or text.startswith(("@endcode", "\\endcode") if fenced else ("@code", "\\code")):
            fenced = not fenced
            text = ""
        elif fenced or (line.startswith("    ") and not above):
            text = ""
        else:
            yield number, line
            above = text
            continue
        yield number, ""
        above = ""


def comments(text, mark):
    """The numbered lines of the comments of a source file."""
    for number, line in enumerate(text.splitlines(), 1):
        if match := re.match(rf"\s*{mark}(?: (.*))?$", line) or re.search(rf"\s{mark} (.*)$", line):
            yield number, match[1] or ""


def docstrings(text):
    """The numbered lines of the docstrings of a Python file."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node) is not None:
            value = node.body[0].value
            lines = text.splitlines()[value.lineno - 1:value.end_lineno]
            indent = " " * value.col_offset
            yield from ((value.lineno + i, line.removeprefix(indent).replace('"""', "")) for i, line in enumerate(lines))
            yield value.end_lineno, ""


def prose(path):
    """[(line, paragraph)] of a file; empty for a file of another kind."""
    text = path.read_text(encoding="utf-8", errors="replace")
    if path.suffix == ".md":
        return paragraphs(without_code(enumerate(text.splitlines(), 1)))
    if path.suffix in C_LIKE:
        return paragraphs(without_code(comments(text, "//[/!]?<?")))
    found = []
    if path.suffix == ".py":
        found = paragraphs(without_code(docstrings(text)))
    if path.suffix in HASH or path.name in NAMES or text.startswith("#!"):
        found += paragraphs(comments(text, "#"))
    return found


def files(place):
    """The files of a file or folder, without builds and hidden folders."""
    if place.is_file():
        return [place]
    hidden = lambda path: any(part.startswith((".", "build")) for part in path.relative_to(place).parts[:-1])
    return sorted(path for path in place.rglob("*") if path.is_file() and not hidden(path))


def places(paragraph):
    """[(line within the paragraph, text, plain sentence)] of the uses in a paragraph."""
    return [(paragraph.count("\n", 0, match.start()), " ".join(match[0].split()), plain)
            for pattern, (_, _, plain) in zip(COMPILED, PATTERNS) for match in pattern.finditer(paragraph)]


def measure(place):
    """Returns the number of words of a file or folder, and {file: [(line, text, plain sentence)]}."""
    words = 0
    uses = collections.defaultdict(list)
    for path in files(place):
        for first, paragraph in prose(path):
            words += len(paragraph.split())
            uses[path] += [(first + line, text, plain) for line, text, plain in places(paragraph)]
    return words, uses


def check(root, limits):
    """Prints the count of each folder, and the worst files of those above their limit. Returns whether all are below."""
    good = True
    for name, limit in limits.items():
        words, uses = measure(root / name)
        count = sum(map(len, uses.values()))
        rate = 1000 * count / words if words else 0
        print(f"{name}: {count} uses in {words} words, {rate:.1f} for 1000; the limit is {limit}")
        if words and rate <= limit:
            continue
        good = False
        for path, found in sorted(uses.items(), key=lambda item: -len(item[1]))[:5]:
            for line, text, plain in sorted(found)[:8]:
                print(f'  {path.relative_to(root)}:{line}: "{text}"; plain: {plain}')
    return good


class PatternTest(unittest.TestCase):
    def test_each_pattern_finds_its_sentence(self):
        for pattern, (source, hard, _) in zip(COMPILED, PATTERNS):
            with self.subTest(pattern=source):
                self.assertRegex(hard, pattern)
                self.assertRegex(hard.replace(" ", "\n"), pattern)

    def test_no_pattern_finds_a_plain_sentence(self):
        for _, _, plain in PATTERNS:
            self.assertEqual(places(plain), [])

    def test_a_question_may_begin_with_what(self):
        self.assertEqual(places("What does a pool cost?"), [])


class FileTest(unittest.TestCase):
    """Pages and sources in a folder that is made for the test."""

    HARD = "The jobs run at once."

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="blitz-english-")
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)

    def found(self, name, text):
        """[(line, use)] in a file with that text."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        _, uses = measure(path)
        return [(line, text) for line, text, _ in uses[path]]

    def test_prose_of_markdown_is_read(self):
        self.assertEqual(self.found("page.md", f"# Page\n\n{self.HARD}\n"), [(3, "at once")])
        self.assertEqual(self.found("page.md", "Both run\non two threads at\nonce. No\none waits.\n"), [(2, "at once")])
        table = f"| a | b |\n|---|---|\n| x | {self.HARD} |\n- {self.HARD}\n"
        self.assertEqual(self.found("page.md", table), [(3, "at once"), (4, "at once")])

    def test_markdown_code_is_not_prose(self):
        for text in [f"```\n{self.HARD}\n```\n", f"Text:\n\n    {self.HARD}\n", "It is `run at once`, or `at\nonce`.\n",
                     "See [this](at-once.md#behind).\n"]:
            with self.subTest(text=text):
                self.assertEqual(self.found("page.md", text), [])
        self.assertEqual(self.found("page.md", f"```\ncode\n```\n{self.HARD}\n"), [(4, "at once")])

    def test_comments_of_cpp_are_read(self):
        self.assertEqual(self.found("a.hpp", f"/// {self.HARD}\nint x;  // {self.HARD}\n"), [(1, "at once"), (2, "at once")])
        self.assertEqual(self.found("a.hpp", "/// The jobs run at\n/// once.\n"), [(1, "at once")])
        self.assertEqual(self.found("a.hpp", f'auto text = "{self.HARD}";\nint whose = behind(nor);\n'), [])
        self.assertEqual(self.found("a.hpp", f"/// @code\n///   {self.HARD}\n/// @endcode\n/// {self.HARD}\n"), [(4, "at once")])

    def test_docstrings_and_comments_of_python_are_read(self):
        script = f'"""A script.\n\n{self.HARD}\n"""\nx = 1  # {self.HARD}\n'
        self.assertEqual(self.found("a.py", script), [(3, "at once"), (5, "at once")])
        self.assertEqual(self.found("a.py", f'def f():\n    """{self.HARD}\n\n        run at once\n    """\n'), [(2, "at once")])
        self.assertEqual(self.found("a.py", f'x = "{self.HARD}"\n'), [])

    def test_comments_of_scripts_are_read(self):
        self.assertEqual(self.found("run", f"#!/bin/sh\n# {self.HARD}\necho {self.HARD}\n"), [(2, "at once")])
        self.assertEqual(self.found("meson.build", f"# {self.HARD}\n"), [(1, "at once")])
        self.assertEqual(self.found("data.txt", f"# {self.HARD}\n"), [])

    def checked(self, limit):
        with contextlib.redirect_stdout(io.StringIO()) as out:
            return check(self.root, {"docs": limit}), out.getvalue()

    def test_more_uses_than_the_limit_fail(self):
        self.found("docs/page.md", f"{self.HARD} " + 95 * "word " + "\n")
        self.assertTrue(self.checked(10)[0])
        good, out = self.checked(9)
        self.assertFalse(good)
        self.assertIn("docs: 1 uses in 100 words, 10.0 for 1000; the limit is 9", out)
        self.assertIn('docs/page.md:1: "at once"; plain: The loops run concurrently.', out)

    def test_a_folder_without_prose_fails(self):
        self.assertFalse(self.checked(4)[0])


def main(arguments):
    root = pathlib.Path(arguments[0]).resolve()
    if arguments[1:2] == ["--list"]:
        for name in arguments[2:]:
            _, uses = measure(root / name)
            for path, found in uses.items():
                for line, text, plain in sorted(found):
                    print(f'{path.relative_to(root)}:{line}: "{text}"; plain: {plain}')
        return 0
    tests = unittest.defaultTestLoader.loadTestsFromModule(sys.modules[__name__])
    passed = unittest.TextTestRunner().run(tests).wasSuccessful()
    return 0 if check(root, LIMITS) and passed else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
