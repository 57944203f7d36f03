#!/usr/bin/env python3
"""Checks how much code a further call adds to a program.

    code_size_test.py ROOT COMPILER...

Compiles each of CALLS once and twice, with different closures, with each of the COMPILERS that there is, at -O2, and
takes the difference of the sizes of their code, tables for exceptions included. Where there is no compiler or no size(1)
the exit status is 77: skipped.
"""

import concurrent.futures
import itertools
import pathlib
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77

SOURCE = """
#include <algorithm>
#include <cstddef>
#include <functional>
#include <vector>
#include "blitz/{header}.hpp"

std::vector<double> numbers(1000), others(1000);
std::vector<int> integers(1000);

template <int N>
struct Record {
  std::size_t key;
  int values[N];
};
template <int N>
std::vector<Record<N>> records(1000);
"""

# By header: what is called, with @ for a number that differs, and the most bytes that a further call of it may add. Measured:
# loops 300 to 500, reductions 600 to 1300, pipelines 500 to 3000, most algorithms 250 to 3700, merges and set operations 3000 to
# 4200, stable_partition and shuffle 4500, sorts of another type 12,000 (by a comparison) to 23,000, group_by 19,000.
CALLS = {
    "parallel_for": {
        "blitz::parallel_for(std::size_t{0}, numbers.size(), [](std::size_t i) { numbers[i] = @ * others[i]; });": 1500,
        "blitz::parallel_for(numbers, [](double& x) { x = @ - x; });": 1500,
        "blitz::parallel_for_blocks(numbers, [](auto block) { block.front() += @; });": 1500,
    },
    "parallel_reduce": {
        "numbers[@] = blitz::parallel_transform_reduce("
        "numbers, 0.0, std::plus<>{}, [](double x) { return x * (x + @); });": 2500,
        "numbers[@] = blitz::parallel_reduce(0, 1000, 0.0, [](double s, double x) { return s > x * @ ? s : x; });": 2500,
    },
    "algorithm": {
        "blitz::transform(numbers, others, [](double x) { return x * @; });": 4000,
        "integers[0] = *blitz::find_if(integers, [](int x) { return x > @; });": 4000,
        "integers[0] = *blitz::min_element(integers, [](int x, int y) { return x % (@ + 2) < y % (@ + 2); });": 4000,
        "blitz::sort(records<@>, {}, &Record<@>::key);": 25_000,
        "blitz::stable_sort(records<@>, {}, &Record<@>::key);": 25_000,
        "const auto by_key = [](const auto& x, const auto& y) { return x.key < y.key; };"
        "blitz::merge(records<@>, records<@>, records<@>, by_key);"
        "blitz::inplace_merge(records<@>, records<@>.begin() + 9, by_key);"
        "blitz::set_union(records<@>, records<@>, records<@>, by_key);": 13_000,
    },
    "pipeline": {
        "numbers[@] = blitz::par(numbers).map([](double x) { return x * @; })"
        ".filter([](double x) { return x > @; }).sum();": 3072,
        "numbers[@] = blitz::par(numbers, others).map([](double x, double y) { return x * y + @; }).sum();": 3072,
        "integers[0] = blitz::par(integers).filter([](int x) { return x > @; }).collect().back();": 3072,
        "integers[0] = blitz::par(integers).scan([](int x, int y) { return x + y + @; })"
        ".filter([](int x) { return x > @; }).sum();": 3072,
    },
}


def size_of(compiler, root, header, calls):
    with tempfile.TemporaryDirectory() as folder:
        source, out = pathlib.Path(folder, "calls.cpp"), pathlib.Path(folder, "calls.o")
        body = "".join(f"void call_{i}() {{ {call} }}\n" for i, call in enumerate(calls))
        source.write_text(SOURCE.replace("{header}", header) + body)
        command = [compiler, "-std=c++20", "-O2", "-DNDEBUG", "-I", root, "-c", source, "-o", out]
        subprocess.run(command, check=True)
        listed = subprocess.run(["size", out], check=True, capture_output=True, text=True).stdout
    return int(listed.splitlines()[1].split()[0])


def check(compiler, root, header, call):
    once, twice = (
        size_of(compiler, root, header, [call.replace("@", str(i)) for i in range(1, n + 1)]) for n in (1, 2)
    )
    most = CALLS[header][call]
    good = twice - once <= most
    return good, f"{compiler} {call}: a further call adds {twice - once} bytes{'' if good else f', more than {most}'}"


def main():
    root, *names = sys.argv[1:]
    compilers = [name for name in names if shutil.which(name)]
    if not compilers or not shutil.which("size"):
        print("there is no compiler, or no size")
        sys.exit(SKIPPED)
    with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
        calls = [(header, call) for header in CALLS for call in CALLS[header]]
        found = list(pool.map(lambda what: check(what[0], root, *what[1]), itertools.product(compilers, calls)))
    for _, line in found:
        print(line)
    sys.exit(0 if all(good for good, _ in found) else 1)


if __name__ == "__main__":
    main()
