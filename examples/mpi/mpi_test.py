"""Tests the MPI examples, on 1, 2 and 3 ranks: mpi_test.py MPIRUN START HEAT WORD_COUNT

Both larger programs compare their result with a serial one. This test compares it with a second implementation's.
"""

import collections
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

MPIRUN, START, HEAT, WORD_COUNT = (os.path.abspath(path) for path in sys.argv[1:5])
del sys.argv[1:5]

# Open MPI by default refuses root, and more ranks than processors.
ENVIRONMENT = {
    **os.environ,
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
}
PATIENCE = 60  # seconds for a program that takes less than one: a rank that hangs is an error, too


def mpirun(*arguments):
    command = [str(argument) for argument in (MPIRUN, *arguments)]
    return subprocess.run(command, env=ENVIRONMENT, capture_output=True, timeout=PATIENCE, check=False)


class MpiTest(unittest.TestCase):
    def succeed(self, ranks, *arguments):
        """Expects status 0, and returns the output. MPI itself may print warnings on stderr."""
        result = mpirun("-n", ranks, *arguments)
        self.assertEqual(result.returncode, 0, (ranks, arguments, result.stderr))
        return result.stdout

    def fail_with(self, status, message, *arguments):
        """Expects this status, nothing on stdout, and this message once, however many ranks there are."""
        result = mpirun(*arguments)
        self.assertEqual(result.returncode, status, (arguments, result.stderr))
        self.assertEqual(result.stderr.decode().count(message), 1, (message, result.stderr))
        self.assertEqual(result.stdout, b"", arguments)


class Start(MpiTest):
    def test_each_rank(self):
        for ranks in (1, 2, 3):
            lines = re.findall(rb"(?m)^rank (\d+) of (\d+), \d+ threads: 3\.1416$", self.succeed(ranks, START))
            self.assertEqual(sorted(lines), [(b"%d" % rank, b"%d" % ranks) for rank in range(ranks)])


class Arguments(MpiTest):
    def test_help(self):
        for program in (HEAT, WORD_COUNT):
            self.assertEqual(self.succeed(2, program, "--help").count(b"usage: "), 1)

    def test_wrong_arguments(self):
        """One rank prints the message, and all ranks end."""
        for program in (HEAT, WORD_COUNT):
            self.fail_with(2, "unknown option '--nonsense'", "-n", 2, program, "--nonsense")
        self.fail_with(2, "--threads: 'x' is not a whole number", "-n", 3, HEAT, "--threads", "x")
        self.fail_with(2, "unexpected argument 'plate'", "-n", 1, HEAT, "plate")
        self.fail_with(2, "--rows: 2 rows are too few for 3 ranks", "-n", 3, HEAT, "--rows", 2)
        self.fail_with(2, "there is no file '/nonsense'", "-n", 2, WORD_COUNT, "/nonsense")

    def test_ranks_with_other_arguments(self):
        """An error of one rank ends the others, which wait for its messages."""
        self.fail_with(1, "rank 1: cannot read", "-n", 1, WORD_COUNT, __file__, ":", "-n", 1, WORD_COUNT, "/nonsense")
        self.fail_with(1, "rank 1: other arguments", "-n", 1, HEAT, ":", "-n", 1, HEAT, "--nonsense")


def middle_of_plate(rows, columns, steps):
    """The middle cell, by the same additions in the same order as the program, so that the bits are equal."""
    now = [[float((y * 31 + x * 17) % 101) for x in range(columns + 2)] for y in range(rows + 2)]
    for _ in range(steps):
        after = [row[:] for row in now]
        for y in range(1, rows + 1):
            for x in range(1, columns + 1):
                after[y][x] = 0.25 * (now[y - 1][x] + now[y + 1][x] + now[y][x - 1] + now[y][x + 1])
        now = after
    return now[(rows + 1) // 2][(columns + 1) // 2]


class Heat(MpiTest):
    def compute(self, ranks, rows, columns, steps, *arguments):
        output = self.succeed(ranks, HEAT, "--rows", rows, "--columns", columns, "--steps", steps, *arguments).decode()
        self.assertIn(f"{rows} rows of {columns} cells, {steps} steps, ranks: {ranks}\n", output)
        self.assertRegex(output, r"(?m)^  blitz, \d+ threads? +\d+\.\d\d ms   \S+ x as fast$")
        return float(re.search(r"(?m)^temperature in the middle: (.*)$", output)[1])

    def test_against_python(self):
        for rows, columns, steps in ((3, 1, 5), (4, 7, 0), (20, 30, 40), (61, 10, 30)):
            expected = middle_of_plate(rows, columns, steps)
            for ranks in (1, 2, 3):
                self.assertEqual(self.compute(ranks, rows, columns, steps), expected, (rows, columns, steps, ranks))

    def test_threads(self):
        """Rows that are so long that MPI does not send them before the receiver is ready, computed by several threads."""
        options = [["--threads", threads, *scope] for threads in (1, 3) for scope in ([], ["--in-scope"])]
        results = {self.compute(ranks, 200, 5000, 20, *chosen) for ranks in (1, 2) for chosen in options}
        self.assertEqual(len(results), 1)


class WordCount(MpiTest):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.text = pathlib.Path(folder.name) / "text"

    def count(self, ranks, *arguments):
        """Returns the sizes in the first line, and the words."""
        output = self.succeed(ranks, WORD_COUNT, *arguments, "--top", 1_000_000)
        self.assertTrue(output.partition(b"\n")[0].endswith(b" ranks: %d" % ranks))
        sizes = re.match(rb"(\d+) bytes, (\d+) words, (\d+) of them different", output)
        words = re.findall(rb"(?m)^ +(\d+)  (\S+)$", output)
        return tuple(int(size) for size in sizes.groups()), {word: int(count) for count, word in words}

    def test_against_python(self):
        """Also with fewer bytes than ranks, and with words in which one or more ranks' parts end."""
        texts = ["", "a", "ab", "a b", "one two two", "Größe, größe: 東京 tōkyō", "w" * 1000, " " * 10 + "x" * 20 + " " * 10,
                 "\n".join(f"{'alpha' * (i % 7)} beta{'x' * (i % 13)} Gamma" for i in range(20_000))]
        for text in texts:
            self.text.write_text(text, encoding="utf-8")
            data = self.text.read_bytes()
            expected = collections.Counter(re.findall(rb"[a-z\x80-\xff]+", data.lower()))
            for ranks in (1, 2, 3):
                sizes, words = self.count(ranks, self.text)
                self.assertEqual(words, expected, (text[:50], ranks))
                self.assertEqual(sizes, (len(data), expected.total(), len(expected)))

    def test_generated(self):
        results = [self.count(ranks, "--megabytes", 1, "--threads", threads) for ranks, threads in ((1, 1), (2, 3), (3, 1))]
        self.assertEqual(results[0], results[1])
        self.assertEqual(results[0], results[2])
        self.assertGreater(results[0][0][2], 1000)


if __name__ == "__main__":
    unittest.main()
