#!/usr/bin/env python3
"""Weakens each memory order of the library in turn, and shows that the suites notice.

    orders.py ROOT PROGRAMS SUITE [--only TEXT]     the orders of the files whose first suite in orders.toml is SUITE
    orders.py ROOT --list                           every order by its name, with the suites of its file

The orders are read from the source: each operation on an atomic with an order stronger than relaxed, and each fence. The
programs of the suites, in PROGRAMS, can execute any of them weaker than stated (see --weaken in
../support/interleave/explore.cpp), so nothing is compiled. For each order the next weaker ones are tried, in all cases that
execute it, the fastest first, until one fails.

An order that can be weaker without a failure, or that no case executes, must be in orders.toml with its reason. An entry there
that is not in the source is an error. With --all, or BLITZ_ORDERS_ALL in the environment, it is also an error if an order
cannot be as weak as its entry says; that takes longest.
"""

import argparse
import bisect
import collections
import os
import pathlib
import re
import subprocess
import sys
import tomllib

OPERATION = re.compile(r"\b(load|store|exchange|compare_exchange_weak|compare_exchange_strong|fetch_\w+)\s*\(")
FENCE = re.compile(r"\b(seq_cst_fence|asymmetric_light_fence|asymmetric_heavy_fence|compiler_fence)\s*\(\)")
ORDER = re.compile(r"\bstd::memory_order_(acquire|release|acq_rel|seq_cst|relaxed)\b")

# The next weaker orders. A relaxed fence has no effect.
LOAD = {"seq_cst": ["acquire"], "acquire": ["relaxed"]}
STORE = {"seq_cst": ["release"], "release": ["relaxed"]}
MODIFY = {"seq_cst": ["acq_rel"], "acq_rel": ["acquire", "release"], "acquire": ["relaxed"], "release": ["relaxed"]}
FULL_FENCE = {"seq_cst": ["acq_rel"], "acq_rel": ["relaxed"]}
OTHER_FENCE = {"seq_cst": ["relaxed"]}

# Maximum numbers of preemptions, in turn: most faults need few, and a case that does not fail is searched to its end.
DEPTHS = 1, 2, 9


class Order:
    """One order of one operation, at the position of the operation's parenthesis."""

    def __init__(self, file, line, column, part, stated, weaker, name):
        self.file, self.line, self.column, self.part = file, line, column, part
        self.stated, self.weaker, self.name = stated, weaker, name
        self.cases = []  # (seconds, suite, case, position as the program prints it)


def without_comments(text):
    """The code without comments and literals, every character at its place."""
    blank = lambda found: re.sub(r"[^\n]", " ", found[0])
    return re.sub(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'', blank, text, flags=re.DOTALL)


def closing(code, at):
    """The position at which the parenthesis that opens at `at` closes."""
    depth = 0
    for i in range(at, len(code)):
        depth += {"(": 1, ")": -1}.get(code[i], 0)
        if depth == 0:
            return i
    raise ValueError("a parenthesis is not closed")


CLASS = re.compile(r"\b(?:class|struct|union)\b[^()=;]*?\b(\w+)\s*(?:final\s*)?(?: : [^()]*)?$")
FUNCTION = re.compile(r"((?:\w+::)*(?:operator\s*[^\s\w(]+|~?\w+))\s*\(")
NO_FUNCTION = {"alignas", "decltype", "requires", "noexcept", "explicit"}


def functions(code):
    """The functions of a file, qualified by their classes: the begin and the end of each body, and its name."""
    found, scopes, begin = [], [], 0
    for at, mark in ((m.start(), m[0]) for m in re.finditer(r"[{};]", code)):
        if mark == "}" and scopes:
            name, is_function, body = scopes.pop()
            if is_function and body is not None:
                found.append((body, at, name))
        elif mark == "{":
            header = re.sub(r"\[\[.*?\]\]|\balignas\(.*?\)", " ", code[begin:at], flags=re.DOTALL)
            outer, inside, _ = scopes[-1] if scopes else ("", False, 0)
            names = [name for name in FUNCTION.findall(header) if name not in NO_FUNCTION]
            if inside:
                scopes.append((outer, True, None))
            elif kind := CLASS.search(header):
                scopes.append((f"{outer}::{kind[1]}" if outer else kind[1], False, at))
            elif names:
                scopes.append((f"{outer}::{names[0]}" if outer else names[0], True, at))
            else:
                scopes.append((outer, False, at))
        begin = at + 1
    return found


