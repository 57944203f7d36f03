#!/usr/bin/env python3
"""Prints the cadence table: calls of some length with a gap before each, as in real programs.

    cadence.py PROGRAM [--quick | --judge | --smoke] [options]      measures; PROGRAM is build/bench/cadence of a release build
    cadence.py RECORD.json [--page PAGE [--name NAME] [--check]]    reads a file that --json or --record wrote

Prints for each kind of call the speed-up over the serial calls and the CPU time, as blitz / the better of oneTBB's forms, and a
summary for each peer. --page writes this into a page, between the lines <!-- cadence: begin --> and <!-- cadence: end -->; with
`--name worth` the short table of the lengths from which calls gain, between the lines of that name. --check only compares. The
marks:

    !   blitz has less than 0.85 of oneTBB's speed
    -   blitz has less than 0.9 of the serial calls' speed
    c   blitz takes over 2 % more CPU time than oneTBB

Exit status: 0 all results are right; 1 the page differs, with --check; otherwise the status of PROGRAM.
"""

import argparse
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys

import pages

# Kinds of call, lengths of the serial call, gaps. A gap is work of the caller, or sleep.
TABLES = {
    "full": (
        "loop_32 join",
        "5us 10us 30us 100us 300us 1ms 3ms",
        "0us 5us 20us 100us 1ms 5ms 20ms 50ms sleep_20us sleep_100us sleep_1ms sleep_5ms sleep_20ms sleep_50ms",
    ),
    "quick": ("loop_32 join", "10us 30us 100us 300us 1ms", "0us 20us 100us 1ms 5ms sleep_1ms sleep_20ms"),
    # Has no cell in common with the others: it checks values that were tuned on them.
    "judge": (
        "loop_8 loop_100 loop_1000 loop_10000 uneven_100 join tree_256",
        "7us 20us 60us 200us 700us",
        "0us 10us 50us 300us 2ms 10ms sleep_50us sleep_300us sleep_2ms sleep_10ms",
    ),
    "smoke": ("loop_32 uneven_100 join tree_16", "10us 100us", "0us 20us sleep_20us"),
}
PASSES, SECONDS = 7, 0.01  # repetitions of each peer in each cell, and the minimum length of one
SHORTEST_ITEM = 20e-9  # in seconds; a call through a pointer, as with Rayon, takes some of it
UNEVEN = 20  # times the work, in one item of eight

FAST_ENOUGH, NO_LOSS, SAME_CPU, GAIN = 0.85, 0.9, 1.02, 1.1


def parts(pattern, name):
    found = re.fullmatch(pattern, name)
    return found.groups() if found else sys.exit(f"cadence.py: '{name}' is no such name; --help has examples")


def seconds(name):
    number, unit = parts(r"(?:sleep_)?(\d+)(us|ms)", name)
    return int(number) * {"us": 1e-6, "ms": 1e-3}[unit]


def items(kind):
    return int(parts(r"join|(?:loop|uneven|tree)_(\d+)", kind)[0] or 32)


def line(cell):
    """The cell in the input format of the program."""
    kind, gap = cell["kind"], cell["gap"]
    workload = kind.split("_")[0].replace("uneven", "loop")
    heavy = UNEVEN if kind.startswith("uneven_") else 1
    return f"{workload} {items(kind)} {heavy} {seconds(cell['length'])} {seconds(gap)} {gap.startswith('sleep_'):d}\n"


