#!/usr/bin/env python3
"""Runs oneTBB's own conformance tests on blitz. To be run by hand: no package contains these tests.

    git clone https://github.com/uxlfoundation/oneTBB
    tests/adaptor/onetbb_conformance.py oneTBB build/blitz [TEST ...]

The second folder has libblitz.so. Compiles and runs each test; exits with 1 if one fails. The tests include parts of oneTBB for
which blitz has no stand-in, such as observers: inert definitions replace these here. EXPECTED names the cases that cannot pass.
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]

TESTS = """blocked_range blocked_range2d blocked_range3d parallel_for parallel_reduce parallel_scan parallel_sort parallel_invoke
parallel_for_each task_group task_group_context task_arena global_control enumerable_thread_specific combinable mutex
tick_count""".split()

# test -> the cases that differ, as documented in docs/tbb.md
EXPECTED = {
    "task_arena": [
        "Arena interfaces",  # in an arena of one, oneTBB starts a second thread for enqueue()
        "Task arena observer",
    ],
}

STAND_INS = {
    "oneapi/tbb/task_scheduler_observer.h": """#pragma once
namespace tbb {
class task_arena;
struct task_scheduler_observer {
  task_scheduler_observer() = default;
  explicit task_scheduler_observer(task_arena&) {}
  virtual ~task_scheduler_observer() = default;
  void observe(bool = true) {}
  virtual void on_scheduler_entry(bool) {}
  virtual void on_scheduler_exit(bool) {}
};
}
""",
    "tbb/flow_graph.h": "#pragma once\n",
    "oneapi/tbb/flow_graph.h": "#pragma once\n",
    "cache_line.h": "#include <cstddef>\nnamespace tbb::detail::r1 { inline std::size_t cache_line_size() { return 64; } }\n",
}


def compiled(test, scratch, arguments):
    source, library = pathlib.Path(arguments.onetbb).resolve(), pathlib.Path(arguments.library).resolve()
    includes = [scratch, ROOT / "blitz/adaptor/tbb", ROOT / "blitz/adaptor/tbb/oneapi", ROOT,
                source / "test", source, source / "include"]
    first = ["oneapi/tbb/detail/_assert.h", "oneapi/tbb/detail/_template_helpers.h", "cache_line.h"]
    command = [*arguments.compiler.split(), "-std=c++20", "-O1", "-w", *(f"-I{folder}" for folder in includes),
               *(word for header in first for word in ("-include", header)),
               str(source / f"test/conformance/conformance_{test}.cpp"), "-o", str(scratch / "programs" / test),
               f"-L{library}", "-lblitz", f"-Wl,-rpath,{library}", "-pthread"]
    return subprocess.run(command).returncode == 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("onetbb")
    parser.add_argument("library")
    parser.add_argument("tests", nargs="*")
    parser.add_argument("--compiler", default="g++")
    arguments = parser.parse_intermixed_args()
    failed = []
    with tempfile.TemporaryDirectory() as folder:
        scratch = pathlib.Path(folder)
        for name, text in STAND_INS.items():
            (scratch / name).parent.mkdir(parents=True, exist_ok=True)
            (scratch / name).write_text(text)
        (scratch / "programs").mkdir()
        for test in arguments.tests or TESTS:
            passed, line = False, "does not compile"
            if compiled(test, scratch, arguments):
                left_out = [f"-tce={','.join(EXPECTED[test])}"] if test in EXPECTED else []
                run = subprocess.run([str(scratch / "programs" / test), *left_out], capture_output=True, text=True, timeout=600)
                passed = run.returncode == 0
                line = next((line for line in run.stdout.splitlines() if "test cases:" in line), run.stdout + run.stderr)
            print(f"{test}: {line}", flush=True)
            failed += [] if passed else [test]
    sys.exit(f"failed: {' '.join(failed)}" if failed else 0)


if __name__ == "__main__":
    main()
