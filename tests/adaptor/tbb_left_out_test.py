#!/usr/bin/env python3
"""Checks that names of oneTBB for which blitz has no stand-in are refused, with a message that names the missing part and its
replacement.

    tbb_left_out_test.py ROOT COMPILER...

One program includes all headers, and another one uses all names, after both headers that have all of them.
"""

import pathlib
import subprocess
import sys

TEMPLATES = """concurrent_vector<int> concurrent_queue<int> concurrent_bounded_queue<int> concurrent_priority_queue<int>
concurrent_hash_map<int,int> concurrent_unordered_map<int,int> concurrent_unordered_multimap<int,int>
concurrent_unordered_set<int> concurrent_unordered_multiset<int> concurrent_map<int,int> concurrent_multimap<int,int>
concurrent_set<int> concurrent_multiset<int> filter<void,int>""".split()
CLASSES = ["flow::graph", "collaborative_once_flag", "task_scheduler_observer"]
CALLS = ["collaborative_call_once", "parallel_pipeline"]
PIPELINE = """tbb::parallel_pipeline(
    4, tbb::make_filter<void, int>(tbb::filter_mode::serial_in_order, [](tbb::flow_control& flow) { flow.stop(); return 1; }) &
           tbb::make_filter<int, void>(tbb::filter_mode::parallel, [](int) {}));"""


def complaints(command, program):
    """Returns the compiler's messages."""
    result = subprocess.run([*command, "-fsyntax-only", "-x", "c++", "-"], input=program, text=True, capture_output=True)
    if result.returncode == 0:
        sys.exit(f"is accepted:\n{program}")
    return result.stderr


def main():
    root, compiler = pathlib.Path(sys.argv[1]), sys.argv[2:]
    folder = root / "blitz/adaptor/tbb"
    command = [*compiler, "-std=c++20", f"-I{folder}", f"-I{folder}/oneapi", f"-I{root}"]

    headers = [path.name for path in folder.glob("oneapi/tbb/*.h") if "#error" in path.read_text()]
    said = complaints(command, "".join(f"#include <tbb/{name}>\n" for name in headers))
    missing = [name for name in headers if f"no stand-in for tbb/{name}: use " not in said]

    uses = [f"[[maybe_unused]] tbb::{name} object_{i};" for i, name in enumerate(TEMPLATES + CLASSES)]
    uses += [f"tbb::{name}(1, [] {{}});" for name in CALLS]
    uses += [PIPELINE]
    program = "#include <oneapi/tbb.h>\n#include <tbb/tbb.h>\nvoid f() {\n" + "\n".join(uses) + "\n}\n"
    said = complaints(command, program)
    names = [name.partition("<")[0] for name in TEMPLATES] + CLASSES + CALLS + ["make_filter"]
    missing += [name for name in names if f"no stand-in for tbb::{name}: use " not in said]

    print(f"{len(headers)} headers, {len(names)} names")
    if missing or not headers:
        sys.exit(f"no message for {' '.join(missing)}:\n{said}")


if __name__ == "__main__":
    main()
