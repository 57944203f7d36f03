#!/usr/bin/env python3
"""Writes the index for the search of the web site: search_index.py FOLDER reads FOLDER/*.html and writes FOLDER/search_index.js.

The index has the text of each section of the guides and of the reference: search.js counts the words in the browser. It is a
script and not JSON, because a page from a file system can load only scripts.

    const INDEX = {
      "pages": [[file, title, kind]],              kind: "guide", "inside", "call", "class", "type" or "concept"
      "sections": [[page, anchor, heading, text]]  page: an index of pages; the first section of a page has no anchor
    };
"""

import html.parser
import json
import pathlib
import sys

# Lists of links, which say nothing that the linked pages do not say, and the sources.
LISTS = {"list", "source"}
SKIPPED = {"declaration", "uses", "origin", "members", "include", "copy"}
EMPTY = {"br", "img", "hr", "meta", "link", "input", "col", "wbr"}
HEADINGS = {"h1", "h2", "h3", "h4"}
INLINE = {"a", "b", "code", "em", "span", "strong", "wbr"}


class Page(html.parser.HTMLParser):
    """The kind, the title and the sections of a page."""

    def __init__(self, text):
        super().__init__()
        self.kind, self.sections = "", [["", "", ""]]  # anchor, heading, text
        self.open = []  # whether the text of each open element is skipped, outermost first
        self.part = 2  # of the section: 1 in its heading
        self.feed(text)
        self.sections = [[anchor, *(" ".join(part.split()) for part in parts)] for anchor, *parts in self.sections]
        self.title, self.sections[0][1] = self.sections[0][1].removeprefix("blitz::"), ""

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.kind = attributes.get("data-kind", self.kind)
        if tag in EMPTY:
            return
        is_inside = tag == "article" or (self.open and not self.open[-1])
        self.open.append(not is_inside or not SKIPPED.isdisjoint((attributes.get("class") or "").split()))
        if tag in HEADINGS and is_inside:
            self.part = 1
            if tag != "h1":
                self.sections.append([attributes.get("id", ""), "", ""])
        if tag not in INLINE:
            self.handle_data(" ")

    def handle_endtag(self, tag):
        if tag not in EMPTY and self.open:
            self.open.pop()
        if tag in HEADINGS:
            self.part = 2
        if tag not in INLINE:
            self.handle_data(" ")

    def handle_data(self, data):
        if self.open and not self.open[-1]:
            self.sections[-1][self.part] += data


def index(folder):
    """The pages and the sections."""
    pages, sections = [], []
    for path in sorted(folder.glob("*.html")):
        page = Page(path.read_text())
        if page.kind not in LISTS:
            # A page that begins with a heading, such as a call with overloads.
            page.sections[0][2] = page.sections[0][2] or page.sections[:2][-1][2]
            pages.append([path.name, page.title, page.kind])
            sections += [[len(pages) - 1, *section] for section in page.sections]
    return {"pages": pages, "sections": sections}


if __name__ == "__main__":
    output = pathlib.Path(sys.argv[1])
    entries = json.dumps(index(output), ensure_ascii=False, separators=(",", ":")).replace("],[", "],\n[")
    (output / "search_index.js").write_text(f"const INDEX = {entries};\n")
