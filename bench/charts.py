#!/usr/bin/env python3
"""Draws the results of `compare --json` or `cadence.py --json` as charts. Each fits a screen. Needs matplotlib (Debian:
python3-matplotlib).

usage: charts.py RECORD FOLDER

RECORD is the file that --json wrote. Makes FOLDER if it is missing, and writes there

    medians-N-P.svg    page P of the medians on N threads: bars, with their quartiles as lines
    speed-up-P.svg     the speed-up over the serial form against the number of threads; needs two thread counts
    break-even.svg     the speed-up of a loop against the length of its body; needs two of the grain workloads

or, for the cadence table,

    cadence-KIND.svg   the speed of calls of that kind on blitz, by their length and the gap before them

Exit status: 0 the charts are written; 2 matplotlib is missing, or a file cannot be read or written.
"""

import argparse
import itertools
import math
import pathlib
import sys
import textwrap

import cadence
import records
from baseline import number

try:
    import matplotlib
    from matplotlib.figure import Figure
    from matplotlib.patches import Rectangle
    from matplotlib.ticker import LogLocator
except ImportError as error:
    print(f"charts: {error}; Debian has it as python3-matplotlib", file=sys.stderr)
    sys.exit(2)

matplotlib.rcParams.update(
    {
        "axes.edgecolor": "#212529",
        "axes.spines.right": False,
        "axes.spines.top": False,
        "font.size": 8,
        "grid.color": "#e9ecef",
        "svg.fonttype": "none",  # text stays text
        "svg.hashsalt": "blitz",  # equal records give equal files
    }
)

PIXELS = 96  # per inch, as in browsers

# A page of medians, in pixels: panels below one another in each column.
MOST_HEIGHT = 920
COLUMNS = 3
COLUMN_WIDTH = 450
MARGIN = 16
NAME_WIDTH = 130
BAR_WIDTH = 170
BAR_HEIGHT = 15
PANEL_TITLE = 40
TITLE_LENGTH = 72  # characters
PAGE_TITLE = 40

# A chart of lines.
PANEL_WIDTH = 280
PANEL_HEIGHT = 220
WIDE_PANEL = (860, 420)
LEGEND_WIDTH = 190
PANELS_IN_A_ROW = 4
PANELS_ON_A_PAGE = 16

# A map of cells.
CELL_WIDTH = 56
CELL_HEIGHT = 26
GAP_WIDTH = 90
FULL_COLOUR = 2  # times as fast, or as slow

# The peers of a library have shades of one colour.
SHADES = {
    "blitz": ("#d9480f", "#f08c00", "#862e0a", "#ffa94d", "#c92a2a", "#5c4a1f", "#ff8787"),
    "tbb": ("#1971c2", "#22b8cf", "#4dabf7", "#364fc7", "#66d9e8", "#1c3d5a", "#91a7ff", "#0b7285"),
    "openmp": ("#2f9e44", "#74b816", "#0b5a22", "#20c997"),
    "clang": ("#fab005", "#a68a00", "#ffe066", "#7f6000"),
    "rayon": ("#9c36b5", "#e64980", "#5f3dc4", "#e599f7"),
}
OTHER_SHADES = ("#868e96", "#495057", "#adb5bd", "#212529")
GREY = "#868e96"
QUIET = "#495057"


def library(peer):
    return peer.split("_")[0]


def colours(rows):
    """The colour of each peer, equal in all charts."""
    found = {}
    for name, peers in itertools.groupby(sorted({row["peer"] for row in rows}), key=library):
        found.update(zip(peers, itertools.cycle(SHADES.get(name, OTHER_SHADES))))
    return found


def threads_text(count):
    return "1 thread" if count == 1 else f"{count} threads"


def time_text(nanoseconds):
    """A power of ten of nanoseconds."""
    unit, size = next((u, s) for u, s in (("s", 1e9), ("ms", 1e6), ("us", 1e3), ("ns", 0)) if nanoseconds >= s * 0.999)
    return f"{nanoseconds / (size or 1):g} {unit}"


def by_workload(rows):
    return {name: list(group) for name, group in itertools.groupby(rows, key=lambda row: row["workload"])}


