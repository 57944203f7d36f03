#!/usr/bin/env python3
"""Shows that a suite notices the faults that mutations.toml lists for it.

    mutate.py ROOT SUITE SCRATCH LIBRARY COMMON [--only PREFIX] -- COMPILER [ARGUMENT]...

For each mutation of SUITE, the mutated file is written to a separate folder below SCRATCH, which comes before ROOT among the
include paths. The sources that include the file are compiled after COMMON (precompiled, as COMMON.gch) and linked with LIBRARY
(the scheduler and the parts of blitz that the suite needs). Then the suite's cases run. The mutation is noticed if a case fails
in one of the expected ways. A mutation is an error if its old text is not in the file exactly once, except for white space, or
if it does not compile.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tomllib

# The sources that a mutation must affect in addition to SUITE_test.cpp. All others come unchanged from LIBRARY.
SOURCES = {
    "sleep": ["blitz/detail/fork_join/sleep.cpp"],
    "join": ["blitz/detail/task/branch.cpp", "blitz/detail/worker/worker.cpp"],
    "scope": ["blitz/detail/task/scope_state.cpp"],
    "group": ["blitz/detail/task/job_group.cpp"],
    "apart": ["blitz/detail/worker/detached_jobs.cpp", "blitz/detail/worker/waiting.cpp", "blitz/detail/worker/worker.cpp"],
    "finder": ["blitz/detail/fork_join/fork_join_policy.cpp"],
    "confinement": ["blitz/detail/worker/confinement.cpp", "blitz/detail/worker/worker.cpp"],
    "worker": ["blitz/detail/fork_join/hot_worker.cpp", "blitz/detail/worker/waiting.cpp", "blitz/detail/worker/worker.cpp"],
    "guests": ["blitz/detail/fork_join/sleep.cpp", "blitz/detail/task/job_group.cpp", "blitz/detail/worker/confinement.cpp",
               "blitz/detail/worker/pool_base.cpp", "blitz/detail/worker/waiting.cpp", "blitz/detail/worker/worker.cpp"],
    "loop": ["blitz/detail/loop/loop.cpp"],
    "chain": ["blitz/detail/algorithm/chain.cpp"],
    "kept_memory": ["blitz/detail/sys/kept_memory.cpp"],
    "rope": ["blitz/detail/pipeline/rope.cpp"],
    "filter": ["blitz/detail/algorithm/chain.cpp", "blitz/detail/algorithm/filter.cpp"],
    "idle_state": ["blitz/detail/async/idle_state.cpp"],
    "async": ["blitz/detail/async/idle_state.cpp", "blitz/detail/async/async_policy.cpp"],
}


def mutated(root, mutation):
    text = (root / mutation["file"]).read_text()
    # White space does not matter.
    pattern = r"\s+".join(map(re.escape, mutation["old"].split()))
    found = list(re.finditer(pattern, text))
    if len(found) != 1:
        raise ValueError(f"its old text stands in {mutation['file']} {len(found)} times")
    return text[: found[0].start()] + mutation["new"] + text[found[0].end() :]


def includes(root, file, what):
    """True if `file` includes `what`, directly or indirectly."""
    seen, waiting = set(), [file]
    while waiting:
        text = (root / waiting.pop()).read_text()
        found = {name for name in re.findall(r'^#include "(.*)"', text, re.MULTILINE) if (root / name).exists()}
        waiting += found - seen
        seen |= found
    return what in seen


class Builder:
    def __init__(self, options):
        self.root, self.scratch, self.library = options.root, options.scratch, options.library
        self.scratch.mkdir(parents=True, exist_ok=True)
        self.compiler = options.command
        # -w: a mutation may leave a variable unused.
        self.arguments = [*options.command, "-w", "-include", str(options.common)]
        self.unmutated = None

    def program(self, mutation):
        """Returns the path of the suite's program with the mutation in it."""
        folder = self.scratch / re.sub(r"\W+", "-", mutation["name"])
        target = folder / mutation["file"]
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(mutated(self.root, mutation))
        objects = [self.suite(mutation, folder)]
        for source in SOURCES.get(mutation["suite"], []):
            if source == mutation["file"]:
                objects.append(self.compiled(target, folder))
            elif includes(self.root, source, mutation["file"]):
                objects.append(self.compiled(self.root / source, folder))
        program = folder / "program"
        must([*self.compiler, *map(str, objects), str(self.library), "-o", str(program)])
        return program

    def suite(self, mutation, folder):
        source = f"tests/interleave/{mutation['suite']}_test.cpp"
        if includes(self.root, source, mutation["file"]):
            return self.compiled(self.root / source, folder)
        if self.unmutated is None:
            self.unmutated = self.compiled(self.root / source, self.scratch)
        return self.unmutated

    def compiled(self, source, folder):
        result = folder / (source.stem + ".o")
        must([*self.arguments, f"-I{folder}", f"-I{self.root}", "-c", str(source), "-o", str(result)])
        return result


def must(command):
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode != 0:
        raise ValueError(f"it does not compile:\n{result.stderr}")


def complaint(program, mutation):
    """The reason why the mutation does not count as noticed; None if it does."""
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
    parser.add_argument("common", type=pathlib.Path)
    parser.add_argument("--only", default="", metavar="PREFIX", help="mutations whose name begins so")
    parser.add_argument("command", nargs="+")
    options = parser.parse_args()

    mutations = tomllib.loads((options.root / "tests/interleave/mutations.toml").read_text())["mutation"]
    chosen = [m for m in mutations if m["suite"] == options.suite and m["name"].startswith(options.only)]
    builder = Builder(options)
    missed = 0
    for mutation in chosen:
        try:
            why = complaint(builder.program(mutation), mutation)
        except ValueError as error:
            why = str(error)
        print(f"{'MISSED' if why else 'noticed'}  {mutation['name']}{': ' + why if why else ''}", flush=True)
        missed += why is not None
    print(f"{len(chosen)} mutations, {missed} not noticed")
    sys.exit(1 if missed or not chosen else 0)


if __name__ == "__main__":
    main()
