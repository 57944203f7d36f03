#!/usr/bin/env python3
"""Builds a program with the header that packaging/single_header writes, without the library.

    single_header_test.py ROOT PROGRAM COMPILER...

The program is a file that compiles the library, and PROGRAM. For each public header that PROGRAM includes there is a file that
includes the single header.
"""

import concurrent.futures
import pathlib
import sys
import tempfile

from packaging_test import run

FLAGS = ["-std=c++20", "-O0", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror", "-pthread",
         "-DBLITZ_CUSTOM_POLICY"]


def main():
    root, program, *compiler = sys.argv[1:]
    with tempfile.TemporaryDirectory(prefix="blitz-single-header-") as name:
        folder = pathlib.Path(name)
        run([f"{root}/packaging/single_header", folder / "blitz_single.hpp"])
        library = folder / "library.cpp"
        library.write_text('#define BLITZ_IMPLEMENTATION\n#include "blitz_single.hpp"\n')
        (folder / "blitz").mkdir()
        for header in pathlib.Path(root, "blitz").glob("*.hpp"):
            (folder / "blitz" / header.name).write_text('#include "blitz_single.hpp"\n')

        def compiled(source):
            compiled_to = folder / f"{pathlib.Path(source).stem}.o"
            run([*compiler, *FLAGS, f"-I{folder}", f"-I{root}/tests", "-c", source, "-o", compiled_to])
            return compiled_to

        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            objects = list(pool.map(compiled, [library, program]))
        run([*compiler, *objects, "-o", folder / "program", "-pthread"])
        run([folder / "program"])


if __name__ == "__main__":
    main()
