#!/usr/bin/env python3
"""Draws the chart of README.md: the speed-up of a sum over a tree, with a join at each node, by the best form of each library on
the most threads of a record of `compare --json`.

usage: tree_sum_chart.py [--check] RECORD SVG

--check writes nothing. Exit status: 0 the chart is the record's; 1 it differs, with --check; 2 a file cannot be read or written.
"""

import argparse
import pathlib
import sys

import records
from baseline import number

WORKLOAD = "tree_sum"
LIBRARIES = {"blitz": "#d9480f", "Rayon": "#9c36b5", "oneTBB": "#1971c2"}
PREFIXES = {"blitz": "blitz", "Rayon": "rayon", "oneTBB": "tbb_"}
LONGEST = 420  # pixels
LINE = 34

DARK = "@media (prefers-color-scheme: dark) { svg { filter: invert(90%) hue-rotate(180deg) } }"


def speed_ups(record):
    """{library: speed-up of its best form}, the fastest first."""
    rows = [row for row in record["results"] if row["workload"] == WORKLOAD and row["threads"] == record["threads"][-1]]
    best = {name: max(row["speed_up"] for row in rows if row["peer"].startswith(PREFIXES[name])) for name in LIBRARIES}
    return dict(sorted(best.items(), key=lambda item: -item[1]))


def drawing(record):
    best = speed_ups(record)
    height = 40 + LINE * len(best)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="640" height="{height}" viewBox="0 0 640 {height}">',
        f"<style>text {{ font-family: sans-serif; font-size: 14px; fill: #212529 }} {DARK}</style>",
        f'<text x="0" y="20" font-weight="bold">Sum over a tree, a join at each node, {record["threads"][-1]} threads:'
        " times as fast as serial code</text>",
    ]
    for place, (name, speed_up) in enumerate(best.items()):
        y = 36 + LINE * place
        width = LONGEST * speed_up / max(best.values())
        parts += [
            f'<text x="60" y="{y + 17}" text-anchor="end">{name}</text>',
            f'<rect x="70" y="{y}" width="{width:.1f}" height="24" fill="{LIBRARIES[name]}"/>',
            f'<text x="{width + 78:.1f}" y="{y + 17}">{number(float(f"{speed_up:.2g}"))}</text>',
        ]
    return "\n".join([*parts, "</svg>", ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare SVG with the record, and write nothing")
    parser.add_argument("record", metavar="RECORD", type=pathlib.Path)
    parser.add_argument("svg", metavar="SVG", type=pathlib.Path)
    options = parser.parse_args()

    def draw(record):
        drawn = drawing(record)
        if not options.check:
            options.svg.write_text(drawn, encoding="utf-8")
        elif options.svg.read_text(encoding="utf-8") != drawn:
            print(f"'{options.svg}' differs from '{options.record}'", file=sys.stderr)
            return 1
        return 0

    return records.use("tree_sum_chart", options.record, draw)


if __name__ == "__main__":
    sys.exit(main())
