"""Draws charts of records of known figures, and of a run of `compare` on tiny inputs: bars, lines and cells have the lengths,
slopes and colours of the figures, every workload and peer is named, and every chart fits a screen. Skipped without matplotlib.

usage: charts_test.py CHARTS COMPARE
"""

import importlib.util
import itertools
import json
import math
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

CHARTS, COMPARE = sys.argv[1:3]
SKIPPED = 77
SVG = "{http://www.w3.org/2000/svg}"
WIDTH, HEIGHT = (900, 1400), (80, 1000)  # of a chart, in pixels


def row(workload, peer, threads, median, speed_up=None, unit="ns/item"):
    return {
        "workload": workload,
        "title": f"what <{workload}> & co. do",
        "peer": peer,
        "threads": threads,
        "unit": unit,
        "median": median,
        "quartiles": [median and median - 1, median and median + 5],
        "speed_up": speed_up,
    }


def record(results, threads=(1, 2, 4)):
    return {"threads": list(threads), "results": results}


def points(element):
    """Returns the corners of the first path below `element`."""
    path = element.find(f".//{SVG}path").get("d")
    return [tuple(map(float, xy)) for xy in re.findall(r"[ML] (\S+) (\S+)", path)]


class Chart:
    def __init__(self, file):
        self.root = xml.etree.ElementTree.parse(file).getroot()
        self.texts = [text.text for text in self.root.iter(f"{SVG}text")]
        self.groups = {tuple(g.get("id").split(":")): g for g in self.root.iter(f"{SVG}g") if ":" in g.get("id", "")}
        self.drawn = {key: points(group) for key, group in self.groups.items()}

    def size(self):
        return [float(self.root.get(side).removesuffix("pt")) / 72 * 96 for side in ("width", "height")]

    def colour(self, *key):
        """Returns red, green and blue of the drawn shape."""
        return bytes.fromhex(re.search("fill: #(......)", self.groups[key].find(f".//{SVG}path").get("style"))[1])

    def peers(self, kind):
        """Returns {workload, or title: the peers drawn}."""
        found = {}
        for _, panel, peer in (key for key in self.drawn if key[0] == kind):
            found.setdefault(panel, set()).add(peer)
        return found


