#!/usr/bin/env python3
"""Writes the results of `compare --json` into a Markdown page, as tables with a column for each number of threads.

usage: curves.py [--check] [--shown FILE] RECORD PAGE

The tables replace the text between two lines of PAGE:

    <!-- curves: begin -->
    <!-- curves: end -->

The first table has a row for each workload: the figures of blitz and of oneTBB's best form on the most threads, and the ratio
of their times. Neither is better if the intervals between the quartiles overlap. One table per workload follows, with the
figures of the serial form, of blitz on both backends, of the best form of oneTBB and of each OpenMP runtime, and of Rayon. The
best form of a library is the one with the best figure on the most threads.

--shown writes the results that the tables show to FILE, as a record for charts.py, except workloads that were not measured
on all numbers of threads. --check writes nothing.

Exit status: 0 the page has the current tables; 1 it differs, with --check; 2 a file cannot be read or written.
"""

import argparse
import json
import pathlib
import sys

import pages
import records
from baseline import number

# The rows of a table: a peer, or the best of the peers with a prefix such as "tbb_".
SHOWN = ("serial", "blitz", "blitz_async", "tbb_", "openmp_", "clang_", "rayon", "rayon_inside")


def figure(value):
    return f"{value:,.0f}" if value >= 100 else number(value)


class Workload:
    """The curves of one workload: for each peer its results by the number of threads."""

    def __init__(self, name, rows):
        self.name, self.unit = name, rows[0]["unit"]
        self.is_rate = self.unit.endswith("/s")
        self.curves = {}
        for row in rows:
            if row["median"] is not None and row["correct"]:
                self.curves.setdefault(row["peer"], {})[row["threads"]] = row

    def times(self, peer):
        """A number proportional to the time on the most threads."""
        curve = self.curves[peer]
        median = curve[max(curve)]["median"]
        return 1 / median if self.is_rate else median

    def best(self, name):
        """The peer of that name, or the best peer of a library; None if there is none."""
        peers = [peer for peer in self.curves if peer == name or (name.endswith("_") and peer.startswith(name))]
        return min(peers, key=self.times, default=None)

    def shown(self):
        return [peer for peer in map(self.best, SHOWN) if peer]

    def curve_table(self, threads):
        rows = [
            [f"`{peer}`", *(figure(self.curves[peer][n]["median"]) if n in self.curves[peer] else "" for n in threads)]
            for peer in self.shown()
        ]
        return pages.table([f"`{self.name}`, {self.unit}", *map(str, threads)], rows)

    def compared(self):
        """(ratio, cells of the first table), or None without oneTBB."""
        peer = self.best("tbb_")
        if peer is None or "blitz" not in self.curves:
            return None
        most = max(self.curves["blitz"])
        blitz, tbb = (self.curves[name][most] for name in ("blitz", peer))
        ratio = self.times("blitz") / self.times(peer)
        (low, high), (other_low, other_high) = blitz["quartiles"], tbb["quartiles"]
        better = "" if low <= other_high and other_low <= high else "blitz" if ratio < 1 else "oneTBB"
        figures = [figure(row["median"]) for row in (blitz, tbb)]
        return ratio, [f"`{self.name}`", self.unit, str(most), *figures, f"`{peer}`", f"{ratio:.2f}", better]


def workloads(record):
    found = {}
    for row in record["results"]:
        found.setdefault(row["workload"], []).append(row)
    return [Workload(name, rows) for name, rows in found.items()]


def tables(record):
    found = workloads(record)
    columns = ["workload", "figure", "threads", "blitz", "oneTBB", "its best form", "blitz's time / oneTBB's", "better"]
    compared = sorted(filter(None, (workload.compared() for workload in found)))
    curves = [workload.curve_table(record["threads"]) for workload in found]
    return "\n".join([pages.table(columns, [cells for _, cells in compared]), *curves])


def shown(record):
    everywhere = set(record["threads"])
    whole = [workload for workload in workloads(record) if set(workload.curves.get("blitz", [])) == everywhere]
    peers = {workload.name: workload.shown() for workload in whole}
    return {**record, "results": [row for row in record["results"] if row["peer"] in peers.get(row["workload"], [])]}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare PAGE with the tables, and write nothing")
    parser.add_argument("--shown", metavar="FILE", type=pathlib.Path, help="a record of what is shown, for charts.py")
    parser.add_argument("record", metavar="RECORD", type=pathlib.Path)
    parser.add_argument("page", metavar="PAGE", type=pathlib.Path)
    options = parser.parse_args()

    def write(record):
        status = pages.update(options.page, {"curves": tables(record)}, options.check, f"'{options.record}'")
        if options.shown and not options.check:
            options.shown.write_text(json.dumps(shown(record)), encoding="utf-8")
        return status

    return records.use("curves", options.record, write)


if __name__ == "__main__":
    sys.exit(main())