def orders_of(root, file):
    """Every order of a file, including relaxed ones, which cannot be weakened."""
    code = without_comments((root / file).read_text())
    lines = [m.start() for m in re.finditer("^", code, re.MULTILINE)]
    bodies = functions(code)
    taken, found = set(), []

    def add(at, part, stated, weaker, what):
        line = bisect.bisect_right(lines, at)
        inside = [name for body, end, name in bodies if body <= at <= end]
        name = f"{inside[0] if inside else pathlib.Path(file).stem}: {what}"
        found.append(Order(file, line, at - lines[line - 1] + 1, part, stated, weaker, name))

    for call in OPERATION.finditer(code):
        at = call.end() - 1
        end = closing(code, at)
        inner = [(m.start(), closing(code, m.start())) for m in re.compile(r"\(").finditer(code, at + 1, end)]
        own = [m for m in ORDER.finditer(code, at, end) if not any(a < m.start() < b for a, b in inner)]
        taken.update(m.start() for m in own)
        object_ = re.search(r"((?:\w+(?:\[[^\]]*\]|\(\))?(?:\.|->))*)$", code[: call.start()])[1]
        weaker = {"load": LOAD, "store": STORE}.get(call[1], MODIFY)
        for part, order in enumerate(own):
            what = f"{object_}{call[1]}({'failure ' if part else ''}{order[1]})"
            add(at, part, order[1], LOAD if part else weaker, what)
    for fence in FENCE.finditer(code):
        weaker = FULL_FENCE if fence[1] == "seq_cst_fence" else OTHER_FENCE
        add(code.index("(", fence.start()), 0, "seq_cst", weaker, fence[1])
    for order in ORDER.finditer(code):
        if order.start() not in taken and order[1] != "relaxed":
            add(order.start(), 0, order[1], {}, f"{order[1]} is passed on")

    found.sort(key=lambda order: (order.line, order.column, order.part))
    count = collections.Counter()
    for order in found:
        count[order.name] += 1
        if count[order.name] > 1:
            order.name += f" #{count[order.name]}"
    return found


def executed(program, suite, orders):
    """Adds to each order the cases of a suite that execute it."""
    result = subprocess.run([program, "--orders"], capture_output=True, text=True)
    if result.returncode != 0:
        raise ValueError(f"{suite} fails as it is:\n{result.stdout[-3000:]}{result.stderr}")
    at = collections.defaultdict(list)
    for order in orders:
        at[order.file, order.line, order.part].append(order)
    for line in result.stdout.splitlines():
        if case := re.fullmatch(r"orders ([\d.]+) s: (.*)", line):
            seconds, name = float(case[1]), case[2]
        elif place := re.fullmatch(r"  (\S*?\b(blitz/\S+)):(\d+):(\d+)(:failure)?", line):
            # A compiler reports the position of the operation's parenthesis, or of the beginning of its expression.
            beside = [o for o in at[place[2], int(place[3]), 1 if place[5] else 0] if o.column >= int(place[4])]
            if beside:
                beside[0].cases.append((seconds, suite, name, line.strip()))


