#!/usr/bin/env python3
"""Checks that an adaptor names its requirements if a library or a compiler is too old for it.

    versions_test.py ROOT COMPILER...

The libraries are headers of a few lines, with the last version that is too old.
"""

import pathlib
import subprocess
import sys
import tempfile

# The header, its message, fake headers, arguments.
OLD = [
    ("asio", "needs Asio 1.18 or later", {"asio/version.hpp": "#define ASIO_VERSION 101799"}, []),
    ("boost_asio", "needs Boost 1.74 or later", {"boost/asio/version.hpp": "#define BOOST_ASIO_VERSION 101799"}, []),
    ("eigen", "needs Eigen 3.4 or later",
     {"Eigen/Core": "#define EIGEN_WORLD_VERSION 3\n#define EIGEN_MAJOR_VERSION 3"}, []),
    ("opencv", "needs OpenCV 4.5.2 or later",
     {"opencv2/core/version.hpp": "#define CV_VERSION_MAJOR 4\n#define CV_VERSION_MINOR 5\n#define CV_VERSION_REVISION 1"}, []),
    ("stdexec", "needs stdexec of April 2026 or later",
     {"stdexec/execution.hpp": "namespace stdexec { struct sender_t {}; struct receiver_t {}; }"}, []),
    ("parlay", "needs parlaylib of September 2023 or later", {"parlay/parallel.h": "#define PARLAY_PARALLEL_H_"}, []),
    ("pstl", "is for libstdc++, of g++ 11 or later", {"cstddef": "#define _GLIBCXX_RELEASE 10"}, ["-std=c++17"]),
    ("pstl", "is for libstdc++, of g++ 11 or later", {"cstddef": "#define _LIBCPP_VERSION 19"}, ["-std=c++17"]),
    ("coroutine", "need g++ 11 or clang 19", {}, ["-U__clang__", "-D__clang__", "-U__clang_major__", "-D__clang_major__=18"]),
]


def complaint(root, compiler, scratch, adaptor, says, headers, arguments):
    for path, text in headers.items():
        header = scratch / path
        header.parent.mkdir(parents=True, exist_ok=True)
        header.write_text(text + "\n")
    include = root / "blitz/adaptor/pstl/execution" if adaptor == "pstl" else f"blitz/adaptor/{adaptor}.hpp"
    command = [*compiler, "-std=c++20", *arguments, f"-I{scratch}", f"-I{root}", "-fsyntax-only", "-Wfatal-errors"]
    result = subprocess.run([*command, "-x", "c++", "-"], input=f'#include "{include}"\n', text=True, capture_output=True)
    if result.returncode == 0:
        return "is accepted"
    return "" if says in result.stderr else f"does not say {says!r} at first:\n{result.stderr}"


def main():
    root, compiler = pathlib.Path(sys.argv[1]), sys.argv[2:]
    failed = False
    for case in OLD:
        with tempfile.TemporaryDirectory() as scratch:
            wrong = complaint(root, compiler, pathlib.Path(scratch), *case)
        print(f"{case[0]}: {wrong or 'is refused'}", flush=True)
        failed = failed or bool(wrong)
    sys.exit(failed)


if __name__ == "__main__":
    main()