def measure(program, options):
    kinds, lengths, gaps = (
        (chosen or default).replace(",", " ").split()
        for chosen, default in zip((options.kinds, options.lengths, options.gaps), TABLES[options.table])
    )
    cells = [
        {"kind": kind, "length": length, "gap": gap, "wall": {}, "cpu": {}}
        for kind in kinds
        for gap in gaps
        for length in lengths
        if seconds(length) / items(kind) >= SHORTEST_ITEM
    ]
    passes, least = (1, 0) if options.table == "smoke" else (options.passes, SECONDS)
    command = [program, str(options.threads), str(passes), str(least), *options.peers.split(",")]
    done = subprocess.run(command, input="".join(map(line, cells)), stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(done.returncode)
    for repetition in done.stdout.splitlines():
        number, peer, wall, cpu = repetition.split()
        cells[int(number)]["wall"].setdefault(peer, []).append(float(wall))
        cells[int(number)]["cpu"].setdefault(peer, []).append(float(cpu))
    return {"table": options.table, "threads": options.threads, "passes": passes, "cells": cells}


def median(cell, figure, peer):
    return statistics.median(cell[figure][peer])


def speed_up(cell, peer):
    return median(cell, "wall", "serial") / median(cell, "wall", peer)


def reference(cell):
    """oneTBB's better form, or None if none was measured."""
    forms = (peer for peer in cell["wall"] if peer.startswith("tbb_"))
    return max(forms, key=lambda peer: speed_up(cell, peer), default=None)


def speed_ratio(cell, peer):
    return speed_up(cell, peer) / speed_up(cell, reference(cell))


def takes_more_cpu(cell, peer):
    return median(cell, "cpu", peer) > SAME_CPU * median(cell, "cpu", reference(cell))


def marks(cell):
    against = reference(cell) is not None
    return (
        "!" * (against and speed_ratio(cell, "blitz") < FAST_ENOUGH)
        + "-" * (speed_up(cell, "blitz") < NO_LOSS)
        + "c" * (against and takes_more_cpu(cell, "blitz"))
    )


def pair(cell, figure):
    """The figure of blitz / the figure of oneTBB."""
    peers = "blitz" if "blitz" in cell["wall"] else None, reference(cell)
    return " / ".join(f"{figure(peer):.{2 if figure(peer) < 100 else 0}f}" if peer else "-" for peer in peers)


def speed_text(cell):
    text = pair(cell, lambda peer: speed_up(cell, peer))
    return f"{text} {marks(cell)}" if "blitz" in cell["wall"] else text


def cpu_text(cell):
    return pair(cell, lambda peer: median(cell, "cpu", peer) * 1e6)


def distinct(cells, key):
    return list(dict.fromkeys(cell[key] for cell in cells))


def table_text(heading, cells, text):
    lengths = distinct(cells, "length")
    texts = {(cell["gap"], cell["length"]): text(cell) for cell in cells}
    lines = [
        f"{heading}\n",
        "| gap         | " + " | ".join(f"{length:<15}" for length in lengths) + " |",
        "|---" * (len(lengths) + 1) + "|",
    ]
    for gap in distinct(cells, "gap"):
        lines.append(f"| {gap:<11} | " + " | ".join(f"{texts.get((gap, length), ''):<15}" for length in lengths) + " |")
    return "".join(line + "\n" for line in [*lines, ""])


def share(cells, condition):
    return f"{sum(map(condition, cells))} of {len(cells)}"


def summary(cells):
    """Yields a line for each peer."""
    for peer in sorted({peer for cell in cells for peer in cell["wall"]} - {"serial"}):
        own = [cell for cell in cells if peer in cell["wall"]]
        mean = statistics.geometric_mean(speed_up(cell, peer) for cell in own)
        text = f"{peer}: {mean:.2f} of serial, below {NO_LOSS} in "
        text += share(own, lambda cell: speed_up(cell, peer) < NO_LOSS) + " cells"
        own = [cell for cell in own if reference(cell)]
        if own and not peer.startswith("tbb_"):
            mean = statistics.geometric_mean(speed_ratio(cell, peer) for cell in own)
            worst = min(own, key=lambda cell: speed_ratio(cell, peer))
            text += f"; {mean:.2f} of oneTBB, below {FAST_ENOUGH} in "
            text += share(own, lambda cell: speed_ratio(cell, peer) < FAST_ENOUGH)
            text += f", least {speed_ratio(worst, peer):.2f} ({worst['kind']}, {worst['length']}, gap {worst['gap']})"
            text += f"; no more CPU time than oneTBB in {share(own, lambda cell: not takes_more_cpu(cell, peer))}"
        yield text


def tables(record):
    texts = []
    for kind in distinct(record["cells"], "kind"):
        cells = [cell for cell in record["cells"] if cell["kind"] == kind]
        texts.append(table_text(f"{kind}: speed-up over serial, blitz / oneTBB's better form", cells, speed_text))
        texts.append(table_text(f"{kind}: CPU us a call, blitz / oneTBB's better form", cells, cpu_text))
    return "".join(texts)


def spaced(time):
    """10us -> 10 us"""
    return re.sub(r"(\d+)", r"\1 ", time)


def gap_text(gap):
    if gap == "0us":
        return "immediately after another call"
    return f"after {spaced(gap.removeprefix('sleep_'))} of {'sleep' if gap.startswith('sleep_') else 'work'}"


def worth(record):
    """The table of the lengths from which all calls gain, and of the loss of shorter calls."""
    kinds = distinct(record["cells"], "kind")
    columns = ["the call comes"]
    for kind in kinds:
        name = kind.replace("loop_32", "loop")
        columns += [f"a {name} gains from", f"a shorter {name} takes at most"]
    rows = []
    for gap in distinct(record["cells"], "gap"):
        row = [gap_text(gap)]
        for kind in kinds:
            cells = [cell for cell in record["cells"] if (cell["kind"], cell["gap"]) == (kind, gap)]
            shorter = list(cells)
            while shorter and speed_up(shorter[-1], "blitz") >= GAIN:
                shorter.pop()
            gains = spaced(cells[len(shorter)]["length"]) if len(shorter) < len(cells) else "over " + spaced(cells[-1]["length"])
            row += [gains, f"{max(1 / speed_up(cell, 'blitz') for cell in shorter):.2f}" if shorter else ""]
        rows.append(row)
    return pages.table(columns, rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", metavar="PROGRAM|RECORD.json")
    which = parser.add_mutually_exclusive_group()
    for table, words in (
        ("quick", "fewer cells: a minute"),
        ("judge", "other lengths, gaps and kinds of call"),
        ("smoke", "a few short cells, only to show that everything works"),
    ):
        which.add_argument(f"--{table}", dest="table", action="store_const", const=table, default="full", help=words)
    parser.add_argument("--kinds", metavar="K,...", help="of join, loop_N, uneven_N and tree_N, for N items")
    parser.add_argument("--lengths", metavar="T,...", help="10us, 1ms, ...")
    parser.add_argument("--gaps", metavar="T,...", help="0us, 20us, sleep_1ms, ...")
    parser.add_argument("--peers", metavar="P,...", default="*", help="patterns, such as 'blitz,tbb_*'; default: all")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--passes", type=int, default=PASSES)
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="write all samples to FILE")
    parser.add_argument("--record", type=pathlib.Path, metavar="FILE", help="write the medians to FILE, to be kept")
    parser.add_argument("--page", type=pathlib.Path, help="write the tables into a page")
    parser.add_argument("--name", choices=("cadence", "worth"), default="cadence", help="the tables for --page")
    parser.add_argument("--check", action="store_true", help="with --page: compare, and write nothing")
    options = parser.parse_args()

    is_record = options.source.endswith(".json")
    record = json.loads(pathlib.Path(options.source).read_text()) if is_record else measure(options.source, options)
    if options.json:
        options.json.write_text(json.dumps(record))
    if options.record:
        options.record.write_text(pages.kept(pages.medians(record)), encoding="utf-8")
    if options.page:
        lines = "".join(f"- {line}\n" for line in summary(record["cells"]))
        text = worth(record) if options.name == "worth" else f"{tables(record)}{lines}"
        return pages.update(options.page, {options.name: text}, options.check, f"'{options.source}'")
    print(tables(record), end="")
    print(*summary(record["cells"]), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