class Weakener:
    def __init__(self, programs, suites):
        self.programs, self.suites = programs, suites
        self.tried = self.noticed = 0
        self.errors = []

    def complain(self, order, text):
        self.errors.append(f"{order.file}:{order.line}: {order.name}: {text}")
        print(f"ERROR    {self.errors[-1]}", flush=True)

    def must_be_noticed(self, order, stated):
        """Checks every order that is one step weaker than `stated`."""
        for weaker in order.weaker.get(stated, []):
            case = self.noticing(order, weaker)
            if case is None:
                self.complain(order, f"no case fails when it is {weaker}")
                self.must_be_noticed(order, weaker)
            else:
                self.noticed += 1
                print(f"noticed  {order.name} -> {weaker}: {case}", flush=True)

    def must_go_unnoticed(self, order, weaker):
        if case := self.noticing(order, weaker, DEPTHS[-1:]):
            self.complain(order, f"is allowed to be {weaker}, and then {case} fails")
        else:
            print(f"allowed  {order.name} -> {weaker}", flush=True)

    def noticing(self, order, weaker, depths=DEPTHS):
        """The first case that fails when the order is weakened."""
        self.tried += 1
        cases = sorted(order.cases, key=lambda c: (self.suites.index(c[1]), c[0]))
        for depth in depths:
            for _, suite, case, place in cases:
                command = [self.programs / f"interleave_{suite}", "--weaken", f"{place}={weaker}"]
                command += ["--preemptions", str(depth), case]
                result = subprocess.run(command, capture_output=True, text=True, timeout=300)
                if result.returncode == 1:
                    return case
                if result.returncode != 0:
                    raise ValueError(f"{command} ended with {result.returncode}:\n{result.stdout[-2000:]}{result.stderr}")
        return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("programs", type=pathlib.Path, nargs="?")
    parser.add_argument("suite", nargs="?")
    everything = bool(os.environ.get("BLITZ_ORDERS_ALL"))
    parser.add_argument("--all", action="store_true", default=everything, help="also try what is allowed")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--only", default="", metavar="TEXT", help="orders with this in their name")
    options = parser.parse_args()

    settings = tomllib.loads((options.root / "tests/interleave/orders.toml").read_text())
    suites_of, untested = settings["suites"], settings["untested"]
    found = {}
    for path in sorted([*(options.root / "blitz").rglob("*.hpp"), *(options.root / "blitz").rglob("*.cpp")]):
        file = str(path.relative_to(options.root))
        orders = orders_of(options.root, file)
        if any(order.stated != "relaxed" for order in orders):
            found[file] = orders
    if options.list:
        for file, orders in found.items():
            print(f"{file}: {', '.join(suites_of.get(file, [])) or untested.get(file, '?')}")
            for order in (order for order in orders if order.stated != "relaxed"):
                print(f"  {order.line}:{order.column}: {order.name}")
        return

    enough = {name: order for group in settings["allowed"] for name, order in group["enough"].items()}
    unreached = {name for group in settings["unreached"] for name in group["orders"]}
    files = [file for file, suites in suites_of.items() if suites[0] == options.suite]
    suites = list(dict.fromkeys(suite for file in files for suite in suites_of[file]))
    weakener = Weakener(options.programs, suites)

    unknown = [f"{file} has orders, and no suite" for file in found.keys() - suites_of.keys() - untested.keys()]
    unknown += [f"{file} has no orders" for file in (suites_of.keys() | untested.keys()) - found.keys()]
    names = {order.name for orders in found.values() for order in orders}
    unknown += [f"no order is called {name}" for name in (enough.keys() | unreached) - names]
    if unknown:
        sys.exit("orders.toml: " + "\n".join(sorted(unknown)))

    for suite in suites:
        of_suite = [order for file in files if suite in suites_of[file] for order in found[file]]
        executed(options.programs / f"interleave_{suite}", suite, of_suite)
    chosen = [order for file in files for order in found[file] if options.only in order.name]
    chosen = [order for order in chosen if order.stated != "relaxed"]
    for order in chosen:
        if (order.name in unreached) == bool(order.cases):
            weakener.complain(order, "is executed" if order.cases else "is not executed")
        if not order.cases:
            continue
        if order.name in enough and options.all:
            weakener.must_go_unnoticed(order, enough[order.name])
        weakener.must_be_noticed(order, enough.get(order.name, order.stated))
    counts = f"{weakener.tried} weakenings, {weakener.noticed} noticed, {len(weakener.errors)} errors"
    print(f"{len(chosen)} orders, {counts}")
    sys.exit(1 if weakener.errors or not chosen else 0)


if __name__ == "__main__":
    main()
