#!/usr/bin/env python3
"""Runs the models through Spin, exhaustively.

    check.py [--soak]                  every variant, one after the other
    check.py [--soak] MODEL            every variant of one model
    check.py [--trail] MODEL VARIANT   one variant, even if it is marked soak; shows the shortest trail to an unexpected
                                       violation, or with --trail to any

A variant that must hold must be searched to the end: without a violation, within the depth and the memory, and reaching every
line of the process that checks the final states. A variant that must fail must violate the claim that variants.txt names. Needs
spin and a C compiler.
"""

import argparse
import pathlib
import re
import resource
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
MEGABYTES = 8000
DEPTH = 100_000
VERIFIER = ["-w", "-DSAFETY", f"-DMEMLIM={MEGABYTES}", "-DVECTORSZ=2048"]
# Most searches take less time than the compilation of an optimised verifier; the largest need small states.
EXHAUSTIVE = {"small": ["-O0"], "long": ["-O1"], "soak": ["-O2", "-DCOLLAPSE"]}
SHORTEST = ["-DBFS"]
# The processes that check the final states: if their lines are not reached, a model holds because nothing was checked.
JUDGES = ("Monitor", "Audit", "Checker")


def variants():
    """(model, name, expectation, switches, size) for each line of variants.txt."""
    for line in (HERE / "variants.txt").read_text().splitlines():
        fields = line.split()
        if fields and not line.startswith("#"):
            size = fields.pop() if fields[-1] in EXHAUSTIVE else "small"
            yield *fields[:3], fields[3:], size


def run(command, directory):
    return subprocess.run(command, cwd=directory, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def must(command, directory):
    result = run(command, directory)
    if result.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}:\n{result.stdout}")


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def complaint(output, expectation):
    """The complaint about the verifier's output; None if there is none."""
    errors = re.search(r"errors: (\d+)", output)
    if errors is None:
        return "no verdict"
    violated = re.search(r"^pan:\s?1: (.*?)(?: \(at depth \d+\))?$", output, re.MULTILINE)
    if expectation != "holds":
        if violated is None:
            return f"{expectation} should be violated, and is not"
        if not re.fullmatch(rf"assertion violated \(?{expectation}\)?", violated[1].strip()):
            return f"{expectation} should be violated, but it is: {violated[1]}"
        return None
    if errors[1] != "0":
        return f"violated: {violated[1] if violated else 'something'}"
    for sign in ("max search depth too small", "out of memory", "Search not completed", "MEMLIM"):
        if sign in output:
            return f"not exhaustive: {sign}"
    for judge in JUDGES:
        if re.search(rf"unreached in proctype {judge}\n(?!\s*\(0 of)", output):
            return f"{judge} was not reached in all its lines"
    return None


def search(source, switches, options, directory):
    """The verifier's output."""
    must(["spin", "-a", *switches, source], directory)
    must(["cc", *VERIFIER, *options, "-o", "pan", "pan.c"], directory)
    return run(["./pan", f"-m{DEPTH}"], directory).stdout


def readable(steps):
    """The relevant steps of `spin -t -p -g`: process, place, statement, and the shared variables that changed."""
    shared = {}
    line, statement, changes = None, "", []
    for text in [*steps.splitlines(), None]:
        change = re.match(r"\t\t(\S+) = (.*)$", text or "")
        if change:
            if shared.get(change[1], "0") != change[2]:
                changes.append(f"{change[1]} = {change[2]}")
            shared[change[1]] = change[2]
            continue
        # A fence or a read-modify-write that empties an empty store buffer changes nothing.
        if line and (changes or not re.match(r"(deque|buffered|state|awaking)\[\w+\] = ", statement)):
            yield f"{line}{statement:40} {', '.join(changes)}".rstrip()
        line = None
        step = re.match(r"\s*(\d+):\s+proc\s+(\d+) \((\w+):\d+\) (\S+):(\d+) \(state \d+\)\s+\[(.*)\]$", text or "")
        if step and not re.fullmatch(r"IF|DO|else|break|\(1\)|\.?\(?goto\b.*", step[6]):
            where = f"{pathlib.Path(step[4]).name}:{step[5]}"
            line, statement, changes = f"{step[1]:>4}  {step[3] + ' ' + step[2]:14} {where:16} ", step[6], []
        elif text and "failed assertion" in text:
            yield text.removeprefix("spin: ")
            return


def show_trail(source, switches, directory):
    """Prints the shortest trail to a violation."""
    output = search(source, switches, SHORTEST, directory)
    trail = next(pathlib.Path(directory).glob("*.trail"), None)
    if trail is None:
        print(output)
        return
    steps = run(["spin", "-t", "-p", "-g", "-k", trail, *switches, source], directory).stdout
    print("\n".join(readable(steps)))


def check(model, name, expectation, switches, size, trail):
    """True if the variant behaves as expected; prints one line. `trail`: never, unexpected or always."""
    start = processor_seconds()
    source = HERE / f"{model}.pml"
    with tempfile.TemporaryDirectory(prefix="blitz-model-") as directory:
        output = search(source, switches, EXHAUSTIVE[size], directory)
        wrong = complaint(output, expectation)
        states = re.search(r"([\d.e+]+) states, stored", output)
        print(f"{model} {name}: {'as expected' if wrong is None else wrong}, {states[1] if states else '?'} states, "
              f"{processor_seconds() - start:.1f} s", flush=True)
        if trail == "always" or (wrong is not None and trail == "unexpected"):
            show_trail(source, switches, directory)
    return wrong is None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wanted", nargs="*", metavar="MODEL [VARIANT]")
    parser.add_argument("--soak", action="store_true", help="the variants marked soak, too")
    parser.add_argument("--trail", action="store_true", help="show the trail to an expected violation as well")
    options = parser.parse_args()
    one = len(options.wanted) == 2
    chosen = [
        variant
        for variant in variants()
        if list(variant[: len(options.wanted)]) == options.wanted and (one or options.soak or variant[-1] != "soak")
    ]
    if not chosen:
        parser.error("variants.txt has no such variant")
    trail = "never" if not one else "always" if options.trail else "unexpected"
    results = [check(*variant, trail) for variant in chosen]
    print(f"{sum(results)} of {len(results)} as expected, {processor_seconds():.0f} s of processor time")
    sys.exit(0 if all(results) else 1)


if __name__ == "__main__":
    main()
