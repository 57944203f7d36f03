#!/usr/bin/env python3
"""Checks that no algorithm is missing from the tests that cover all of them.

    every_algorithm_test.py ROOT

- Each has a case in interrupted_test.cpp, where each of its calls throws or requests a stop, and each allocation fails.
- Each has a case in the random programs of the stress tests.
- Each that takes a comparison, an equality, a predicate or a key is called by a test of inconsistent ones.
"""

import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(sys.argv.pop(1)).resolve()
TESTS = ROOT / "tests/algorithm"

# Algorithms that compare no items, or only by ==. An operation, a value or a generator may be inconsistent.
COMPARES_NOTHING = set("""
    adjacent_difference copy copy_n count destroy destroy_n exclusive_scan fill fill_n find find_last for_each for_each_n
    generate inclusive_scan iota move reduce remove remove_copy replace reverse reverse_copy rotate rotate_copy shift_left
    shift_right shuffle swap_ranges transform transform_exclusive_scan transform_inclusive_scan transform_reduce
    uninitialized_copy uninitialized_copy_n uninitialized_default_construct uninitialized_default_construct_n
    uninitialized_fill uninitialized_fill_n uninitialized_move uninitialized_move_n uninitialized_value_construct
    uninitialized_value_construct_n
""".split())


def algorithms():
    """The function objects of the headers."""
    names = set()
    for header in (ROOT / "blitz/algorithm").glob("*.hpp"):
        names.update(re.findall(r"^inline constexpr detail::[^;]*\s(\w+)\{\};$", header.read_text(), re.MULTILINE))
    return names


def names_called_with_inconsistent_callables():
    """The algorithms called by tests that have "inconsistent" or "no order" in their names."""
    names = set()
    for source in TESTS.glob("*_test.cpp"):
        for case in source.read_text().split("\nTEST_CASE")[1:]:
            title = re.search(r'"([^"]*)"', case).group(1)
            if "inconsistent" in title or "no order" in title:
                names.update(re.findall(r"blitz::(\w+)\(", case))
    return names


class EveryAlgorithmTest(unittest.TestCase):
    def test_the_headers_are_read(self):
        self.assertLess(80, len(algorithms()))
        self.assertLessEqual({"sort", "set_union", "remove_copy_if", "destroy_n"}, algorithms())

    def test_each_is_interrupted(self):
        cases = re.findall(r'\{"(\w+)[^"]*",\s+Promise::', (TESTS / "interrupted_test.cpp").read_text())
        self.assertEqual(set(), algorithms() - set(cases))

    def test_each_is_in_random_programs(self):
        names = set()
        for source in (ROOT / "tests/stress").glob("program_*.cpp"):
            names.update(re.findall(r'^    \{"(\w+)",', source.read_text(), re.MULTILINE))
        self.assertEqual(set(), algorithms() - names)

    def test_each_that_compares_has_a_test_with_inconsistent_calls(self):
        self.assertEqual(set(), algorithms() - COMPARES_NOTHING - names_called_with_inconsistent_callables())

    def test_the_list_of_algorithms_without_comparisons_is_current(self):
        self.assertEqual(set(), COMPARES_NOTHING - algorithms())


if __name__ == "__main__":
    unittest.main()
