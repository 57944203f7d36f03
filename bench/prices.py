#!/usr/bin/env python3
"""Prints the cost of each operation of the schedulers, as the table in docs/performance/prices.md.

    prices.py MICRO [--smoke] [--json FILE]
    prices.py RECORD.json [--page PAGE [--check]]     reads the output of --json

MICRO is the program of that name in a release build: build/bench/micro. It takes a minute. Nothing else should run during this
time. The prices are medians of five repetitions. --smoke makes one short repetition, as a test of the script. --page writes the
table into a page, between the lines <!-- prices: begin --> and <!-- prices: end -->. --check only compares.

Exit status: 0 success; 1 MICRO failed, or the page differs, with --check.
"""

import argparse
import json
import pathlib
import subprocess
import sys

import pages

# Figures that the models of the two schedulers state. They state no others.
STATED = {
    "deque: push": "3 ns",
    "deque: pop": "3 ns",
    "deque: steal": "10 to 50 ns",
    "guarded deque: steal": "10 to 50 ns",
    "Sleep: idle round": "1 to 5 us",
    "Sleep: wake, until it runs": "10 to 100 us",
    "Sleep: sleep and wake": "100 to 500 us",
}

HEADINGS = ("operation", "alone", "contended", "by", "stated")
MOST_LOAD = 0.5


def measure(micro, options):
    command = [micro, "--benchmark_filter=^price/", "--benchmark_format=json", *options]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"prices.py: {micro} ended with status {done.returncode}")
    return json.loads(done.stdout)


def prices(found):
    """Returns {operation: {rival, or "alone": nanoseconds}}, in the order of measurement."""
    table = {}
    for result in found["benchmarks"]:
        if "error_occurred" in result:
            sys.exit(f"prices.py: {result['name']}: {result['error_message']}")
        if result.get("aggregate_name", "median") != "median":
            continue
        _, operation, rival = result["run_name"].removesuffix("/manual_time").split("/")
        table.setdefault(operation, {})[rival] = float(f"{result['real_time']:.4g}")
    return table


def shown(nanoseconds):
    for unit, size in (("ms", 1e6), ("us", 1e3), ("ns", 1)):
        if nanoseconds >= size:
            break
    number = nanoseconds / size
    return f"{number:.0f} {unit}" if number >= 20 else f"{number:.1f} {unit}"


def measured(micro, smoke):
    if smoke:
        return prices(measure(micro, ["--benchmark_min_time=0"]))
    repeated = ["--benchmark_repetitions=5", "--benchmark_report_aggregates_only=true"]
    found = measure(micro, ["--benchmark_min_time=0.01", *repeated])
    if found["context"]["load_avg"][:1] > [MOST_LOAD]:
        print("prices.py: other work is running: these are no prices", file=sys.stderr)
    return prices(found)


def table(prices_of):
    rows = []
    for operation, price in prices_of.items():
        rival, contended = next(((name, ns) for name, ns in price.items() if name != "alone"), ("", None))
        cells = [operation, shown(price["alone"]), shown(contended) if rival else "", rival, STATED.get(operation, "")]
        rows.append(cells)
    return pages.table(HEADINGS, rows, ["---", "---:", "---:", "---", "---:"])


def main():
    parser = argparse.ArgumentParser(prog="prices.py")
    parser.add_argument("source", metavar="MICRO|RECORD.json")
    parser.add_argument("--smoke", action="store_true")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="write the prices to FILE")
    parser.add_argument("--page", type=pathlib.Path, help="write the table into a page")
    parser.add_argument("--check", action="store_true", help="with --page: compare, and write nothing")
    options = parser.parse_args()

    if options.source.endswith(".json"):
        found = json.loads(pathlib.Path(options.source).read_text(encoding="utf-8"))
    else:
        found = measured(options.source, options.smoke)
    if options.json:
        options.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    if options.page:
        return pages.update(options.page, {"prices": table(found)}, options.check, f"'{options.source}'")
    print(table(found), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
