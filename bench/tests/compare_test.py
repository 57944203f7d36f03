"""Runs `compare` with tiny inputs: results are right, its files can be read, bad options are refused.

usage: compare_test.py COMPARE COMPARE_WITH_A_WRONG_PEER
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

COMPARE, WRONG = sys.argv[1:3]

WORKLOADS = set(
    """
    fib nqueens tree_sum tree_geometric tree_binomial skynet skynet_huge integrate quicksort mergesort matmul
    loop_2 loop_1000 nested_1 nested_4 wake saxpy reduce mandelbrot skewed_loop skewed_reduce
    grain_1e0 grain_1e1 grain_1e2 grain_1e3 grain_1e4 grain_1e5 grain_1e6
    spawn inject_1 inject_2 inject_4 ping_pong_1 ping_pong_8
    """.split()
)


def run(*arguments, program=COMPARE):
    return subprocess.run([program, *arguments], capture_output=True, text=True, timeout=300)


class CompareTest(unittest.TestCase):
    def test_everything_runs_and_is_right(self):
        with tempfile.TemporaryDirectory() as folder:
            json_file = pathlib.Path(folder, "out.json")
            svg_file = pathlib.Path(folder, "out.svg")
            done = run("--smoke", "--threads", "1,2", "--json", str(json_file), "--svg", str(svg_file))
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("repetition 2/2", done.stderr)
            found = json.loads(json_file.read_text())
            bars = xml.etree.ElementTree.parse(svg_file).getroot().findall(".//{http://www.w3.org/2000/svg}rect")

        rows = found["results"]
        self.assertEqual({row["workload"] for row in rows}, WORKLOADS)
        for row in rows:
            with self.subTest(workload=row["workload"], peer=row["peer"], threads=row["threads"]):
                self.assertTrue(row["correct"])
                self.assertEqual(len(row["samples"]), 2)
                self.assertLessEqual(row["quartiles"][0], row["median"])
                self.assertLessEqual(row["median"], row["quartiles"][1])
                self.assertGreater(row["wall_seconds_per_unit"], 0)
                self.assertIn(row["workload"] + ":", done.stdout)
        for workload in WORKLOADS:
            peers = {(row["peer"], row["threads"]) for row in rows if row["workload"] == workload}
            self.assertLessEqual({("serial", 1), ("blitz", 1), ("blitz", 2)}, peers)
        self.assertEqual(len(bars), len(rows) + 1)
        self.assertIn(("blitz", 2), {(b["peer"], b["threads"]) for b in found["break_even"]})
        self.assertNotIn(1, {b["threads"] for b in found["break_even"]})
        self.assertIn("break-even:", done.stdout)
        self.assertTrue(all(aim["limit"] > 0 for aim in found["aims"]))
        self.assertRegex(done.stdout, r"PASS|MISS")

    def test_a_selection(self):
        done = run("--smoke", "--only", "fib,saxpy", "--threads", "1", "--repetitions", "3")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("fib:", done.stdout)
        self.assertIn("saxpy:", done.stdout)
        self.assertNotIn("wake:", done.stdout)
        self.assertIn("3 repetitions", done.stdout)

    def test_a_wrong_result_is_found(self):
        done = run("--smoke", "--only", "loop_2", "--threads", "1", program=WRONG)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("wrong result: loop_2 wrong", done.stderr)
        self.assertIn("WRONG", done.stdout)

    def test_list_and_help(self):
        listed = run("--list")
        self.assertEqual(listed.returncode, 0)
        self.assertEqual({line.split(":")[0] for line in listed.stdout.splitlines()}, WORKLOADS)
        helped = run("--help")
        self.assertEqual(helped.returncode, 0)
        self.assertIn("--quick", helped.stdout)

    def test_bad_options(self):
        for arguments, word in (
            (["--fast"], "--fast"),
            (["--only", "nothing"], "nothing"),
            (["--only"], "missing"),
            (["--threads", "0"], "'0'"),
            (["--threads", "1,two"], "'two'"),
            (["--threads", "99999"], "'99999'"),
            (["--repetitions", "-1"], "'-1'"),
            (["--repetitions", ""], "''"),
            (["--smoke", "--json", "/nonexistent/out.json"], "/nonexistent/out.json"),
        ):
            with self.subTest(arguments=arguments):
                done = run(*arguments)
                self.assertEqual(done.returncode, 2, done.stdout)
                self.assertIn(word, done.stderr)
                self.assertEqual(done.stdout, "")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
