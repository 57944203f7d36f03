#!/usr/bin/env python3
"""Calls blitz/c.h from Python, like any language with a foreign function interface. Also checks that the library exports the C
functions that the header declares, and no others.

    ctypes_test.py LIBRARY HEADER
"""

import ctypes
import pathlib
import re
import shutil
import subprocess
import sys

SIZE = ctypes.c_size_t
BRANCH = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int)
BLOCK = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, SIZE, SIZE)
FUNCTION = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class Stats(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint64) for name in
                "jobs_executed jobs_pushed jobs_stolen steals_tried injected_taken times_slept times_woken".split()]


def check_names(library, header):
    declared = set(re.findall(r"BLITZ_C_API[^;]*?\b(blitz_\w+)\(", header.read_text()))
    missing = [name for name in declared if not hasattr(ctypes.CDLL(library), name)]
    exported = set(declared)
    if shutil.which("nm"):
        symbols = subprocess.run(["nm", "-D", "--defined-only", library], check=True, text=True, capture_output=True).stdout
        exported = {line.split()[-1] for line in symbols.splitlines() if line.split()[-1].startswith("blitz_")}
    if missing or exported != declared or len(declared) < 21:
        sys.exit(f"missing: {missing}; not in both the header and the library: {sorted(exported ^ declared)}")


def main():
    library, header = sys.argv[1:]
    check_names(library, pathlib.Path(header))
    blitz = ctypes.CDLL(library)
    blitz.blitz_last_error.restype = ctypes.c_char_p
    pool = ctypes.c_void_p()
    if blitz.blitz_pool_create(SIZE(4), ctypes.byref(pool)) != 0:
        sys.exit(blitz.blitz_last_error().decode())

    seen = [0] * 10000

    def block(_, first, last):
        for i in range(first, last):
            seen[i] += 1
        return 0

    status = blitz.blitz_parallel_for(pool, SIZE(len(seen)), SIZE(100), BLOCK(block), None)
    ran = []
    job = FUNCTION(lambda _: ran.append(1))
    group = ctypes.c_void_p()
    status |= blitz.blitz_task_group_create(pool, ctypes.byref(group))
    for _ in range(100):
        status |= blitz.blitz_task_group_run(group, job, None)
    status |= blitz.blitz_task_group_wait(group)
    blitz.blitz_task_group_destroy(group)
    branches = []
    branch = BRANCH(lambda name, migrated: branches.append((name, migrated)))
    status |= blitz.blitz_join(pool, branch, ctypes.c_void_p(1), branch, ctypes.c_void_p(2))
    if sorted(name for name, _ in branches) != [1, 2] or (1, 0) not in branches:
        sys.exit(f"the branches of a join were {branches}")
    status |= blitz.blitz_isolate(pool, job, None)
    stats = Stats()
    status |= blitz.blitz_pool_stats(pool, ctypes.byref(stats), SIZE(ctypes.sizeof(stats)))
    if not 100 <= stats.jobs_executed < 10000 or stats.injected_taken > stats.jobs_executed:
        sys.exit(f"counted {stats.jobs_executed} jobs, {stats.injected_taken} of them from outside")
    blitz.blitz_pool_destroy(pool)
    if status != 0 or seen != [1] * len(seen) or len(ran) != 101:
        sys.exit(f"status {status}, {sum(seen)} of {len(seen)} items, {len(ran)} jobs")


if __name__ == "__main__":
    main()
