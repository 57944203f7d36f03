#!/usr/bin/env python3
"""Checks that symbols and backtraces of blitz are short enough to be read in debuggers and profilers.

    debug_names_test.py ROOT LIBRARY COMPILER... FLAG...

PROGRAM has a long pipeline with each of the terminals, and other calls. It is compiled with each installed COMPILER
and the FLAGS, against the headers in ROOT and the LIBRARY.
- No symbol is longer than MOST_CHARACTERS, demangled, without and with the optimizer.
- gdb's backtrace from inside a callable of the pipeline has at most MOST_BYTES.
- A level of nested joins, or of nested loops in a pool of one thread, has at most MOST_FRAMES frames of blitz.
- With packaging/gdb/blitz.gdb, gdb's `step` does not enter a loop of blitz; without it, it does.
Without nm, c++filt or a compiler the exit status is 77: skipped. Without gdb, or if gdb may not start a program, only the names
are checked.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
MOST_CHARACTERS = 2000
MOST_BYTES = 10_000
MOST_FRAMES = {"join": 4, "loop": 8}
FEW, MANY = 2, 6  # levels: the difference excludes all other frames

PROGRAM = r"""
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <list>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>
#include <blitz/blitz.hpp>
#include <blitz/pipeline.hpp>

// Where gdb stops.
[[gnu::noinline]] void innermost() { asm volatile("" ::: "memory"); }

struct Sample { std::size_t place; double value; };

// Not lambdas: in every_terminal, their names would have the pipeline's.
struct IsLarge { bool operator()(const Sample& x) const { return x.value > 2; } };
struct IsLess { bool operator()(const Sample& x, const Sample& y) const { return x.value < y.value; } };
struct LessOf { Sample operator()(const Sample& x, const Sample& y) const { return x.value < y.value ? x : y; } };
struct PlaceOf { std::size_t operator()(const Sample& x) const { return x.place; } };
struct ValueOf { double operator()(const Sample& x) const { return x.value; } };
struct AddValue { double operator()(double sum, const Sample& x) const { return sum + x.value; } };
struct CountCalls { void operator()(int& calls, const Sample&) const { ++calls; } };
struct Zero { int operator()() const { return 0; } };
struct PairOf { std::pair<std::size_t, std::string> operator()(const Sample& x) const { return {x.place, "x"}; } };
struct MaybeOf { std::optional<double> operator()(const Sample& x) const { return x.value; } };
struct MaybeSum { std::optional<double> operator()(double x, double y) const { return x + y; } };
struct ErrorOf {
  std::optional<std::size_t> operator()(const Sample& x) const { return x.value > 9 ? std::optional(x.place) : std::nullopt; }
};

template <class P>
void every_terminal(const P& samples) {
  std::vector<Sample> out(10), others(10);
  samples.for_each(ValueOf());
  samples.for_each_with(Zero(), CountCalls());
  double result = samples.fold(0.0, AddValue(), std::plus<double>());
  result += samples.reduce(LessOf())->value;
  result += samples.map(ValueOf()).sum() + samples.map(ValueOf()).ordered_sum() + samples.map(ValueOf()).product();
  result += static_cast<double>(samples.map(PlaceOf()).sum() + samples.count());
  result += samples.min(IsLess())->value + samples.max(IsLess())->value + samples.minmax(IsLess())->first.value;
  result += *samples.map(ValueOf()).min() + samples.map(ValueOf()).minmax()->first;
  result += samples.any_of(IsLarge()) + samples.all_of(IsLarge()) + samples.none_of(IsLarge());
  result += samples.find_first(IsLarge())->value + samples.find_any(IsLarge())->value + samples.find_last(IsLarge())->value;
  result += samples.first()->value + samples.last()->value;
  const auto all = samples.collect();
  result += static_cast<double>(all.size() + samples.collect_into(out));
  samples.append_to(out);
  const auto [left, right] = samples.partition(IsLarge());
  result += static_cast<double>(left.size() + right.size() + samples.partition_into(out, others, IsLarge()).first);
  const auto [places, texts] = samples.map(PairOf()).unzip();
  result += static_cast<double>(places.size() + texts.size() + samples.map(PairOf()).collect().size());
  result += static_cast<double>(samples.group_by(PlaceOf()).size());
  result += samples.try_for_each(ErrorOf()).has_value() + *samples.map(MaybeOf()).try_reduce(0.0, MaybeSum());
  std::printf("%g\n", result);
}

