#!/usr/bin/env python3
"""Checks that <execution> runs on blitz with every order of the include paths of blitz-pstl and blitz-tbb, and after any one
header.

    pstl_paths_test.py ROOT LIBRARY_FOLDER COMPILER

LIBRARY_FOLDER has libblitz.so. Without the compiler the exit status is 77: skipped.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

PSTL, TBB = ["pstl"], ["tbb", "tbb/oneapi"]
# An item that no worker of blitz runs is set to 0.
BODY = """
#if !defined(BLITZ_PSTL) || defined(_PSTL_PARALLEL_BACKEND_TBB_H)
#error "the backend is not blitz"
#endif
int main() {
  std::vector<int> v(1000, 1);
  std::for_each(std::execution::par, v.begin(), v.end(), [](int& x) {
    if (blitz_thread_index() == static_cast<std::size_t>(-1)) x = 0;
  });
  bool right = std::reduce(std::execution::par, v.begin(), v.end()) == 1000;
  std::sort(std::execution::par, v.begin(), v.end());
  MORE
  return right ? 0 : 1;
}
"""
BOTH = """
#include <tbb/parallel_for.h>
#include <tbb/task.h>
#if TBB_INTERFACE_VERSION < 12000
#error "no version"
#endif
"""
MORE_OF_TBB = """
  tbb::task_group_context context;
  std::atomic<int> calls{0};
  tbb::parallel_for(0, 1000, [&](int) {
    ++calls;
    right = right && tbb::task::current_context() == &context;
  }, context);
  right = right && calls == 1000 && tbb::task::current_context() == nullptr;
"""


def program(first, with_tbb):
    headers = [*first, "execution", "algorithm", "numeric", "vector", "blitz/c.h"]
    includes = "".join(f"#include <{header}>\n" for header in headers)
    if not with_tbb:
        return includes + BODY.replace("MORE", "")
    return includes + "#include <atomic>\n" + BOTH + BODY.replace("MORE", MORE_OF_TBB)


# Standard, paths, program. oneTBB's names need C++20.
CASES = [
    ("c++17", PSTL + TBB, program([], False)),
    ("c++17", TBB + PSTL, program([], False)),
    ("c++17", TBB, program(["memory"], False)),
    ("c++20", PSTL + TBB, program([], True)),
    ("c++20", TBB + PSTL, program(["tbb/parallel_for.h"], True)),
    ("c++20", TBB, program(["numeric"], True)),
    # Each header that declares parallel algorithms may be the only one, and come first or last.
    ("c++17", PSTL, "#include <execution>\n#include <memory>\n"
     "int main() { int x[2]; std::uninitialized_fill(std::execution::par, x, x + 2, 3); return x[1] - 3; }\n"),
    ("c++17", PSTL, "#include <execution>\n#include <numeric>\n"
     "int main() { int x[2] = {1, 2}; return std::reduce(std::execution::par, x, x + 2) - 3; }\n"),
]


def main():
    root, library, compiler = sys.argv[1:]
    if not shutil.which(compiler):
        sys.exit(77)
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        source, binary = pathlib.Path(folder, "program.cpp"), pathlib.Path(folder, "program")
        for standard, paths, text in CASES:
            source.write_text(text)
            command = [compiler, f"-std={standard}", "-O0", "-Wall", "-Wextra", "-Werror",
                       *(f"-I{root}/blitz/adaptor/{path}" for path in paths), f"-I{root}", source, "-o", binary,
                       f"-L{library}", "-lblitz", f"-Wl,-rpath,{library}", "-pthread"]
            right = subprocess.run(command).returncode == 0
            right = right and subprocess.run([binary], env={**os.environ, "BLITZ_NUM_THREADS": "3"}).returncode == 0
            print(f"{standard} {' '.join(paths)}: {'passed' if right else 'FAILED'}", flush=True)
            failed = failed or not right
    sys.exit(failed)


if __name__ == "__main__":
    main()
