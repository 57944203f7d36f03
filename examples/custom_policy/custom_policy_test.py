"""Tests custom_policy, which checks its own answers, and the policy's order of requests on one thread."""

import pathlib
import re
import sys
import unittest

sys.path.append(str(pathlib.Path(__file__).parents[1] / "support"))
import example_test  # noqa: E402


class CustomPolicy(example_test.ExampleTest, example_test.BadOptions):
    takes_argument = False

    def overtaken(self, count, threads, *arguments):
        """The numbers of overtaken requests: with the program's policy, and with the default one."""
        output = self.succeed("--count", count, "--threads", threads, *arguments).decode()
        self.assertIn(f"time to answer {count} requests on {threads} threads", output)
        self.assertTrue(output.endswith("all answers are right\n"))
        lines = r"(?m)^  (?:first come, first served|the default policy) .* (\d+) of (\d+) overtaken$"
        (own, own_count), (default, default_count) = [map(int, line) for line in re.findall(lines, output)]
        self.assertEqual((own_count, default_count), (count, count))
        return own, default

    def test_one_thread_keeps_the_order(self):
        self.assertEqual(self.overtaken(300, 1), (0, 299))

    def test_threads(self):
        for threads in (2, 5, 16):
            self.overtaken(1000, threads)

    def test_counts(self):
        for count in (0, 1, 2, 3):
            self.overtaken(count, 2)

    def test_seeds(self):
        for seed in range(2, 6):
            self.overtaken(200, 3, "--seed", seed)

    def test_bad_count(self):
        self.fail_with(2, "--count: 'all' is not a whole number", "--count", "all")


if __name__ == "__main__":
    unittest.main()
