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
#include <random>
#include <vector>
#include "blitz/{header}.hpp"

std::vector<double> numbers(1000), others(1000);
std::vector<int> integers(1000);
std::mt19937 generator;

template <int N>
struct Record {
  std::size_t key;
  int values[N];
};
template <int N>
std::vector<Record<N>> records(1000);
"""

# By header: what is called, with @ for a number that differs, and the most bytes that a further call of it may add. Measured:
# loops 300 to 500, reductions 600 to 1300, pipelines 500 to 3000, algorithms 250 to 3700, and sorts of another type, as
# partial_sort is, 11,000 (by a comparison) to 22,000.
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
        "blitz::partial_sort(records<@>, records<@>.begin() + 9, {}, &Record<@>::key);": 25_000,
        "blitz::nth_element(records<@>, records<@>.begin() + 9, {}, &Record<@>::key);": 4000,
        "const auto by_key = [](const auto& x, const auto& y) { return x.key < y.key; };"
        "blitz::merge(records<@>, records<@>, records<@>, by_key);"
        "blitz::inplace_merge(records<@>, records<@>.begin() + 9, by_key);"
        "blitz::set_union(records<@>, records<@>, records<@>, by_key);": 10_500,
        "blitz::shuffle(records<@>, generator);"
        "blitz::stable_partition(records<@>, [](const auto& x) { return x.key % (@ + 2) == 0; });"
        "numbers[0] = static_cast<double>(blitz::group_by(records<@>, &Record<@>::key).size());": 8500,
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


def compile(compiler, root, source, out):
    subprocess.run([compiler, "-std=c++20", "-O2", "-DNDEBUG", "-I", root, *source, "-o", out], check=True)
    return out


def prepare(compiler, root, header):
    """A folder with common.hpp, compiled before: half of the time of each source is the library's headers."""
    folder = tempfile.TemporaryDirectory()
    common = pathlib.Path(folder.name, "common.hpp")
    common.write_text(SOURCE.replace("{header}", header))
    compile(compiler, root, ["-x", "c++-header", common], f"{common}.gch")
    return folder


def size_of(compiler, root, folder, calls):
    with tempfile.TemporaryDirectory(dir=folder) as own:
        source = pathlib.Path(own, "calls.cpp")
        source.write_text("".join(f"void call_{i}() {{ {call} }}\n" for i, call in enumerate(calls)))
        out = compile(compiler, root, ["-include", f"{folder}/common.hpp", "-c", source], f"{own}/calls.o")
        listed = subprocess.run(["size", out], check=True, capture_output=True, text=True).stdout
    return int(listed.splitlines()[1].split()[0])


def check(compiler, root, folder, call, most):
    once, twice = (
        size_of(compiler, root, folder.name, [call.replace("@", str(i)) for i in range(1, n + 1)]) for n in (1, 2)
    )
    good = twice - once <= most
    return good, f"{compiler} {call}: a further call adds {twice - once} bytes{'' if good else f', more than {most}'}"


def main():
    root, *names = sys.argv[1:]
    compilers = [name for name in names if shutil.which(name)]
    if not compilers or not shutil.which("size"):
        print("there is no compiler, or no size")
        sys.exit(SKIPPED)
    checks = []
    with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
        kinds = list(itertools.product(compilers, CALLS))
        for (compiler, header), folder in zip(kinds, pool.map(lambda kind: prepare(kind[0], root, kind[1]), kinds)):
            checks += [
                pool.submit(check, compiler, root, folder, call, most) for call, most in CALLS[header].items()
            ]
        found = [future.result() for future in checks]
    for _, line in found:
        print(line)
    sys.exit(0 if all(good for good, _ in found) else 1)


if __name__ == "__main__":
    main()
