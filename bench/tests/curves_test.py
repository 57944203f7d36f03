"""Writes pages from records of known figures, and checks that a kept page has the tables of its record.

usage: curves_test.py CURVES RECORD PAGE
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

CURVES, RECORD, PAGE = sys.argv[1:4]

MARKERS = "above\n<!-- curves: begin -->\nold\n<!-- curves: end -->\nbelow\n"


def row(workload, peer, threads, median, unit="ns/join", correct=True):
    quartiles = [median and median * 0.9, median and median * 1.1]
    return dict(workload=workload, peer=peer, threads=threads, unit=unit, median=median, quartiles=quartiles, correct=correct)


class CurvesTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.page, self.record, self.shown = (pathlib.Path(folder.name, name) for name in ("page.md", "in.json", "out.json"))
        self.page.write_text(MARKERS)

    def run_script(self, *arguments, status=0):
        done = subprocess.run([sys.executable, "-B", CURVES, *arguments], capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stdout), (status, ""), done.stderr)
        return done.stderr

    def write(self, *rows, threads=(1, 2)):
        """Returns the cells of each line of the tables."""
        self.record.write_text(json.dumps({"threads": threads, "results": rows}))
        self.run_script("--shown", self.shown, self.record, self.page)
        lines = [line.strip("|").split("|") for line in self.page.read_text().splitlines() if line.startswith("|")]
        return [[cell.strip() for cell in line] for line in lines]

    def test_the_kept_page_has_the_tables_of_its_record(self):
        self.run_script("--check", RECORD, PAGE)

    def test_the_tables_show_the_medians(self):
        found = self.write(
            row("fib", "serial", 1, 2),
            *(row("fib", "blitz", n, 4 / n) for n in (1, 2)),
            *(row("fib", "tbb_auto", n, 8 / n) for n in (1, 2)),
            *(row("fib", "tbb_static", n, 6) for n in (1, 2)),
            *(row("fib", "rayon_scope", n, 1) for n in (1, 2)),
        )
        self.assertEqual(found[2], ["`fib`", "ns/join", "2", "2", "4", "`tbb_auto`", "0.50", "blitz"])
        self.assertEqual(found[3], ["`fib`, ns/join", "1", "2"])
        rows = [["`serial`", "2", ""], ["`blitz`", "4", "2"], ["`tbb_auto`", "8", "4"]]
        self.assertEqual(found[5:], rows)
        text = self.page.read_text()
        self.assertTrue(text.startswith("above\n") and text.endswith("below\n") and "old" not in text, text)

    def test_the_better_library_is_named(self):
        def better(blitz, tbb, unit):
            return self.write(row("x", "blitz", 2, blitz, unit), row("x", "tbb_auto", 2, tbb, unit))[2][-2:]

        self.assertEqual(better(2, 1, "ns/join"), ["2.00", "oneTBB"])
        self.assertEqual(better(2, 1, "GB/s"), ["0.50", "blitz"])
        self.assertEqual(better(1, 1.1, "ns/join"), ["0.91", ""])

    def test_wrong_and_missing_figures_are_left_out(self):
        wrong = row("fib", "tbb_auto", 2, 1, correct=False)
        self.assertEqual(self.write(row("fib", "blitz", 2, 1), wrong, row("fib", "rayon", 2, None))[-1], ["`blitz`", "", "1"])

    def test_the_kept_record_has_only_shown_results(self):
        whole = [row("fib", "blitz", 1, 1), row("fib", "blitz", 2, 1), row("fib", "tbb_auto", 2, 2)]
        self.write(*whole, row("fib", "tbb_group", 2, 3), row("spawn", "blitz", 2, 1))
        self.assertEqual(json.loads(self.shown.read_text()), {"threads": [1, 2], "results": whole})

    def test_check_finds_a_changed_figure(self):
        self.write(row("fib", "blitz", 1, 1))
        self.run_script("--check", self.record, self.page)
        changed = self.page.read_text().replace("| 1 |", "| 9 |", 1)
        self.page.write_text(changed)
        self.assertIn("differs", self.run_script("--check", self.record, self.page, status=1))
        self.assertEqual(self.page.read_text(), changed)

    def test_bad_files_are_refused(self):
        self.record.write_text(json.dumps({"threads": [1], "results": [row("fib", "blitz", 1, 1)]}))
        for page, word in (("", "begin"), (MARKERS.replace("end", "stop"), "end")):
            self.page.write_text(page)
            self.assertIn(word, self.run_script(self.record, self.page, status=2))
        self.page.write_text(MARKERS)
        for record in ("{", "[]", "{}", '{"threads": [1], "results": [{"workload": "fib"}]}'):
            self.record.write_text(record)
            self.assertTrue(self.run_script(self.record, self.page, status=2).startswith("curves: "))
        self.assertEqual(self.page.read_text(), MARKERS)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
