"""Runs `cadence.py` on tiny inputs and on a record of known figures: every peer is measured in every cell; the tables and the
summary show the right figures.

usage: cadence_test.py SCRIPT PROGRAM
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
    """Returns {(heading, gap): cells}."""
    found, heading = {}, None
    for line in text.splitlines():
        if ": speed-up" in line or ": CPU" in line:
            heading = line.partition(",")[0]
        if line.startswith("|"):
            gap, *cells = (cell.strip() for cell in line.strip("|").split("|"))
            found[heading, gap] = cells
    return found


def cell(length, wall, cpu):
    peers = "serial", "blitz", "tbb_auto", "tbb_static"
    times = ({peer: [n * 1e-6] for peer, n in zip(peers, figure)} for figure in (wall, cpu))
    return {"kind": "loop_32", "length": length, "gap": "20us", **dict(zip(("wall", "cpu"), times))}


class CadenceTest(unittest.TestCase):
    def measure(self, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "out.json")
            done = run(PROGRAM, "--smoke", "--json", str(file), *arguments)
            self.assertEqual(done.returncode, 0, done.stderr)
            return json.loads(file.read_text())["cells"], done

    def test_every_peer_is_measured_in_every_cell(self):
        cells, done = self.measure()
        self.assertEqual(len(cells), 4 * 3 * 2)
        kinds = "loop_32", "uneven_100", "join", "tree_16"
        peers = {kind: set(c["wall"]) for kind in kinds for c in cells if c["kind"] == kind}
        self.assertEqual(peers["loop_32"], peers["uneven_100"])
        for kind in peers:
            self.assertLessEqual({"serial", "blitz", "blitz_async"}, peers[kind])
        self.assertEqual("tbb_auto" in peers["loop_32"], "tbb_invoke" in peers["join"])
        for c in cells:
            with self.subTest(kind=c["kind"], length=c["length"], gap=c["gap"]):
                self.assertEqual((set(c["wall"]), set(c["cpu"])), (peers[c["kind"]], peers[c["kind"]]))
                self.assertTrue(all(len(samples) == 1 and samples[0] > 0 for samples in c["wall"].values()), c["wall"])
        self.assertEqual(len(rows(done.stdout)), 4 * 2 * (2 + 3))
        for peer in set.union(*peers.values()) - {"serial"}:
            self.assertRegex(done.stdout, rf"(?m)^{peer}: \d+\.\d\d of serial, below 0.9 in \d+ of \d+ cells")

    def test_only_the_selection_is_measured(self):
        chosen = "--kinds", "loop_8", "--lengths", "40us,2ms", "--gaps", "5us,sleep_1ms", "--peers", "blitz"
        cells, done = self.measure(*chosen)
        expected = [(gap, length) for gap in ("5us", "sleep_1ms") for length in ("40us", "2ms")]
        self.assertEqual([(c["gap"], c["length"]) for c in cells], expected)
        for c in cells:
            self.assertEqual((c["kind"], set(c["wall"])), ("loop_8", {"serial", "blitz"}))
        self.assertNotIn("of oneTBB", done.stdout)

    def test_gaps_are_not_measured(self):
        cells, _ = self.measure("--kinds", "join", "--lengths", "5us", "--gaps", "20ms,sleep_20ms", "--peers", "blitz")
        for c in cells:
            self.assertLess(c["wall"]["serial"][0], 0.005)
            self.assertLess(c["cpu"]["serial"][0], 0.005)

    def test_the_tables_show_the_figures_of_a_record(self):
        cells = [
            cell("10us", (10, 5, 20, 4), (10, 10, 90, 11)),  # tbb_static is the better one
            cell("30us", (30, 40, 40, 60), (30, 50, 40, 1)),
            cell("1ms", (1000, 600, 500, 550), (1000, 1010, 1000, 1)),
        ]
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "record.json")
            file.write_text(json.dumps({"cells": cells}))
            done = run(str(file))
        self.assertEqual(done.returncode, 0, done.stderr)
        found = rows(done.stdout)
        self.assertEqual(found["loop_32: speed-up over serial", "gap"], ["10us", "30us", "1ms"])
        speed_ups = ["2.00 / 2.50 !", "0.75 / 0.75 -c", "1.67 / 2.00 !"]
        self.assertEqual(found["loop_32: speed-up over serial", "20us"], speed_ups)
        self.assertEqual(found["loop_32: CPU us a call", "20us"], ["10.00 / 11.00", "50.00 / 40.00", "1010 / 1000"])
        self.assertIn(
            "blitz: 1.36 of serial, below 0.9 in 1 of 3 cells; 0.87 of oneTBB, below 0.85 in 2 of 3, least 0.80 "
            "(loop_32, 10us, gap 20us); no more CPU time than oneTBB in 2 of 3\n",
            done.stdout,
        )

    def test_a_page_has_the_tables_of_its_record(self):
        shown = cell("10us", (10, 5, 20, 4), (10, 10, 90, 11))
        samples = {**shown, "wall": {peer: [1, *times, 0] for peer, times in shown["wall"].items()}}
        with tempfile.TemporaryDirectory() as folder:
            record, kept, page = (pathlib.Path(folder, name) for name in ("record.json", "kept.json", "page.md"))
            record.write_text(json.dumps({"cells": [samples]}))
            printed = run(str(record), "--record", str(kept)).stdout
            page.write_text("above\n<!-- cadence: begin -->\n<!-- cadence: end -->\nbelow\n")
            self.assertEqual(run(str(kept), "--page", str(page), "--check").returncode, 1)
            for arguments in ([], ["--check"]):
                done = run(str(kept), "--page", str(page), *arguments)
                self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
            medians = json.loads(kept.read_text())["cells"][0]["wall"]
            self.assertEqual(medians, {peer: [round(times[0], 9)] for peer, times in shown["wall"].items()})
            self.assertEqual(rows(page.read_text()), rows(printed))
            self.assertIn("\n- blitz: 2.00 of serial", page.read_text())

    def test_from_which_length_a_call_gains(self):
        figures = {"20us": (0.5, 0.8, 1.2, 1.1), "1ms": (1.2, 1.05, 2, 1.09), "sleep_1ms": (1.1, 1.2, 1.3, 1.4)}
        cells = [
            {"kind": "loop_32", "length": length, "gap": gap, "wall": {"serial": [1], "blitz": [1 / speed_up]}}
            for gap, speed_ups in figures.items()
            for length, speed_up in zip(("10us", "30us", "100us", "300us"), speed_ups)
        ]
        with tempfile.TemporaryDirectory() as folder:
            record, page = pathlib.Path(folder, "record.json"), pathlib.Path(folder, "page.md")
            record.write_text(json.dumps({"cells": cells}))
            page.write_text("<!-- worth: begin -->\n<!-- worth: end -->\n")
            done = run(str(record), "--page", str(page), "--name", "worth")
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
            found = [line.strip("| ").split(" | ") for line in page.read_text().splitlines() if line.startswith("| ")]
        self.assertEqual(
            found,
            [
                ["the call comes", "a loop gains from", "a shorter loop takes at most"],
                ["---", "--:", "--:"],
                ["after 20 us of work", "100 us", "2.00"],
                ["after 1 ms of work", "over 300 us", "0.95"],
                ["after 1 ms of sleep", "10 us"],
            ],
        )

    def test_unknown_names_are_refused(self):
        for option, name in (("--lengths", "10"), ("--gaps", "sleep_1s"), ("--kinds", "loop")):
            with self.subTest(option=option):
                done = run(PROGRAM, "--smoke", option, name)
                self.assertEqual((done.returncode, done.stdout), (1, ""))
                self.assertIn(f"'{name}'", done.stderr)

    def test_a_failing_program_has_no_table(self):
        done = run("/bin/false", "--smoke")
        self.assertEqual((done.returncode, done.stdout), (1, ""))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
