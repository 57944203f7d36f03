#!/usr/bin/env python3
"""Checks the table of docs/pipelines.md that compares Rayon's iterators with blitz's pipelines.

    rayon_test.py ROOT

- Each method of Rayon's ParallelIterator and IndexedParallelIterator has one row. Each row names the equivalent in blitz, or
  the reason why there is none.
- The headers declare every name in blitz's column.
"""

import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(sys.argv.pop(1)).resolve()

# The methods of the two traits in Rayon 1.11.
METHODS = """
    all any by_exponential_blocks by_uniform_blocks chain chunks cloned cmp collect collect_into_vec collect_vec_list copied
    count drive drive_unindexed enumerate eq filter filter_map find find_any find_first find_last find_map_any find_map_first
    find_map_last flat_map flat_map_iter flatten flatten_iter fold fold_chunks fold_chunks_with fold_with for_each
    for_each_init for_each_with ge gt inspect interleave interleave_shortest intersperse le len lt map map_init map_with max
    max_by max_by_key min min_by min_by_key ne opt_len panic_fuse partial_cmp partition partition_map position position_any
    position_first position_last positions product reduce reduce_with rev skip skip_any skip_any_while step_by sum take
    take_any take_any_while try_fold try_fold_with try_for_each try_for_each_init try_for_each_with try_reduce
    try_reduce_with unzip unzip_into_vecs update while_some with_max_len with_min_len with_producer zip zip_eq
""".split()


def rows():
    """[(rayon, blitz, remark)]"""
    text = (ROOT / "docs/pipelines.md").read_text().split("## Beside Rayon", 1)[1]
    lines = [line for line in text.splitlines() if line.startswith("|")][2:]
    return [tuple(cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]) for line in lines]


def names_in(cell):
    """The names in the code of a cell, without the arguments of calls."""
    names = []
    for code in re.findall(r"`([^`]*)`", cell):
        names += re.findall(r"[a-z_]\w*", re.sub(r"std::\w+|blitz::|<[^>]*>|\([^()]*\)", "", code))
    return names


class RayonTest(unittest.TestCase):
    def test_each_method_has_a_row(self):
        named = [name for rayon, _, _ in rows() for name in names_in(rayon)]
        self.assertEqual([], [name for name in METHODS if named.count(name) != 1])

    def test_each_row_has_an_equivalent_or_a_reason(self):
        for row in rows():
            with self.subTest(row=row):
                self.assertEqual(3, len(row))
                self.assertTrue(row[1] or row[2])

    def test_each_equivalent_is_declared(self):
        headers = "\n".join(path.read_text() for path in (ROOT / "blitz").rglob("*.hpp"))
        declared = set(re.findall(r"\w+(?=[({])|\w+(?=;$)", headers, re.MULTILINE))
        ours = set()
        for rayon, blitz, _ in rows():
            ours.update(names_in(rayon if blitz == "the same" else blitz))
        self.assertEqual(set(), ours - declared)


if __name__ == "__main__":
    unittest.main()
