#!/usr/bin/env python3
"""Checks the compile time of the headers, compared with oneTBB's.

    compile_time_test.py ROOT COMPILER...

For each of the COMPILERS that is installed: <blitz/algorithm.hpp> takes less time than the headers of the standard library's
algorithms, with oneTBB as the backend of <execution>. <blitz/fork_join.hpp> takes less time than <tbb/tbb.h>, with g++ at most
half, and <blitz/join.hpp> at most a quarter. With g++ also <blitz/blitz.hpp>, which includes everything, takes less time than
<tbb/tbb.h>. With clang both sets of algorithms take nearly the same time, so only more than a twentieth above counts as slower.
All are system headers, as after an installation. The time is processor time in user mode, the median of several runs in which
the headers take turns. Without a compiler or oneTBB the exit status is 77: skipped.
"""

import pathlib
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile

SKIPPED = 77
RUNS = 9

HEADERS = {
    "algorithms of blitz": ["blitz/algorithm.hpp"],
    "algorithms of the standard library": ["execution", "algorithm", "numeric"],
    "all of blitz": ["blitz/blitz.hpp"],
    "calls of blitz": ["blitz/fork_join.hpp"],
    "join of blitz": ["blitz/join.hpp"],
    "calls of oneTBB": ["tbb/tbb.h"],
}


def seconds_of(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    subprocess.run(command, check=True)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def measure(compiler, root, folder):
    """The median time of each of HEADERS, in seconds."""
    times = {name: [] for name in HEADERS}
    for name, headers in HEADERS.items():
        text = "".join(f"#include <{header}>\n" for header in headers)
        pathlib.Path(folder, f"{name}.cpp").write_text(text)
    for _ in range(RUNS):
        for name in HEADERS:
            command = [compiler, "-std=c++20", "-O2", "-isystem", root, "-c", f"{folder}/{name}.cpp", "-o", "/dev/null"]
            times[name].append(seconds_of(command))
    return {name: statistics.median(each) for name, each in times.items()}


def has_tbb(compiler):
    command = [compiler, "-std=c++20", "-fsyntax-only", "-x", "c++", "-"]
    source = "#include <execution>\n#include <tbb/tbb.h>\n#ifndef _PSTL_PAR_BACKEND_TBB\n#error\n#endif\n"
    return subprocess.run(command, input=source, text=True, capture_output=True, check=False).returncode == 0


def main():
    root, *names = sys.argv[1:]
    compilers = [name for name in names if shutil.which(name) and has_tbb(name)]
    if not compilers:
        print("there is no compiler with oneTBB behind <execution>")
        return SKIPPED
    good = True
    for compiler in compilers:
        with tempfile.TemporaryDirectory() as folder:
            times = measure(compiler, root, folder)
        for name, seconds in times.items():
            print(f"{compiler} {name}: {seconds:.2f} s")
        algorithms, standard, everything, calls, join, tbb = times.values()
        if compiler == "g++":
            good &= algorithms < standard and calls <= tbb / 2 and everything < tbb and join <= tbb / 4
        else:
            good &= algorithms < 1.05 * standard and calls < tbb
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
