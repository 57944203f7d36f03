"""Tests word_count against known counts, and against a second implementation in Python."""

import collections
import os
import pathlib
import re
import sys
import tempfile
import unittest

sys.path.append(str(pathlib.Path(__file__).parents[1] / "support"))
import example_test  # noqa: E402

EXAMPLES = pathlib.Path(__file__).parents[1]
ALL = 1_000_000_000
NOBODY = 65534


def count_in_python(folder):
    """The words of every file below the folder that has no NUL byte."""
    files, size, words = 0, 0, collections.Counter()
    for path in folder.rglob("*"):
        if path.is_symlink() or not path.is_file():
            continue
        text = path.read_bytes()
        if b"\0" not in text:
            files += 1
            size += len(text)
            words.update(re.findall(rb"[a-z\x80-\xff]+", text.lower()))
    return files, size, words


class WordCount(example_test.ExampleTest, example_test.BadOptions):
    takes_argument = True

    def setUp(self):
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        self.folder = pathlib.Path(made.name)

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def count(self, *arguments, folder=None, **options):
        """Runs word_count and parses its output: (files, bytes, words), (the skipped), [(word, count)]."""
        output = self.succeed(folder or self.folder, *arguments, **options)
        totals = re.search(rb": (\d+) text files, (\d+) bytes, (\d+) words, (\d+) of them different\n", output)
        skipped = re.search(
            rb"skipped: (\d+) binary files, (\d+) unreadable files, (\d+) unreadable folders\n", output)
        listed = [(word, int(count)) for count, word in re.findall(rb"^ +(\d+)  (\S+)$", output, re.MULTILINE)]
        self.assertRegex(output, rb"(?m)^  serial +\d+\.\d\d ms$")
        self.assertRegex(output, rb"(?m)^  blitz, \d+ threads? +\d+\.\d\d ms   \d+\.\d\d x as fast$")
        files, size, words, different = map(int, totals.groups())
        self.assertLessEqual(len(listed), different)
        return (files, size, words), tuple(map(int, skipped.groups())), listed

    def test_known_counts(self):
        self.write("a.txt", "The cat and the dog; THE end.\n")
        self.write("deep/er/b.txt", "dog-dog\tDog's 42 x86")
        self.write("deep/empty", "")
        totals, skipped, listed = self.count()
        self.assertEqual(totals, (3, 50, 12))
        self.assertEqual(skipped, (0, 0, 0))
        self.assertEqual(listed, [(b"dog", 4), (b"the", 3), (b"and", 1), (b"cat", 1), (b"end", 1), (b"s", 1),
                                  (b"x", 1)])

    def test_top(self):
        self.write("a.txt", "b b a a c c c d")
        self.assertEqual(self.count("--top", 2)[2], [(b"c", 3), (b"a", 2)])
        self.assertEqual(self.count("--top=0")[2], [])
        self.assertEqual(len(self.count("--top", ALL)[2]), 4)

    def test_words_in_utf8_stay_whole(self):
        self.write("a.txt", "Größe, größe: naïve 東京")
        self.assertEqual(dict(self.count()[2]), {"größe".encode(): 2, "naïve".encode(): 1, "東京".encode(): 1})

    def test_one_file_instead_of_a_folder(self):
        path = self.write("a.txt", "one two two")
        self.write("b.txt", "three")
        self.assertEqual(self.count(folder=path)[2], [(b"two", 2), (b"one", 1)])

    def test_empty_folder(self):
        self.assertEqual(self.count(), ((0, 0, 0), (0, 0, 0), []))

    def test_binary_files_are_skipped(self):
        self.write("text", "word")
        self.write("early", b"\0word")
        self.write("late", b"word " * 50_000 + b"\0")
        self.assertEqual(self.count(), ((1, 4, 1), (2, 0, 0), [(b"word", 1)]))

    def test_links_are_not_followed(self):
        self.write("sub/a.txt", "word")
        (self.folder / "sub" / "loop").symlink_to(self.folder, target_is_directory=True)
        (self.folder / "again.txt").symlink_to("sub/a.txt")
        (self.folder / "dangling").symlink_to("nowhere")
        self.assertEqual(self.count(), ((1, 4, 1), (0, 0, 0), [(b"word", 1)]))

    def test_other_kinds_of_file_are_not_opened(self):
        self.write("a.txt", "word")
        os.mkfifo(self.folder / "pipe")
        self.assertEqual(self.count(), ((1, 4, 1), (0, 0, 0), [(b"word", 1)]))

    def test_unreadable_is_counted_and_skipped(self):
        self.write("a.txt", "word")
        self.write("secret.txt", "hidden").chmod(0)
        self.write("locked/b.txt", "hidden")
        (self.folder / "locked").chmod(0)
        self.addCleanup((self.folder / "locked").chmod, 0o700)
        self.folder.chmod(0o755)
        options = {}
        if os.geteuid() == 0:  # root may read everything
            options = {"user": NOBODY, "group": NOBODY, "extra_groups": []}
            try:
                runs = example_test.start("--help", **options).returncode == 0
            except PermissionError:
                runs = False
            if not runs:
                self.skipTest("the program cannot be run as another user than root")
        self.assertEqual(self.count(**options), ((1, 4, 1), (0, 1, 1), [(b"word", 1)]))

    def test_a_large_file_is_cut_between_words(self):
        lines = [f"{'alpha' * (i % 7 + 1)} beta{'x' * (i % 13)} Gamma" for i in range(40_000)]
        self.write("large.txt", "\n".join(lines))
        self.write("one_word.txt", "w" * 300_000)
        files, size, words = count_in_python(self.folder)
        for threads in (1, 2, 5):
            totals, _, listed = self.count("--threads", threads, "--top", ALL)
            self.assertEqual(totals, (files, size, sum(words.values())))
            self.assertEqual(dict(listed), dict(words))

    def test_real_folder(self):
        """Counts many copies of the examples' sources, so that the work is split and stolen."""
        for copy in range(30):
            for path in EXAMPLES.rglob("*.*"):
                self.write(f"{copy}/{path.relative_to(EXAMPLES)}", path.read_bytes())
        files, size, words = count_in_python(self.folder)
        self.assertGreater(words[b"blitz"], 100)
        totals, skipped, listed = self.count("--top", ALL)
        self.assertEqual(totals, (files, size, sum(words.values())))
        self.assertEqual(skipped[1:], (0, 0))
        self.assertEqual(listed, sorted(words.items(), key=lambda item: (-item[1], item[0])))

    def test_missing_folder(self):
        self.fail_with(2, "there is no folder", self.folder / "missing")

    def test_bad_top(self):
        self.fail_with(2, "--top: 'many' is not a whole number from 0 to 1000000000", "--top", "many")


if __name__ == "__main__":
    unittest.main()
