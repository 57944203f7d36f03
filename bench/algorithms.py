#!/usr/bin/env python3
"""Prints the table of algorithms: blitz compared with the serial algorithms and with the best of the other libraries.

    algorithms.py PROGRAM [--quick | --smoke] [options]      measures; PROGRAM is build/bench/algorithms of a release build
    algorithms.py RECORD.json [--peers]                      reads the output of --json
    algorithms.py FIGURES.json --page PAGE [--check]         reads the output of --figures

Prints one table per number of items, with the median times of a call, and blitz in relation to the best other library and to
the limit. The limit is the time that the machine needs to move the bytes that the algorithm must read and write, measured by
hand-written reads and copies in the same run. The spread is the distance between the quartiles divided by the median, for blitz
and for that library. With --peers, these columns show blitz_par, the pipeline, if a row has it. Below the tables is a list of
the cells in which blitz misses its aims: to be level with the best of oneTBB, the parallel STL and Rayon, and with the serial
algorithm.

--figures writes the figures of a page to a small file that is kept in the repository: the figures of
docs/performance/algorithms.md, or with --peers of docs/performance/pipelines.md. --page writes them into the page, between the
lines <!-- algorithms: begin --> and <!-- algorithms: end -->, or between <!-- pipelines NAME: begin --> and its end, with the
NAME of --name. --check only compares. The marks:

    !   blitz takes more than 10 % longer than the best of the other libraries
    -   blitz takes more than 10 % plus a microsecond (the cost of a call) longer than the serial algorithm

Exit status: 0 all results are right; 1 the page differs, with --check; otherwise the status of PROGRAM.
"""

import argparse
import fnmatch
import json
import os
import pathlib
import statistics
import subprocess
import sys

import pages
from baseline import number

# The bytes that an algorithm must at least read and write per item. Algorithms of more than one pass have no entry.
TRAFFIC = {
    "sum": (8, 0),
    "map_filter_sum": (8, 0),
    "zip": (24, 0),
    "find": (7.2, 0),
    "any_of": (8, 0),
    "min_element": (8, 0),
    "adjacent_difference": (8, 8),
    "copy": (8, 8),
    "count": (8, 0),
    "equal": (16, 0),
    "exclusive_scan": (8, 8),
    "find_end": (8, 0),
    "find_first_of": (7.2, 0),
    "for_each": (8, 8),
    "includes": (12, 0),
    "inplace_merge": (8, 8),
    "is_sorted": (8, 0),
    "minmax_element": (8, 0),
    "mismatch": (14.4, 0),
    "remove_if": (8, 4),
    "replace_if": (8, 8),
    "rotate": (8, 8),
    "search": (8, 0),
    "transform_reduce": (8, 0),
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
MEMORY = "memory_read", "memory_copy"  # 8 bytes per item; both are measured at each size

SIZES = {"full": "1000 10000 100000 1000000 10000000", "quick": "1000 100000 1000000", "smoke": "0 1 500"}
PASSES, SECONDS = 5, 0.03  # repetitions of each peer in each cell, and the minimum length of one
CALL = 1e-6  # seconds; the cost of a call that gains nothing from other threads
RIVALS = "tbb", "stl", "rayon_inside"  # blitz aims to be level with the best of these

# The pages.
LARGE = 10_000_000  # items: the data are in memory, not in a cache
FEWER = {"mandelbrot": 100_000, "n_body": 100_000}  # items in the table of speed-ups; the other rows have a million
NAMES = {"rayon_inside": "Rayon", "stl": "parallel STL", "openmp": "OpenMP", "tbb": "oneTBB"}
SHOWN = "blitz_par", "blitz", *NAMES


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


def best_of(cell, peers):
    return min((peer for peer in peers if peer in cell["wall"]), key=lambda peer: median(cell, peer), default=None)


def best_other(cell):
    return best_of(cell, [peer for peer in cell["wall"] if peer != "serial" and not peer.startswith("blitz")])


def spread_text(cell, *peers):
    """The distance between the quartiles divided by the median, for each peer."""
    texts = []
    for samples in (cell["wall"][peer] for peer in peers if peer in cell["wall"]):
        low, _, high = statistics.quantiles(samples, n=4, method="inclusive") if len(samples) > 1 else samples * 3
        texts.append(f"{(high - low) / statistics.median(samples):.0%}")
    return ", ".join(texts)


def limit(cell, memory):
    """The seconds that the machine needs to move the bytes, or None."""
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
    print("| row | serial | best of the others | blitz | serial / blitz | blitz / best | limit | blitz / limit | spread |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|---:|")
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
            spread_text(cell, "blitz", other),
        )
        print("| " + " | ".join(texts) + " |")
    print()


