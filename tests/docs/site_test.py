#!/usr/bin/env python3
"""Builds the documentation as a web site, and checks it.

    site_test.py ROOT

- docs/build has no complaint: no page, reference or parameter is wrong, and nothing public lacks a docstring. Doxygen does
  not complain of concepts and enumerators: these are looked at here.
- Each link of each page leads to a page, and to a place in it, that is there.
- The reference has what is public, can be searched for it, and has nothing of blitz::detail.
- A docstring that is missing is noticed, of each kind of declaration.

Is skipped where there is no doxygen.
"""

import html.parser
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import urllib.parse
import xml.etree.ElementTree

ROOT = pathlib.Path(sys.argv.pop(1)).resolve()

# What the site is built from.
SOURCES = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "docs", "blitz", "tests/README.md", "bench/README.md",
           "bench/break-even.svg", "packaging/README.md"]

PUBLIC = ["parallel_for", "join", "scope", "sort", "copy_if", "par", "BasicThreadPool", "ThreadPoolOptions", "JoinCallable"]



def before(declaration):
    """A regular expression for the docstring of a declaration."""
    return rf"(?:^ *///.*\n)+(?=^ *{declaration})"


# file, what is left out of it, and what the complaint names.
UNDOCUMENTED = [
    ("parallel_for.hpp", before(r"template <LoopRange R.*>\nvoid parallel_for\(R&&"), "parallel_for("),
    ("thread_pool.hpp", before(r"template <BroadcastCallable F>\n"), "broadcast("),
    ("thread_pool.hpp", before(r"using AsyncThreadPool\b"), "AsyncThreadPool"),
    ("scope.hpp", before(r"class Scope \{"), "blitz::Scope"),
    ("options.hpp", r" *///< On which processors the threads run\.", "affinity"),
    ("stats.hpp", before(r"WorkerStats& operator\+="), "operator+="),
    ("algorithm/sort.hpp", before(r"inline constexpr detail::SortFn sort\b"), "sort (variable)"),
    # The two kinds that Doxygen lets pass.
    ("join.hpp", before(r"template <class F>\nconcept JoinCallable\b"), "blitz::JoinCallable"),
    ("yield.hpp", r"///< it found no job", "blitz::Yield::idle"),
]


class Page(html.parser.HTMLParser):
    """The links and the anchors of a page."""

    def __init__(self, path):
        super().__init__()
        self.links, self.anchors = set(), set()
        self.feed(path.read_text())

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ("href", "src", "data") and value:
                self.links.add(value)
            if name in ("id", "name") and value:
                self.anchors.add(value)


def build(root, site):
    """Runs docs/build of a tree; returns its exit status and its complaints."""
    result = subprocess.run(
        [root / "docs" / "build", site],
        env={**os.environ, "XML": "YES"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=300,
    )
    return result.returncode, result.stdout


def without_docstring(site):
    """The public concepts and enumerators that have none, as blitz::JoinCallable and blitz::Flow::go_on."""
    descriptions = ("briefdescription", "detaileddescription")
    for path in sorted((site / "xml").glob("*.xml")):
        for element in xml.etree.ElementTree.parse(path).iter():
            concept = element.tag == "compounddef" and element.get("kind") == "concept"
            for item in [element] if concept else element.findall("enumvalue"):
                if not any("".join(item.find(tag).itertext()).strip() for tag in descriptions):
                    yield item.findtext("compoundname") or f"{element.findtext('qualifiedname')}::{item.findtext('name')}"


class SiteTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.site = pathlib.Path(cls.folder.name) / "site"
        cls.status, cls.complaints = build(ROOT, cls.site)
        cls.pages = {path.name: Page(path) for path in cls.site.glob("*.html")}

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_no_complaint(self):
        self.assertEqual((self.status, self.complaints), (0, ""))
        self.assertEqual(list(without_docstring(self.site)), [])

    def test_links(self):
        links = {(name, link) for name, page in self.pages.items() for link in page.links}
        # The menu is made by scripts. (The keys in navtreeindex*.js are no links.)
        for script in self.site.glob("*.js"):
            if not script.name.startswith("navtreeindex"):
                links |= {(script.name, link) for link in re.findall(r'"([^"/]+\.html(?:#[^"]+)?)"', script.read_text())}
        self.assertGreater(len(links), 500)
        for name, link in sorted(links):
            url = urllib.parse.urlsplit(link)
            if url.scheme in ("http", "https", "javascript", "data"):
                continue
            path = urllib.parse.unquote(url.path)
            with self.subTest(page=name, link=link):
                self.assertTrue(not path or (self.site / path).is_file(), "leads nowhere")
                target = self.pages.get(path or name)
                if url.fragment and target is not None:
                    self.assertIn(urllib.parse.unquote(url.fragment), target.anchors, "leads to no place in the page")

    def test_menu(self):
        """The menu has each page of docs/, and no reference that was not resolved."""
        menu = (self.site / "navtreedata.js").read_text()
        for page in (ROOT / "docs").glob("*.md"):
            self.assertIn(f'"md_docs_{page.stem}.html"', menu)
        self.assertNotIn("@ref", menu)

    def test_reference(self):
        found = "".join(path.read_text() for path in (self.site / "search").glob("all_*.js"))
        for name in PUBLIC:
            self.assertIn(f"['{name}',", found)
        self.assertEqual(list(self.site.glob("*1_1detail*")), [])

    def test_missing_docstrings_are_noticed(self):
        with tempfile.TemporaryDirectory() as folder:
            copy = pathlib.Path(folder) / "copy"
            for source in SOURCES:
                (copy / source).parent.mkdir(parents=True, exist_ok=True)
                (shutil.copytree if (ROOT / source).is_dir() else shutil.copy)(ROOT / source, copy / source)
            for name, left_out, _ in UNDOCUMENTED:
                path = copy / "blitz" / name
                text, count = re.subn(left_out, "", path.read_text(), 0, re.MULTILINE)
                self.assertEqual(count, 1, f"{name} should have one place like {left_out}")
                path.write_text(text)
            site = pathlib.Path(folder) / "site"
            complaints = set(build(copy, site)[1].splitlines())
            complaints |= {f"{name} is not documented." for name in without_docstring(site)}
            self.assertEqual(len(complaints), len(UNDOCUMENTED), complaints)
            for _, _, named in UNDOCUMENTED:
                with self.subTest(named):
                    self.assertTrue([c for c in complaints if named in c and c.endswith("is not documented.")], complaints)


if __name__ == "__main__":
    if shutil.which("doxygen") is None:
        print("no doxygen")
        sys.exit(77)
    unittest.main()
