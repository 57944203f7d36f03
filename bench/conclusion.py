#!/usr/bin/env python3
"""Prints the conclusion of a record of `compare --json`: which workloads are faster or slower with blitz than with other
libraries, on the most threads, and whether the machine was too busy to tell.

usage: conclusion.py [--load LOAD] RECORD

A library has the figure of its best form. Two figures are equal if the intervals between their quartiles overlap. CPU times are
left out. All slower workloads are named, and the three that gain most. LOAD is the load average of the machine before the
measurement.

Exit status: 0 the conclusion is printed; 2 the file cannot be read.
"""

import argparse
import os
import pathlib
import statistics
import sys

import records
from baseline import number

LIBRARIES = {"oneTBB": "tbb_", "OpenMP": "openmp_", "Rayon": "rayon"}  # the beginning of the names of their forms
MOST_LOAD = 1  # for each processor
MOST_SPREAD = 0.2  # of the median figure
MOST_EXAMPLES = 3


def seconds(row):
    """A number proportional to the time."""
    return 1 / row["median"] if row["unit"].endswith("/s") else row["median"]


def usable_rows(record):
    """{workload: rows} on the most threads, with right results and without CPU times. An excess within the noise may be
    negative."""
    found = {}
    for row in record["results"]:
        positive = row["median"] is not None and row["median"] > 0 and row["quartiles"][0] > 0
        if row["threads"] == record["threads"][-1] and row["correct"] and positive and not row["unit"].startswith("CPU "):
            found.setdefault(row["workload"], []).append(row)
    return found


def speed(rows, library):
    """The speed of blitz relative to the best form of the library: 1 if they are equal, None if one is missing."""
    blitz = next((row for row in rows if row["peer"] == "blitz"), None)
    best = min((row for row in rows if row["peer"].startswith(library)), key=seconds, default=None)
    if blitz is None or best is None:
        return None
    (low, high), (other_low, other_high) = blitz["quartiles"], best["quartiles"]
    return 1 if low <= other_high and other_low <= high else seconds(best) / seconds(blitz)


def examples(ratios, unit):
    """`ratios`: (ratio, workload)."""
    (first, workload), *others = ratios
    return f" ({', '.join([f'{workload}: {number(first)} {unit}', *(f'{name}: {number(ratio)}' for ratio, name in others)])})"


def sentence(name, speeds):
    faster = sorted(((ratio, workload) for workload, ratio in speeds.items() if ratio > 1), reverse=True)
    slower = sorted(((1 / ratio, workload) for workload, ratio in speeds.items() if ratio < 1), reverse=True)
    text = f"blitz is faster than {name} in {len(faster)} of {len(speeds)} workloads"
    text += examples(faster[:MOST_EXAMPLES], "times as fast") if faster else ""
    text += f", equally fast in {len(speeds) - len(faster) - len(slower)}, and slower in {len(slower)}"
    text += examples(slower, "times as long") if slower else ""
    return text + "."


def doubts(rows, load):
    processors = os.cpu_count()
    if load > MOST_LOAD * processors:
        yield (
            f"The machine was busy before the measurement: load average {number(load)}, {processors} processors."
            " Stop other programs, and measure again."
        )
    spreads = [(row["quartiles"][1] - row["quartiles"][0]) / row["median"] for of_one in rows.values() for row in of_one]
    if spreads and (spread := statistics.median(spreads)) > MOST_SPREAD:
        yield f"The repetitions are not steady: half of the figures have a spread above {spread:.0%}. Measure again."


def conclusion(record, load):
    if record["scale"] == "smoke":
        yield "No conclusion: with such tiny inputs the figures mean nothing."
        return
    rows, threads = usable_rows(record), record["threads"][-1]
    yield f"On this machine, with {threads} thread{'s' * (threads > 1)}:"
    for name, library in LIBRARIES.items():
        speeds = {workload: ratio for workload, of_one in rows.items() if (ratio := speed(of_one, library))}
        if speeds:
            yield f"- {sentence(name, speeds)}"
    yield from doubts(rows, load)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--load", type=float, default=0, help="the load average of the machine before the measurement")
    parser.add_argument("record", metavar="RECORD", type=pathlib.Path)
    options = parser.parse_args()

    def show(record):
        print("\n".join(conclusion(record, options.load)))

    return records.use("conclusion", options.record, show)


if __name__ == "__main__":
    sys.exit(main())