class ChartsTest(unittest.TestCase):
    def draw(self, found, status=0):
        """Returns {file name without .svg: chart}."""
        with tempfile.TemporaryDirectory() as folder:
            file, charts = pathlib.Path(folder, "record.json"), pathlib.Path(folder, "new", "charts")
            file.write_text(found if isinstance(found, str) else json.dumps(found))
            done = subprocess.run([sys.executable, CHARTS, file, charts], capture_output=True, text=True, timeout=300)
            self.assertEqual((done.returncode, done.stdout), (status, ""), done.stderr)
            self.errors = done.stderr
            drawn = {file.stem: Chart(file) for file in charts.glob("*.svg")}
        for name, chart in drawn.items():
            for size, (least, most) in zip(chart.size(), (WIDTH, HEIGHT)):
                self.assertTrue(least <= size <= most, (name, chart.size()))
        return drawn

    def test_bars_have_the_lengths_of_the_medians(self):
        found = [
            row("fib", "serial", 1, 50),
            row("fib", "blitz", 1, 100),
            row("fib", "blitz", 2, 40),
            row("fib", "tbb_auto", 2, 80),
            row("saxpy", "serial", 1, 4, unit="GB/s"),
            row("saxpy", "blitz", 2, 8, unit="GB/s"),
            row("wake", "serial", 1, None),
            row("wake", "blitz", 2, -3),
        ]
        chart = self.draw(record(found, [2]))["medians-2-1"]
        self.assertEqual(
            chart.peers("bar"),
            {"fib": {"serial", "blitz", "tbb_auto"}, "saxpy": {"serial", "blitz"}, "wake": {"serial", "blitz"}},
        )

        def length(*key):
            xs = [x for x, _ in chart.drawn["bar", *key]]
            return max(xs) - min(xs)

        full = length("fib", "tbb_auto")  # the maximum of the axis: an upper quartile of 85
        self.assertAlmostEqual(length("fib", "blitz") / full, 40 / 80, places=3)
        self.assertAlmostEqual(length("fib", "serial") / full, 50 / 80, places=3)
        self.assertAlmostEqual(length("saxpy", "serial") / length("saxpy", "blitz"), 4 / 8, places=3)
        self.assertEqual((length("wake", "serial"), length("wake", "blitz")), (0, 0))
        self.assertGreater(full, 100)
        expected = {"fib [ns/item]", "what <fib> & co. do", "40 (1x)", "80 (2x)", "50 (1.25x)", "4 (2x)", "8 (1x)", "-", "-3"}
        self.assertLessEqual(expected, set(chart.texts))

    def test_many_workloads_are_drawn_on_several_pages(self):
        peers = ["serial", "blitz", *(f"tbb_{i}" for i in range(10))]
        workloads = [f"workload_{i:02}" for i in range(40)]
        found = [row(w, p, 1, 1 + i) for w in workloads for i, p in enumerate(peers)]
        charts = self.draw(record(found, [1]))
        self.assertEqual(set(charts), {f"medians-1-{page}" for page in range(1, len(charts) + 1)})
        self.assertGreater(len(charts), 1)
        shown = [chart.peers("bar") for chart in charts.values()]
        self.assertEqual(sorted(itertools.chain(*shown)), workloads)
        self.assertTrue(all(set(peers) == bars for page in shown for bars in page.values()))

    def test_lines_have_the_slopes_of_the_speed_ups(self):
        ups = {"blitz": {1: 0.5, 2: 1, 4: 2}, "rayon": {1: 1, 2: 1, 4: 4}, "tbb_auto": {2: 2}}
        found = [row("fib", "serial", 1, 8, 1)]
        found += [row("fib", peer, n, 8 / up, up) for peer, by_threads in ups.items() for n, up in by_threads.items()]
        found += [row("wake", "blitz", n, 5) for n in (1, 2, 4)]
        charts = self.draw(record(found))
        self.assertEqual({name for name in charts if not name.startswith("medians")}, {"speed-up-1"})
        chart = charts["speed-up-1"]
        self.assertEqual(chart.peers("line"), {"fib": {"blitz", "rayon"}})
        self.assertLessEqual({"fib", "blitz", "rayon", "threads", "1", "2", "4"}, set(chart.texts))
        blitz, rayon = (chart.drawn["line", "fib", peer] for peer in ("blitz", "rayon"))
        (x1, y1), (x2, y2), (x4, y4) = blitz
        self.assertAlmostEqual(x2 - x1, x4 - x2, places=3)
        self.assertAlmostEqual(y2 - y1, y4 - y2, places=3)
        self.assertLess(y4, y1)  # upwards
        self.assertAlmostEqual(rayon[0][1], y2, places=3)
        self.assertAlmostEqual(rayon[1][1] - rayon[2][1], 2 * (y2 - y4), places=3)

    def test_many_speed_ups_are_drawn_on_several_pages(self):
        workloads = [f"workload_{i:02}" for i in range(50)]
        charts = self.draw(record([row(w, "blitz", n, 1 / n, n) for w in workloads for n in (1, 2, 4)]))
        shown = [sorted(chart.peers("line")) for name, chart in sorted(charts.items()) if name.startswith("speed-up")]
        self.assertGreater(len(shown), 1)
        self.assertEqual(list(itertools.chain(*shown)), workloads)

    def test_the_break_even_chart_has_a_line_for_each_peer(self):
        lengths = {"grain_1e0": 1, "grain_1e1": 10, "grain_1e2": 1000}
        found = []
        for workload, length in lengths.items():
            found.append(row(workload, "serial", 1, length, 1))
            found.append(row(workload, "blitz", 1, length, 1))
            found.append(row(workload, "blitz", 2, 2, length / 2))
        charts = self.draw(record(found, [1, 2]))
        chart = charts["break-even"]
        self.assertEqual(chart.peers("line"), {"2 threads": {"blitz"}})
        (x0, y0), (x1, y1), (x2, y2) = chart.drawn["line", "2 threads", "blitz"]
        self.assertAlmostEqual((x2 - x0) / (x1 - x0), math.log10(1000), places=3)
        self.assertAlmostEqual((y2 - y0) / (y1 - y0), math.log10(1000), places=3)
        self.assertLessEqual({"1 ns", "10 ns", "100 ns", "1 us"}, set(chart.texts))
        self.assertNotIn("break-even", self.draw(record(found[:3], [1, 2])))

    def test_the_cells_of_a_cadence_have_colours_of_their_ratios(self):
        lengths, gaps = [f"{n}us" for n in range(1, 8)], ["0us", *(f"sleep_{n}ms" for n in range(1, 15))]
        of_blitz = {"1us": 8, "2us": 4, "3us": 2}
        of_others = {"serial": [6], "tbb_auto": [4], "tbb_static": [5]}
        cells = [
            {"kind": kind, "length": length, "gap": gap, "wall": {"blitz": [of_blitz.get(length, 4)], **of_others}}
            for kind in ("loop_32", "join")
            for gap in gaps
            for length in lengths
        ]
        charts = self.draw({"threads": 2, "cells": cells})
        self.assertEqual(set(charts), {"cadence-loop_32", "cadence-join"})
        against_tbb, against_serial = "times as fast as oneTBB's better form", "times as fast as the serial calls"
        for chart in charts.values():
            panels = itertools.product(["cell"], (against_tbb, against_serial), gaps, lengths)
            self.assertEqual(set(chart.drawn), set(panels))
            expected = {"0.50", "1.00", "2.00", "0.75", "1.50", "3.00", "sleep 14ms", *lengths}
            self.assertLessEqual(expected, set(chart.texts))
            slower, level, faster = (chart.colour("cell", against_tbb, "0us", length) for length in of_blitz)
            self.assertGreater(slower[0], slower[2])  # red
            self.assertLess(faster[0], faster[2])  # blue
            self.assertLess(max(level) - min(level), 10)

        for cell in cells:
            cell["wall"] = {peer: cell["wall"][peer] for peer in ("serial", "blitz")}
        chart = self.draw({"threads": 2, "cells": cells})["cadence-join"]
        self.assertEqual({panel for _, panel, *_ in chart.drawn}, {against_serial})

    def test_the_same_record_gives_the_same_charts(self):
        found = record([row("fib", "blitz", n, 1 / n, n) for n in (1, 2, 4)])
        first, second = ({n: xml.etree.ElementTree.tostring(c.root) for n, c in self.draw(found).items()} for _ in "12")
        self.assertEqual(first, second)

    def test_a_run_of_compare_can_be_drawn(self):
        workloads = ["burst_1ms", "fib", "grain_1e0", "grain_1e3", "saxpy", "wake"]
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "out.json")
            run = [COMPARE, "--smoke", "--only", ",".join(workloads), "--threads", "1,2", "--json", file]
            subprocess.run(run, check=True, capture_output=True, timeout=300)
            found = json.loads(file.read_text())
        charts = self.draw(found)
        for n in (1, 2):
            shown = {}
            for name in charts:
                if name.startswith(f"medians-{n}-"):
                    shown |= charts[name].peers("bar")
            for workload in workloads:
                peers = {r["peer"] for r in found["results"] if r["workload"] == workload}
                self.assertEqual(shown[workload], peers)
        grain = {r["peer"] for r in found["results"] if r["workload"] == "grain_1e3"} - {"serial"}
        self.assertEqual(charts["break-even"].peers("line"), {"2 threads": grain})
        texts = [text for chart in charts.values() for text in chart.texts if "x 2 us of work" in text]
        self.assertTrue(texts and all(text.endswith(" …") for text in texts), texts)  # too long for a panel
        self.assertEqual(set(charts["speed-up-1"].peers("line")), {"fib", "grain_1e0", "grain_1e3", "saxpy"})

    def test_bad_records_are_refused(self):
        for found, word in (
            ("{", "Expecting property name"),
            ("[]", "not what --json writes"),
            ("{}", "'results'"),
            (record([{"peer": "blitz", "threads": 1}]), "'workload'"),
        ):
            with self.subTest(found=found):
                self.assertEqual(self.draw(found, status=2), {})
                self.assertTrue(self.errors.startswith("charts: "), self.errors)
                self.assertIn(word, self.errors)


if __name__ == "__main__":
    if importlib.util.find_spec("matplotlib") is None:
        print("matplotlib is not installed")
        sys.exit(SKIPPED)
    unittest.main(argv=sys.argv[:1], verbosity=2)
