#!/usr/bin/env python3
"""Checks how much code an additional call adds to a program.

    code_size_test.py ROOT COMPILER...

Compiles the CALLS of each header in one source file at -O2, with each of the COMPILERS that is installed. Each call has a
unique closure or type. Its number in the section names distinguishes the call's code from code that calls share. Without a
compiler or size(1) the exit status is 77: skipped.
"""

import concurrent.futures
import itertools
import pathlib
import re
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
  int value;
  bool operator==(const Record&) const = default;
};
template <int N>
std::vector<Record<N>> records(1000);
template <int N>
std::vector<Record<N>> copies(1000);
template <int N>
struct ByKey {
  bool operator()(const Record<N>& x, const Record<N>& y) const { return x.key < y.key; }
};
template <int N>
struct IsOdd {
  bool operator()(const Record<N>& x) const { return x.key % 2 != 0; }
};
"""

# By header: the calls, with @ for a unique number, and the maximum of bytes that each may add. Measured: loops 300, reductions
# 1000, pipelines 600 to 2300, algorithms 400 to 3800, sorts of another type 18,000 to 25,000.
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
        **dict.fromkeys(
            (
                "adjacent_difference(numbers, others, [](double x, double y) { return x - y * @; })",
                "adjacent_find(records<@>)",
                "all_of(records<@>, IsOdd<@>())",
                "any_of(records<@>, IsOdd<@>())",
                "copy(records<@>, copies<@>)",
                "copy_if(records<@>, copies<@>, IsOdd<@>())",
                "copy_n(records<@>.begin(), 9, copies<@>.begin())",
                "count(records<@>, 3, &Record<@>::key)",
                "count_if(records<@>, IsOdd<@>())",
                "equal(records<@>, copies<@>)",
                "exclusive_scan(integers, integers, 0, [](int x, int y) { return x + y * @; })",
                "fill(records<@>, Record<@>())",
                "fill_n(records<@>.begin(), 9, Record<@>())",
                "find(records<@>, 3, &Record<@>::key)",
                "find_end(records<@>, copies<@>)",
                "find_first_of(records<@>, copies<@>)",
                "find_if(records<@>, IsOdd<@>())",
                "find_if_not(records<@>, IsOdd<@>())",
                "find_last(records<@>, 3, &Record<@>::key)",
                "find_last_if(records<@>, IsOdd<@>())",
                "find_last_if_not(records<@>, IsOdd<@>())",
                "for_each(records<@>, [](auto& x) { ++x.key; })",
                "for_each_n(records<@>.begin(), 9, [](auto& x) { ++x.key; })",
                "generate(records<@>, [] { return Record<@>(); })",
                "group_by(records<@>, &Record<@>::key)",
                "histogram(records<@>, 9, &Record<@>::key)",
                "includes(records<@>, copies<@>, ByKey<@>())",
                "inclusive_scan(integers, integers, [](int x, int y) { return x + y * @; })",
                "inplace_merge(records<@>, records<@>.begin() + 9, ByKey<@>())",
                "is_partitioned(records<@>, IsOdd<@>())",
                "is_sorted(records<@>, ByKey<@>())",
                "is_sorted_until(records<@>, ByKey<@>())",
                "lexicographical_compare(records<@>, copies<@>, ByKey<@>())",
                "max(records<@>, ByKey<@>())",
                "max_element(records<@>, ByKey<@>())",
                "merge(records<@>, records<@>, copies<@>, ByKey<@>())",
                "min(records<@>, ByKey<@>())",
                "min_element(records<@>, ByKey<@>())",
                "minmax(records<@>, ByKey<@>())",
                "minmax_element(records<@>, ByKey<@>())",
                "mismatch(records<@>, copies<@>)",
                "move(records<@>, copies<@>)",
                "none_of(records<@>, IsOdd<@>())",
                "nth_element(records<@>, records<@>.begin() + 9, {}, &Record<@>::key)",
                "partition(records<@>, IsOdd<@>())",
                "partition_copy(records<@>, copies<@>, copies<@>, IsOdd<@>())",
                "reduce(numbers, 0.0, [](double x, double y) { return x + y * @; })",
                "reduce_by_key(records<@>, numbers, copies<@>, numbers)",
                "remove(records<@>, 3, &Record<@>::key)",
                "remove_copy(records<@>, copies<@>, 3, &Record<@>::key)",
                "remove_copy_if(records<@>, copies<@>, IsOdd<@>())",
                "remove_if(records<@>, IsOdd<@>())",
                "replace(records<@>, 3, Record<@>(), &Record<@>::key)",
                "replace_if(records<@>, IsOdd<@>(), Record<@>())",
                "reverse(records<@>)",
                "reverse_copy(records<@>, copies<@>)",
                "rotate(records<@>, records<@>.begin() + 9)",
                "rotate_copy(records<@>, records<@>.begin() + 9, copies<@>)",
                "search(records<@>, copies<@>)",
                "set_difference(records<@>, records<@>, copies<@>, ByKey<@>())",
                "set_intersection(records<@>, records<@>, copies<@>, ByKey<@>())",
                "set_symmetric_difference(records<@>, records<@>, copies<@>, ByKey<@>())",
                "set_union(records<@>, records<@>, copies<@>, ByKey<@>())",
                "shift_left(records<@>, 9)",
                "shift_right(records<@>, 9)",
                "shuffle(records<@>, generator)",
                "stable_partition(records<@>, IsOdd<@>())",
                "swap_ranges(records<@>, copies<@>)",
                "transform(numbers, others, [](double x) { return x * @; })",
                "transform_exclusive_scan(integers, integers, 0, std::plus<>(), [](int x) { return x * @; })",
                "transform_inclusive_scan(integers, integers, std::plus<>(), [](int x) { return x * @; })",
                "transform_reduce(numbers, 0.0, std::plus<>(), [](double x) { return x * @; })",
                "uninitialized_copy(records<@>, copies<@>)",
                "uninitialized_copy_n(records<@>.begin(), 9, copies<@>.begin(), copies<@>.end())",
                "uninitialized_fill(records<@>, Record<@>())",
                "uninitialized_move(records<@>, copies<@>)",
                "uninitialized_move_n(records<@>.begin(), 9, copies<@>.begin(), copies<@>.end())",
                "uninitialized_value_construct(records<@>)",
                "unique(records<@>)",
                "unique_copy(records<@>, copies<@>)",
            ),
            4000,
        ),
        **dict.fromkeys(
            (
                "partial_sort(records<@>, records<@>.begin() + 9, {}, &Record<@>::key)",
                "sort(records<@>, ByKey<@>())",
                "sort(records<@>, {}, &Record<@>::key)",
                "sort_by_cached_key(records<@>, [](const auto& x) { return x.key; })",
                "sort_by_key(records<@>, integers, {}, &Record<@>::key)",
                "stable_sort(records<@>, ByKey<@>())",
                "stable_sort(records<@>, {}, &Record<@>::key)",
            ),
            25_000,
        ),
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


def compile(compiler, root, header):
    """Compiles the calls of a header. Returns the name and the size of each section of their code and constants."""
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder, "calls.cpp")
        calls = [call if "blitz::" in call else f"static_cast<void>(blitz::{call});" for call in CALLS[header]]
        source.write_text(
            SOURCE.replace("{header}", header)
            + "".join(f"void call_{i}() {{ {call.replace('@', str(i))} }}\n" for i, call in enumerate(calls))
        )
        flags = ["-std=c++20", "-O2", "-DNDEBUG", "-ffunction-sections", "-I", root]
        subprocess.run([compiler, *flags, "-c", source, "-o", f"{folder}/calls.o"], check=True)
        listed = subprocess.run(["size", "-A", f"{folder}/calls.o"], check=True, capture_output=True, text=True).stdout
    sections = re.findall(r"^(\.\S+) +(\d+)", listed, re.MULTILINE)
    return [(name, int(size)) for name, size in sections if not name.startswith((".debug", ".comment", ".note"))]


def check(compiler, root, header):
    """Returns for each call whether it is small enough, and a line with its size."""
    sections = compile(compiler, root, header)
    # The unwinding tables are in one section; each function gets an equal share of it.
    functions = sum(name.startswith(".text.") for name, _ in sections)
    unwinding = dict(sections)[".eh_frame"] / functions
    results = []
    for i, (call, most) in enumerate(CALLS[header].items()):
        own = [section for section in sections if re.search(rf"(Record|ByKey|IsOdd)ILi{i}EE|call_{i}v", section[0])]
        added = sum(size for _, size in own) + round(unwinding * sum(name.startswith(".text.") for name, _ in own))
        good = 0 < added <= most
        wrong = "" if good else f", not 1 to {most}"
        results.append((good, f"{compiler} {call}: a further call adds {added} bytes{wrong}"))
    return results


def main():
    root, *names = sys.argv[1:]
    compilers = [name for name in names if shutil.which(name)]
    if not compilers or not shutil.which("size"):
        print("there is no compiler, or no size")
        sys.exit(SKIPPED)
    with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
        kinds = itertools.product(compilers, sorted(CALLS, key=lambda header: -len(CALLS[header])))
        found = sum(pool.map(lambda kind: check(kind[0], root, kind[1]), kinds), [])
    for _, line in found:
        print(line)
    sys.exit(0 if all(good for good, _ in found) else 1)


if __name__ == "__main__":
    main()
