#!/usr/bin/env python3
"""Calls blitz/c.h from Python, as any language with a foreign function interface can.

    ctypes_test.py LIBRARY
"""

import ctypes
import sys

SIZE = ctypes.c_size_t
BLOCK = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, SIZE, SIZE)
FUNCTION = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


def main():
    blitz = ctypes.CDLL(sys.argv[1])
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
    blitz.blitz_pool_destroy(pool)
    if status != 0 or seen != [1] * len(seen) or len(ran) != 100:
        sys.exit(f"status {status}, {sum(seen)} of {len(seen)} items, {len(ran)} jobs")


if __name__ == "__main__":
    main()
