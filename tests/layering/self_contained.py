#!/usr/bin/env python3
"""Compiles each header of the library separately, included twice, with warnings as errors. A header may reject an unsupported
compiler with an #error that begins with "blitz: ".

    self_contained.py ROOT COMPILER [ARGUMENT]...
"""

import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]


def compile_alone(command, header):
    program = f'#include "{header}"\n#include "{header}"\n'
    arguments = [*command, "-std=c++20", "-fsyntax-only", *WARNINGS, "-x", "c++", "-"]
    return header, subprocess.run(arguments, input=program, capture_output=True, text=True)


def main():
    root, command = pathlib.Path(sys.argv[1]), sys.argv[2:]
    headers = sorted(path.relative_to(root).as_posix() for path in (root / "blitz").glob("**/*.hpp"))
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for header, result in pool.map(lambda header: compile_alone(command, header), headers):
            if result.returncode != 0 and not re.search(r'error: "blitz: |#error "blitz: ', result.stderr):
                failed += 1
                print(f"{header} does not compile alone:\n{result.stderr}")
    print(f"{len(headers)} headers, {failed} not self-contained")
    sys.exit(1 if failed or not headers else 0)


if __name__ == "__main__":
    main()
