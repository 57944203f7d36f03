"""Tests comparisons of results of `compare` with earlier ones: baseline.py on two files, and `compare --baseline` on one.

usage: baseline_test.py COMPARE
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

COMPARE = sys.argv[1]
SCRIPT = pathlib.Path(__file__).parent.parent / "baseline.py"

STEADY = [1.00, 1.01, 0.99, 1.02, 0.98]
SHAKY = [1.0, 9.0, 2.0, 0.5, 4.0]


def row(peer, samples, *, workload="fib", threads=1, unit="ns/join", correct=True):
    return dict(workload=workload, peer=peer, threads=threads, unit=unit, correct=correct, samples=samples)


def times(samples, factor):
    return [sample * factor for sample in samples]


class BaselineTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def file(self, name, content):
        path = pathlib.Path(self.folder.name, name)
        path.write_text(content if isinstance(content, str) else json.dumps(content))
        return str(path)

    def result(self, name, *rows, scale="full", processor="any"):
        machine = {"processor": processor, "processors": 2, "compiler": "any"}
        return self.file(name, {"format": 1, "machine": machine, "scale": scale, "results": rows})

    def run_script(self, *arguments):
        return subprocess.run([sys.executable, SCRIPT, *arguments], capture_output=True, text=True, timeout=60)

    def run_compare(self, *arguments):
        return subprocess.run([COMPARE, *arguments], capture_output=True, text=True, timeout=300)

    def changes(self, old, new):
        """Returns the entries named slower and faster, by the title above them."""
        done = self.run_script(old, new)
        self.assertEqual(done.returncode, 0, done.stderr)
        found, title = {}, None
        for words in map(str.split, done.stdout.splitlines()):
            if words[:1] in (["slower"], ["faster"]):
                title = words[0]
            elif title and words:
                found[tuple(words[:3])] = title
        return found

    def change_of(self, before, after, **options):
        old = self.result("old.json", row("serial", STEADY, **options), row("blitz", before, **options))
        new = self.result("new.json", row("serial", STEADY, **options), row("blitz", after, **options))
        return set(self.changes(old, new).values())

    def test_a_change_beyond_the_noise_is_reported(self):
        self.assertEqual(self.change_of(STEADY, times(STEADY, 1.06)), {"slower"})
        self.assertEqual(self.change_of(times(STEADY, 1.06), STEADY), {"faster"})
        self.assertEqual(self.change_of(STEADY, times(STEADY, 1.04)), set())
        self.assertEqual(self.change_of(SHAKY, times(SHAKY, 2)), set(), "the quartiles overlap")
        self.assertEqual(self.change_of(SHAKY, times(SHAKY, 9)), {"slower"})

    def test_a_rate_that_falls_is_slower(self):
        self.assertEqual(self.change_of(STEADY, times(STEADY, 0.5), unit="GB/s"), {"slower"})

    def test_a_slower_machine_is_no_change(self):
        old = self.result("old.json", row("serial", STEADY), row("blitz", STEADY))
        new = self.result("new.json", row("serial", times(STEADY, 3)), row("blitz", times(STEADY, 3)))
        self.assertEqual(self.changes(old, new), {})

    def test_onetbb_replaces_an_unsteady_serial_form(self):
        for serial in (SHAKY, [-1.0] + STEADY[1:], [None] + STEADY[1:]):
            common = [row("serial", serial), row("tbb_auto", STEADY), row("tbb_simple", times(STEADY, 4))]
            old = self.result("old.json", *common, row("blitz", STEADY))
            new = self.result("new.json", *common, row("blitz", times(STEADY, 2)))
            with self.subTest(serial=serial):
                self.assertEqual(self.changes(old, new), {("fib", "blitz", "1"): "slower"})
                self.assertIn("oneTBB", self.run_script(old, new).stdout)

    def test_entries_that_cannot_be_compared_are_counted(self):
        for before, options in (([1.0, 1.0], {}), (STEADY, {"correct": False}), ([0.0] + STEADY[1:], {})):
            old = self.result("old.json", row("serial", STEADY), row("blitz", before, **options))
            new = self.result("new.json", row("serial", STEADY), row("blitz", times(STEADY, 9)))
            with self.subTest(before=before, options=options):
                done = self.run_script(old, new)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn("0 of 0 entries changed", done.stdout)
                self.assertIn("1 more cannot be compared", done.stdout)

    def test_only_equal_entries_are_compared(self):
        old = self.result("old.json", row("serial", STEADY), row("blitz", STEADY, threads=1))
        new = self.result("new.json", row("serial", STEADY), row("blitz", times(STEADY, 9), threads=2))
        self.assertIn("no entry is in both", self.run_script(old, new).stdout)

    def test_another_machine_is_named(self):
        old = self.result("old.json", row("blitz", STEADY), row("serial", STEADY), processor="an older one")
        new = self.result("new.json", row("blitz", STEADY), row("serial", STEADY))
        self.assertIn("an older one", self.run_script(old, new).stdout)

    def test_unusable_files_are_refused(self):
        good = self.result("good.json", row("blitz", STEADY))
        rows = [row("blitz", STEADY)]
        for bad, word in (
            ("/nonexistent.json", "No such file"),
            (self.folder.name, "Is a directory"),
            (self.file("cut.json", '{"format": 1'), "is not JSON"),
            (self.file("list.json", "[]"), "is no object"),
            (self.file("other.json", {"version": 1}), "'format'"),
            (self.file("newer.json", {"format": 2, "results": rows}), "format 2"),
            (self.result("row.json", {"workload": "fib"}), "'peer'"),
            (self.result("sample.json", row("blitz", ["fast"])), "fast"),
            (self.result("small.json", row("blitz", STEADY), scale="smoke"), "smoke inputs"),
        ):
            with self.subTest(word=word):
                for arguments in ((bad, good), (good, bad)):
                    done = self.run_script(*arguments)
                    self.assertEqual(done.returncode, 2, done.stdout)
                    self.assertIn(word, done.stderr)
                    self.assertNotIn("Traceback", done.stderr)
                done = self.run_compare("--baseline", bad)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(word, done.stderr)
                self.assertEqual(done.stdout, "")

    def test_compare_reports_changes_from_a_baseline(self):
        options = ["--smoke", "--only", "fib,saxpy", "--threads", "1", "--repetitions", "5"]
        json_file = pathlib.Path(self.folder.name, "out.json")
        self.assertEqual(self.run_compare(*options, "--json", str(json_file)).returncode, 0)
        old = json.loads(json_file.read_text())
        for entry in old["results"]:
            if entry["peer"] == "blitz":  # a million times as fast as in reality, as a time or as a rate
                factor = 1e-6 if entry["workload"] == "fib" else 1e6
                entry["samples"] = times(entry["samples"], factor)
        done = self.run_compare(*options, "--baseline", self.file("old.json", old))
        self.assertEqual(done.returncode, 0, done.stderr)
        table, _, changes = done.stdout.partition("against ")
        self.assertIn("geometric mean", table)
        self.assertRegex(changes, r"slower .*\n(.*\n)*  fib +blitz +1 ")
        self.assertRegex(changes, r"slower .*\n(.*\n)*  saxpy +blitz +1 ")

    def test_the_baseline_is_not_overwritten(self):
        path = self.result("old.json", row("blitz", STEADY))
        done = self.run_compare("--smoke", "--baseline", path, "--json", self.folder.name + "/./old.json")
        self.assertEqual(done.returncode, 2)
        self.assertIn("same file", done.stderr)
        self.assertIn("results", json.loads(pathlib.Path(path).read_text()))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
