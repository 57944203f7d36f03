#!/usr/bin/env python3
"""Runs `simulate` and writes the tables of the section "What grows" into README.md.

usage: tables.py [--check] PROGRAM README

PROGRAM is `simulate`, as meson builds it. It runs with the default costs and one seed, and takes some minutes. Each table
replaces the text between two lines of README, here for the table `speed-up`:

    <!-- tables: speed-up: begin -->
    <!-- tables: speed-up: end -->

--check writes nothing.

Exit status: 0 README has the current tables; 1 it differs, with --check; 2 PROGRAM fails, or README lacks a marker.
"""

import argparse
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import pages  # noqa: E402

THREADS = ("8", "16", "32", "64", "128", "288")
JOB_THREADS = ("2", "4", *THREADS)

SPEED_UPS = {
    "tree": "`tree`: 197,000 joins, nodes of 50 ns",
    "tree_fine": "`tree_fine`: 514,000 joins, nodes of 2 ns",
    "grain_1e3": "`grain_1e3`: loops of 32 x 1 us",
    "grain_1e4": "`grain_1e4`: loops of 32 x 10 us",
    "loop_1000": "`loop_1000`: loops of 1000 x 1 us",
    "loop_100000": "`loop_100000`: a loop of 100,000 x 100 ns",
    "loop_repeated": "`loop_repeated`: loops of 256 x 10 us",
}
FENCES = ("tree", "loop_1000", "loop_100000", "loop_repeated")
JOBS = {"spawn_1": "`spawn_1`, one producer", "spawn_4": "`spawn_4`", "spawn_16": "`spawn_16`"}
OTHERS = ("wake", "busy")


def parsed(text):
    """Returns {(backend, scenario): {threads: row}}. A row maps the names of its columns to cells."""
    found = {}
    backend = scenario = columns = None
    for line in text.splitlines():
        if ", profile " in line:
            backend = line.split(",")[0]
        elif line.startswith("|-"):
            continue
        elif line.startswith("|"):
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            if columns is None:
                columns = cells
            else:
                row = dict(zip(columns, cells))
                found.setdefault((backend, scenario), {})[row["threads"]] = row
        elif ": " in line:
            scenario = line.split(":")[0]
        if not line.startswith("|"):
            columns = None
    return found


def simulated(program):
    scenarios = [*SPEED_UPS, *OTHERS, *JOBS]
    command = [str(program), "--threads", ",".join(["1", *JOB_THREADS]), "--only", ",".join(scenarios)]
    return parsed(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)


def count(value):
    """Rounds to three digits from 10,000 on."""
    return f"{value:,.0f}".replace(",", "") if value < 10_000 else f"{round(value, -len(str(round(value))) + 3):,.0f}"


def rounded(column):
    return lambda row: f"{float(row[column]):.0f}"


def counted(column):
    return lambda row: count(float(row[column]))


def for_each_theft(column, decimals):
    def cell(row):
        thefts = float(row["stolen"])
        return f"{float(row[column]) / thefts:.{decimals}f}" if thefts else "-"

    return cell


def table(head, threads, rows):
    lines = [f"| {' | '.join(cells)} |" for cells in ([head, *threads], *rows)]
    lines.insert(1, "|---|" + "--:|" * len(threads))
    return "".join(line.replace("|  |", "| |") + "\n" for line in lines)


def both(found, scenario, name, cell):
    """Returns a row with the figures of both backends in each cell."""
    pairs = [[cell(found[backend, scenario][n]) for backend in ("fork_join", "async")] for n in THREADS]
    return [name, *map(" / ".join, pairs)]


def each(found, names, threads, cell):
    """Yields two rows for each scenario, one for each backend."""
    for scenario, name in names.items():
        for backend, label in (("fork_join", name + ", fork_join"), ("async", "async")):
            yield [label, *(cell(found[backend, scenario][n]) for n in threads)]


def speed_up(found):
    rows = each(found, SPEED_UPS, THREADS, lambda row: f"{float(row['speed-up']):.1f}")
    return table("speed-up on", THREADS, rows)


def wake(found):
    rows = {
        "us in all (160 is ideal), fork_join / async": "us",
        "us until half of the workers had begun": "50 % us",
        "workers that ever began": "workers that began",
        "wake-ups in the longest chain": "depth",
    }
    return table("`wake`", THREADS, [both(found, "wake", name, rounded(column)) for name, column in rows.items()])


def shares(found):
    rows = [both(found, scenario, f"heavy fences, `{scenario}`", rounded("fence %")) for scenario in FENCES]
    rows.append(both(found, "tree", "the idle word's line, `tree`", rounded("idle w. %")))
    for scenario in ("tree", "loop_1000"):
        rows.append(both(found, scenario, f"the owners' lines, read by thieves, `{scenario}`", rounded("pu. e. %")))
        rows.append(both(found, scenario, f"the thieves' ends, `{scenario}`", rounded("st. e. %")))
    rows.append(both(found, "loop_1000", "the count of a loop's end, `loop_1000`", rounded("lo. e. %")))
    return table("", THREADS, rows)


def counts(found):
    rows = {
        "thefts": counted("stolen"),
        "attempts for each theft": for_each_theft("tried", 1),
        "looks at other queues for each theft": for_each_theft("looks", 0),
        "heavy fences": counted("fences"),
        "system calls for them": counted("calls"),
        "interrupts by these": counted("intr."),
        "transfers of the idle word": counted("idle word"),
        "transfers of the thieves' ends": counted("steal end"),
    }
    return table("", THREADS, [both(found, "tree", name, cell) for name, cell in rows.items()])


def busy(found):
    rows = each(found, {"busy": "`busy`"}, ("1", *JOB_THREADS), lambda row: f"{float(row['ns a join']):.1f}")
    return table("ns a join on", ("1", *JOB_THREADS), rows)


def jobs(found):
    return table("", JOB_THREADS, each(found, JOBS, JOB_THREADS, rounded("ns a job")))


TABLES = {"speed-up": speed_up, "wake": wake, "shares": shares, "counts": counts, "busy": busy, "jobs": jobs}


def with_tables(page, found):
    for name, write in TABLES.items():
        page = pages.replaced(page, f"tables: {name}", write(found))
    return page


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare README with the tables, and write nothing")
    parser.add_argument("program", metavar="PROGRAM", type=pathlib.Path)
    parser.add_argument("readme", metavar="README", type=pathlib.Path)
    options = parser.parse_args()
    try:
        page = options.readme.read_text(encoding="utf-8")
        for name in TABLES:
            pages.replaced(page, f"tables: {name}", "")  # Finds a missing marker before the long run.
        new_page = with_tables(page, simulated(options.program.resolve()))
        if options.check:
            if new_page != page:
                print(f"tables: '{options.readme}' differs: run bench/simulation/tables.py", file=sys.stderr)
            return int(new_page != page)
        options.readme.write_text(new_page, encoding="utf-8")
    except (OSError, ValueError, subprocess.CalledProcessError) as error:
        print(f"tables: {error}", file=sys.stderr)
        return 2
    except KeyError as error:
        print(f"tables: '{options.program}' does not print {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
