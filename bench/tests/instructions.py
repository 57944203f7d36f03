#!/usr/bin/env python3
"""Counts the instructions of calls of blitz, and fails if they exceed the limits.

callgrind runs PROGRAM with two numbers of calls and counts the instructions. The difference is the cost of the additional calls
only, and unlike a time it is equal in every run. Algorithms are called once, with two numbers of items; their branches that a
simple predictor mispredicts are counted, too.

LIMITS holds for the way of building that it names; BUILD is the way in which PROGRAM was built. If they differ, or without
valgrind, the exit status is 77: skipped. --update writes new LIMITS from the measured figures, and with --page the tables of a
page.
"""

import argparse
import concurrent.futures
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import pages  # noqa: E402

SKIPPED = 77
FEW, MANY = 1000, 3000  # calls; multiples of the program's bundles
MARGIN = 1.03  # ratio of a limit to the measured figure
FEW_ITEMS, MANY_ITEMS = 10_000, 30_000  # items of an algorithm
ALGORITHMS, MISPREDICTED = "algorithm", "algorithm_mispredicted"  # tables of the limits
LOOSE = 1.10  # a limit that exceeds the measured figure by this factor should be tightened

HEADER = """\
# The most instructions that a call may take: what was found, and three in a hundred more. A table for each pool; what a
# workload is, instructions.cpp says. Of the algorithms: for a thousand further items of the input, and in a table of its
# own how many of the branches are mispredicted, and one more. Written by
#
#   meson test -C BUILD_FOLDER instructions --test-args=--update
#
# A figure that rises is to be explained in the commit that raises it.
"""


def collected(program, pool, workload, count):
    """Returns the instructions of `count` calls, and the mispredicted branches of an algorithm."""
    options = ["--branch-sim=yes"] if pool == ALGORITHMS else []
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder, "callgrind.out")
        done = subprocess.run(
            ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", "--toggle-collect=counted"]
            + [*options, program, pool, workload, str(count)],
            capture_output=True,
            text=True,
            env=os.environ | {"MALLOC_PERTURB_": "0"},  # meson makes malloc fill memory, which would be counted
        )
        if done.returncode != 0:
            sys.exit(f"{pool} {workload} {count}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
        text = out.read_text()
        events, totals = (re.search(rf"^{key}: (.*)", text, re.MULTILINE)[1].split() for key in ("events", "totals"))
        counts = dict(zip(events, map(int, totals)))
        return counts["Ir"], counts.get("Bcm", 0) + counts.get("Bim", 0)


def measure(program):
    """Returns {pool: {workload: instructions per call}}."""
    listed = subprocess.run([program, "list"], capture_output=True, text=True, check=True).stdout
    names = [tuple(line.split()) for line in listed.splitlines()]
    counts = {name: (FEW_ITEMS, MANY_ITEMS) if name[0] == ALGORITHMS else (FEW, MANY) for name in names}
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as executor:
        runs = {name: [executor.submit(collected, program, *name, count) for count in counts[name]] for name in names}
    found = {}
    for (pool, workload), (few, many) in counts.items():
        less, more = (run.result() for run in runs[pool, workload])
        instructions, mispredicted = ((b - a) / (many - few) for a, b in zip(less, more))
        if pool == ALGORITHMS:
            found.setdefault(pool, {})[workload] = 1000 * instructions
            found.setdefault(MISPREDICTED, {})[workload] = 1000 * mispredicted
        else:
            found.setdefault(pool, {})[workload] = instructions
    return found


def write(path, build, found):
    lines = [HEADER, f'build = "{build}"']
    for pool, figures in found.items():
        lines += ["", f"[{pool}]"]
        more = int(pool == MISPREDICTED)  # the figure may be zero
        lines += [f"{name} = {math.ceil(MARGIN * figure) + more}  # {figure:.1f}" for name, figure in figures.items()]
    path.write_text("\n".join(lines) + "\n")


def tables(limits):
    """Returns the tables of the page, from the text of the limits, which has each figure as a comment."""
    found = {}
    for line in limits.splitlines():
        if line.startswith("["):
            pool = found.setdefault(line.strip("[]"), {})
        elif "  # " in line:
            pool[line.split(" = ")[0]] = line.split("  # ")[1]
    pools = [name for name in found if name not in (ALGORITHMS, MISPREDICTED)]
    calls = [[f"`{call}`", *(found[pool].get(call, "") for pool in pools)] for call in found[pools[0]]]
    algorithms = [[f"`{name}`", count, found[MISPREDICTED][name]] for name, count in found[ALGORITHMS].items()]
    columns = ["1000 further items of", "instructions", "mispredicted branches"]
    return {
        "instructions": pages.table(["call", *pools], calls) + "\n" + pages.table(columns, algorithms),
    }


def compare(found, limits):
    """Prints a line for each figure; returns whether all are within the limits."""
    good = True
    for pool in sorted(found.keys() | limits.keys()):
        for workload in sorted(found.get(pool, {}).keys() ^ limits.get(pool, {}).keys()):
            print(f"{pool} {workload} is in the program or in the limits, but not in both")
            good = False
    for pool, figures in found.items():
        for workload, figure in figures.items():
            limit = limits.get(pool, {}).get(workload, math.nan)
            word = ""
            # Rounded to a tenth, as printed, because a loop occasionally takes one more block.
            if round(figure, 1) > limit:
                word = "  TOO MANY"
                good = False
            elif figure * LOOSE + 1 < limit:
                word = "  fewer than the limit says: tighten it (--update)"
            print(f"{pool:22} {workload:20} {figure:8.1f} of {limit:5}{word}")
    return good


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("program")
    parser.add_argument("limits", type=pathlib.Path)
    parser.add_argument("--build", required=True)
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--page", type=pathlib.Path, help="with --update: write the figures into a page")
    arguments = parser.parse_args()

    if shutil.which("valgrind") is None:
        print("valgrind is not installed")
        return SKIPPED
    if arguments.update:
        write(arguments.limits, arguments.build, measure(arguments.program))
        if arguments.page:
            return pages.update(arguments.page, tables(arguments.limits.read_text()))
        return 0
    limits = tomllib.loads(arguments.limits.read_text())
    build = limits.pop("build")
    if build != arguments.build:
        print(f"the limits are those of '{build}', and this is '{arguments.build}'")
        return SKIPPED
    return 0 if compare(measure(arguments.program), limits) else 1


if __name__ == "__main__":
    sys.exit(main())
