"""Checks the pages that scripts of bench/ write: each has the tables of its record in docs/performance/. So has the chart of the
first page. README.md is short, and names each workload.

usage: pages_test.py ROOT
"""

import contextlib
import io
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

ROOT = pathlib.Path(sys.argv.pop(1))
BENCH, PAGES = ROOT / "bench", ROOT / "docs" / "performance"
sys.dont_write_bytecode = True
sys.path[:0] = [str(BENCH), str(BENCH / "tests")]

import instructions  # noqa: E402
import pages  # noqa: E402

MOST_BYTES = 12_000  # of README.md

# The script, its arguments, and its page.
WRITTEN = [
    ("algorithms.py", ["algorithms.json"], "algorithms.md"),
    ("algorithms.py", ["pipelines_gcc.json", "--name", "gcc"], "pipelines.md"),
    ("algorithms.py", ["pipelines_clang.json", "--name", "clang"], "pipelines.md"),
    ("cadence.py", ["cadence.json"], "cadence.md"),
    ("cadence.py", ["cadence.json", "--name", "worth"], "../guide.md"),
    ("code_size.py", ["code_size.json"], "pipelines.md"),
    ("prices.py", ["prices.json"], "prices.md"),
]


def check(script, arguments, page):
    command = [sys.executable, "-B", BENCH / script, PAGES / arguments[0], *arguments[1:], "--page", page, "--check"]
    return subprocess.run(command, capture_output=True, text=True, timeout=60)


class PagesTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.page = pathlib.Path(folder.name, "page.md")

    def test_the_readme_is_short_and_names_each_workload(self):
        text = (BENCH / "README.md").read_text(encoding="utf-8")
        self.assertLessEqual(len(text.encode()), MOST_BYTES)
        workloads = set()
        for theme in BENCH.glob("*/workloads.hpp"):
            entries = theme.read_text(encoding="utf-8").partition("inline constexpr std::tuple k")[2]
            workloads |= set(re.findall(r'[{(]\s*"(\w+)",', entries))
        self.assertGreater(len(workloads), 30)
        # A row may name only the first and the last of several workloads.
        named = set(re.findall(r"`(\w+)`", text))
        named |= {f"grain_1e{n}" for n in range(7)} if "`grain_1e0` to `grain_1e6`" in text else set()
        self.assertEqual(workloads - named, set())

    def test_pages_have_the_tables_of_their_records(self):
        for script, arguments, page in WRITTEN:
            with self.subTest(page=page, record=arguments[0]):
                done = check(script, arguments, PAGES / page)
                self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        limits = (BENCH / "tests" / "instructions.toml").read_text(encoding="utf-8")
        self.assertEqual(pages.update(PAGES / "instructions.md", instructions.tables(limits), check=True), 0)

    def test_each_table_of_a_page_is_checked(self):
        checked = {"sixteen.md": 1, "instructions.md": 1}
        for _, _, page in WRITTEN:
            checked[page] = checked.get(page, 0) + 1
        found = {page.name: page.read_text(encoding="utf-8").count(": begin -->\n") for page in PAGES.glob("*.md")}
        found["../guide.md"] = (PAGES / "../guide.md").read_text(encoding="utf-8").count(": begin -->\n")
        self.assertEqual({name: count for name, count in found.items() if count}, checked)

    def test_a_changed_figure_is_found(self):
        for script, arguments, page in WRITTEN:
            with self.subTest(page=page, record=arguments[0]):
                name = arguments[-1] if "--name" in arguments else script.removesuffix(".py")
                name = f"pipelines {name}" if page == "pipelines.md" and "--name" in arguments else name
                begin = f"<!-- {name}: begin -->\n"
                before, _, table = (PAGES / page).read_text(encoding="utf-8").partition(begin)
                changed = before + begin + re.sub(r"\d(?= *(?:[num]s *)?\|)", lambda digit: str(9 - int(digit[0])), table, count=1)
                self.page.write_text(changed, encoding="utf-8")
                done = check(script, arguments, self.page)
                self.assertEqual((done.returncode, done.stdout), (1, ""))
                self.assertIn("differs from", done.stderr)
                self.assertEqual(self.page.read_text(encoding="utf-8"), changed)

    def test_the_chart_of_the_first_page_has_the_figures_of_its_record(self):
        record, chart = PAGES / "sixteen.json", PAGES / "tree-sum.svg"
        self.assertIn(f"({chart.relative_to(ROOT)})", (ROOT / "README.md").read_text(encoding="utf-8"))
        command = [sys.executable, "-B", BENCH / "tree_sum_chart.py", "--check", record]
        done = subprocess.run([*command, chart], capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

        rows = json.loads(record.read_text(encoding="utf-8"))["results"]
        serial = next(row["median"] for row in rows if (row["workload"], row["peer"]) == ("tree_sum", "serial"))
        times = {row["peer"]: row["median"] for row in rows if (row["workload"], row["threads"]) == ("tree_sum", 16)}
        expected = [serial / times["blitz"], serial / times["rayon"], serial / min(times["tbb_invoke"], times["tbb_group"])]
        root = xml.etree.ElementTree.parse(chart).getroot()
        texts = [text.text for text in root.iter("{http://www.w3.org/2000/svg}text")]
        bars = [float(bar.get("width")) for bar in root.iter("{http://www.w3.org/2000/svg}rect")]
        self.assertIn("16 threads: times as fast as serial code", texts[0])
        self.assertEqual(texts[1:], ["blitz", f"{expected[0]:.1f}", "Rayon", f"{expected[1]:.1f}", "oneTBB", f"{expected[2]:.1f}"])
        for bar, speed_up in zip(bars, expected, strict=True):
            self.assertAlmostEqual(bar / bars[0], speed_up / expected[0], places=3)

        self.page.write_text(chart.read_text(encoding="utf-8").replace("9.7", "9.8"), encoding="utf-8")
        done = subprocess.run([*command, self.page], capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("differs from", done.stderr)

    def test_only_text_between_markers_is_replaced(self):
        page = "above\n<!-- a: begin -->\nold\n<!-- a: end -->\n<!-- b: begin -->\n<!-- b: end -->\n"
        self.page.write_text(page, encoding="utf-8")
        with contextlib.redirect_stderr(io.StringIO()) as errors:
            self.assertEqual(pages.update(self.page, {"a": "new\n", "b": "more"}, check=True), 1)
        self.assertIn("differs", errors.getvalue())
        self.assertEqual(pages.update(self.page, {"a": "new\n", "b": "more"}), 0)
        written = "above\n<!-- a: begin -->\n\nnew\n\n<!-- a: end -->\n<!-- b: begin -->\n\nmore\n\n<!-- b: end -->\n"
        self.assertEqual(self.page.read_text(encoding="utf-8"), written)
        for name, line in (("c", "<!-- c: begin -->"), ("a", "<!-- a: end -->")):
            with self.assertRaisesRegex(ValueError, f"no line {line}"):
                pages.replaced(written.replace("<!-- a: end -->\n", ""), name, "")

    def test_a_kept_record_has_rounded_medians(self):
        cell = {"row": "sum", "items": 10, "wall": {"blitz": [3.00001, 1.0, 2.00004]}}
        kept = pages.medians({"threads": 2, "cells": [cell]})
        self.assertEqual(kept, {"threads": 2, "cells": [{**cell, "wall": {"blitz": [2.0]}}]})


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
