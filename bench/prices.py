#!/usr/bin/env python3
"""Prints what each operation of the schedulers costs by itself, as the table in blitz/README.md.

    prices.py MICRO [--smoke]

MICRO is the program of that name, in a release build: build/bench/micro. It takes a minute, during which nothing else should
run: of five repetitions the medians are shown. --smoke makes it one short one, which says nothing but that all of it works.
"""

import argparse
import json
import subprocess
import sys

# What is stated for the systems that the two schedulers follow. There is no more.
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
    """operation -> rival, or "alone" -> nanoseconds, in the order of measurement."""
    table = {}
    for result in found["benchmarks"]:
        if "error_occurred" in result:
            sys.exit(f"prices.py: {result['name']}: {result['error_message']}")
        if result.get("aggregate_name", "median") != "median":
            continue
        _, operation, rival = result["run_name"].removesuffix("/manual_time").split("/")
        table.setdefault(operation, {})[rival] = result["real_time"]
    return table


def shown(nanoseconds):
    for unit, size in (("ms", 1e6), ("us", 1e3), ("ns", 1)):
        if nanoseconds >= size:
            break
    number = nanoseconds / size
    return f"{number:.0f} {unit}" if number >= 20 else f"{number:.1f} {unit}"


def line(*cells):
    return "| " + " | ".join(cells) + " |"


def main():
    parser = argparse.ArgumentParser(prog="prices.py")
    parser.add_argument("micro")
    parser.add_argument("--smoke", action="store_true")
    options = parser.parse_args()

    if options.smoke:
        found = measure(options.micro, ["--benchmark_min_time=0"])
    else:
        found = measure(
            options.micro,
            ["--benchmark_min_time=0.01", "--benchmark_repetitions=5", "--benchmark_report_aggregates_only=true"],
        )
    if found["context"]["load_avg"][:1] > [MOST_LOAD] and not options.smoke:
        print("prices.py: other work is running: these are no prices", file=sys.stderr)

    print(line(*HEADINGS))
    print(line("---", "---:", "---:", "---", "---:"))
    for operation, price in prices(found).items():
        alone = price.pop("alone")
        rival, contended = next(iter(price.items()), ("", None))
        print(line(operation, shown(alone), shown(contended) if rival else "", rival, STATED.get(operation, "")))


if __name__ == "__main__":
    main()
