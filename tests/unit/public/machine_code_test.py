#!/usr/bin/env python3
"""Checks that compilers vectorize sums of floating-point numbers: the loop over a block adds whole registers, with enough
independent additions to hide their latency. Also checks the loops of KERNELS.

    machine_code_test.py ROOT COMPILER...

Compiles SOURCE with each of the COMPILERS that is installed, at -O2 and at -O3, for SSE2 and for AVX2, and reads the output of
objdump. Without a compiler, objdump or x86-64 the exit status is 77: skipped.
"""

import concurrent.futures
import itertools
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
LEVELS = ["-O2", "-O3"]
SETS = {"-msse2": "xmm", "-mavx2": "ymm"}  # and their registers
LANES = {"xmm": 8, "ymm": 4}  # additions in one round of the loop, of 16 and of 32 bytes

SOURCE = """
#include <cstddef>
#include <functional>
#include <vector>
#include "blitz/parallel_reduce.hpp"

template <class T>
struct Sums {
  T by_range() const { return blitz::parallel_reduce(numbers, T{}, std::plus<>{}); }
  T by_int() const {
    const auto number = [this](int i) { return numbers[static_cast<std::size_t>(i)]; };
    return blitz::parallel_transform_reduce(0, static_cast<int>(numbers.size()), T{}, std::plus<>{}, number);
  }
  T by_size_t() const {
    const auto number = [this](std::size_t i) { return numbers[i]; };
    return blitz::parallel_transform_reduce(std::size_t{0}, numbers.size(), T{}, std::plus<>{}, number);
  }
  std::vector<T> numbers;
};
template struct Sums<float>;
template struct Sums<double>;
"""

# By a part of the name of the function with the loop: an instruction on whole registers in it, at -O3.
KERNELS = {
    "InTransform": "mulpd",
    "InZip": "mulpd",
    "InAnyOf": "pcmpgtd",
    "InFindIf": r"cmp\w*ps",
    "difference_test": "pcmpeqd",  # of mismatch
    "best_of": "minpd",
    "InCopyIf": "pcmpgtd",
    "InCountIf": "pcmpgtd",
    "InMapFilterSum": "addpd",
    "InSumOfThree": "addpd",
}

KERNEL_SOURCE = """
#include <cstddef>
#include <functional>
#include <vector>
#include "blitz/algorithm/compare.hpp"
#include "blitz/algorithm/copy_if.hpp"
#include "blitz/algorithm/count.hpp"
#include "blitz/algorithm/find.hpp"
#include "blitz/algorithm/min_max.hpp"
#include "blitz/algorithm/transform.hpp"
#include "blitz/parallel_reduce.hpp"
#include "blitz/pipeline.hpp"

using Doubles = std::vector<double>;
using Integers = std::vector<int>;
struct InTransform { double operator()(double x) const { return x * 1.5 + 1; } };
void transform(Doubles& x, Doubles& y) { blitz::transform(x, y, InTransform()); }
struct InZip { const double* x; const double* y; double operator()(std::size_t i) const { return x[i] * y[i]; } };
double zip(std::size_t n, InZip zip) {
  return blitz::parallel_transform_reduce(std::size_t{0}, n, 0.0, std::plus<>{}, zip);
}
struct InAnyOf { bool operator()(int x) const { return x > 5; } };
bool any_of(const Integers& x) { return blitz::any_of(x, InAnyOf()); }
struct InFindIf { bool operator()(float x) const { return x == 5; } };
bool find_if(const std::vector<float>& x) { return blitz::find_if(x, InFindIf()) != x.end(); }
bool mismatch(const Integers& x, const Integers& y) { return blitz::mismatch(x, y).in1 != x.end(); }
double min_element(const Doubles& x) { return *blitz::min_element(x); }
struct InCopyIf { bool operator()(int x) const { return x > 5; } };
void copy_if(const Integers& x, Integers& y) { blitz::copy_if(x, y, InCopyIf()); }
struct InCountIf { bool operator()(int x) const { return x > 5; } };
std::ptrdiff_t count_if(const Integers& x) { return blitz::count_if(x, InCountIf()); }
struct InMapFilterSum { double operator()(double x) const { return x * 1.5 + 1; } };
struct IsLarge { bool operator()(double x) const { return x > 5; } };
double map_filter_sum(const Doubles& x) { return blitz::par(x).map(InMapFilterSum()).filter(IsLarge()).sum(); }
struct InSumOfThree { double operator()(double x, double y, double z) const { return x * y * z; } };
double zip_sum(const Doubles& x, const Doubles& y, const Doubles& z) { return blitz::par(x, y, z).map(InSumOfThree()).sum(); }
"""

