"""Runs conclusion.py on constructed records: faster, equal and slower workloads, a busy machine, unsteady repetitions.

usage: conclusion_test.py CONCLUSION
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

CONCLUSION = sys.argv[1]


def row(workload, peer, median, threads=2, spread=0.02, unit="ns/item", correct=True):
    half = median and median * spread / 2
    return {
        "workload": workload,
        "peer": peer,
        "threads": threads,
        "unit": unit,
        "median": median,
        "quartiles": [median and median - half, median and median + half],
        "correct": correct,
    }


def record(*results, scale="quick"):
    return {"scale": scale, "threads": [1, 2], "results": list(results)}


class ConclusionTest(unittest.TestCase):
    def conclude(self, found, load=0.0, status=0):
        """Returns the lines."""
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "record.json")
            file.write_text(found if isinstance(found, str) else json.dumps(found))
            command = [sys.executable, "-B", CONCLUSION, "--load", str(load), file]
            done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, status, done.stderr)
        self.errors = done.stderr
        return done.stdout.splitlines()

    def test_workloads_are_faster_equal_or_slower(self):
        found = [
            *(row("fib", peer, time) for peer, time in (("blitz", 10), ("tbb_auto", 50), ("tbb_group", 40), ("rayon", 5))),
            *(row("loop", peer, time) for peer, time in (("blitz", 100), ("tbb_auto", 101), ("openmp_static", 200))),
            *(row("saxpy", peer, rate, unit="GB/s") for peer, rate in (("blitz", 8), ("tbb_auto", 10))),
            *(row(f"tree_{i}", peer, time) for i in (2, 3, 5) for peer, time in (("blitz", 1), ("tbb_auto", i))),
            row("fib", "tbb_auto", 1, threads=1),
            row("only_tbb", "tbb_auto", 1),
        ]
        self.assertEqual(
            self.conclude(record(*found)),
            [
                "On this machine, with 2 threads:",
                "- blitz is faster than oneTBB in 4 of 6 workloads (tree_5: 5 times as fast, fib: 4, tree_3: 3), equally fast"
                " in 1, and slower in 1 (saxpy: 1.25 times as long).",
                "- blitz is faster than OpenMP in 1 of 1 workloads (loop: 2 times as fast), equally fast in 0, and slower in 0.",
                "- blitz is faster than Rayon in 0 of 1 workloads, equally fast in 0, and slower in 1 (fib: 2 times as long).",
            ],
        )

    def test_cpu_times_wrong_results_and_figures_within_the_noise_are_left_out(self):
        found = [
            *(row("burst", peer, 10, unit="CPU us/call") for peer in ("blitz", "tbb_auto")),
            *(row("wake", peer, time) for peer, time in (("blitz", -3), ("tbb_auto", 10))),
            *(row("none", peer, time) for peer, time in (("blitz", 3), ("tbb_auto", None))),
            *(row("fib", peer, time, correct=peer == "blitz") for peer, time in (("blitz", 3), ("tbb_auto", 1))),
        ]
        self.assertEqual(self.conclude(record(*found)), ["On this machine, with 2 threads:"])

    def test_a_busy_machine_is_noticed(self):
        found = record(row("fib", "blitz", 1))
        processors = os.cpu_count()
        self.assertEqual(len(self.conclude(found, load=0.9 * processors)), 1)
        self.assertRegex(self.conclude(found, load=1.5 * processors)[-1], rf"^The machine was busy .*, {processors} processors")

    def test_unsteady_repetitions_are_noticed(self):
        def notice(*spreads):
            return self.conclude(record(*(row(f"workload_{i}", "blitz", 1, spread=s) for i, s in enumerate(spreads))))[1:]

        self.assertEqual(notice(0.1, 0.1, 0.9), [])
        [line] = notice(0.1, 0.4, 0.9)
        self.assertRegex(line, "^The repetitions are not steady: .* above 40%")

    def test_tiny_inputs_have_no_conclusion(self):
        [line] = self.conclude(record(row("fib", "blitz", 1), row("fib", "tbb_auto", 9), scale="smoke"))
        self.assertRegex(line, "^No conclusion")

    def test_bad_records_are_refused(self):
        for found, word in (("{", "Expecting"), ("[]", "not what --json writes"), ("{}", "'scale'")):
            with self.subTest(found=found):
                self.assertEqual(self.conclude(found, status=2), [])
                self.assertIn(word, self.errors)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
