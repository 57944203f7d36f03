#!/usr/bin/env python3
"""Checks builds of users with other flags, or another compiler, than blitz is built with.

    user_build_test.py ROOT LIBRARY COMPILER [ARGUMENT]...

COMPILER is one string, such as "ccache g++"; the arguments are for it.

- every_call.cpp, which makes every public call, compiles without a warning, with the headers treated as the user's own.
- Built with the debug mode of the standard library, and linked with the unmodified library, it works.
- An unsuitable compiler or option is refused in a few lines. (tests/layering checks that each public header does so.)
"""

import pathlib
import subprocess
import sys
import tempfile

WARNINGS = """
    -Werror -Wall -Wextra -Wpedantic -Wcast-align -Wcast-qual -Wconversion -Wdeprecated-copy-dtor -Wdouble-promotion
    -Wextra-semi -Wformat=2 -Wimplicit-fallthrough -Wmissing-declarations -Wnon-virtual-dtor -Wnull-dereference
    -Wold-style-cast -Woverloaded-virtual -Wredundant-decls -Wshadow -Wsign-conversion -Wsuggest-override -Wswitch-enum
    -Wundef -Wunused -Wunused-macros -Wvla -Wzero-as-null-pointer-constant
""".split()
WARNINGS_OF = {
    "g++": "-Wduplicated-branches -Wduplicated-cond -Wlogical-op -Wmismatched-tags -Wredundant-tags -Wuseless-cast".split(),
    "clang++": "-Wcomma -Wdocumentation -Wheader-hygiene -Wrange-loop-analysis -Wshadow-all -Wshorten-64-to-32".split(),
}

# The mode that changes the containers and checks the most; optimized, because otherwise -Wnull-dereference reports nothing.
BUILD = ["-O2", "-D_GLIBCXX_DEBUG", "-D_GLIBCXX_DEBUG_PEDANTIC"]

# arguments -> the required text of the message. EMPTY is a folder with an empty <version>, like an old library's.
UNFIT = [
    (["-std=c++17"], "blitz needs C++20"),
    (["-std=c++20", "-fno-exceptions"], "blitz needs exceptions"),
    (["-std=c++20", "-IEMPTY"], "blitz needs a standard library with"),
]
LINES_OF_A_CLEAR_MESSAGE = 12


def warnings_of(compiler):
    kind = "clang++" if "clang" in compiler[-1] else "g++"
    return [*WARNINGS, *WARNINGS_OF[kind]]


def run(command, **options):
    return subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=500, **options
    )


def build_and_run(compiler, flags, folder):
    """Returns the failure of one build of every_call.cpp, or None."""
    root, library = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    program = folder / ("every_call" + "".join([*compiler, *flags]).replace("/", "_"))
    compile_it = [*compiler, "-std=c++20", *sys.argv[4:], *flags, *warnings_of(compiler), "-pthread", f"-I{root}"]
    compile_it += [f"-I{root}/tests", "-c", f"{root}/tests/acceptance/every_call.cpp", "-o", f"{program}.o"]
    result = run(compile_it)
    if result.returncode != 0:
        return f"does not compile without warnings:\n{result.stdout}"
    link = [*compiler, f"{program}.o", str(library), f"-Wl,-rpath,{library.parent}", "-pthread", "-o", str(program)]
    result = run(link)
    if result.returncode != 0:
        return f"does not link:\n{result.stdout}"
    result = run([program])
    if result.returncode != 0:
        return f"ends with {result.returncode}:\n{result.stdout}"
    return None


def refused(compiler, flags, says, folder):
    """Returns the failure of the message that refuses a compiler, or None if the message is right."""
    flags = [flag.replace("EMPTY", str(folder)) for flag in flags]
    arguments = [*flags, *sys.argv[4:], f"-I{sys.argv[1]}", "-fsyntax-only", "-x", "c++", "-"]
    result = run([*compiler, *arguments], input="#include <blitz/blitz.hpp>\n")
    if result.returncode == 0:
        return "is accepted"
    if says not in result.stdout:
        return f"does not say {says!r}:\n{result.stdout}"
    if len(result.stdout.splitlines()) > LINES_OF_A_CLEAR_MESSAGE:
        return f"says too much:\n{result.stdout}"
    return None


def main():
    compiler = sys.argv[3].split()
    failed = False

    def report(flags, complaint, praise):
        nonlocal failed
        print(f"{' '.join([*compiler, *flags])}: {complaint or praise}", flush=True)
        failed = failed or complaint is not None

    with tempfile.TemporaryDirectory(prefix="blitz-user-build-") as name:
        folder = pathlib.Path(name)
        (folder / "empty").mkdir()
        (folder / "empty" / "version").touch()
        for flags, says in UNFIT:
            report(flags, refused(compiler, flags, says, folder / "empty"), "is refused")
        report(BUILD, build_and_run(compiler, BUILD, folder), "clean, and works")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
