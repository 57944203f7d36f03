#!/usr/bin/env python3
"""Compares std::execution::par of libstdc++ on blitz with the same on oneTBB: a table in Markdown.

    bench/adaptors/pstl.py LIBRARY_FOLDER [--std 20] [--sizes 100000 1000000] [--threads 2] [--rounds 3] [--compiler g++]
                           [--only NAME]

LIBRARY_FOLDER has libblitz.so, such as build/blitz. Compiles pstl.cpp twice, runs the two programs in turn, and takes the least
time of each algorithm; at the end it names the rows above 1.05. Needs libtbb-dev.
"""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]


def compiled(scratch, arguments):
    """The two programs, by name."""
    folder = pathlib.Path(arguments.library).resolve()
    common = [*arguments.compiler.split(), f"-std=c++{arguments.std}", "-O3", "-march=native", str(HERE / "pstl.cpp")]
    flags = {
        "oneTBB": ["-ltbb"],
        "blitz": [f"-I{ROOT}/blitz/adaptor/pstl", f"-I{ROOT}", f"-L{folder}", "-lblitz", f"-Wl,-rpath,{folder}"],
    }
    running = {name: subprocess.Popen([*common, "-o", scratch / name, *extra, "-pthread"]) for name, extra in flags.items()}
    if any(process.wait() != 0 for process in running.values()):
        sys.exit("pstl.cpp does not compile")
    return {name: scratch / name for name in flags}


def run(program, size, arguments):
    command = [program, str(size), *([arguments.only] if arguments.only else [])]
    # oneTBB takes as many threads as there are processors in the mask.
    mask = ",".join(map(str, sorted(os.sched_getaffinity(0))[: arguments.threads]))
    environment = {**os.environ, "BLITZ_NUM_THREADS": str(arguments.threads)}
    output = subprocess.run(["taskset", "-c", mask, *command], env=environment, check=True, text=True, stdout=subprocess.PIPE)
    return {name: int(nanoseconds) for name, nanoseconds in (line.split() for line in output.stdout.splitlines())}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("library")
    parser.add_argument("--std", default="20")
    parser.add_argument("--sizes", type=int, nargs="+", default=[100_000, 1_000_000, 10_000_000])
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--compiler", default="g++")
    parser.add_argument("--only")
    parser.add_argument("--keep", type=pathlib.Path, help="a folder for the programs; those that are there are used again")
    arguments = parser.parse_args()

    least = {}
    with tempfile.TemporaryDirectory() as scratch:
        folder = arguments.keep or pathlib.Path(scratch)
        folder.mkdir(exist_ok=True)
        programs = {name: folder / name for name in ("oneTBB", "blitz")}
        if not all(program.exists() for program in programs.values()):
            programs = compiled(folder, arguments)
        for size in arguments.sizes:
            for _ in range(arguments.rounds):
                for name, program in programs.items():
                    for algorithm, time in run(program, size, arguments).items():
                        key = algorithm, size, name
                        least[key] = min(time, least.get(key, time))

    slow = []
    print("| algorithm |" + "".join(f" {size:g}: oneTBB, us | blitz, us | ratio |" for size in arguments.sizes))
    print("|---|" + "---:|---:|---:|" * len(arguments.sizes))
    for algorithm in dict.fromkeys(key[0] for key in least):
        row = f"| {algorithm} |"
        for size in arguments.sizes:
            tbb, blitz = (least[algorithm, size, name] / 1000 for name in ("oneTBB", "blitz"))
            row += f" {tbb:.1f} | {blitz:.1f} | {blitz / tbb:.2f} |"
            if blitz / tbb > 1.05:
                slow.append(f"{algorithm} of {size:g}: {blitz / tbb:.2f}")
        print(row)
    print(f"\nAbove 1.05: {', '.join(slow) or 'none'}")


if __name__ == "__main__":
    main()
