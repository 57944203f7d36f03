"""Runs `prices.py` once, with the minimum number of operations: every price is there, and the table in
docs/performance/prices.md has the rows that the script prints.

usage: prices_test.py PRICES MICRO PAGE
"""

import os
import re
import subprocess
import sys
import unittest

PRICES, MICRO, PAGE = sys.argv[1:4]


def rows(text):
    """Returns {(operation, by, stated): (alone, contended)} of the table of prices in `text`."""
    found = {}
    lines = iter(text.splitlines())
    for line in lines:
        if line.startswith("| operation | alone | contended |"):
            break
    next(lines)
    for line in lines:
        if not line.startswith("|"):
            break
        operation, alone, contended, by, stated = (cell.strip() for cell in line[1:].rstrip().removesuffix("|").split("|"))
        found[operation, by, stated] = alone, contended
    return found


class PricesTest(unittest.TestCase):
    def test_every_price_of_the_page_is_measured(self):
        done = subprocess.run([sys.executable, PRICES, MICRO, "--smoke"], capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr)
        printed = rows(done.stdout)
        with open(PAGE) as file:
            described = rows(file.read())

        if len(os.sched_getaffinity(0)) == 1:  # no contention
            described = {(operation, "", stated): ("?", "") for operation, _, stated in described}
        self.assertEqual(list(printed), list(described))
        for (operation, by, _), (alone, contended) in printed.items():
            with self.subTest(operation=operation):
                self.assertRegex(alone, r"^[\d.]+ [num]s$")
                self.assertRegex(contended, r"^[\d.]+ [num]s$" if by else "^$")

    def test_a_failing_program_has_no_prices(self):
        done = subprocess.run([sys.executable, PRICES, "/bin/false"], capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stdout, "")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
