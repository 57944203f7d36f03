#!/usr/bin/env python3
"""Checks the models: each claim holds in every reachable state, and each defect is noticed.

    check.py MODEL             the cases of that model in cases.txt
    check.py --mirrors         that the functions which the models mirror still exist in the files they name

Needs spin and a C compiler. A search that was cut short, by depth, memory or time, is no verdict, and fails.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
SECONDS = 300


def verdict(model, switches):
    """"holds", "fails", or what went wrong; and the number of states."""
    with tempfile.TemporaryDirectory() as folder:
        for file in [*HERE.glob("*.pml"), *HERE.glob("*.inc")]:
            (pathlib.Path(folder) / file.name).write_text(file.read_text())

        def run(*command):
            return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=SECONDS)

        made = run("spin", "-a", *switches, model)
        if made.returncode != 0:
            return "no model: " + made.stdout.strip(), 0
        built = run("cc", "-O2", "-w", "-DSAFETY", "-DCOLLAPSE", "-DMEMLIM=6000", "-DVECTORSZ=2048", "-o", "pan", "pan.c")
        if built.returncode != 0:
            return "no checker: " + built.stderr.strip(), 0
        try:
            text = run("./pan", "-m300000").stdout
        except subprocess.TimeoutExpired:
            return f"no verdict in {SECONDS} s", 0
        states = re.search(r"(\d+) states, stored", text)
        errors = re.search(r"errors: (\d+)", text)
        if errors is None or "out of memory" in text:
            return "no verdict: " + text.strip()[-300:], 0
        count = int(states.group(1)) if states else 0
        if int(errors.group(1)) > 0:
            return "fails", count
        if "max search depth too small" in text:
            return "not exhaustive: the search was not deep enough", count
        return "holds", count


def check(model):
    bad = 0
    cases = 0
    for line in (HERE / "cases.txt").read_text().splitlines():
        words = line.split("#")[0].split()
        if not words or words[0] != model:
            continue
        cases += 1
        result, states = verdict(model, words[2:])
        good = result == words[1]
        bad += not good
        print(f"{'ok ' if good else 'BAD'} {model} {' '.join(words[2:]) or '(as it is)'}: {result}, {states} states", flush=True)
    if cases == 0:
        print(f"cases.txt has nothing on {model}")
    return bad == 0 and cases > 0


def check_mirrors():
    bad = 0
    tags = 0
    for file in sorted([*HERE.glob("*.pml"), *HERE.glob("*.inc")]):
        for name, path in re.findall(r"mirrors:\s+(\S+)\s+(\S+)", file.read_text()):
            tags += 1
            source = ROOT / path
            function = name.split("::")[-1]
            if not source.is_file() or not re.search(rf"\b{re.escape(function)}\s*\(", source.read_text()):
                print(f"{file.name} mirrors {name}, which is not in {path}")
                bad += 1
    print(f"{tags} tags, {bad} without their function")
    return bad == 0 and tags > 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(0 if (check_mirrors() if sys.argv[1] == "--mirrors" else check(sys.argv[1])) else 1)
