#!/usr/bin/env python3
"""Shows that a suite notices the faults listed for it in mutations.toml.

    mutate.py ROOT SUITE SCRATCH LIBRARY [--only PREFIX] -- COMPILER [ARGUMENT]...

For each mutation of SUITE: the mutated file goes into a folder of its own below SCRATCH that comes before ROOT among
the include paths, the suite is compiled against it and linked with LIBRARY (the scheduler, and of blitz what the suite
needs), and its cases are run. The mutation counts as noticed if a case fails in one of the expected ways. A mutation
whose old text does not stand in the file exactly once, white space aside, or that does not compile, is an error.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tomllib

# What a mutation must reach beside SUITE_test.cpp. All else comes from LIBRARY, as it is.
SOURCES = {
    "sleep": ["blitz/fork_join/sleep.cpp"],
    "join": ["blitz/core/worker.cpp"],
    "scope": ["blitz/core/task_group.cpp"],
    "apart": ["blitz/core/pool_base.cpp"],
    "finder": ["blitz/fork_join/policy.cpp"],
    "idle_state": ["blitz/async/idle_state.cpp"],
    "async": ["blitz/async/idle_state.cpp", "blitz/async/policy.cpp"],
}

# What suites include and no mutation touches.
COMMON = ["<chrono>", "<deque>", "<functional>", "<memory>", "<mutex>", "<optional>", "<stdexcept>", "<stop_token>"]
COMMON += ["<string>", "<tuple>", "<vector>", '"tests/support/interleave/atomic.hpp"']
COMMON += ['"tests/support/interleave/explore.hpp"']


def mutated(root, mutation):
    text = (root / mutation["file"]).read_text()
    # However it is laid out.
    pattern = r"\s+".join(map(re.escape, mutation["old"].split()))
    found = list(re.finditer(pattern, text))
    if len(found) != 1:
        raise ValueError(f"its old text stands in {mutation['file']} {len(found)} times")
    return text[: found[0].start()] + mutation["new"] + text[found[0].end() :]


def includes(root, file, what):
    """Whether `file` includes `what`, at whatever remove."""
    seen, waiting = set(), [file]
    while waiting:
        text = (root / waiting.pop()).read_text()
        found = {name for name in re.findall(r'^#include "(.*)"', text, re.MULTILINE) if (root / name).exists()}
        waiting += found - seen
        seen |= found
    return what in seen


def precompile(root, scratch, command):
    """Returns the path of a header that includes all of COMMON, compiled beforehand."""
    header = scratch / "common.hpp"
    header.parent.mkdir(parents=True, exist_ok=True)
    header.write_text("".join(f"#include {name}\n" for name in COMMON))
    arguments = [*command, "-w", f"-I{root}", "-x", "c++-header", str(header), "-o", f"{header}.gch"]
    subprocess.run(arguments, check=True)
    return header


def build(root, scratch, library, command, common, mutation):
    """Returns the path of the suite's program with the mutation in it."""
    folder = scratch / re.sub(r"\W+", "-", mutation["name"])
    target = folder / mutation["file"]
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(mutated(root, mutation))
    suite = mutation["suite"]
    sources = [root / f"tests/interleave/{suite}_test.cpp"]
    for source in SOURCES.get(suite, []):
        if source == mutation["file"]:
            sources.append(target)
        elif includes(root, source, mutation["file"]):
            sources.append(root / source)
    program = folder / "program"
    # -w: a mutation may leave a variable unused.
    arguments = [*command, "-w", "-include", str(common), f"-I{folder}", f"-I{root}"]
    arguments += [*map(str, sources), str(library), "-o", str(program)]
    result = subprocess.run(arguments, capture_output=True, text=True)
    if result.returncode != 0:
        raise ValueError(f"it does not compile:\n{result.stderr}")
    return program


def complaint(program, mutation):
    """Why the mutation does not count as noticed; None if it does."""
    try:
        result = subprocess.run([program, *mutation["cases"]], capture_output=True, text=True, timeout=120)
    except subprocess.TimeoutExpired:
        return "its cases took too long"
    if result.returncode == 0:
        return "no case failed"
    if result.returncode != 1:
        return f"the program ended with {result.returncode}:\n{result.stdout[-2000:]}{result.stderr[-2000:]}"
    # The line after the schedule of each failed case.
    messages = re.findall(r"^  (\S.*)$(?=(?:\n  .*)*\n\n  (?:\(|replay:))", result.stdout, re.MULTILINE)
    if not any(re.search(mutation["finds"], message) for message in messages):
        return f"a case failed, but not as expected ({mutation['finds']}):\n{result.stdout[-3000:]}"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("suite")
    parser.add_argument("scratch", type=pathlib.Path)
    parser.add_argument("library", type=pathlib.Path)
    parser.add_argument("--only", default="", metavar="PREFIX", help="mutations whose name begins so")
    parser.add_argument("command", nargs="+")
    options = parser.parse_args()

    mutations = tomllib.loads((options.root / "tests/interleave/mutations.toml").read_text())["mutation"]
    chosen = [m for m in mutations if m["suite"] == options.suite and m["name"].startswith(options.only)]
    common = precompile(options.root, options.scratch, options.command)
    missed = 0
    for mutation in chosen:
        try:
            program = build(options.root, options.scratch, options.library, options.command, common, mutation)
            why = complaint(program, mutation)
        except ValueError as error:
            why = str(error)
        print(f"{'MISSED' if why else 'noticed'}  {mutation['name']}{': ' + why if why else ''}", flush=True)
        missed += why is not None
    print(f"{len(chosen)} mutations, {missed} not noticed")
    sys.exit(1 if missed or not chosen else 0)


if __name__ == "__main__":
    main()
