"""Tables in Markdown pages, each between two lines that name it:

    <!-- NAME: begin -->
    <!-- NAME: end -->
"""

import json
import statistics
import sys


def table(columns, rows, align="--:"):
    """Returns the text of a table. `align` is the alignment of all columns except the first, or a list for all columns."""
    ruler = ["---", *[align] * (len(columns) - 1)] if isinstance(align, str) else align
    return "".join(f"| {' | '.join(cells)} |\n" for cells in (columns, ruler, *rows))


def replaced(page, name, text):
    """Returns `page` with `text` between the lines of that name."""
    begin, end = (f"<!-- {name}: {which} -->\n" for which in ("begin", "end"))
    before, found_begin, rest = page.partition(begin)
    _, found_end, after = rest.partition(end)
    if not found_end:
        raise ValueError(f"the page has no line {(end if found_begin else begin).strip()}")
    return f"{before}{begin}\n{text.strip()}\n\n{end}{after}"


def update(path, tables, check=False, source="the measurement"):
    """Writes the tables, a text for each name, into the file `path`. Returns the exit status.

    With `check` it writes nothing, and the status is 1 if the page differs from the tables.
    """
    page = new_page = path.read_text(encoding="utf-8")
    for name, text in tables.items():
        new_page = replaced(new_page, name, text)
    if not check:
        path.write_text(new_page, encoding="utf-8")
    elif new_page != page:
        print(f"'{path}' differs from {source}", file=sys.stderr)
        return 1
    return 0


def medians(record):
    """Reduces a record of cadence.py or algorithms.py to one sample per peer, its median, so that it is small enough to
    keep."""
    cells = []
    for cell in record["cells"]:
        figures = {}
        for figure in cell.keys() & {"wall", "cpu"}:
            samples = cell[figure].items()
            figures[figure] = {peer: [float(f"{statistics.median(all_of):.4g}")] for peer, all_of in samples}
        cells.append({**cell, **figures})
    return {**record, "cells": cells}


def kept(record):
    """Returns the text of a record for the repository: one line per cell."""
    cells = ",\n".join(json.dumps(cell, sort_keys=True) for cell in record["cells"])
    rest = "".join(f"{json.dumps(name)}: {json.dumps(value)},\n" for name, value in record.items() if name != "cells")
    return f'{{{rest}"cells": [\n{cells}\n]}}\n'
