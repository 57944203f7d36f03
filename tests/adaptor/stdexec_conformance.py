#!/usr/bin/env python3
"""Runs stdexec's tests of thread pools on StdexecScheduler. To be run by hand: no binary package contains these tests.

    git clone https://github.com/NVIDIA/stdexec && git clone --branch v3.7.1 https://github.com/catchorg/Catch2
    tests/adaptor/stdexec_conformance.py stdexec Catch2/extras build/blitz [TEST ...] [--namespace std::execution]

The third folder has libblitz.so; a TEST is a path below stdexec/test. The default is all that name a pool. Compiles each test
with a pool of blitz in the place of stdexec's, and runs it; exits with 1 if one fails.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]

POOLS = ["static_thread_pool", "tbb_thread_pool", "taskflow_thread_pool", "asio_thread_pool"]

# Tests of features that only stdexec's pools have: a thread or a set of processors for each scheduler, schedule_all, the hooks
# of a derived class, completion on an executor of Asio, and a bulk of five items that always runs on five threads.
LEFT_OUT_FILES = ["exec/test_thread_pool_base.cpp", "exec/asio/test_asio_thread_pool.cpp"]
LEFT_OUT = ["constrained static_thread_pool", "static_thread_pool::get_scheduler_on_thread", "schedule_all on",
            "bulk on static_thread_pool executes on multiple threads"]

IN_PLACE = """
#include <exec/static_thread_pool.hpp>
#include <blitz/blitz.hpp>
#include <blitz/adaptor/stdexec.hpp>
namespace experimental::execution {
class pool_of_blitz {
 public:
  using scheduler = blitz::StdexecScheduler;
  explicit pool_of_blitz(std::uint32_t threads = std::thread::hardware_concurrency()) : pool_({.num_threads = threads}) {}
  scheduler get_scheduler() { return scheduler(pool_); }
  std::uint32_t available_parallelism() const { return static_cast<std::uint32_t>(pool_.num_threads()); }
  void request_stop() noexcept {}

 private:
  blitz::AsyncThreadPool pool_;
};
namespace tbb { using execution::pool_of_blitz; }
namespace taskflow { using execution::pool_of_blitz; }
}
"""


def text_of(source):
    text = re.sub(r"^#\s*include <exec/(?:tbb|taskflow)/.*>\n", "", source.read_text(), flags=re.MULTILINE)
    for name in LEFT_OUT:
        text = re.sub(rf'^TEST_CASE\("{name}[^"]*".*?^}}\n', "", text, flags=re.MULTILINE | re.DOTALL)
    return IN_PLACE + "".join(f"#define {pool} pool_of_blitz\n" for pool in POOLS) + text


def failure(source, folder, catch, arguments):
    """Returns the failure of a test; empty if it passes."""
    program = folder / "program"
    copy = folder / source.name
    copy.write_text(text_of(source))
    library = arguments.library.resolve()
    command = [*arguments.compiler.split(), "-std=c++20", "-O0", "-w", "-D_GLIBCXX_USE_TBB_PAR_BACKEND=0", f"-I{ROOT}",
               f"-I{arguments.stdexec}/include",
               f"-I{arguments.stdexec}/test", f"-I{arguments.stdexec}/test/stdexec", f"-I{source.parent}", f"-I{folder}",
               f"-I{arguments.catch}", "-pthread", *([f"-DSTDEXEC_NAMESPACE={arguments.namespace}"] * bool(arguments.namespace))]
    if subprocess.run([*command, str(copy), str(catch), "-o", str(program), f"-L{library}", "-lblitz",
                       f"-Wl,-rpath,{library}"]).returncode != 0:
        return "does not compile"
    try:
        run = subprocess.run([program], timeout=arguments.timeout, capture_output=True, text=True)
    except subprocess.TimeoutExpired:
        return f"longer than {arguments.timeout} s"
    summary = run.stdout.strip().splitlines()[-1] if run.stdout.strip() else ""
    print(f"  {summary}")
    return "" if run.returncode == 0 else f"{run.returncode} {run.stdout.strip()[-3000:]} {run.stderr.strip()[-1000:]}"


def tests_of(root):
    for source in sorted(root.glob("*/**/*.cpp")):
        name = source.relative_to(root).as_posix()
        if name.startswith(("nvexec/", "rrd/")) or name in LEFT_OUT_FILES:
            continue
        if any(pool in source.read_text() for pool in POOLS):
            yield name


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stdexec", type=pathlib.Path)
    parser.add_argument("catch", type=pathlib.Path, help="the folder with catch_amalgamated.hpp")
    parser.add_argument("library", type=pathlib.Path)
    parser.add_argument("tests", nargs="*")
    parser.add_argument("--namespace", help="STDEXEC_NAMESPACE")
    parser.add_argument("--compiler", default="g++")
    parser.add_argument("--timeout", type=float, default=120)
    arguments = parser.parse_intermixed_args()
    root = arguments.stdexec / "test"
    failures = 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        (folder / "catch2").mkdir()
        (folder / "catch2/catch_all.hpp").write_text("#include <catch_amalgamated.hpp>\n")
        catch = folder / "catch.o"
        subprocess.run([*arguments.compiler.split(), "-std=c++20", "-O0", "-c", str(arguments.catch / "catch_amalgamated.cpp"),
                        "-o", str(catch)], check=True)
        for name in arguments.tests or tests_of(root):
            problem = failure(root / name, folder, catch, arguments)
            print(f"{name}: {problem or 'passes'}", flush=True)
            failures += problem != ""
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