def write_peers(items, cells, memory):
    """A column for each peer."""
    peers = list(dict.fromkeys(peer for cell in cells for peer in sorted(cell["wall"], key=lambda p: p != "serial")))
    print(f"{items} items\n")
    print("| row | " + " | ".join(peers) + " | best of the others | blitz / best | blitz / limit | spread |")
    print("|---|" + "---:|" * (len(peers) + 4))
    for cell in cells:
        other, own = best_other(cell), best_of(cell, ["blitz_par"]) or "blitz"
        blitz = median(cell, own) if own in cell["wall"] else None
        texts = [time_text(median(cell, peer)) if peer in cell["wall"] else "" for peer in peers]
        texts += [
            other or "",
            ratio_text(blitz, median(cell, other) if other else None),
            ratio_text(blitz, limit(cell, memory)),
            spread_text(cell, own, other),
        ]
        print(f"| {cell['row']} | " + " | ".join(texts) + " |")
    print()


def write_misses(cells):
    """Prints the cells in which blitz, or its pipeline, misses its aims."""
    for peer in "blitz", "blitz_par":
        own = [cell for cell in cells if peer in cell["wall"]]
        rivals = [(cell, best_of(cell, RIVALS)) for cell in own]
        over_best = [
            f"{cell['row']} at {cell['items']} ({ratio_text(median(cell, peer), median(cell, rival))} of {rival})"
            for cell, rival in rivals
            if rival and median(cell, peer) > 1.05 * median(cell, rival)
        ]
        over_serial = [
            f"{cell['row']} at {cell['items']} ({ratio_text(median(cell, peer), median(cell, 'serial'))})"
            for cell in own
            if median(cell, peer) > 1.1 * median(cell, "serial") + CALL
        ]
        print(f"{peer} above 1.05 of the best of {', '.join(RIVALS)}: {', '.join(over_best) or 'none'}")
        print(f"{peer} above 1.1 of serial and 1 us: {', '.join(over_serial) or 'none'}")


def ratio(a, b):
    return None if a is None or b is None else round(a / b, 2)


def algorithm_figures(cells, memory):
    """For each cell the microseconds of blitz, and their ratios to the best other library, to serial and to the limit."""
    for cell in cells:
        if "blitz" in cell["wall"]:
            other, blitz = best_other(cell), median(cell, "blitz")
            yield {
                "row": cell["row"],
                "items": cell["items"],
                "us": float(f"{blitz * 1e6:.3g}"),
                "best": ratio(blitz, median(cell, other) if other else None),
                "serial": ratio(blitz, median(cell, "serial")),
                "limit": ratio(blitz, limit(cell, memory)),
            }


def pipeline_figures(cells, memory):
    """For each cell of the tables the speed-up of each peer, or the milliseconds of three of them."""
    for cell in cells:
        own, other, serial = best_of(cell, ["blitz_par", "blitz"]), best_other(cell), median(cell, "serial")
        figures = {"row": cell["row"], "items": cell["items"]}
        if cell["items"] == FEWER.get(cell["row"], 1_000_000):
            speed_ups = {peer: serial / median(cell, peer) for peer in SHOWN if peer in cell["wall"]}
            yield {**figures, "speed_up": {peer: float(f"{value:.3g}") for peer, value in speed_ups.items()}}
        elif cell["items"] == LARGE and own:
            times = {peer: float(f"{1e3 * median(cell, peer):.3g}") for peer in ("serial", own, other) if peer}
            yield {**figures, "ms": times, "limit": ratio(median(cell, own), limit(cell, memory))}


def microseconds_text(value):
    if value >= 1000:
        return f"{value / 1000:.{2 if value < 10_000 else 1 if value < 100_000 else 0}f}k"
    return f"{value:.{2 if value < 10 else 0}f}"


