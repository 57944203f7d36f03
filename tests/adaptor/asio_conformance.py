#!/usr/bin/env python3
"""Runs Asio's tests of its thread_pool on AsioContext. To be run by hand: no binary package contains these tests.

    git clone --branch asio-1-38-2 https://github.com/chriskohlhoff/asio
    tests/adaptor/asio_conformance.py asio build/blitz [TEST ...] [--std 20]
    git clone --branch boost-1.74.0 https://github.com/boostorg/asio boost_asio
    tests/adaptor/asio_conformance.py boost_asio build/blitz --boost /usr/include

The second folder has libblitz.so; a TEST is a path below the folder of the unit tests. The default is all that name
thread_pool. Compiles each test with the context in the place of thread_pool, and runs it; exits with 1 if one fails.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]

TESTS = ["thread_pool.cpp", "any_completion_executor.cpp", "any_completion_handler.cpp", "any_io_executor.cpp",
         "execution/any_executor.cpp", "execution/context_as.cpp", "experimental/coro/executor.cpp"]

# The senders and the bulk_execute of P0443, which Asio had until 1.28.
LEFT_OUT = ["thread_pool_scheduler_test", "thread_pool_executor_bulk_execute_test"]

IN_PLACE = """
#include <utility>
#include <{0}asio.hpp>
#include <blitz/adaptor/{1}.hpp>
namespace {2}asio {{
using ContextOfBlitz = blitz::{3};
}}
#define thread_pool ContextOfBlitz
"""


def text_of(source, boost):
    names = ("boost/", "boost_asio", "boost::", "BoostAsioContext") if boost else ("", "asio", "", "AsioContext")
    text = source.read_text()
    for name in LEFT_OUT:
        text = re.sub(rf"^void {name}\(\)\n{{\n.*?^}}\n", "", text, flags=re.MULTILINE | re.DOTALL)
        text = re.sub(rf"^.*\({name}\)\n", "", text, flags=re.MULTILINE)
    return IN_PLACE.format(*names) + text


def failure(source, folder, arguments):
    """Returns the failure of a test; empty if it passes."""
    program = pathlib.Path(folder) / "program"
    copy = pathlib.Path(folder) / source.name
    copy.write_text(text_of(source, arguments.boost))
    headers = arguments.boost or next(path for path in (arguments.asio / "include", arguments.asio / "asio" / "include")
                                      if path.is_dir())
    library = arguments.library.resolve()
    command = [*arguments.compiler.split(), f"-std=c++{arguments.std}", "-O0", "-w", f"-I{ROOT}", f"-I{headers}",
               f"-I{source.parent}", f"-I{units_of(arguments)}", str(copy), "-o", str(program), f"-L{library}", "-lblitz",
               f"-Wl,-rpath,{library}", "-pthread"]
    if subprocess.run(command).returncode != 0:
        return "does not compile"
    try:
        run = subprocess.run([program], timeout=arguments.timeout, capture_output=True, text=True)
    except subprocess.TimeoutExpired:
        return f"longer than {arguments.timeout} s"
    return "" if run.returncode == 0 else f"{run.returncode} {run.stdout.strip()} {run.stderr.strip()}"


def units_of(arguments):
    return next(path for path in (arguments.asio / "src/tests/unit", arguments.asio / "asio/src/tests/unit",
                                  arguments.asio / "test") if path.is_dir())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("asio", type=pathlib.Path)
    parser.add_argument("library", type=pathlib.Path)
    parser.add_argument("tests", nargs="*")
    parser.add_argument("--boost", help="the folder with boost/asio.hpp, for the tests of Boost.Asio")
    parser.add_argument("--compiler", default="g++")
    parser.add_argument("--std", default="20")
    parser.add_argument("--timeout", type=float, default=60)
    arguments = parser.parse_intermixed_args()
    failures = 0
    for name in arguments.tests or TESTS:
        source = units_of(arguments) / name
        if not source.is_file():
            continue
        with tempfile.TemporaryDirectory() as folder:
            problem = failure(source, folder, arguments)
        print(f"{name}: {problem or 'passes'}", flush=True)
        failures += problem != ""
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
