#!/usr/bin/env python3
"""Reports the entries that got slower or faster, beyond the noise, between two results of `compare`.

usage: baseline.py [--scale SCALE] OLD [NEW]

OLD and NEW are files that `compare --json` wrote; `-` is the standard input. Without NEW only OLD is checked: whether it can be
read, and with --scale, whether its inputs had that size.

Times of different days differ by more than the library does. Therefore the script compares the ratio of each entry to the
serial form of the same run, repetition by repetition, because the two were measured seconds apart. If the serial form has no
steady time, such as a single call that is shorter than the resolution of the clock, the ratio is to oneTBB's fastest form. An
entry has changed if the intervals between the quartiles of its old and of its new ratios do not overlap, and the medians differ
by more than 5 %.

Exit status: 0 the results were compared, whatever has changed; 2 a file cannot be read, or two cannot be compared.
"""

import argparse
import json
import math
import statistics
import sys
from typing import NamedTuple

LEAST_CHANGE = 1.05
LEAST_REPETITIONS = 5  # the quartiles of fewer say nothing
MOST_SPREAD = 1.3  # between the quartiles of a steady time


class Unusable(Exception):
    """A file that is no result of `compare`, or one that cannot be compared; with a message for the user."""


class Entry(NamedTuple):
    workload: str
    peer: str
    threads: int


class Quartiles(NamedTuple):
    low: float
    median: float
    high: float

    def __str__(self):
        return f"{number(self.median)} ({number(self.low)}-{number(self.high)})"


class Change(NamedTuple):
    base: str  # the form that the ratios divide by
    before: Quartiles
    after: Quartiles

    @property
    def is_beyond_noise(self):
        before, after = self.before, self.after
        apart = before.high < after.low or after.high < before.low
        return apart and max(before.median / after.median, after.median / before.median) > LEAST_CHANGE


def number(value):
    """Three significant digits, never in scientific notation."""
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.3g}" if abs(value) >= 0.001 else f"{value:.6f}"


def quartiles(values):
    return Quartiles(*statistics.quantiles(values, n=4, method="inclusive"))


class Run:
    """The contents of one file: the times of each entry, one for each repetition."""

    def __init__(self, name):
        self.name = "the standard input" if name == "-" else f"'{name}'"
        try:
            if name == "-":
                found = json.load(sys.stdin)
            else:
                with open(name, encoding="utf-8") as file:
                    found = json.load(file)
        except (OSError, UnicodeDecodeError) as error:
            raise Unusable(f"cannot read {self.name}: {getattr(error, 'strerror', None) or error}") from error
        except (json.JSONDecodeError, RecursionError) as error:
            raise Unusable(f"{self.name} is not JSON: {error}") from error
        try:
            if not isinstance(found, dict):
                raise TypeError("it is no object")
            if found["format"] != 1:
                raise Unusable(f"{self.name} has format {found['format']}, not 1")
            self.scale = str(found["scale"])
            self.machine = ", ".join(str(found["machine"][key]) for key in ("processor", "processors", "compiler"))
            self.times = dict(map(times, found["results"]))
        except KeyError as error:
            raise Unusable(f"{self.name} is not what compare --json writes: it has no {error}") from error
        except (TypeError, ValueError, AttributeError) as error:
            raise Unusable(f"{self.name} is not what compare --json writes: {error}") from error

    def steady_serial(self, entry):
        """The serial form of the same workload, or None if its time is not steady."""
        serial = Entry(entry.workload, "serial", 1)
        found = self.times.get(serial, [])
        if len(found) < LEAST_REPETITIONS:
            return None
        spread = quartiles(found)
        return serial if spread.high <= MOST_SPREAD * spread.low else None

    def fastest_tbb(self, entry):
        """oneTBB's fastest form of the same workload on as many threads, or None."""
        forms = [
            other
            for other, found in self.times.items()
            if other.peer.startswith("tbb")
            and (other.workload, other.threads) == (entry.workload, entry.threads)
            and found
        ]
        return min(forms, key=lambda form: statistics.median(self.times[form]), default=None)

    def ratios(self, entry, base):
        """The quartiles of the ratio, or None if one of the two has no times, or too few."""
        own, others = self.times.get(entry), self.times.get(base)
        if not own or not others or len(own) != len(others) or len(own) < LEAST_REPETITIONS:
            return None
        return quartiles([a / b for a, b in zip(own, others)])


def times(row):
    """An entry and the time of each repetition. There are no times if the result is wrong, or if a time is not positive, which
    is possible for an excess within the noise."""
    entry = Entry(str(row["workload"]), str(row["peer"]), int(row["threads"]))
    samples = [math.nan if sample is None else float(sample) for sample in row["samples"]]
    if not row["correct"] or not all(0 < sample < math.inf for sample in samples):
        return entry, []
    is_rate = row["unit"].endswith("/s")
    return entry, [1 / sample if is_rate else sample for sample in samples]


def compare(old, new, entry):
    """The change of the ratio to the serial form, otherwise to oneTBB's fastest form; None without either."""
    for base, find in (("serial", Run.steady_serial), ("oneTBB", Run.fastest_tbb)):
        before, after = old.ratios(entry, find(old, entry)), new.ratios(entry, find(new, entry))
        if before and after:
            return Change(base, before, after)
    return None


def report(old, new):
    """Prints a table of the entries that have changed, or one line if none has."""
    common = [entry for entry in new.times if entry in old.times and entry.peer != "serial"]
    if not common:
        print(f"\nagainst {old.name}: no entry is in both")
        return
    changes = {entry: change for entry in common if (change := compare(old, new, entry))}
    changed = {entry: change for entry, change in changes.items() if change.is_beyond_noise}
    print(f"\nagainst {old.name}: {len(changed)} of {len(changes)} entries changed beyond the noise")
    if old.machine != new.machine:
        print(f"  it was measured on something else: {old.machine}")
    if len(changes) < len(common):
        print(
            f"  {len(common) - len(changes)} more cannot be compared: a wrong result, times that are not positive, or"
            f" under {LEAST_REPETITIONS} repetitions"
        )
    line = "  {:<15} {:<19} {:>7}  {:<6} {:>24} {:>24} {:>8}".format
    for title, is_wanted in (("slower", lambda b, a: a > b), ("faster", lambda b, a: a < b)):
        found = {entry: c for entry, c in changed.items() if is_wanted(c.before.median, c.after.median)}
        if found:
            print(line(title, "", "threads", "x of", "was (quartiles)", "is (quartiles)", "change"))
        for entry, (base, before, after) in sorted(found.items()):
            percent = f"{after.median / before.median - 1:+.0%}"
            print(line(entry.workload, entry.peer, entry.threads, base, str(before), str(after), percent))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scale", help="the size that the inputs of OLD must have: full, quick or smoke")
    parser.add_argument("old", metavar="OLD")
    parser.add_argument("new", metavar="NEW", nargs="?")
    options = parser.parse_args()
    try:
        old = Run(options.old)
        if options.scale and options.scale != old.scale:
            raise Unusable(f"{old.name} has {old.scale} inputs, not {options.scale} ones")
        if options.new:
            new = Run(options.new)
            if new.scale != old.scale:
                raise Unusable(f"{old.name} has {old.scale} inputs, and {new.name} has {new.scale} inputs")
            report(old, new)
    except Unusable as error:
        print(f"baseline: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
