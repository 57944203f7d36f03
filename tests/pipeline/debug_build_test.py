#!/usr/bin/env python3
"""Checks that a pipeline stays usable in a debug build: at -O0, each further item takes at most three times the instructions of
the handwritten loop.

    debug_build_test.py ROOT LIBRARY COMPILER... FLAG...

PROGRAM is compiled with each installed COMPILER and the FLAGS, against the headers in ROOT and the LIBRARY. callgrind counts
the instructions. Without valgrind the exit status is 77: skipped.
"""

import concurrent.futures
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
FACTOR = 3.0
FEW, MANY = 2000, 12_000  # items: the difference excludes the start of the program and of the pool

PROGRAM = """
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>
#include <blitz/blitz.hpp>
#include <blitz/pipeline.hpp>

int main(int, char** arguments) {
  const std::string_view what = arguments[1];
  const auto size = std::strtoul(arguments[2], nullptr, 10);
  const std::vector<double> a(size, 1.5), b(size, 2), c(size, 3);
  const double* const pa = a.data();
  const double* const pb = b.data();
  const double* const pc = c.data();
  blitz::ThreadPool pool({.num_threads = 1});
  double sum = 0;
  pool.install([&] {
    if (what == "map-filter-sum") {
      sum = blitz::par(a).map([](double x) { return x * x; }).filter([](double x) { return x > 1; }).sum();
    } else if (what == "map-filter-sum by hand") {
      for (std::size_t i = 0; i < size; ++i) {
        const double square = pa[i] * pa[i];
        if (square > 1) sum += square;
      }
    } else if (what == "zip of three") {
      sum = blitz::par(a, b, c).map([](double x, double y, double z) { return x * y + z; }).sum();
    } else if (what == "zip of three by hand") {
      for (std::size_t i = 0; i < size; ++i) sum += pa[i] * pb[i] + pc[i];
    }
  });
  std::printf("%g", sum);
}
"""
PIPELINES = {"map-filter-sum": 2.25, "zip of three": 6.0}  # the contribution of one item to the sum


def run(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
    return done


def instructions(program, what, items, result):
    done = run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", program, what, str(items)])
    if float(done.stdout) != items * result:
        sys.exit(f"{what} of {items} items: {done.stdout}, and not {items * result}")
    return int(re.search(r"Collected : (\d+)", done.stderr)[1])


def check(root, library, compiler, flags):
    """Prints a line for each pipeline; returns whether all are within the limit."""
    good = True
    with tempfile.TemporaryDirectory() as folder:
        source, program = pathlib.Path(folder, "program.cpp"), pathlib.Path(folder, "program")
        source.write_text(PROGRAM)
        run(
            [compiler, "-std=c++20", "-O0", *flags, f"-I{root}", source, library, f"-Wl,-rpath,{library.parent}"]
            + ["-pthread", "-o", program]
        )
        for name, result in PIPELINES.items():
            ours, by_hand = (
                (instructions(program, what, MANY, result) - instructions(program, what, FEW, result)) / (MANY - FEW)
                for what in (name, f"{name} by hand")
            )
            good = good and ours <= FACTOR * by_hand
            print(f"{compiler} {name}: {ours:.1f} instructions an item, by hand {by_hand:.1f} ({ours / by_hand:.2f})")
    return good


def main():
    root, library, *words = sys.argv[1:]
    flags = [word for word in words if word.startswith("-")]
    compilers = [word for word in words if word not in flags and shutil.which(word)]
    if not compilers or not shutil.which("valgrind"):
        print("there is no compiler, or no valgrind")
        sys.exit(SKIPPED)
    library = pathlib.Path(library).resolve()
    with concurrent.futures.ThreadPoolExecutor(2) as executor:
        good = list(executor.map(lambda compiler: check(root, library, compiler, flags), compilers))
    sys.exit(0 if all(good) else 1)


if __name__ == "__main__":
    main()
