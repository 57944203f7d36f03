#!/usr/bin/env python3
"""Measures, or reads, the table of algorithms: blitz beside the serial algorithms, and the best of the other libraries.

    algorithms.py PROGRAM [--quick | --smoke] [options]      build/bench/algorithms, in a release build
    algorithms.py RECORD.json [--peers]                      what --json wrote

Prints a table for each number of items: the median times of a call; blitz over the best other library, and over the
limit: the time that the machine takes to move the bytes which the algorithm must, read and copied by hand in the same
run. The marks:

    !   blitz takes longer than the best of the other libraries, by over 10 %
    -   blitz takes longer than the serial algorithm, by over 10 % and a microsecond, the cost of a call

Exit status: 0 all results right; else that of PROGRAM.
"""

import argparse
import fnmatch
import json
import os
import pathlib
import statistics
import subprocess
import sys

# The bytes that an algorithm must read and write for each item, at least; none for those that are more than one pass.
TRAFFIC = {
    "sum": (8, 0),
    "map_filter_sum": (8, 0),
    "zip": (24, 0),
    "find": (7.2, 0),
    "any_of": (8, 0),
    "min_element": (8, 0),
    "count": (8, 0),
    "equal": (16, 0),
    "map_new": (8, 8),
    "filter_new": (8, 4),
    "transform": (8, 8),
    "inclusive_scan": (8, 8),
    "copy_if": (8, 4),
    "merge": (8, 8),
    "scan_filter_sum": (8, 0),
    "flat_map": (8, 12),
    "reduce_by_key": (16, 1.6),
    "histogram": (1, 0),
    "reverse": (8, 8),
    "unique": (8, 4),
    "partition": (8, 8),
}
MEMORY = "memory_read", "memory_copy"  # of 8 bytes an item; both are measured at each size

SIZES = {"full": "1000 10000 100000 1000000 10000000", "quick": "1000 100000 1000000", "smoke": "0 1 500"}
PASSES, SECONDS = 5, 0.03  # repetitions of each peer in each cell, and their least length
CALL = 1e-6  # seconds; the cost of a call that has nothing to gain from others


def measure(program, options):
    names = subprocess.run([program], stdout=subprocess.PIPE, text=True, check=True).stdout.split()
    sizes = (options.sizes or SIZES[options.table]).replace(",", " ").split()
    patterns = options.rows.split(",")
    rows = [name for name in names if name not in MEMORY and any(fnmatch.fnmatch(name, p) for p in patterns)]
    if not rows:
        sys.exit(f"algorithms.py: no row matches '{options.rows}'; there are {', '.join(names)}")
    cells = [{"row": row, "items": int(size), "wall": {}} for size in sizes for row in [*MEMORY, *rows]]
    passes, least = (1, 0) if options.table == "smoke" else (options.passes, SECONDS)
    text = "".join(f"{cell['row']} {cell['items']}\n" for cell in cells)
    command = [program, str(options.threads), str(passes), str(least)]
    done = subprocess.run(command, input=text, stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(done.returncode)
    for repetition in done.stdout.splitlines():
        number, peer, wall = repetition.split()
        cells[int(number)]["wall"].setdefault(peer, []).append(float(wall))
    return {"table": options.table, "threads": options.threads, "passes": passes, "cells": cells}


def median(cell, peer):
    return statistics.median(cell["wall"][peer])


def best_other(cell):
    others = [peer for peer in cell["wall"] if peer != "serial" and not peer.startswith("blitz")]
    return min(others, key=lambda peer: median(cell, peer), default=None)


def limit(cell, memory):
    """The seconds that the machine takes to move the bytes, or None."""
    if cell["row"] not in TRAFFIC or cell["items"] == 0:
        return None
    read, write = TRAFFIC[cell["row"]]
    reading, copying = (median(memory[name, cell["items"]], "by_hand") / 8 for name in MEMORY)
    return write * copying + max(read - write, 0) * reading


def time_text(seconds):
    if seconds is None:
        return ""
    for unit, scale in (("us", 1e-6), ("ms", 1e-3)):
        if seconds < 1000 * scale or unit == "ms":
            figure = seconds / scale
            return f"{figure:.{2 if figure < 10 else 1 if figure < 100 else 0}f} {unit}"


def ratio_text(a, b):
    return "" if a is None or b is None else f"{a / b:.2f}"


def marks(cell):
    if "blitz" not in cell["wall"]:
        return ""
    other = best_other(cell)
    return (" !" if other and median(cell, "blitz") > 1.1 * median(cell, other) else "") + (
        " -" if median(cell, "blitz") > 1.1 * median(cell, "serial") + CALL else ""
    )


def write_table(items, cells, memory):
    print(f"{items} items\n")
    print("| row | serial | best of the others | blitz | serial / blitz | blitz / best | limit | blitz / limit |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|")
    for cell in cells:
        other, bound = best_other(cell), limit(cell, memory)
        serial = median(cell, "serial")
        best = median(cell, other) if other else None
        blitz = median(cell, "blitz") if "blitz" in cell["wall"] else None
        texts = (
            cell["row"],
            time_text(serial),
            f"{time_text(best)} ({other})" if other else "",
            (time_text(blitz) or "") + marks(cell),
            ratio_text(serial, blitz),
            ratio_text(blitz, best),
            time_text(bound),
            ratio_text(blitz, bound),
        )
        print("| " + " | ".join(texts) + " |")
    print()


def write_peers(items, cells):
    """A column for each peer."""
    peers = list(dict.fromkeys(peer for cell in cells for peer in sorted(cell["wall"], key=lambda p: p != "serial")))
    print(f"{items} items\n")
    print("| row | " + " | ".join(peers) + " | blitz_par / best |")
    print("|---|" + "---:|" * (len(peers) + 1))
    for cell in cells:
        other = best_other(cell)
        texts = [time_text(median(cell, peer)) if peer in cell["wall"] else "" for peer in peers]
        both = "blitz_par" in cell["wall"] and other
        texts.append(ratio_text(median(cell, "blitz_par"), median(cell, other)) if both else "")
        print(f"| {cell['row']} | " + " | ".join(texts) + " |")
    print()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", metavar="PROGRAM|RECORD.json")
    which = parser.add_mutually_exclusive_group()
    for table, words in (
        ("quick", "fewer sizes: two minutes"),
        ("smoke", "tiny sizes, only to show that everything works"),
    ):
        which.add_argument(f"--{table}", dest="table", action="store_const", const=table, default="full", help=words)
    parser.add_argument("--rows", metavar="R,...", default="*", help="patterns, such as 'find,sort_*'; default: all")
    parser.add_argument("--sizes", metavar="N,...", help="numbers of items")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--passes", type=int, default=PASSES)
    parser.add_argument("--peers", action="store_true", help="a column for each peer instead")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="write the record to FILE")
    options = parser.parse_args()

    is_record = options.source.endswith(".json")
    record = json.loads(pathlib.Path(options.source).read_text()) if is_record else measure(options.source, options)
    if options.json:
        options.json.write_text(json.dumps(record))
    memory = {(cell["row"], cell["items"]): cell for cell in record["cells"]}
    for items in dict.fromkeys(cell["items"] for cell in record["cells"]):
        cells = [cell for cell in record["cells"] if cell["items"] == items and cell["row"] not in MEMORY]
        if options.peers:
            write_peers(items, cells)
        else:
            write_table(items, cells, memory)


if __name__ == "__main__":
    main()
