#!/usr/bin/env python3
"""Checks that compilers make vectors of the sums of floating-point numbers: in the loop over a block each addition is
one of a whole register, and there are as many of them as hide its latency.

    machine_code_test.py ROOT COMPILER...

Compiles SOURCE with each of the COMPILERS that there is, at -O2 and at -O3, for SSE2 and for AVX2, and reads what
objdump makes of it. Where there is no compiler, no objdump or no x86-64 the exit status is 77: skipped.
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

# What folds a block, as objdump spells it, inlined or not; and the sums of SOURCE that it is part of.
FOLD = re.compile(
    r"blitz::detail::(?:Reduction<blitz::detail::)?Fold<(float|double), "
    r"blitz::detail::(IteratorItems|IntegerItems<[\w ]+)[<,].*::(?:run_block_of|fold)\("
)
SUMS = {
    (number, items)
    for number in ("float", "double")
    for items in ("IteratorItems", "IntegerItems<int", "IntegerItems<unsigned long")
}


def functions(compiler, level, instruction_set, root):
    """{(number, items): [[(address, instruction, operands)]]}: the code of each of the functions"""
    with tempfile.TemporaryDirectory() as folder:
        source, out = pathlib.Path(folder, "sums.cpp"), pathlib.Path(folder, "sums.o")
        source.write_text(SOURCE)
        command = [compiler, "-std=c++20", level, instruction_set, "-DNDEBUG", "-I", root, "-c", source, "-o", out]
        subprocess.run(command, check=True)
        command = ["objdump", "--disassemble", "--demangle", "--no-show-raw-insn", out]
        listing = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    found = {}
    code = None
    for line in listing.splitlines():
        if header := re.match(r"[0-9a-f]+ <(.*)>:$", line):
            code = None
            if fold := FOLD.match(header[1]):
                code = []
                found.setdefault((fold[1], fold[2]), []).append(code)
        elif (instruction := re.match(r"\s+([0-9a-f]+):\s+(\w+)\s*(.*)", line)) and code is not None:
            code.append((int(instruction[1], 16), instruction[2], instruction[3]))
    return found


def innermost_loops(code):
    """The instructions of each."""
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
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
