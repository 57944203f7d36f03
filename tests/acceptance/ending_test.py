#!/usr/bin/env python3
"""Runs the scenarios of ending.cpp and checks how each program ended.

    ending_test.py PROGRAM
"""

import concurrent.futures
import os
import shlex
import signal
import subprocess
import sys

OWN_WORKER = "was shut down or destroyed by one of its own workers"

ABORT = "abort"
CRASH = "crash"

# scenario -> (its exit status, or ABORT or CRASH; the required output). With every policy, and pools of all sizes:
IN_ALL_POOLS = {
    "destroy_on_own_worker": (ABORT, [OWN_WORKER]),
    "destroy_on_own_worker_from_another_pool": (ABORT, [OWN_WORKER]),
    "destroy_on_resident": (ABORT, [OWN_WORKER]),
    "throw_on_exit": (ABORT, ["on my way out"]),
    "throw_detached": (ABORT, ["nobody waits for me"]),
    "throw_detached_broadcast": (ABORT, ["nobody waits for us"]),
    "throw_in_exception_handler": (ABORT, ["not from the handler"]),
    "use_static_pool": (0, ["8\n"]),
    "overflow_stack": (CRASH, []),
}
POLICIES = ["fork_join", "async", "reference"]
SIZES = [1, 2, 16]

# Once, most of them with the global pool:
ONCE = {
    "destroy_under_a_call_of_another_pool": (ABORT, [OWN_WORKER]),
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
    "begin_a_thread_late": (0, ["6\n"]),
    "begin_a_thread_late_in_the_old_pool": (0, []),
    "exit_in_start_hook": (4, []),
    "exit_in_exit_hook": (4, []),
    "spawn_in_an_ended_scope": (ABORT, ["the scope has ended"]),
    "spawn_in_an_ended_scope_in_place": (ABORT, ["the scope has ended"]),
}

# main returns while threads are in these calls, in global pools of all sizes. Each runs many times, because the state of
# the threads when main returns is random.
CALLS = [
    "loop",
    "sum_up",
    "join_deep",
    "open_scope",
    "open_scope_in_place",
    "wait_for_handle",
    "broadcast",
    "install_in_global_pool",
    "isolate",
    "call_from_another_pool",
    "spawn_without_end",
]
TEN_JOBS = [f"job {i}\n" for i in range(10)]
BESIDE_THREADS = {
    **{f"leave_threads.{call}": (0, [*TEN_JOBS, "the program is ending"]) for call in CALLS},
    **{f"leave_new_threads.{call}": (0, [*TEN_JOBS, "the program is ending"]) for call in CALLS},
    "leave_thread_in_a_call": (0, TEN_JOBS),
    "exit_beside_threads": (3, []),
    "join_a_thread_late": (0, ["served\n"]),
}
RUNS = 4  # of each size

# Wine starts its debugger on the overflowed stack, and hangs. With MinGW under Wine, thread-local objects of the main thread
# are destroyed after the statics, and thread-local objects of workers that end then are not destroyed.
NOT_ON_WINDOWS = [
    "overflow_stack",
    "use_global_pool_in_thread_local_destructors",
    "use_global_pool_in_a_workers_thread_local_destructor",
]


# An exit status may be lost at most this many times in a row.
LOST_ENDS = 5


def is_for_windows():
    return sys.argv[1].endswith(".exe")


def ended_as(expected, status):
    """Whether this status matches the expected end."""
    if isinstance(expected, int):
        return status == expected
    # A sanitizer may turn a signal into an exit status.
    if status >= 0:
        return status not in (0, 2)
    if expected == ABORT:
        return status == -signal.SIGABRT
    return status in (-signal.SIGSEGV, -signal.SIGBUS)


def result_of(command):
    """Runs the program and returns the result. Wine's server kills a process that has ended, but still exists half a second
    later, as on a busy machine (server/process.c, process_sigkill). The exit status is then lost, so we run it again."""
    for _ in range(LOST_ENDS if is_for_windows() else 1):
        result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=100)
        if result.returncode != -signal.SIGKILL:
            break
    return result


def check(command, expected, says):
    """The complaints about one scenario."""
    try:
        result = result_of(command)
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
    for name, expected in ONCE.items():
        yield [name], *expected
    for name, expected in BESIDE_THREADS.items():
        for size in RUNS * SIZES:
            yield [name, str(size)], *expected


def main():
    failed = False
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        left_out = NOT_ON_WINDOWS if is_for_windows() else []
        every = [scenario for scenario in scenarios() if scenario[0][0].split(".")[0] not in left_out]
        wrapper = shlex.split(os.environ.get("MESON_EXE_WRAPPER", ""))  # of a cross build
        found = pool.map(lambda scenario: check([*wrapper, sys.argv[1], *scenario[0]], *scenario[1:]), every)
        for (scenario, _, _), complaints in zip(every, found):
            for complaint in complaints:
                print(f"{' '.join(scenario)}: {complaint}")
                failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