# The function that folds a block, in objdump's spelling, inlined or not; and the sums of SOURCE that contain it.
FOLD = re.compile(
    r"blitz::detail::(?:Reduction<blitz::detail::)?Fold<(float|double), "
    r"blitz::detail::(IteratorItems|IntegerItems<[\w ]+)[<,].*::(?:run_block_of|fold)\("
)
SUMS = {
    (number, items)
    for number in ("float", "double")
    for items in ("IteratorItems", "IntegerItems<int", "IntegerItems<unsigned long")
}


def code_of(compiler, level, instruction_set, root, text, name_of):
    """{name: [[(address, instruction, operands)]]}: the code of the functions that `name_of(function)` names."""
    with tempfile.TemporaryDirectory() as folder:
        source, out = pathlib.Path(folder, "sums.cpp"), pathlib.Path(folder, "sums.o")
        source.write_text(text)
        command = [compiler, "-std=c++20", level, instruction_set, "-DNDEBUG", "-I", root, "-c", source, "-o", out]
        subprocess.run(command, check=True)
        command = ["objdump", "--disassemble", "--demangle", "--no-show-raw-insn", out]
        listing = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    found = {}
    code = None
    for line in listing.splitlines():
        if header := re.match(r"[0-9a-f]+ <(.*)>:$", line):
            code = None
            if name := name_of(header[1]):
                code = []
                found.setdefault(name, []).append(code)
        elif (instruction := re.match(r"\s+([0-9a-f]+):\s+(\w+)\s*(.*)", line)) and code is not None:
            code.append((int(instruction[1], 16), instruction[2], instruction[3]))
    return found


def functions(compiler, level, instruction_set, root):
    """The code of the folds, by number type and items."""
    return code_of(
        compiler, level, instruction_set, root, SOURCE, lambda name: (fold := FOLD.match(name)) and (fold[1], fold[2])
    )


def vector_kernels(compiler, instruction_set, root):
    """The members of KERNELS that are vectorised."""
    code = code_of(
        compiler, "-O3", instruction_set, root, KERNEL_SOURCE, lambda name: next((k for k in KERNELS if k in name), None)
    )
    whole = f"%{SETS[instruction_set]}"
    return {
        kernel
        for kernel, listed in code.items()
        for function in listed
        for loop in innermost_loops(function)
        if any(re.fullmatch(f"v?{KERNELS[kernel]}", name) and whole in operands for name, operands in loop)
    }


def innermost_loops(code):
    """Yields the instructions of each innermost loop."""
    jumps = []
    for address, name, operands in code:
        target = re.match(r"([0-9a-f]+) <", operands)
        if name.startswith("j") and target and int(target[1], 16) <= address:
            jumps.append((int(target[1], 16), address))
    for first, last in jumps:
        if not any(first <= other[0] and other[1] <= last for other in jumps if other != (first, last)):
            yield [(name, operands) for address, name, operands in code if first <= address <= last]


def is_vector_loop(loop, number, register):
    suffix = {"float": "s", "double": "d"}[number]
    whole = sum(bool(re.fullmatch(f"v?addp{suffix}", name)) and f"%{register}" in operands for name, operands in loop)
    others = [name for name, _ in loop if re.match(r"v?(adds|unpck|insert|mov[lh]p|shuf)", name)]
    return whole >= LANES[register] and not others


def main():
    root, *compilers = sys.argv[1:]
    compilers = [compiler for compiler in compilers if shutil.which(compiler)]
    if not compilers or shutil.which("objdump") is None or platform.machine() != "x86_64":
        print("needs one of the compilers, objdump, and x86-64")
        return SKIPPED
    builds = list(itertools.product(compilers, LEVELS, SETS))
    good = True
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as executor:
        for build, found in zip(builds, executor.map(lambda build: functions(*build, root), builds)):
            for number, items in sorted(SUMS):
                loops = [loop for code in found.get((number, items), []) for loop in innermost_loops(code)]
                vectors = any(is_vector_loop(loop, number, SETS[build[2]]) for loop in loops)
                print(*build, number, items, "whole registers" if vectors else "NO LOOP OVER WHOLE REGISTERS")
                good = good and vectors
        builds = list(itertools.product(compilers, SETS))
        for build, found in zip(builds, executor.map(lambda build: vector_kernels(*build, root), builds)):
            for kernel in KERNELS:
                print(*build, kernel, "whole registers" if kernel in found else "NO LOOP OVER WHOLE REGISTERS")
            good = good and found == set(KERNELS)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
