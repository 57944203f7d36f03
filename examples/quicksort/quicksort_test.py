"""Tests quicksort, which checks its own result, on inputs of many sizes and with many equal numbers."""

import pathlib
import sys
import unittest

sys.path.append(str(pathlib.Path(__file__).parents[1] / "support"))
import example_test  # noqa: E402


class Quicksort(example_test.ExampleTest, example_test.BadOptions):
    takes_argument = False

    def sort(self, count, *arguments):
        output = self.succeed("--count", count, *arguments)
        self.assertIn(f"time to sort {count} random numbers of 64 bits".encode(), output)
        self.assertRegex(output, rb"(?m)^  std::sort +\d+\.\d\d ms$")
        self.assertRegex(output, rb"(?m)^  blitz, \d+ threads? +\d+\.\d\d ms   \d+\.\d\d x as fast$")
        self.assertTrue(output.endswith(b"sorted, and the same numbers as before\n"))

    def test_sizes(self):
        for count in (0, 1, 2, 2048, 2049, 2050, 10_000, 300_000):
            self.sort(count)

    def test_seeds(self):
        for seed in range(1, 6):
            self.sort(50_000, "--seed", seed)

    def test_equal_numbers(self):
        for distinct in (1, 2, 3, 100):
            self.sort(200_000, "--distinct", distinct)

    def test_threads(self):
        for threads in (1, 2, 5):
            self.sort(300_000, "--threads", threads)

    def test_bad_count(self):
        self.fail_with(2, "--count: 'all' is not a whole number", "--count", "all")


if __name__ == "__main__":
    unittest.main()
