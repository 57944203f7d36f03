#!/usr/bin/env python3
"""Runs the scenarios of ending.cpp and checks how each program ended.

    ending_test.py PROGRAM
"""

import signal
import subprocess
import sys

OWN_WORKER = "cannot be shut down or destroyed by one of its own workers"

# scenario -> (ends by abort, what it must say)
EXPECTED = {
    "destroy_on_own_worker": (True, [OWN_WORKER]),
    "destroy_on_own_worker_reference": (True, [OWN_WORKER]),
    "destroy_on_own_resident": (True, [OWN_WORKER]),
    "throw_on_exit": (True, ["on my way out"]),
    "leave_global_pool": (False, ["main ends\n" + 3 * "a thread ended\n"]),
    "use_global_pool_late": (False, ["the program is ending"]),
}


def check(program, scenario, aborts, says):
    """The complaints about one scenario."""
    try:
        result = subprocess.run(
            [program, scenario], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=100
        )
    except subprocess.TimeoutExpired:
        return ["it hangs"]
    complaints = [f"it does not say {text!r}" for text in says if text not in result.stdout]
    # A sanitizer may turn the abort into an exit status of its own.
    if aborts and result.returncode in (0, 2):
        complaints.append(f"it ends with {result.returncode}, and should abort")
    if not aborts and result.returncode != 0:
        complaints.append(f"it ends with {result.returncode}")
    if aborts and result.returncode < 0 and result.returncode != -signal.SIGABRT:
        complaints.append(f"it ends by signal {-result.returncode}")
    return [f"{complaint}; its output:\n{result.stdout}" for complaint in complaints]


def main():
    failed = False
    for scenario, (aborts, says) in EXPECTED.items():
        for complaint in check(sys.argv[1], scenario, aborts, says):
            print(f"{scenario}: {complaint}")
            failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