def algorithm_table(figures):
    def cell_text(cell):
        best, serial, bound = ("-" if cell[key] is None else f"{cell[key]:.2f}" for key in ("best", "serial", "limit"))
        bound = f", x{bound}" if cell["items"] >= LARGE and bound != "-" else ""
        return f"{microseconds_text(cell['us'])} ({best}, {serial}{bound})"

    sizes = sorted({cell["items"] for cell in figures})
    rows = {}
    for cell in figures:
        rows.setdefault(cell["row"], {})[cell["items"]] = cell_text(cell)
    texts = [[f"`{row}`", *(cells.get(size, "") for size in sizes)] for row, cells in sorted(rows.items())]
    return pages.table(["algorithm", *(f"{size:,}" for size in sizes)], texts)


def pipeline_tables(figures):
    speed_ups = [cell for cell in figures if "speed_up" in cell]
    rows = [
        [f"`{cell['row']}`", *(f"{cell['speed_up'][peer]:.3g}" if peer in cell["speed_up"] else "" for peer in SHOWN)]
        for cell in speed_ups
    ]
    first = pages.table(["times as fast as serial", *(NAMES.get(peer, f"`{peer}`") for peer in SHOWN)], rows)
    rows = []
    for cell in figures:
        if "ms" in cell:
            (_, serial), (_, own), *others = cell["ms"].items()
            best = "".join(f"{number(value)} {NAMES.get(peer, peer)}" for peer, value in others)
            bound = "" if cell["limit"] is None else f"{cell['limit']:.2f}"
            rows.append([f"`{cell['row']}`", number(serial), number(own), best, bound])
    columns = [f"ms, {LARGE:,} items", "serial", "`blitz_par`", "best of the others", "`blitz_par` / limit"]
    return first + "\n" + pages.table(columns, rows)


def kept_text(figures):
    """JSON, one line per cell."""
    return "[\n" + ",\n".join(map(json.dumps, figures)) + "\n]\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", metavar="PROGRAM|RECORD.json")
    which = parser.add_mutually_exclusive_group()
    for table, words in (
        ("quick", "fewer sizes: six minutes"),
        ("smoke", "tiny sizes, only to show that everything works"),
    ):
        which.add_argument(f"--{table}", dest="table", action="store_const", const=table, default="full", help=words)
    parser.add_argument("--rows", metavar="R,...", default="*", help="patterns, such as 'find,sort_*'; default: all")
    parser.add_argument("--sizes", metavar="N,...", help="numbers of items")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--passes", type=int, default=PASSES)
    parser.add_argument("--peers", action="store_true", help="a column for each peer instead")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="write the record to FILE")
    parser.add_argument("--figures", type=pathlib.Path, metavar="FILE", help="write the figures of a page to FILE")
    parser.add_argument("--page", type=pathlib.Path, help="write FIGURES.json into a page")
    parser.add_argument("--name", default="", help="with --page: the name of the tables of pipelines")
    parser.add_argument("--check", action="store_true", help="with --page: compare, and write nothing")
    options = parser.parse_args()

    is_record = options.source.endswith(".json")
    record = json.loads(pathlib.Path(options.source).read_text()) if is_record else measure(options.source, options)
    if options.page:
        tables = {f"pipelines {options.name}": pipeline_tables} if options.name else {"algorithms": algorithm_table}
        texts = {name: text(record) for name, text in tables.items()}
        return pages.update(options.page, texts, options.check, f"'{options.source}'")
    if options.json:
        options.json.write_text(json.dumps(record))
    memory = {(cell["row"], cell["items"]): cell for cell in record["cells"]}
    if options.figures:
        figures = pipeline_figures if options.peers else algorithm_figures
        cells = [cell for cell in record["cells"] if cell["row"] not in MEMORY]
        options.figures.write_text(kept_text(figures(cells, memory)), encoding="utf-8")
    for items in dict.fromkeys(cell["items"] for cell in record["cells"]):
        cells = [cell for cell in record["cells"] if cell["items"] == items and cell["row"] not in MEMORY]
        if options.peers:
            write_peers(items, cells, memory)
        else:
            write_table(items, cells, memory)
    write_misses([cell for cell in record["cells"] if cell["row"] not in MEMORY])
    return 0


if __name__ == "__main__":
    sys.exit(main())
