#!/usr/bin/env python3
"""Runs the scenarios of ending.cpp and checks how each program ended.

    ending_test.py PROGRAM
"""

import signal
import subprocess
import sys

OWN_WORKER = "cannot be shut down or destroyed by one of its own workers"

ABORT = "abort"
CRASH = "crash"

# scenario -> (its exit status, or ABORT or CRASH; what it must say). With every policy, and pools of all sizes:
IN_ALL_POOLS = {
    "destroy_on_own_worker": (ABORT, [OWN_WORKER]),
    "destroy_on_own_worker_from_another_pool": (ABORT, [OWN_WORKER]),
    "throw_on_exit": (ABORT, ["on my way out"]),
    "throw_detached": (ABORT, ["nobody waits for me"]),
    "throw_detached_broadcast": (ABORT, ["nobody waits for us"]),
    "throw_in_exception_handler": (ABORT, ["not from the handler"]),
    "use_static_pool": (0, ["8\n"]),
    "overflow_stack": (CRASH, []),
}
POLICIES = ["fork_join", "async", "reference"]
SIZES = [1, 2, 16]

# With the global pool:
IN_GLOBAL_POOL = {
    "spawn_at_the_end": (0, ["main ends\n"] + [f"job {i}\n" for i in range(100)]),
    "leave_global_pool": (0, ["main ends\n" + 3 * "a thread ended\n"]),
    "use_global_pool_late": (0, ["the program is ending"]),
    "shut_down_global_pool": (0, ["the last job\nshut down\n", "the global pool was shut down"]),
    "shut_down_global_pool_on_its_worker": (0, [OWN_WORKER, "it works on"]),
    "use_global_pool_while_it_ends": (0, ["7\n"]),
    "exit_in_a_job": (3, []),
    "exit_in_join": (3, []),
    "use_global_pool_in_thread_local_destructors": (0, [2 * "late use worked\n"]),
    "use_global_pool_in_a_workers_thread_local_destructor": (0, ["blitz: this thread pool was shut down"]),
}


def ended_as(expected, status):
    """Whether that is how a program with this status has ended."""
    if isinstance(expected, int):
        return status == expected
    # A sanitizer may turn a signal into an exit status of its own.
    if status >= 0:
        return status not in (0, 2)
    if expected == ABORT:
        return status == -signal.SIGABRT
    return status in (-signal.SIGSEGV, -signal.SIGBUS)


def check(command, expected, says):
    """The complaints about one scenario."""
    try:
        result = subprocess.run(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=100
        )
    except subprocess.TimeoutExpired:
        return ["it hangs"]
    complaints = [f"it does not say {text!r}" for text in says if text not in result.stdout]
    if not ended_as(expected, result.returncode):
        complaints.append(f"it ends with {result.returncode}, and should with {expected}")
    return [f"{complaint}; its output:\n{result.stdout}" for complaint in complaints]


def scenarios():
    for name, expected in IN_ALL_POOLS.items():
        for policy in POLICIES:
            for size in SIZES:
                yield [f"{name}.{policy}", str(size)], *expected
    for name, expected in IN_GLOBAL_POOL.items():
        yield [name], *expected


def main():
    failed = False
    for scenario, expected, says in scenarios():
        for complaint in check([sys.argv[1], *scenario], expected, says):
            print(f"{' '.join(scenario)}: {complaint}")
            failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
