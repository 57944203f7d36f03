#!/usr/bin/env python3
"""Checks that a loop of blitz, in every spelling, takes at most a tenth more instructions than the plain loop, plus the cost of
the call.

Compiles SOURCE (see its header comment) with each installed compiler of COMPILERS, at -O2 and at -O3, against the headers in
ROOT and the LIBRARY; callgrind counts. Without valgrind the exit status is 77: skipped.
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
LEVELS = ["-O2", "-O3"]
FACTOR = 1.1
CALL = 200  # additional instructions for a call, or a block of it, including the items that fill no vector
BLOCKS = 4  # as in SOURCE


def run(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def measure(arguments, compiler, level):
    """Returns {(row, items): {"plain": instructions, "whole": ..., "blocks": ...}}."""
    with tempfile.TemporaryDirectory() as folder:
        program, out = pathlib.Path(folder, "spellings"), pathlib.Path(folder, "callgrind.out")
        library = arguments.library.resolve()
        run(
            [compiler, "-std=c++20", level, "-DNDEBUG", *arguments.flag, f"-I{arguments.root}", arguments.source]
            + [library, f"-Wl,-rpath,{library.parent}", "-pthread", "-o", program]
        )
        printed = run(
            ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", "--combine-dumps=yes"]
            + ["--zero-before=counted", "--dump-after=counted", program]
        )
        # One part of the file for each call, in their order, and one for the rest of the program.
        sums = [int(number) for number in re.findall(r"^totals: (\d+)", out.read_text(), re.MULTILINE)]
    lines = printed.splitlines()
    if len(lines) not in (len(sums), len(sums) - 1):
        sys.exit(f"{len(lines)} calls, and callgrind counted {len(sums)}")
    found = {}
    for line, instructions in zip(lines, sums):
        row, items, what = line.split(", ")
        found.setdefault((row, items), {})[what] = instructions
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=pathlib.Path, required=True)
    parser.add_argument("--library", type=pathlib.Path, required=True)
    parser.add_argument("--source", type=pathlib.Path, required=True)
    parser.add_argument("--flag", action="append", default=[], help="for the compilers")
    parser.add_argument("compilers", nargs="+")
    arguments = parser.parse_args()

    if shutil.which("valgrind") is None:
        print("valgrind is not installed")
        return SKIPPED
    compilers = [compiler for compiler in arguments.compilers if shutil.which(compiler)]
    if not compilers:
        print("none of these compilers is installed:", *arguments.compilers)
        return SKIPPED

    good = True
    builds = [(compiler, level) for compiler in compilers for level in LEVELS]
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as executor:
        measured = executor.map(lambda build: measure(arguments, *build), builds)
        for build, found in zip(builds, measured):
            print(*build)
            for (row, items), counts in found.items():
                line = f"  {row:40} {items:>12}  plain {counts['plain']:7}"
                for what, blocks in (("whole", 1), ("blocks", BLOCKS)):
                    few_enough = counts[what] <= FACTOR * counts["plain"] + blocks * CALL
                    good = good and few_enough
                    line += f"  {what} {counts[what]:7} ({counts[what] / counts['plain']:.2f})"
                    line += "" if few_enough else " TOO MANY"
                print(line)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
