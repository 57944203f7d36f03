#!/usr/bin/env python3
"""Checks the syntax of code that only macOS and FreeBSD compile: compiles the sources that test for the system, with the macros
of these systems and the headers of this one. It checks nothing else.

    other_systems.py ROOT COMPILER [ARGUMENT]...
"""

import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

SYSTEMS = {
    "macOS": ["-U__unix__", "-U__unix", "-D__APPLE__=1"],
    "FreeBSD": [],
}
ASKS = re.compile(r"\b(?:__linux__|__unix__|__APPLE__|__GLIBC__|BLITZ_LINUX|BLITZ_POSIX)\b")


def compile_for(system, source, root, compiler):
    command = [*compiler, "-std=c++20", f"-I{root}", "-fsyntax-only", "-Wall", "-Wextra", "-Wpedantic", "-Werror",
               "-U__linux__", "-U__linux", "-Ulinux", "-U__gnu_linux__", *SYSTEMS[system],
               "-include", str(root / "tests/layering/other_system.hpp"), str(source)]
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return f"{source} on {system}:\n{result.stdout}" if result.returncode != 0 else None


def main():
    root, compiler = pathlib.Path(sys.argv[1]), sys.argv[2:]
    sources = [path for path in sorted((root / "blitz").rglob("*.cpp")) if ASKS.search(path.read_text())]
    assert sources, "none asks for the system"
    cases = [(system, source, root, compiler) for system in SYSTEMS for source in sources]
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        complaints = [complaint for complaint in pool.map(lambda case: compile_for(*case), cases) if complaint]
    print("\n".join(complaints) or f"{len(cases)} compilations")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
