#!/usr/bin/env python3
"""Builds a program of a user under ThreadSanitizer, in the ways of docs/debugging.md.

    thread_sanitizer_test.py single_header|cmake SOURCE_ROOT COMPILER...

single_header compiles blitz with the program, cmake builds it by FetchContent. The program without a data race has no report,
and its variant with one has. Skipped if the compiler has no ThreadSanitizer, or there is no CMake.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from cmake_test import PROGRAM, Builds
from packaging_test import expect, run
from settings_test import works

SKIPPED = 77
SOURCE = pathlib.Path(__file__).resolve().parent / "sanitized.cpp"
REPORT = "WARNING: ThreadSanitizer: data race"


def single_header(scratch, root, compiler):
    run([root / "packaging" / "single_header", scratch / "blitz_single.hpp"])
    (scratch / "blitz").mkdir()
    for name in ("algorithm.hpp", "blitz.hpp"):
        (scratch / "blitz" / name).write_text('#include "blitz_single.hpp"\n')
    flags = ["-std=c++20", "-O1", "-g", "-fsanitize=thread", "-pthread", "-DBLITZ_IMPLEMENTATION", f"-I{scratch}"]
    run([*compiler, *flags, SOURCE, "-o", scratch / "program"])
    return scratch / "program"


def cmake(scratch, root, compiler):
    builds = Builds(scratch, compiler)
    project = builds.project(PROGRAM)
    shutil.copy(SOURCE, project / "consumer.cpp")
    # The sources of blitz are compiled as one, which takes a fraction of the time.
    variables = {"CMAKE_CXX_FLAGS": "-O1 -g -fsanitize=thread", "CMAKE_UNITY_BUILD": "ON", "CMAKE_UNITY_BUILD_BATCH_SIZE": "0"}
    return builds.build(project, TARGET="blitz::blitz", SOURCE=root, **variables) / "consumer"


def reports(program, *arguments):
    environment = {**os.environ, "BLITZ_NUM_THREADS": "4", "TSAN_OPTIONS": "exitcode=66"}
    done = subprocess.run([program, *arguments], env=environment, capture_output=True, text=True, timeout=120)
    expect(done.stdout == "1 2\n", f"the program printed {done.stdout!r}\n{done.stderr}")
    expect((done.returncode == 66) == (REPORT in done.stderr), f"exit status {done.returncode}\n{done.stderr}")
    return done.stderr


def main():
    which, root, *compiler = sys.argv[1:]
    if not works([*compiler, "-fsanitize=thread"]) or (which == "cmake" and not shutil.which("cmake")):
        sys.exit(SKIPPED)
    with tempfile.TemporaryDirectory(prefix="blitz-tsan-") as scratch:
        program = {"single_header": single_header, "cmake": cmake}[which](pathlib.Path(scratch), pathlib.Path(root), compiler)
        said = reports(program)
        expect(said == "", f"the program without a data race has a report:\n{said}")
        expect(REPORT in reports(program, "race"), "the data race is not reported")


if __name__ == "__main__":
    main()
