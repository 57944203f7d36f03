#!/usr/bin/env python3
"""Mutation analysis of the algorithms and pipelines: the number of small code changes that the tests notice.

    mutants.py ROOT SCRATCH [--every N [--first K]] [--only TEXT] [--jobs N] [-- ARGUMENT OF meson setup...]

Copies ROOT to SCRATCH, writes mutants into the algorithms and pipelines of the copy (see schema.py), builds the tests of both
once, with AddressSanitizer, and records which tests reach which mutants. Then runs each mutant's tests, the shortest first,
until one fails, crashes or takes too long. Prints the mutants that survived and two rates: of all mutants, and without those
that change no result according to survivors.toml. Fails if the second rate is below 95 %, or if a survivor has no reason there.

--every N selects about one mutant in N, --only TEXT the mutants of files with names that contain TEXT. A hash of the mutant
decides the selection, so a change of one line does not affect the selection of other mutants. --first K, below N, selects
another of the N samples.
"""

import argparse
import collections
import concurrent.futures
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time
import tomllib

from schema import Schema

LEAST_RATE = 0.95
FOLDERS = ["blitz/algorithm", "blitz/detail/algorithm", "blitz/detail/pipeline", "blitz/pipeline"]
PROGRAMS = ["tests/algorithm/algorithms", "tests/pipeline/pipelines", "tests/unit/unit_memory"]
# -Og and the address sanitizer by hand: meson's option would turn optimization off, see tests/meson.build.
ARGUMENTS = ["-w", "-fsanitize=address", "-fno-omit-frame-pointer"]


def sources(root):
    return sorted(path for folder in FOLDERS for path in (root / folder).rglob("*.?pp"))


def write_copy(root, copy):
    """Returns the mutants."""
    here = pathlib.Path(__file__).resolve().parent
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(root, copy, ignore=shutil.ignore_patterns("build*", ".git", "subprojects"))
    schema = Schema()
    for path in sources(copy):
        path.write_text(schema.mutated(str(path.relative_to(copy)), path.read_text()))
    shutil.copy(here / "mutants.hpp", copy / "blitz/mutants.hpp")
    return schema.mutants


def build(copy, setup_arguments):
    arguments = [*ARGUMENTS, f"-I{copy / 'blitz'}"]
    environment = os.environ | {"CXXFLAGS": " ".join(arguments), "LDFLAGS": "-fsanitize=address"}
    run(["meson", "setup", copy / "build", copy, "-Dtests=enabled", "-Dbench=disabled", "-Dexamples=disabled", *setup_arguments], environment)
    run(["meson", "compile", "-C", copy / "build", *PROGRAMS], environment)


def run(command, environment):
    subprocess.run(list(map(str, command)), env=environment, check=True)


class Test:
    def __init__(self, copy, description):
        self.name = description["name"]
        self.command = description["cmd"]
        self.environment = os.environ | description["env"] | {"ASAN_OPTIONS": "detect_leaks=1:allocator_may_return_null=1", "BLITZ_TEST_SEED": "1"}
        self.folder = copy / "build"
        self.seconds = 0.0
        self.reached = set()
        self.impossible = set()

    def run(self, time_limit=None, **environment):
        """Returns true if the test passes."""
        try:
            return subprocess.run(self.command, env=self.environment | environment, cwd=self.folder, timeout=time_limit,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0
        except subprocess.TimeoutExpired:
            return False

    def survey(self):
        file = self.folder / f"reached-{self.name}.txt"
        file.unlink(missing_ok=True)
        begin = time.monotonic()
        if not self.run(BLITZ_MUTANTS_REACHED=str(file)):
            raise SystemExit(f"{self.name} fails without a mutant")
        self.seconds = time.monotonic() - begin
        numbers = file.read_text().split()
        self.reached = {int(n) for n in numbers if n[0] != "-"}
        self.impossible = {int(n[1:]) for n in numbers if n[0] == "-"}

    def notices(self, mutant):
        return not self.run(10 + 10 * self.seconds, BLITZ_MUTANT=str(mutant.number))


def tests_of(copy):
    listing = json.loads(subprocess.check_output(["meson", "introspect", "--tests", copy / "build"]))
    programs = {str(copy / "build" / name) for name in PROGRAMS}
    return [Test(copy, test) for test in listing if test["cmd"][0] in programs]


def noticed_by(mutant, tests):
    """The name of the test that notices the mutant, or None."""
    return next((test.name for test in tests if mutant.number in test.reached and test.notices(mutant)), None)


def sample(mutants, every, first):
    """The mutants with hashes equal to `first` modulo `every`. A counter distinguishes similar mutants."""
    seen = collections.Counter()
    chosen = []
    for mutant in mutants:
        name = repr((pathlib.PurePath(mutant.file).name, *mutant.key()[1:], mutant.new))
        seen[name] += 1
        digest = hashlib.sha256(f"{name} {seen[name]}".encode()).digest()
        if int.from_bytes(digest[:8], "big") % every == first:
            chosen.append(mutant)
    return chosen


def reasons():
    file = pathlib.Path(__file__).resolve().parent / "survivors.toml"
    entries = tomllib.loads(file.read_text()).get("survivor", []) if file.exists() else []
    return {(e["file"], e["kind"], " ".join(e["source"].split()), e.get("old")): e for e in entries}


def explained(mutant, known):
    file, kind, source, old = mutant.key()
    return known.get((file, kind, source, old)) or known.get((file, kind, source, None))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("scratch", type=pathlib.Path)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--only", default="")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("setup", nargs="*")
    options = parser.parse_args()

    copy = options.scratch.resolve() / "copy"
    mutants = write_copy(options.root.resolve(), copy)
    build(copy, options.setup)
    tests = tests_of(copy)
    for test in tests:
        test.survey()
    tests.sort(key=lambda test: test.seconds)

    reached = set().union(*(test.reached for test in tests))
    impossible = set().union(*(test.impossible for test in tests)) - reached
    possible = [m for m in mutants if options.only in m.file and m.number not in impossible]
    wanted = sample(possible, options.every, options.first)
    known = reasons()
    survivors = []
    unexplained = 0
    alike = 0  # survivors that change no result
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for m, test in zip(wanted, pool.map(lambda m: noticed_by(m, tests), wanted)):
            if test is not None:
                continue
            reason = explained(m, known)
            survivors.append(m)
            unexplained += reason is None
            alike += reason is not None and not reason.get("differs", False)
            seen = "" if m.number in reached else " not reached"
            why = "" if reason is None else f" | {reason['why']}"
            print(f"{m.file}:{m.line}: [{m.kind}]{seen} {m.source}    | {m.old} -> {m.new or 'nothing'}{why}", flush=True)
    by_kind = collections.Counter(m.kind for m in wanted)
    lost = collections.Counter(m.kind for m in survivors)
    for kind, count in sorted(by_kind.items()):
        print(f"{kind:12}{count - lost[kind]:6} of {count:6}")
    noticed = len(wanted) - len(survivors)
    rate = noticed / max(len(wanted) - alike, 1)
    print(
        f"{noticed} of {len(wanted)} mutants noticed, {100 * noticed / max(len(wanted), 1):.1f} %; {100 * rate:.1f} % of those that "
        f"may change a result; {unexplained} survivors without a reason"
    )
    return 0 if rate >= LEAST_RATE and unexplained == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
