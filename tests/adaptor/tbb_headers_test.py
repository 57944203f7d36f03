#!/usr/bin/env python3
"""Checks that each header of the stand-ins for oneTBB declares all names that oneTBB's header of the same name declares.

    tbb_headers_test.py ROOT COMPILER...          # the stand-ins
    tbb_headers_test.py --itself ROOT COMPILER... # the installed oneTBB: checks the tables below

Programs rely on names that come with another header, such as tbb::this_task_arena with <tbb/parallel_for.h>.
"""

import pathlib
import subprocess
import sys

# The names that a header of oneTBB 2021.8 declares. Left-out names and previews are not listed.
NAMES = {
    "blocked_range": "blocked_range split proportional_split",
    "blocked_range2d": "blocked_range2d",
    "blocked_range3d": "blocked_range3d",
    "cache_aligned_allocator": "cache_aligned_allocator cache_aligned_resource",
    "combinable": "combinable",
    "enumerable_thread_specific": """enumerable_thread_specific flattened2d flatten2d ets_key_usage_type ets_key_per_instance
        ets_no_key ets_suspend_aware""",
    "global_control": "global_control attach finalize task_scheduler_handle unsafe_wait",
    "info": "numa_node_id info::numa_nodes info::default_concurrency",
    "mutex": "mutex",
    "null_mutex": "null_mutex",
    "null_rw_mutex": "null_rw_mutex",
    "parallel_for": "parallel_for",
    "parallel_for_each": "parallel_for_each feeder",
    "parallel_invoke": "parallel_invoke",
    "parallel_reduce": "parallel_reduce parallel_deterministic_reduce",
    "parallel_scan": "parallel_scan pre_scan_tag final_scan_tag",
    "parallel_sort": "parallel_sort",
    "partitioner": "auto_partitioner simple_partitioner static_partitioner affinity_partitioner",
    "queuing_mutex": "queuing_mutex",
    "queuing_rw_mutex": "queuing_rw_mutex",
    "rw_mutex": "rw_mutex",
    "scalable_allocator": "scalable_allocator",
    "spin_mutex": "spin_mutex speculative_spin_mutex",
    "spin_rw_mutex": "spin_rw_mutex speculative_spin_rw_mutex",
    "task_arena": """task_arena this_task_arena::current_thread_index this_task_arena::max_concurrency
        this_task_arena::isolate this_task_arena::enqueue attach""",
    "task_group": """task_group_context task_group task_group_status not_complete complete canceled
        is_current_task_group_canceling missing_wait task_handle""",
    "tbb_allocator": "tbb_allocator",
    "tick_count": "tick_count",
    "version": "",
}
# The headers that each of them includes.
INCLUDES = {
    "blocked_range": "version",
    "blocked_range2d": "blocked_range",
    "blocked_range3d": "blocked_range",
    "combinable": "enumerable_thread_specific cache_aligned_allocator",
    "enumerable_thread_specific": "blocked_range tbb_allocator cache_aligned_allocator",
    "parallel_for": "partitioner blocked_range task_group",
    "parallel_for_each": "parallel_for task_group",
    "parallel_invoke": "task_group",
    "parallel_reduce": "partitioner task_group",
    "parallel_scan": "partitioner blocked_range task_group",
    "parallel_sort": "parallel_for blocked_range",
    "partitioner": "cache_aligned_allocator task_group task_arena",
    "task_arena": "info",
    # Its <tbb/tbb.h> has no mutex, rw_mutex and scalable allocator.
    "tbb": " ".join(name for name in NAMES if name not in ("mutex", "rw_mutex", "scalable_allocator")),
}
MACROS = "TBB_VERSION_MAJOR TBB_VERSION_MINOR TBB_VERSION_STRING TBB_INTERFACE_VERSION TBB_INTERFACE_VERSION_MAJOR".split()
FUNCTIONS = "TBB_runtime_version TBB_runtime_interface_version".split()
SCALABLE = """scalable_malloc scalable_free scalable_realloc scalable_calloc scalable_posix_memalign scalable_aligned_malloc
scalable_aligned_realloc scalable_aligned_free scalable_msize scalable_allocation_mode scalable_allocation_command TBBMALLOC_OK
TBBMALLOC_USE_HUGE_PAGES TBBMALLOC_CLEAN_ALL_BUFFERS""".split()


def with_included(header):
    headers = [header]
    for each in headers:
        headers += [name for name in INCLUDES.get(each, "").split() if name not in headers]
    return headers


def program(header, itself):
    """Returns a program that compiles if the header declares the names."""
    headers = with_included(header)
    names = sorted({name for each in headers for name in NAMES.get(each, "").split()})
    lines = [f"#include <oneapi/tbb/{header}.h>" if header != "tbb" else "#include <tbb/tbb.h>"]
    if "version" in headers or not itself:  # All stand-ins define the version.
        lines += [f"#ifndef {macro}\n#error {macro}\n#endif" for macro in MACROS]
        names += [f"::{name}" for name in FUNCTIONS]
    if header == "scalable_allocator":
        names += [f"::{name}" for name in SCALABLE]
    uses = [f"using {name if name.startswith('::') else f'tbb::{name}'};" for name in names]
    return "\n".join([*lines, "namespace check {", *uses, "}"]) + "\n"


def main():
    arguments = sys.argv[1:]
    itself = arguments[0] == "--itself"
    root, compiler = pathlib.Path(arguments[itself]), arguments[itself + 1:]
    folder = root / "blitz/adaptor/tbb"
    command = [*compiler, "-std=c++20", "-fsyntax-only", "-x", "c++", "-"]
    if not itself:
        command[len(compiler):len(compiler)] = [f"-I{folder}", f"-I{folder}/oneapi", f"-I{root}"]

    # Stand-ins with the same content are compiled together.
    programs = {}
    for header in [*NAMES, "tbb"]:
        text = header if itself else (folder / f"oneapi/tbb/{header}.h").read_text()
        programs.setdefault(text, []).append(program(header, itself))
    failed = []
    for texts in programs.values():
        # Includes the first header and uses the names of all: the others have the same includes.
        lines = [line for text in texts for line in text.splitlines()]
        merged = [texts[0].splitlines()[0], *(line for line in lines if not line.startswith("#include"))]
        source = "\n".join(merged) + "\n"
        result = subprocess.run(command, input=source, text=True, capture_output=True)
        if result.returncode != 0:
            failed.append(f"{texts[0].splitlines()[0]}:\n{result.stderr}")
    print(f"{len(NAMES) + 1} headers, {len(programs)} programs")
    if failed:
        sys.exit("\n".join(failed))


if __name__ == "__main__":
    main()
