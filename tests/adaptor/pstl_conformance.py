#!/usr/bin/env python3
"""Runs LLVM's tests of the parallel algorithms, as libstdc++ has them, on blitz. To be run by hand: no binary package contains
these tests.

    apt-get install gcc-12-source && tar xf /usr/src/gcc-12/gcc-12.*.tar.xz --wildcards '*/libstdc++-v3/testsuite/*pstl*'
    tests/adaptor/pstl_conformance.py gcc-12.*/libstdc++-v3/testsuite build/blitz [TEST ...] [--std 20] [--threads 2 4]

The second folder has libblitz.so; a TEST is a part of a path, such as alg_merge. Compiles each test and runs it on each number
of threads; exits with 1 if one fails.
"""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]


def failure(source, program, arguments):
    """Returns the failure of a test; empty if it passes on every number of threads."""
    library = pathlib.Path(arguments.library).resolve()
    command = [*arguments.compiler.split(), f"-std=c++{arguments.std}", "-O0", "-w",
               f"-I{ROOT}/blitz/adaptor/pstl", f"-I{ROOT}", f"-I{arguments.testsuite}/util", str(source)]
    if "dg-do preprocess" in source.read_text():
        return "" if subprocess.run([*command, "-E", "-o", os.devnull]).returncode == 0 else "#error"
    libraries = [f"-L{library}", "-lblitz", f"-Wl,-rpath,{library}", "-pthread"]
    if subprocess.run([*command, "-o", program, *libraries]).returncode != 0:
        return "does not compile"
    for threads in arguments.threads:
        try:
            run = subprocess.run([program], env={**os.environ, "BLITZ_NUM_THREADS": threads}, timeout=arguments.timeout,
                                 capture_output=True, text=True)
        except subprocess.TimeoutExpired:
            return f"on {threads} threads: longer than {arguments.timeout} s"
        if run.returncode != 0:
            return f"on {threads} threads: {run.returncode} {run.stderr.strip()}"
    return ""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("testsuite", type=pathlib.Path)
    parser.add_argument("library")
    parser.add_argument("tests", nargs="*", default=[""])
    parser.add_argument("--compiler", default="g++")
    parser.add_argument("--std", default="17")
    parser.add_argument("--threads", nargs="+", default=["2", "4"])
    parser.add_argument("--timeout", type=int, default=600, help="of a run, in seconds")
    arguments = parser.parse_intermixed_args()
    sources = sorted(arguments.testsuite.glob("2*/**/pstl/**/*.cc"))
    failed = []
    with tempfile.TemporaryDirectory() as folder:
        for source in sources:
            name = str(source.relative_to(arguments.testsuite))
            if not any(test in name for test in arguments.tests):
                continue
            wrong = failure(source, pathlib.Path(folder) / "test", arguments)
            print(f"{name}: {wrong or 'passed'}", flush=True)
            failed += [name] if wrong else []
    sys.exit(f"failed: {' '.join(failed)}" if failed else 0)


if __name__ == "__main__":
    main()
