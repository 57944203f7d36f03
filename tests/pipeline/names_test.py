#!/usr/bin/env python3
"""Checks that no source, stage or terminal of pipelines is forgotten.

    names_test.py ROOT

Each one that the headers declare must be called in interrupted_test.cpp and mentioned in docs/pipelines.md.
"""

import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(sys.argv.pop(1)).resolve()


def members():
    """The stages and terminals of Pipeline."""
    text = (ROOT / "blitz/pipeline/par.hpp").read_text()
    text = text.split("// --- stages ---", 1)[1].split("/// For extensions", 1)[0]
    arguments = r"\([^()]*(?:\([^()]*\)[^()]*)*\)"
    return set(re.findall(rf"^  (?!BLITZ_)\S.* (\w+){arguments} const", text, re.MULTILINE))


def sources():
    """The functions that return pipelines."""
    headers = sorted((ROOT / "blitz/pipeline").glob("*.hpp"))
    text = "".join(path.read_text() for path in headers)
    text = re.sub(r"namespace detail \{.*?\n}  // namespace", "", text, flags=re.DOTALL)
    return set(re.findall(r"^\[\[nodiscard\]\] (?:inline )?auto (\w+)\(", text, re.MULTILINE))


class NamesTest(unittest.TestCase):
    def test_the_headers_are_read(self):
        self.assertLessEqual({"map", "windows", "with", "for_each", "sum", "collect_into", "try_reduce"}, members())
        self.assertEqual({"from", "lines", "par", "split", "split_at", "walk_tree"}, sources())

    def test_each_is_interrupted(self):
        text = (ROOT / "tests/pipeline/interrupted_test.cpp").read_text()
        self.assertEqual([], [name for name in sorted(members()) if not re.search(rf"\.{name}[(<]", text)])
        self.assertEqual([], [name for name in sorted(sources()) if not re.search(rf"\b{name}\(", text)])

    def test_each_is_in_the_guide(self):
        text = (ROOT / "docs/pipelines.md").read_text().split("## Lifetime", 1)[0]
        self.assertEqual([], [name for name in sorted(members() | sources()) if not re.search(rf"[`.]{name}\b", text)])


if __name__ == "__main__":
    unittest.main()