// Calls as programs make them, with lambdas.
void other_calls() {
  std::vector<Sample> samples(1000, Sample{1, 2.5});
  std::vector<double> values(1000, 2.5);
  const auto is_less = [](const Sample& x, const Sample& y) { return x.value < y.value; };
  const auto is_large = [](const Sample& x) { return x.value > 2; };
  blitz::nth_element(samples, samples.begin() + 5, is_less);
  blitz::partial_sort(samples, samples.begin() + 5, is_less);
  blitz::partition(samples, is_large);
  blitz::stable_partition(samples, is_large);
  blitz::inplace_merge(samples, samples.begin() + 5, is_less);
  std::vector<Sample> out(samples.size() * 2);
  blitz::merge(samples, samples, out, is_less);
  blitz::copy_if(samples, out, is_large);
  blitz::set_union(samples, samples, out, is_less);
  blitz::inclusive_scan(values, values, [](double x, double y) { return x + y; });
  blitz::unique(values, [](double x, double y) { return x == y; });
  blitz::remove_if(samples, is_large);
  double result = static_cast<double>(blitz::group_by(values, [](double x) { return static_cast<int>(x); }).size());
  result += static_cast<double>(blitz::parallel_reduce(
      0, 10, std::size_t{0}, [&](std::size_t sum, int i) { return sum + samples.size() + static_cast<std::size_t>(i); },
      std::plus<>()));
  std::vector<int> roots{3, 4};
  blitz::parallel_for_each(roots, [&](int depth, blitz::Feeder<int>& feeder) {
    if (depth > 0) feeder.add(depth - 1);
  });
  result += blitz::scope([&](blitz::Scope& s) {
    s.spawn([&] { roots[0] = 1; });
    return 1.0;
  });
  blitz::scope_fifo([&](blitz::Scope& s) { s.spawn([&](blitz::Scope& again) { again.spawn([&] { roots[1] = 1; }); }); });
  blitz::TaskGroup group;
  group.run([&] { roots[0] = 2; });
  group.wait();
  blitz::ThreadPool pool({.num_threads = 2});
  result += pool.install([&] { return values.front(); });
  result += blitz::async([&] { return values.back(); }).get();
  result += blitz::reduce(values) + blitz::isolate([&] { return values[1]; });
  result += blitz::includes(samples, samples, is_less) ? 1 : 0;
  blitz::WorkerLocal<std::mt19937_64> generators;
  result += static_cast<double>((*generators.local())());
  const auto [a, b, c] = blitz::join([&] { return values[0]; }, [&] { return values[1]; }, [&] { return values[2]; });
  std::printf("%g\n", result + a + b + c);
}

[[gnu::noinline]] int joins(int levels) {
  if (levels == 0) {
    innermost();
    return 1;
  }
  const auto [left, right] = blitz::join([=] { return joins(levels - 1); }, [=] { return joins(levels - 1); });
  return left + right;
}

[[gnu::noinline]] void loops(int levels) {
  if (levels == 0) return innermost();
  blitz::parallel_for(0, 3, [=](int) { loops(levels - 1); });
}

int main(int, char** arguments) {
  const std::string_view what = arguments[1];
  const int levels = std::atoi(arguments[2]);
  std::vector<double> values(1000, 2.5);
  const std::list<double> list(1000, 2.5);
  blitz::ThreadPool pool({.num_threads = 1});
  const auto samples = blitz::par(values)
                           .map([](double x) { return x * 2; })
                           .filter([](double x) { return x > 1; })
                           .map([](double x) { return Sample{1, x}; })
                           .filter_map([](const Sample& x) { return std::optional(x); })
                           .with({.pool = &pool});
  if (what == "pipeline") {
    samples.for_each([](const Sample&) { innermost(); });
  } else if (what == "sum") {
    std::printf("%g\n", blitz::par(values).with({.pool = &pool}).map([](double x) { innermost(); return x; }).sum());
  } else if (what == "join") {
    pool.install([=] { return joins(levels); });
  } else if (what == "loop") {
    pool.install([=] { loops(levels); });
  } else {
    const auto sample = [](double x) { return Sample{0, x}; };
    every_terminal(samples);
    every_terminal(blitz::from(list).ordered().map(sample));
    every_terminal(blitz::par(values, values).enumerate().inspect([](std::size_t, double, double) {}).map(
        [](std::size_t i, double x, double y) { return Sample{i, x + y}; }));
    every_terminal(blitz::par(values).rev().step_by(2).skip(1).map(sample).chain(blitz::par(values).map(sample)));
    every_terminal(blitz::par(values).exclusive_scan(1.0, std::plus<double>()).map(sample));
    every_terminal(blitz::par(values).chunks(7).map([](auto chunk) { return Sample{chunk.size(), chunk.front()}; }));
    every_terminal(blitz::lines("a\nb").flat_map([](std::string_view line) { return std::string(line); }).map([](char c) {
      return Sample{1, static_cast<double>(c)};
    }));
    other_calls();
    std::printf("%d\n", blitz::par(values).position_first([](double x) { return x > 3; }).has_value());
  }
}
"""


def run(command, **options):
    done = subprocess.run(command, capture_output=True, text=True, **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def longest_symbol(binary):
    names = [line.split()[-1] for line in run(["nm", binary]).splitlines()]
    return max(run(["c++filt"], input="\n".join(names)).splitlines(), key=len)


def backtrace(program, what, levels):
    """gdb's lines, starting with the innermost function; none if gdb could not run the program."""
    commands = ["set width 0", "break innermost", "run", "backtrace"]
    command = ["gdb", "-nx", "-batch", *(f"--eval-command={line}" for line in commands)]
    done = subprocess.run(
        [*command, "--args", program, what, str(levels)],
        capture_output=True,
        text=True,
        env={**os.environ, "DEBUGINFOD_URLS": ""},
    )
    return re.findall(r"^#\d+ .*$", done.stdout, re.MULTILINE)


