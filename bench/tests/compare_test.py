"""Runs `compare` on tiny inputs: results are right, its files can be read, bad options are refused. baseline_test.py tests
baselines.

usage: compare_test.py COMPARE COMPARE_WITH_A_WRONG_PEER
"""

import json
import math
import os
import pathlib
import pty
import re
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

COMPARE, WRONG = sys.argv[1:3]

os.environ["KMP_BLOCKTIME"] = "0"  # libomp's threads would spin for 200 ms after every region, and the test would wait for them

# In addition to an index of type size_t, or, in `reduce`, a range.
SPELLINGS = {"loop_1000": ("int", "range"), "saxpy": ("int",), "triad": ("int",), "reduce": ("int",)}


def run(*arguments, program=COMPARE):
    return subprocess.run([program, *arguments], capture_output=True, text=True, timeout=300)


def library(name):
    return name.split("_")[0]


def listed(*arguments):
    """Returns the peers of each workload that --list names."""
    lines = run("--list", *arguments).stdout.splitlines()
    return {name: peers.split() for name, peers in (line.split(":") for line in lines)}


class CompareTest(unittest.TestCase):
    def test_every_workload_runs_with_correct_results(self):
        with tempfile.TemporaryDirectory() as folder:
            json_file = pathlib.Path(folder, "out.json")
            done = run("--smoke", "--aims", "--threads", "1,2", "--json", str(json_file))
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("repetition 2/2", done.stderr)
            found = json.loads(json_file.read_text())

        rows = found["results"]
        self.assertEqual({row["workload"] for row in rows}, set(listed()))
        for row in rows:
            with self.subTest(workload=row["workload"], peer=row["peer"], threads=row["threads"]):
                self.assertTrue(row["correct"])
                self.assertEqual(len(row["samples"]), 2)
                self.assertLessEqual(row["quartiles"][0], row["median"])
                self.assertLessEqual(row["median"], row["quartiles"][1])
                self.assertGreater(row["wall_seconds_per_unit"], 0)
                self.assertIn(row["workload"] + ":", done.stdout)
        for workload in listed():
            peers = {(row["peer"], row["threads"]) for row in rows if row["workload"] == workload}
            self.assertLessEqual({("serial", 1), ("blitz", 1), ("blitz", 2)}, peers)
            self.assertLessEqual({("serial_" + s, 1) for s in SPELLINGS.get(workload, ())}, peers)
            self.assertLessEqual({("blitz_" + s, 2) for s in SPELLINGS.get(workload, ())}, peers)
        self.check_speed_ups(rows)
        self.check_geometric_means(found["geometric_means"], rows)
        self.check_memory(rows)
        self.assertIn(("blitz", 2), {(b["peer"], b["threads"]) for b in found["break_even"]})
        self.assertNotIn(1, {b["threads"] for b in found["break_even"]})
        self.assertIn("break-even:", done.stdout)
        self.assertTrue(all(aim["limit"] > 0 for aim in found["aims"]))
        self.assertRegex(done.stdout, r"PASS|MISS")
        self.check_legend(done.stdout)

    def check_legend(self, shown):
        """Each column and each implementation, by the beginning of its name, is explained above the tables."""
        _, legend, tables = shown.split("\n\n", 2)
        columns = ("spread", "p99", "wall", "CPU", "CPU after", "peak MiB", "x blitz")
        self.assertEqual(re.search("^  1 thread +[^ ]+ +(spread.*)", tables, re.MULTILINE)[1].split(), " ".join(columns).split())
        for column in columns:
            self.assertRegex(legend, rf"(?m)^  (?:wall, )?{column}(?:, CPU)?  ")
        named = re.findall(r"\b(serial|by_hand|[a-z]+_?\*|blitz_async)", legend)
        for name in {name for peers in listed().values() for name in peers if library(name) != "blitz"}:
            self.assertTrue(any(name.startswith(beginning.rstrip("*")) for beginning in named), name)

    def check_speed_ups(self, rows):
        serial = {row["workload"]: row["median"] for row in rows if row["peer"] == "serial"}
        for row in rows:
            times = row["median"], serial[row["workload"]]
            if row["workload"] in ("wake", "fan_out_cold") or row["unit"].startswith("CPU ") or not min(times) > 0:
                expected = None
            else:
                expected = times[0] / times[1] if row["unit"].endswith("/s") else times[1] / times[0]
            with self.subTest(workload=row["workload"], peer=row["peer"], threads=row["threads"]):
                self.assertEqual(row["speed_up"] is None, expected is None)
                self.assertAlmostEqual((row["speed_up"] or 1) / (expected or 1), 1, places=6)

    def check_geometric_means(self, means, rows):
        self.assertIn(("serial", 1), {(mean["peer"], mean["threads"]) for mean in means})
        for mean in means:
            ratios = [
                row["times_slower_than_blitz"]
                for row in rows
                if (row["peer"], row["threads"]) == (mean["peer"], mean["threads"])
                and row["times_slower_than_blitz"]
                and not row["unit"].startswith("CPU ")
            ]
            if mean["peer"].startswith("serial") and mean["threads"] != 1:
                continue  # the rows compare the serial forms with blitz on one thread
            with self.subTest(mean=mean):
                self.assertEqual(mean["workloads"], len(ratios))
                expected = math.exp(sum(map(math.log, ratios)) / len(ratios))
                self.assertAlmostEqual(mean["times_slower_than_blitz"] / expected, 1, places=6)

    def check_memory(self, rows):
        if not os.access("/proc/self/clear_refs", os.W_OK):
            self.assertEqual({row["peak_bytes"] for row in rows}, {None})
            return
        for row in rows:
            with self.subTest(workload=row["workload"], peer=row["peer"], threads=row["threads"]):
                self.assertGreaterEqual(row["peak_bytes"], 0)

    def test_only_the_selection_runs(self):
        done = run("--smoke", "--only", "fib,saxpy", "--threads", "1", "--repetitions", "3")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("fib:", done.stdout)
        self.assertIn("saxpy:", done.stdout)
        self.assertNotRegex(done.stdout, r"PASS|MISS")
        self.assertNotIn("wake:", done.stdout)
        self.assertIn("3 repetitions", done.stdout)

    def test_a_wrong_result_is_found(self):
        done = run("--smoke", "--only", "loop_2", "--threads", "1", program=WRONG)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("wrong result: loop_2 wrong", done.stderr)
        self.assertIn("WRONG", done.stdout)

    @unittest.skipUnless(os.access("/proc/self/clear_refs", os.W_OK), "the kernel does not tell")
    def test_the_peak_of_memory_is_found(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "out.json")
            run("--smoke", "--only", "loop_2", "--threads", "1", "--json", str(file), program=WRONG)
            peaks = {row["peer"]: row["peak_bytes"] / 2**20 for row in json.loads(file.read_text())["results"]}
        # 32 MiB, minus the pages that the kernel has not added up yet: it counts pages by processor.
        self.assertTrue(31 <= peaks["wrong"] < 40, peaks)
        self.assertLess(peaks["serial"], 8)

    def test_more_threads_than_processors_run_with_a_warning(self):
        threads = len(os.sched_getaffinity(0)) + 2
        done = run("--smoke", "--only", "fib,loop_1000,inject_2", "--threads", f"1,{threads}")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("more threads than the", done.stderr)
        self.assertIn(f"  {threads} threads ", done.stdout)

    def terminal(self):
        """Returns both ends of a terminal. Skips the test if none can be made, as in a bare chroot."""
        try:
            return pty.openpty()
        except OSError as error:
            self.skipTest(f"no terminal can be made here: {error}")

    def test_a_terminal_shows_the_progress(self):
        reader, terminal = self.terminal()
        command = [COMPARE, "--smoke", "--only", "fib", "--threads", "1"]
        done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=terminal, timeout=300)
        os.close(terminal)
        shown = os.read(reader, 1 << 16).decode()
        os.close(reader)
        self.assertEqual(done.returncode, 0)
        lines = [line.removeprefix("\x1b[K") for line in shown.split("\r")]
        self.assertTrue(any(line.startswith("[....................]   0%") for line in lines), shown)
        self.assertRegex(shown, r"\[#+\.+\] +\d+% repetition 2/2, \d+ min \d+ s left: fib ")
        self.assertTrue(all(len(line) < 80 for line in lines), shown)
        self.assertEqual(lines[-1], "")

    def test_the_progress_test_is_skipped_without_terminals(self):
        result = unittest.TestResult()
        with unittest.mock.patch.object(pty, "openpty", side_effect=OSError("out of pty devices")):
            CompareTest("test_a_terminal_shows_the_progress").run(result)
        self.assertEqual((result.errors, result.failures), ([], []))
        self.assertEqual([why for _, why in result.skipped], ["no terminal can be made here: out of pty devices"])

    def test_list_and_help_name_workloads_and_options(self):
        self.assertEqual(run("--list").returncode, 0)
        # One of each theme.
        self.assertLessEqual({"fib", "loop_2", "saxpy", "quicksort", "spawn", "wake"}, set(listed()))
        self.assertEqual(run("--list", "--only", "fib").stdout.split()[:2], ["fib:", "serial"])
        helped = run("--help")
        self.assertEqual(helped.returncode, 0)
        self.assertIn("--quick", helped.stdout)
        self.assertIn("oneTBB, OpenMP and Rayon", helped.stdout)

    def test_quick_leaves_out_workloads_and_clang(self):
        everything, quick = listed(), listed("--quick")
        self.assertLess(set(quick), set(everything))
        self.assertNotIn("triad", quick)
        self.assertEqual(listed("--quick", "--only", "triad"), {"triad": everything["triad"]})
        for name, peers in quick.items():
            left_out = set(everything[name]) - set(peers)
            with self.subTest(workload=name):
                self.assertTrue(all(peer.startswith("clang_") for peer in left_out), left_out)
                self.assertTrue(name not in ("wake", "burst_10ms") or not left_out, left_out)

    def test_clang_has_the_forms_of_openmp(self):
        for name, peers in listed().items():
            clang = {peer.replace("clang_", "openmp_") for peer in peers if peer.startswith("clang_")}
            with self.subTest(workload=name):
                self.assertIn(clang, (set(), {peer for peer in peers if peer.startswith("openmp_")}))

    def test_bursts_report_cpu_time(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "out.json")
            done = run("--smoke", "--only", "burst_100ms", "--threads", "2", "--json", str(file))
            rows = json.loads(file.read_text())["results"]
        self.assertEqual(done.returncode, 0, done.stderr)
        for row in rows:
            with self.subTest(peer=row["peer"]):
                self.assertEqual(row["unit"], "CPU us/call")
                self.assertAlmostEqual(row["median"] * 1e-6 / row["cpu_seconds_per_unit"], 1, places=6)
                self.assertGreater(row["p99"], 0)
        # The gap (5 ms on tiny inputs) is not part of the call.
        self.assertLess(next(row for row in rows if row["peer"] == "serial")["wall_seconds_per_unit"], 0.004)

    def test_bad_options_are_refused(self):
        for arguments, word in (
            (["--fast"], "--fast"),
            (["--only", "nothing"], "nothing"),
            (["--only"], "missing"),
            (["--threads", "0"], "'0'"),
            (["--threads", "1,two"], "'two'"),
            (["--threads", "99999"], "'99999'"),
            (["--repetitions", "-1"], "'-1'"),
            (["--repetitions", ""], "missing"),
            (["--repetitions", "3x"], "'3x'"),
            (["--json", "--list"], "missing"),
            (["--quick", "--smoke"], "exclude"),
            (["--json", "out", "--baseline", "out"], "same file"),
            (["--smoke", "--json", "/nonexistent/out.json"], "/nonexistent/out.json"),
        ):
            with self.subTest(arguments=arguments):
                done = run(*arguments)
                self.assertEqual(done.returncode, 2, done.stdout)
                self.assertIn(word, done.stderr)
                self.assertEqual(done.stdout, "")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
