#!/usr/bin/env python3
"""Prepares a Markdown page for Doxygen: markdown.py FILE writes the page to the standard output.

Doxygen finds no images through paths with .., and no headings of other pages. pages.py reads the heading of a link after ⚓, and
the language of a code block after ⚑. The site's head has the logo. A link whose text is the path of a page shows its title. Doxygen
ends a code span at an apostrophe, unless it has two backticks.
"""

import pathlib
import re
import sys


def title_of(path):
    """The heading of a page, or "" if there is none."""
    heading = re.search("^# (.*)", path.read_text(), re.M) if path.is_file() else None
    return heading[1] if heading else ""


def whole(match):
    """A code span for Doxygen, on one line."""
    mark = "``" if "'" in match[1] else "`"
    return mark + " ".join(match[1].split("\n")) + mark


def prepared(text, folder):
    def titled(match):
        return f"[{title_of(folder / match[2]) or match[1]}]({match[2]}"

    text = re.sub(r".*\(docs/logo\.svg\).*\n", "", text)
    text = re.sub(r"\]\((?:\.\./)+([^)]*\.svg)\)", r"](\1)", text)
    text = re.sub(r"\[([\w./]*\.md)\]\(([^)#]*\.md)", titled, text)
    text = re.sub(r"\]\(([^)#\n]*\.md)#([a-z0-9_-]*)\)", r"⚓\2](\1)", text)
    text = re.sub(r"^( *)```(sh|cmake|meson|rust|python)$", r"\g<0>\n\1⚑\2", text, flags=re.M)
    parts = re.split(r"(^ *```.*?^ *```$)", text, flags=re.M | re.S)  # every second part is a code block
    parts[::2] = [re.sub(r"(?<!`)`([^`]+)`(?!`)", whole, part) for part in parts[::2]]
    return "".join(parts)


if __name__ == "__main__":
    file = pathlib.Path(sys.argv[1])
    sys.stdout.write(prepared(file.read_text(), file.parent))
