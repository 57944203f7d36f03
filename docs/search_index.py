#!/usr/bin/env python3
"""Writes the index for the search of the web site: search_index.py FOLDER reads FOLDER/*.html and writes FOLDER/search_index.js.

The index has the text of each section of the guides and of the reference: search.js counts the words in the browser. It is a
script and not JSON, because a page from a file system can load only scripts.

    const INDEX = {
      "pages": [[file, title, kind]],              kind: "guide", "inside", "reference" or "file"
      "sections": [[page, anchor, heading, text]]  page: an index of pages; the first section of a page has no anchor
    };
"""

import collections
import html.parser
import json
import pathlib
import re
import sys

# Lists of links, which say nothing that the linked pages do not say.
LISTS = re.compile(r".*-members|annotated|concepts|namespacemembers.*|dir_.*|files|hierarchy|classes|functions.*|pages")
# Pages for those who change the library, or who want its history.
INSIDE = re.compile(r"md_(blitz|tests|bench|packaging|CHANGELOG|CONTRIBUTING|SECURITY|docs_inside|docs_performance_)")
# "blitz::Scope Class Reference", "parallel_for.hpp File Reference"
REFERENCE = re.compile(r"( (Class|Struct|Namespace|Concept|File)( Template)?)+ Reference$")
# Declarations, diagrams, tooltips of code, and links to anchors.
SKIPPED = {"ttc", "memproto", "dyncontent", "dynheader", "permalink", "toc", "mlabels", "script", "style"}
EMPTY = {"br", "img", "hr", "meta", "link", "input", "area", "col", "wbr", "source"}
INLINE = {"a", "b", "code", "em", "span", "strong", "tt", "wbr"}


class Page(html.parser.HTMLParser):
    """The title and the sections of a page."""

    def __init__(self, text):
        super().__init__()
        self.title, self.sections = "", [["", "", ""]]  # anchor, heading, text
        self.open = []  # the classes of the open elements, outermost first
        self.inside = collections.Counter()  # how many open elements have a class
        self.skipped = 0  # how many open elements are skipped
        self.anchor = ""  # the last one
        self.heading = None  # the text of the open heading
        self.row = None  # in a list of members: the section of the row
        self.feed(text)

    def is_in(self, *names):
        for name in names:
            if self.inside[name]:
                return True
        return False

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        classes = (attributes.get("class") or "").split() + [tag]
        if tag == "a" and "id" in attributes:
            self.anchor = attributes["id"]
            # A member without a page section: its row in the list has the anchor.
            if self.is_in("memItemLeft", "memTemplItemLeft", "memTemplParams"):
                self.row = [self.anchor, "", ""]
                self.sections.append(self.row)
        if tag == "tr" and not any(name.startswith("memdesc:") for name in classes):
            self.row = None
        if tag in ("h1", "h2", "h3", "h4") and self.is_in("contents"):
            self.heading = ""
        if tag not in INLINE:
            self.handle_data(" ")
        if tag not in EMPTY:
            self.open.append(classes)
            self.skipped += not SKIPPED.isdisjoint(classes)
            for name in classes:
                self.inside[name] += 1

    def handle_endtag(self, tag):
        if self.heading is not None and tag in ("h1", "h2", "h3", "h4"):
            # A group heading only names the kind of the sections after it.
            if "groupheader" not in self.open[-1]:
                self.sections.append([self.anchor, " ".join(self.heading.split()), ""])
            self.heading = None
        while self.open and tag not in EMPTY:
            classes = self.open.pop()
            self.skipped -= not SKIPPED.isdisjoint(classes)
            for name in classes:
                self.inside[name] -= 1
            if classes[-1] == tag:
                break
        if tag not in INLINE:
            self.handle_data(" ")

    def handle_data(self, data):
        if self.skipped:
            return
        if self.is_in("headertitle"):
            self.title += data
        elif not self.is_in("contents"):
            return
        elif self.heading is not None:
            self.heading += data
        elif not self.is_in("memberdecls"):
            self.sections[-1][2] += data
        elif self.row and self.is_in("b") and self.is_in("memItemRight", "memTemplItemRight"):
            self.row[1] += data
        elif self.row and self.is_in("mdescRight"):
            self.row[2] += data


def clean(text):
    return " ".join(re.sub(r"\u200b|More\.\.\.|#include (<[^>]*>|\"[^\"]*\")", "", text).split())


def index(folder):
    """The pages and the sections."""
    pages, sections = [], []
    for path in sorted(folder.glob("*.html")):
        if LISTS.fullmatch(path.stem):
            continue
        page = Page(path.read_text())
        title, count = REFERENCE.subn("", clean(page.title))
        title = re.sub(r"^blitz::|< .*>", "", title) if count else title
        of_pages = "inside" if INSIDE.match(path.stem) else "guide"
        kind = "file" if path.stem.endswith(("_8hpp", "_8h")) else "reference" if count else of_pages
        pages.append([path.name, title, kind])
        # Doxygen repeats the first sentence before the details.
        page.sections[0][2] = re.sub(r"^(.{15,}?\.) (?=.*\1)", "", clean(page.sections[0][2]))
        for anchor, heading, text in page.sections:
            if heading or not anchor:
                sections.append([len(pages) - 1, anchor, re.sub(r" \[\d+/\d+\]$", "", clean(heading)), clean(text)])
    return {"pages": pages, "sections": sections}


if __name__ == "__main__":
    output = pathlib.Path(sys.argv[1])
    entries = json.dumps(index(output), ensure_ascii=False, separators=(",", ":")).replace("],[", "],\n[")
    (output / "search_index.js").write_text(f"const INDEX = {entries};\n")
