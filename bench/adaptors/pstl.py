#!/usr/bin/env python3
"""Compares libstdc++'s std::execution::par on blitz with itself on oneTBB: a table in Markdown.

    bench/adaptors/pstl.py LIBRARY_FOLDER [--std 20] [--sizes 100000 1000000] [--threads 2] [--rounds 9] [--compiler g++]
                           [--only NAME]

LIBRARY_FOLDER contains libblitz.so, such as build/blitz. Compiles pstl.cpp twice. The two programs take turns at each
algorithm, in one pair of processes per round, because the placement of 80 MB in pages changes times by a tenth. Prints the
medians of the rounds' times and ratios, and finally the names of the rows above 1.05. Needs libtbb-dev.
"""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
from statistics import median

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]


def compiled(scratch, arguments):
    """The two programs, by name."""
    folder = pathlib.Path(arguments.library).resolve()
    # The alignment of a loop of few instructions changes its time by a factor of up to 1.5, and is no merit of either library.
    aligned = ["-falign-functions=64", "-falign-loops=64"]
    common = [*arguments.compiler.split(), f"-std=c++{arguments.std}", "-O3", "-march=native", *aligned, str(HERE / "pstl.cpp")]
    flags = {
        "oneTBB": ["-ltbb"],
        "blitz": [f"-I{ROOT}/blitz/adaptor/pstl", f"-I{ROOT}", f"-L{folder}", "-lblitz", f"-Wl,-rpath,{folder}"],
    }
    running = {name: subprocess.Popen([*common, "-o", scratch / name, *extra, "-pthread"]) for name, extra in flags.items()}
    if any(process.wait() != 0 for process in running.values()):
        sys.exit("pstl.cpp does not compile")
    return {name: scratch / name for name in flags}


class Program:
    """A process that reads the names of algorithms."""

    def __init__(self, path, size, arguments):
        # oneTBB makes as many threads as there are processors in the mask.
        mask = ",".join(map(str, sorted(os.sched_getaffinity(0))[: arguments.threads]))
        environment = {**os.environ, "BLITZ_NUM_THREADS": str(arguments.threads)}
        command = ["taskset", "-c", mask, path, str(size)]
        self.process = subprocess.Popen(command, env=environment, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def ask(self, line):
        print(line, file=self.process.stdin, flush=True)
        return self.next_line()

    def next_line(self):
        line = self.process.stdout.readline()
        if not line:
            sys.exit(f"{self.process.args[3]} has ended with {self.process.wait()}")
        return line.strip()

    def names(self):
        return [self.ask(""), *iter(self.next_line, "")]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("library")
    parser.add_argument("--std", default="20")
    parser.add_argument("--sizes", type=int, nargs="+", default=[100_000, 1_000_000, 10_000_000])
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--compiler", default="g++")
    parser.add_argument("--only")
    parser.add_argument("--keep", type=pathlib.Path, help="a folder for the programs; those that are there are used again")
    arguments = parser.parse_args()

    times = {}  # microseconds of each round
    with tempfile.TemporaryDirectory() as scratch:
        folder = arguments.keep or pathlib.Path(scratch)
        folder.mkdir(exist_ok=True)
        programs = {name: folder / name for name in ("oneTBB", "blitz")}
        if not all(program.exists() for program in programs.values()):
            programs = compiled(folder, arguments)
        for size in arguments.sizes:
            for _ in range(arguments.rounds):
                running = {name: Program(path, size, arguments) for name, path in programs.items()}
                names = running["blitz"].names()
                if arguments.only:
                    names = [name for name in names if name == arguments.only] or sys.exit(f"choose from {' '.join(names)}")
                for algorithm in names:
                    for name in programs:
                        times.setdefault((algorithm, size, name), []).append(int(running[name].ask(algorithm)) / 1000)
                for program in running.values():
                    program.process.communicate()

    slow = []
    print("| algorithm |" + "".join(f" {size:g}: oneTBB, us | blitz, us | ratio |" for size in arguments.sizes))
    print("|---|" + "---:|---:|---:|" * len(arguments.sizes))
    for algorithm in dict.fromkeys(key[0] for key in times):
        row = f"| {algorithm} |"
        for size in arguments.sizes:
            tbb, blitz = (times[algorithm, size, name] for name in ("oneTBB", "blitz"))
            ratio = median(b / t for b, t in zip(blitz, tbb))
            row += f" {median(tbb):.1f} | {median(blitz):.1f} | {ratio:.2f} |"
            if ratio > 1.05:
                slow.append(f"{algorithm} of {size:g}: {ratio:.2f}")
        print(row)
    print(f"\nAbove 1.05: {', '.join(slow) or 'none'}")


if __name__ == "__main__":
    main()
