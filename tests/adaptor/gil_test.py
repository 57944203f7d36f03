#!/usr/bin/env python3
"""Loops that call Python on every thread of the pool, many times: from a C extension that releases the GIL, and by ctypes.CDLL,
which releases it for each call.

    gil_test.py LIBRARY EXTENSION
"""

import ctypes
import importlib.util
import sys
import threading

LOOPS = 500
COUNT = 10000
GRAIN = 500
SIZE = ctypes.c_size_t
BLOCK = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, SIZE, SIZE)


def loop_by_ctypes(library):
    blitz = ctypes.CDLL(library)

    def run(body):
        callback = BLOCK(lambda _, first, last: body(first, last))
        status = blitz.blitz_parallel_for(None, SIZE(COUNT), SIZE(GRAIN), callback, None)
        if status != 0:
            sys.exit(f"status {status}")
    return run


def loop_of(extension):
    spec = importlib.util.spec_from_file_location("gil_extension", extension)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return lambda body: module.for_blocks(COUNT, GRAIN, body)


def main():
    library, extension = sys.argv[1:]
    for name, run in (("ctypes", loop_by_ctypes(library)), ("extension", loop_of(extension))):
        threads = set()
        for loop in range(LOOPS):
            lock = threading.Lock()
            seen = bytearray(COUNT)

            def body(first, last):
                for i in range(first, last):
                    seen[i] += 1  # each position by one thread
                with lock:
                    threads.add(threading.get_ident())
                return 0

            run(body)
            if seen != b"\1" * COUNT:
                sys.exit(f"{name}: loop {loop} has called {sum(seen)} of {COUNT} positions")
        if len(threads) < 2:
            sys.exit(f"{name}: no other thread has called Python")
    # Several Python threads at the same time.
    total = []
    callers = [threading.Thread(target=lambda: [run(lambda first, last: total.append(last - first) or 0) for _ in range(20)])
               for _ in range(4)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    if sum(total) != 4 * 20 * COUNT:
        sys.exit(f"four threads have called {sum(total)} positions")


if __name__ == "__main__":
    main()