# Inverts the colours, and turns them back to their hue.
DARK = "@media (prefers-color-scheme: dark) { svg { filter: invert(90%) hue-rotate(180deg) } }"


def save(figure, file):
    """Writes a picture that is dark if its reader's system is."""
    figure.savefig(file, metadata={"Date": None})
    file.write_text(file.read_text().replace("</style>", f"\n{DARK}</style>", 1))


# --- medians ---


def times_slower(row, base):
    """None if either figure is missing or not positive, which is possible for an excess within the noise."""
    if not base or not all((median or 0) > 0 for median in (row["median"], base["median"])):
        return None
    ratio = row["median"] / base["median"]
    return 1 / ratio if row["unit"].endswith("/s") else ratio


def draw_bars(axes, rows, colour):
    blitz = next((row for row in rows if row["peer"] == "blitz"), None)
    shown = [[max(value or 0, 0) for value in (row["median"], *row["quartiles"])] for row in rows]
    for place, (row, (median, low, high)) in enumerate(zip(rows, shown)):
        peer = row["peer"]
        axes.barh(place, median, height=0.7, color=colour[peer], gid=f"bar:{row['workload']}:{peer}")
        axes.plot((low, high), (place, place), color="#212529", linewidth=1.5, solid_capstyle="butt")
        figure = "-" if row["median"] is None else number(row["median"])
        ratio = times_slower(row, blitz)
        text = f"{figure} ({number(ratio)}x)" if ratio else figure
        axes.annotate(text, (max(median, high), place), (5, 0), textcoords="offset points", va="center")
    heading = f"{rows[0]['workload']} [{rows[0]['unit']}]"
    above = {"xy": (-NAME_WIDTH / BAR_WIDTH, 1), "xycoords": "axes fraction", "textcoords": "offset points"}
    axes.annotate(heading, xytext=(0, 13), fontweight="bold", fontsize=9, **above)
    title = textwrap.shorten(rows[0]["title"], TITLE_LENGTH, placeholder=" …")
    axes.annotate(title, xytext=(0, 3), color=QUIET, **above)
    axes.set_xlim(0, max(max(values) for values in shown) or 1)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_yticks(range(len(rows)), [row["peer"] for row in rows])
    axes.tick_params(length=0)
    axes.set_xticks([])
    axes.spines["bottom"].set_visible(False)


def height_of(rows):
    return PANEL_TITLE + BAR_HEIGHT * len(rows)


def pages_of(panels, most_height):
    """Pages of columns of panels, filled one after another."""
    pages, left = [[[]]], most_height
    for panel in panels:
        if height_of(panel) > left and pages[-1][-1]:
            if len(pages[-1]) == COLUMNS:
                pages.append([])
            pages[-1].append([])
            left = most_height
        pages[-1][-1].append(panel)
        left -= height_of(panel)
    return pages


def even_pages_of(panels):
    """The minimum number of pages, with the minimum height."""
    fewest = len(pages_of(panels, MOST_HEIGHT))
    return next(p for p in (pages_of(panels, height) for height in range(0, MOST_HEIGHT + 1, 20)) if len(p) == fewest)


def draw_medians(record, threads, folder, colour):
    rows = [row for row in record["results"] if row["threads"] == threads or library(row["peer"]) == "serial"]
    pages = even_pages_of(by_workload(rows).values())
    for page, columns in enumerate(pages, 1):
        width = COLUMN_WIDTH * COLUMNS
        height = PAGE_TITLE + max(sum(map(height_of, column)) for column in columns)
        figure = Figure(figsize=(width / PIXELS, height / PIXELS))
        heading = f"{threads_text(threads)}, page {page} of {len(pages)}"
        explanation = "medians with their quartiles; in brackets, how many times slower than blitz"
        figure.text(MARGIN / width, 1 - 24 / height, f"{heading}: {explanation}", fontsize=10)
        for i, column in enumerate(columns):
            top = height - PAGE_TITLE
            for panel in column:
                bottom = top - height_of(panel)
                left = COLUMN_WIDTH * i + MARGIN + NAME_WIDTH
                place = left / width, bottom / height, BAR_WIDTH / width, BAR_HEIGHT * len(panel) / height
                draw_bars(figure.add_axes(place), panel, colour)
                top = bottom
        save(figure, folder / f"medians-{threads}-{page}.svg")


