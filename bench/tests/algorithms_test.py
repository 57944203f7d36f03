"""Runs `algorithms.py` on tiny inputs and on a record of known figures: every row is measured for every peer, and the table
shows the right figures.

usage: algorithms_test.py SCRIPT PROGRAM
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT, PROGRAM = sys.argv[1:3]

os.environ["OMP_WAIT_POLICY"] = "passive"  # the test would wait for spinning threads


def run(*arguments):
    return subprocess.run([sys.executable, SCRIPT, *arguments], capture_output=True, text=True, timeout=300)


def rows(text):
    """Returns {(items, row): the other columns}."""
    found, items = {}, None
    for line in text.splitlines():
        if line.endswith(" items"):
            items = int(line.split()[0])
        if line.startswith("|") and not line.startswith(("| row", "|---")):
            row, *cells = (cell.strip() for cell in line.strip("|").split("|"))
            found[items, row] = cells
    return found


class AlgorithmsTest(unittest.TestCase):
    def measure(self, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "out.json")
            done = run(PROGRAM, "--smoke", "--json", str(file), *arguments)
            self.assertEqual(done.returncode, 0, done.stderr)
            return json.loads(file.read_text())["cells"], done

    def test_every_row_is_measured_for_every_peer(self):
        cells, done = self.measure()
        names = subprocess.run([PROGRAM], capture_output=True, text=True).stdout.split()
        self.assertEqual({(c["row"], c["items"]) for c in cells}, {(name, n) for name in names for n in (0, 1, 500)})
        for c in cells:
            with self.subTest(row=c["row"], items=c["items"]):
                self.assertTrue({"serial", "by_hand"} & set(c["wall"]))
                self.assertTrue(all(len(samples) == 1 and samples[0] > 0 for samples in c["wall"].values()), c["wall"])
        self.assertEqual(len(rows(done.stdout)), 3 * (len(names) - 2))

    def test_only_selected_rows_and_sizes_are_measured(self):
        cells, done = self.measure("--rows", "su*,find", "--sizes", "10,20")
        self.assertEqual(set(rows(done.stdout)), {(10, "find"), (10, "sum"), (20, "find"), (20, "sum")})
        self.assertEqual(len(cells), 8)  # with the rows of the memory

    def test_the_tables_show_the_figures_of_a_record(self):
        def cell(row, **wall):
            return {"row": row, "items": 1000, "wall": {peer: [s * 1e-6 for s in times] for peer, times in wall.items()}}

        cells = [
            cell("memory_read", by_hand=[1]),
            cell("memory_copy", by_hand=[2]),
            cell("sum", serial=[4, 4, 90], tbb=[3], openmp=[2], blitz=[1.5]),
            cell("copy_if", serial=[4], stl=[8, 6, 10, 8, 10], blitz=[12]),
            cell("sort_random", serial=[2000]),
            cell("flat_map", blitz=[5], blitz_par=[3], serial=[9], stl=[6], openmp=[4]),
        ]
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "record.json")
            file.write_text(json.dumps({"cells": cells}))
            done = run(str(file))
            peers = run(str(file), "--peers")
        self.assertEqual(done.returncode, 0, done.stderr)
        found = rows(done.stdout)
        self.assertEqual(
            found[1000, "sum"],
            ["4.00 us", "2.00 us (openmp)", "1.50 us", "2.67", "0.75", "1.00 us", "1.50", "0%, 0%"],
        )
        self.assertEqual(
            found[1000, "copy_if"],
            ["4.00 us", "8.00 us (stl)", "12.0 us ! -", "0.33", "1.50", "1.50 us", "8.00", "0%, 25%"],
        )
        self.assertEqual(found[1000, "sort_random"], ["2.00 ms", "", "", "", "", "", "", ""])
        self.assertIn("| row | serial | tbb | openmp | blitz | stl | blitz_par | best of the others |", peers.stdout)
        self.assertEqual(
            rows(peers.stdout)[1000, "flat_map"],
            ["9.00 us", "", "4.00 us", "5.00 us", "6.00 us", "3.00 us", "openmp", "0.75", "1.00", "0%, 0%"],
        )
        self.assertEqual(
            done.stdout.splitlines()[-4:],
            [
                "blitz above 1.05 of the best of tbb, stl, rayon_inside: copy_if at 1000 (1.50 of stl)",
                "blitz above 1.1 of serial and 1 us: copy_if at 1000 (3.00)",
                "blitz_par above 1.05 of the best of tbb, stl, rayon_inside: none",
                "blitz_par above 1.1 of serial and 1 us: none",
            ],
        )

    def test_a_page_shows_the_figures_of_a_record(self):
        def cell(row, items, **wall):
            return {"row": row, "items": items, "wall": {peer: [s * 1e-6] for peer, s in wall.items()}}

        cells = [
            *(cell("memory_read", n, by_hand=1) for n in (1000, 10**6, 10**7)),
            *(cell("memory_copy", n, by_hand=2) for n in (1000, 10**6, 10**7)),
            cell("sum", 1000, serial=4, tbb=3, blitz=1.5),
            cell("sum", 10**7, serial=40000, tbb=30000, blitz=12345),
            cell("zip", 10**6, serial=4, stl=3, openmp=2, blitz=1.25, blitz_par=1),
            cell("zip", 10**7, serial=4000, stl=3000, openmp=2000, blitz=1500, blitz_par=1000),
        ]
        with tempfile.TemporaryDirectory() as folder:
            record, figures, page = (pathlib.Path(folder, name) for name in ("record.json", "figures.json", "page.md"))
            record.write_text(json.dumps({"cells": cells}))
            names = ["algorithms", "pipelines gcc"]
            page.write_text("".join(f"<!-- {name}: begin -->\n<!-- {name}: end -->\n" for name in names))
            for peers, name in ([], []), (["--peers"], ["--name", "gcc"]):
                done = run(str(record), "--figures", str(figures), *peers)
                self.assertEqual(done.returncode, 0, done.stderr)
                done = run(str(figures), "--page", str(page), *name)
                self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
            lines = page.read_text().splitlines()
        self.assertIn("| `sum` | 1.50 (0.50, 0.38) |  | 12.3k (0.41, 0.31, x12345.00) |", lines)
        self.assertIn("| `zip` | 4 | 3.2 |  | 1.33 | 2 |  |", lines)
        self.assertIn("| `zip` | 4 | 1 | 2 OpenMP | 333.33 |", lines)

    def test_an_unknown_row_is_refused(self):
        done = run(PROGRAM, "--smoke", "--rows", "summ")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("'summ'", done.stderr)

    def test_an_unknown_row_has_no_table(self):
        done = subprocess.run([PROGRAM, "1", "1", "0"], input="summ 10\n", capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("summ", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