def step_enters_blitz(program, *options):
    """Whether the second step of gdb in loops(), which is at a loop of blitz, ends in a function of blitz; None if gdb could not
    run the program."""
    commands = ["set width 0", "tbreak loops", "run", "step", "step"]
    command = ["gdb", "-nx", "-batch", *options, *(f"--eval-command={line}" for line in commands)]
    done = subprocess.run(
        [*command, "--args", program, "loop", "1"],
        capture_output=True,
        text=True,
        env={**os.environ, "DEBUGINFOD_URLS": ""},
    )
    _, stopped, steps = done.stdout.partition("parallel_for(0, 3")
    return re.search(r"^blitz::", steps, re.MULTILINE) is not None if stopped else None


def is_of_blitz(root, line):
    return "blitz::" in line.split(" (", 1)[0] or f" at {root}/blitz/" in line or "libblitz" in line


def check(root, library, compiler, level, flags):
    """Prints a line for each check; returns whether all are good."""
    good = True

    def tell(found, most, what):
        nonlocal good
        good = good and found <= most
        print(f"{compiler} {level}: {what}: {found}{'' if found <= most else f', MORE THAN {most}'}")

    with tempfile.TemporaryDirectory() as folder:
        source, program = pathlib.Path(folder, "program.cpp"), pathlib.Path(folder, "program")
        source.write_text(PROGRAM)
        run(
            [compiler, "-std=c++20", "-g", level, *flags, f"-I{root}", source, library, f"-Wl,-rpath,{library.parent}"]
            + ["-pthread", "-o", program]
        )
        run([program, "all", "0"])
        longest = longest_symbol(program)
        tell(len(longest), MOST_CHARACTERS, "characters of the longest symbol")
        if len(longest) > MOST_CHARACTERS:
            print(longest)
        if not shutil.which("gdb"):
            print("there is no gdb: backtraces are not checked")
            return good
        for what in ["pipeline", "sum"]:
            lines = backtrace(program, what, 0)
            if not lines:
                print("gdb runs no program here: backtraces are not checked")
                return good
            size = sum(len(line.replace(f"{root}/", "").replace(folder, "")) + 1 for line in lines)
            tell(size, MOST_BYTES, f"bytes of the backtrace of a {what}")
            if size > MOST_BYTES:
                print("\n".join(lines))
        if level == "-O0":
            rules = root / "packaging" / "gdb" / "blitz.gdb"
            found = step_enters_blitz(program), step_enters_blitz(program, "-x", rules)
            good = good and found == (True, False)
            print(f"{compiler} {level}: step enters blitz: without rules {found[0]}, with rules {found[1]}")
        else:
            for what, most in MOST_FRAMES.items():
                few, many = (
                    sum(is_of_blitz(root, line) for line in backtrace(program, what, levels)) for levels in (FEW, MANY)
                )
                tell((many - few) / (MANY - FEW), most, f"frames of a nested {what}")
                if (many - few) / (MANY - FEW) > most:
                    print("\n".join(backtrace(program, what, FEW)))
    return good


def main():
    root, library, *words = sys.argv[1:]
    flags = [word for word in words if word.startswith("-")]
    compilers = [word for word in words if word not in flags and shutil.which(word)]
    if not compilers or not shutil.which("nm") or not shutil.which("c++filt"):
        print("there is no compiler, or no nm, or no c++filt")
        sys.exit(SKIPPED)
    root, library = pathlib.Path(root).resolve(), pathlib.Path(library).resolve()
    good = [check(root, library, compiler, level, flags) for compiler in compilers for level in ["-O0", "-O1", "-O2"]]
    sys.exit(0 if all(good) else 1)


if __name__ == "__main__":
    main()