# --- lines ---


def line_chart(file, heading, x_label, panels, ticks, colour):
    """`panels`: (title, {peer: [(x, y), ...]}, [dashed line, ...]). `ticks`: x -> label. Both axes are logarithmic, so that
    equal ratios have equal heights, and an ideal speed-up is a straight line."""
    columns = min(len(panels), PANELS_IN_A_ROW)
    rows = math.ceil(len(panels) / columns)
    panel_width, panel_height = WIDE_PANEL if len(panels) == 1 else (PANEL_WIDTH, PANEL_HEIGHT)
    width, height = columns * panel_width + LEGEND_WIDTH, PAGE_TITLE + rows * panel_height
    figure = Figure(figsize=(width / PIXELS, height / PIXELS))
    figure.text(MARGIN / width, 1 - 24 / height, heading, fontsize=10)
    handles = {}
    for i, (title, lines, guides) in enumerate(panels):
        left = i % columns * panel_width + MARGIN + 45
        bottom = height - PAGE_TITLE - (i // columns + 1) * panel_height + 45
        place = left / width, bottom / height, (panel_width - 75) / width, (panel_height - 75) / height
        axes = figure.add_axes(place, xscale="log", yscale="log")
        for guide in guides:
            axes.plot(*zip(*guide), color=GREY, linewidth=0.8, linestyle="--")
        for peer, points in lines.items():
            line = axes.plot(*zip(*points), color=colour[peer], marker="o", markersize=3.5, gid=f"line:{title}:{peer}")
            handles.setdefault(peer, line[0])
        axes.set_title(title, loc="left", fontweight="bold", fontsize=9)
        axes.set_xlabel(x_label, color=QUIET)
        axes.set_xticks(list(ticks), list(ticks.values()))
        low, high = axes.get_ylim()
        digits = (1, 2, 5) if high < 1000 * low else (1,)
        axes.yaxis.set_major_locator(LogLocator(subs=digits, numticks=9))
        axes.yaxis.set_major_formatter("{x:g}")
        axes.minorticks_off()
        axes.grid(axis="y")
    peers = sorted(handles)
    corner = 1 - MARGIN / width, 1 - PAGE_TITLE / height
    figure.legend([handles[peer] for peer in peers], peers, loc="upper right", bbox_to_anchor=corner, frameon=False)
    save(figure, file)


def lines_of(rows, point):
    """{peer: points}, for peers with at least two."""
    lines = {}
    for row in rows:
        if row["speed_up"] is not None and library(row["peer"]) != "serial":
            lines.setdefault(row["peer"], []).append(point(row))
    return {peer: points for peer, points in lines.items() if len(points) > 1}


def draw_speed_ups(record, folder, colour):
    threads = record["threads"]
    fewest, most = threads[0], threads[-1]
    guides = [(fewest, 1), (most, 1)], [(fewest, fewest), (most, most)]
    panels = []
    for workload, rows in by_workload(record["results"]).items():
        lines = lines_of(rows, lambda row: (row["threads"], row["speed_up"]))
        if lines:
            panels.append((workload, lines, guides))
    pages = math.ceil(len(panels) / PANELS_ON_A_PAGE)
    for page in range(pages):
        line_chart(
            folder / f"speed-up-{page + 1}.svg",
            "Times as fast as the serial form. Dashed: the serial form, and the number of threads.",
            "threads",
            panels[page * len(panels) // pages : (page + 1) * len(panels) // pages],
            {count: str(count) for count in threads},
            colour,
        )


def draw_break_even(record, folder, colour):
    grains = {name: rows for name, rows in by_workload(record["results"]).items() if name.startswith("grain_")}
    lengths = {name: row["median"] for name, rows in grains.items() for row in rows if row["peer"] == "serial"}
    if not lengths:
        return
    shortest, longest = min(lengths.values()), max(lengths.values())
    powers = [10**power for power in range(round(math.log10(shortest)), round(math.log10(longest)) + 1)]
    ends = min(shortest, powers[0]), max(longest, powers[-1])
    panels = []
    for threads in record["threads"]:
        rows = [row for rows in grains.values() for row in rows if row["threads"] == threads > 1]
        lines = lines_of(rows, lambda row: (lengths[row["workload"]], row["speed_up"]))
        if lines:
            panels.append((threads_text(threads), lines, [[(x, level) for x in ends] for level in (1, threads)]))
    if panels:
        line_chart(
            folder / "break-even.svg",
            "A loop of 32 items, times as fast as the serial loop. Dashed: the serial loop, and the number of threads.",
            "length of the body in the serial loop",
            panels,
            {power: time_text(power) for power in powers},
            colour,
        )


# --- maps ---


def draw_map(axes, panel, cells, figure):
    """Red if `figure` of a cell is below 1, blue if it is above."""
    gaps, lengths = cadence.distinct(cells, "gap"), cadence.distinct(cells, "length")
    for cell in cells:
        value = figure(cell)
        strength = max(-1, min(1, math.log(value, FULL_COLOUR)))
        x, y = lengths.index(cell["length"]), gaps.index(cell["gap"])
        colour = matplotlib.colormaps["RdBu"](0.5 + strength / 2)
        gid = f"cell:{panel}:{cell['gap']}:{cell['length']}"
        axes.add_patch(Rectangle((x - 0.5, y - 0.5), 1, 1, facecolor=colour, edgecolor="white", gid=gid))
        axes.text(x, y, f"{value:.2f}", ha="center", va="center", color="white" if abs(strength) > 0.7 else "black")
    axes.set_title(panel, loc="left", fontweight="bold", fontsize=9)
    axes.set_xlabel("length of the serial call", color=QUIET)
    axes.set_xlim(-0.5, len(lengths) - 0.5)
    axes.set_ylim(len(gaps) - 0.5, -0.5)
    axes.set_xticks(range(len(lengths)), lengths)
    axes.set_yticks(range(len(gaps)), [gap.replace("_", " ") for gap in gaps])
    axes.tick_params(length=0)
    for spine in axes.spines.values():
        spine.set_visible(False)


def draw_cadence(record, folder):
    for kind in cadence.distinct(record["cells"], "kind"):
        cells = [cell for cell in record["cells"] if cell["kind"] == kind and "blitz" in cell["wall"]]
        compared = [cell for cell in cells if cadence.reference(cell)]
        panels = [
            ("times as fast as oneTBB's better form", compared, lambda cell: cadence.speed_ratio(cell, "blitz")),
            ("times as fast as the serial calls", cells, lambda cell: cadence.speed_up(cell, "blitz")),
        ]
        map_width = CELL_WIDTH * len(cadence.distinct(cells, "length"))
        map_height = CELL_HEIGHT * len(cadence.distinct(cells, "gap"))
        panel_width = GAP_WIDTH + map_width
        width, height = MARGIN + len(panels) * panel_width, PAGE_TITLE + PANEL_TITLE + map_height + 3 * MARGIN
        figure = Figure(figsize=(width / PIXELS, height / PIXELS))
        heading = f"{kind}: blitz on {threads_text(record['threads'])}, by the gap of work or sleep before each call"
        figure.text(MARGIN / width, 1 - 24 / height, heading, fontsize=10)
        for i, (panel, shown, value) in enumerate(panels):
            left = i * panel_width + GAP_WIDTH
            place = left / width, 3 * MARGIN / height, map_width / width, map_height / height
            if shown:
                draw_map(figure.add_axes(place), panel, shown, value)
        save(figure, folder / f"cadence-{kind}.svg")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("record", metavar="RECORD", type=pathlib.Path)
    parser.add_argument("folder", metavar="FOLDER", type=pathlib.Path)
    options = parser.parse_args()

    def draw(record):
        options.folder.mkdir(parents=True, exist_ok=True)
        if "cells" in record:
            draw_cadence(record, options.folder)
            return
        colour = colours(record["results"])
        for threads in record["threads"]:
            draw_medians(record, threads, options.folder, colour)
        draw_speed_ups(record, options.folder, colour)
        draw_break_even(record, options.folder, colour)

    return records.use("charts", options.record, draw)


if __name__ == "__main__":
    sys.exit(main())
