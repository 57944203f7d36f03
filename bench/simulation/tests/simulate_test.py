"""Runs `simulate` on tiny inputs: every scenario on both backends is right and keeps the laws that hold for any scheduler, and
one command always prints equal figures. The tables of README.md have their places.

usage: simulate_test.py SIMULATE
"""

import pathlib
import subprocess
import sys
import unittest

FOLDER = pathlib.Path(__file__).parent.parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(FOLDER))

from tables import JOB_THREADS, parsed, with_tables  # noqa: E402

SIMULATE = sys.argv[1]

SCENARIOS = """
    tree tree_fine loop_1000 loop_100000 loop_repeated wake busy spawn_1 spawn_4 spawn_16 join_alone grain_1e3 grain_1e4
    wake_pair
    """.split()


def run(*arguments):
    return subprocess.run([SIMULATE, *arguments], capture_output=True, text=True, timeout=200)


def tables(text):
    """Returns {(backend, scenario): [row]}. A row maps the names of its columns to cells."""
    return {key: list(rows.values()) for key, rows in parsed(text).items()}


class SimulateTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.done = {}
        for profile in ("metal", "chiplets", "virtual", "guest"):
            cls.done[profile] = run("--smoke", "--threads", "1,3,17", "--profile", profile)

    def test_every_scenario_runs_on_both_backends(self):
        for profile, done in self.done.items():
            self.assertEqual((done.returncode, done.stderr), (0, ""), profile)
            found = tables(done.stdout)
            self.assertEqual(set(found), {(b, s) for b in ("fork_join", "async") for s in SCENARIOS})
            for key, rows in found.items():
                self.assertEqual([row["threads"] for row in rows], ["1", "3", "17"], key)

    def test_figures_keep_the_laws_of_any_scheduler(self):
        for profile, done in self.done.items():
            for key, rows in tables(done.stdout).items():
                with self.subTest(profile=profile, scenario=key):
                    alone = rows[0]
                    # The reference time and the row of one thread are two runs.
                    self.assertEqual(float(alone["speed-up"]), 1)
                    self.assertEqual((alone["stolen"], alone["tried"]), ("0", "0"))
                    for row in rows:
                        # n threads need at least the work of the bodies / n.
                        self.assertGreater(float(row["us"]), 0)
                        self.assertGreater(float(row["eff. %"]), 0)
                        self.assertLessEqual(float(row["eff. %"]), 100)
                        # A theft is an attempt. On the async backend one theft may move half a ring of 256 jobs.
                        most = 128 if key[0] == "async" else 1
                        self.assertLessEqual(int(row["stolen"]), most * int(row["tried"]))
                        # Interrupts are caused by calls, and calls by requests for fences, during the measurement or just
                        # before it.
                        if row["calls"] == "0":
                            self.assertEqual(row["intr."], "0")
                        self.assertLessEqual(int(row["calls"]), int(row["fences"]) + int(row["threads"]))

    def test_long_work_is_shared(self):
        for (backend, scenario), rows in tables(self.done["metal"].stdout).items():
            if scenario in ("loop_1000", "loop_repeated", "grain_1e4", "wake_pair"):
                with self.subTest(backend=backend, scenario=scenario):
                    self.assertGreater(float(rows[1]["speed-up"]), 1.5)
                    self.assertGreater(int(rows[1]["stolen"]), 0)

    def test_the_same_command_prints_the_same_figures(self):
        arguments = ("--smoke", "--threads", "3,17", "--details")
        first, second = run(*arguments), run(*arguments)
        self.assertEqual(first.returncode, 0, first.stderr)
        self.assertEqual(first.stdout, second.stdout)
        self.assertNotEqual(first.stdout, run(*arguments, "--seed", "2").stdout.replace("seed 2", "seed 1"))

    def test_a_cost_changes_the_figures(self):
        def microseconds(*costs):
            done = run("--smoke", "--threads", "3", "--backend", "fork_join", "--only", "wake_pair", *costs)
            self.assertEqual(done.returncode, 0, done.stderr)
            return float(tables(done.stdout)["fork_join", "wake_pair"][0]["excess us"])

        slower = microseconds("--wake-latency", "105000")
        self.assertAlmostEqual(slower - microseconds("--wake-latency", "5000"), 100, delta=25)
        cost, profile = ("--wake-latency", "105000"), ("--profile", "guest")
        self.assertEqual(microseconds(*cost, *profile), microseconds(*profile, *cost))
        self.assertAlmostEqual(microseconds(*profile) - microseconds("--wake-latency", "5000"), 10, delta=8)

    def test_distances_change_the_time(self):
        def output(*costs):
            done = run("--smoke", "--threads", "8", "--backend", "fork_join", "--only", "tree", *costs)
            self.assertEqual(done.returncode, 0, done.stderr)
            return done.stdout

        usual = output()
        self.assertEqual(usual, output("--cache", "64", "--cache-transfer", "999", "--socket-transfer", "999"))
        self.assertNotEqual(usual, output("--cache", "2"))
        self.assertNotEqual(usual, output("--socket", "4"))
        self.assertNotEqual(output("--socket", "4"), output("--socket", "4", "--socket-transfer", "200"))

    def test_a_free_line_is_never_transferred(self):
        def transfers(*arguments):
            done = run("--smoke", "--threads", "8", "--backend", "fork_join", "--only", "loop_1000", *arguments)
            self.assertEqual(done.returncode, 0, done.stderr)
            (row,) = tables(done.stdout)["fork_join", "loop_1000"]
            return int(row["loop end"])

        self.assertGreater(transfers(), 0)
        self.assertEqual(transfers("--free-line", "flat_end.hpp"), 0)

    def test_pools_of_256_and_288_workers_run(self):
        done = run("--smoke", "--threads", "256,288", "--only", "wake,tree,spawn_16")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for key, rows in tables(done.stdout).items():
            self.assertEqual([row["threads"] for row in rows], ["256", "288"], key)

    def test_slow_processors_get_less_work(self):
        """Half of the workers take twice as long for each item. 100 % is the sum of all speeds."""

        def efficiency(*arguments):
            done = run("--slow", *arguments)
            self.assertEqual(done.returncode, 0, done.stderr)
            return {key: [float(row["eff. %"]) for row in rows] for key, rows in tables(done.stdout).items()}

        for seed in ("1", "2"):
            long = efficiency("--only", "loop_100000", "--threads", "2,4,8,16", "--seed", seed)
            short = efficiency("--only", "loop_1000", "--threads", "2,4,8", "--seed", seed)
            self.assertEqual((len(long), len(short)), (2, 2))
            for (backend, scenario), percents in (long | short).items():
                with self.subTest(seed=seed, backend=backend, scenario=scenario):
                    self.assertLessEqual(max(percents), 100)
                    if scenario == "loop_1000":
                        # Its calls take 170 us on 8 workers: the thefts that even out the speeds matter.
                        self.assertGreaterEqual(percents.pop(), 90 if backend == "fork_join" else 85)
                    self.assertGreaterEqual(min(percents), 95)

    def test_the_page_has_a_place_for_each_table(self):
        page = (FOLDER / "README.md").read_text(encoding="utf-8")
        # Uses rows of few threads instead of many, which would take minutes.
        done = tables(self.done["metal"].stdout)
        found = {key: dict.fromkeys(["1", *JOB_THREADS], rows[1]) for key, rows in done.items()}
        written = with_tables(page, found)
        self.assertEqual(written.count("\n"), page.count("\n"))
        self.assertNotEqual(written, page)
        with self.assertRaisesRegex(ValueError, "no line <!-- tables: wake: end -->"):
            with_tables(page.replace("<!-- tables: wake: end -->", ""), found)

    def test_bad_options_are_refused(self):
        for arguments, message in [
            (["--threads", "0"], "'0' is not a number"),
            (["--threads", "289"], "'289' is not a number from 1 to 288"),
            (["--cache", "0"], "'0' is not a number"),
            (["--threads"], "--threads needs a value"),
            (["--only", "fib"], "no scenario 'fib'"),
            (["--profile", "cloud"], "no profile 'cloud'"),
            (["--backend", "tbb"], "no backend 'tbb'"),
            (["--transfer", "-1"], "'-1' is not a number"),
            (["--frobnicate", "1"], "no option '--frobnicate'"),
        ]:
            with self.subTest(arguments=arguments):
                done = run(*arguments)
                self.assertEqual(done.returncode, 2)
                self.assertIn(message, done.stderr)

    def test_help_names_scenarios_and_options(self):
        text = run("--help").stdout
        for word in SCENARIOS + ["--membarrier-interrupt", "--seed", "--details", "metal", "chiplets", "virtual", "guest",
                                 "--slow", "--free-line", "--cache", "--cache-transfer", "--socket-transfer"]:
            self.assertIn(word, text)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
