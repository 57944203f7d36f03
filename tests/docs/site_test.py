#!/usr/bin/env python3
"""Builds the documentation as a web site, and checks it.

    site_test.py ROOT

- docs/build reports nothing: no page, reference or parameter is wrong, and everything public has a docstring. Doxygen does not
  report missing docstrings of concepts and enumerators: they are checked here.
- Each link of each page leads to an existing page and an existing anchor.
- The reference and the index of the search contain the public names, and nothing of blitz::detail.
- Each section of the index exists, and has text. Two builds have the same files.
- The docstring of each function, member and algorithm has the parameters, return value, exceptions, complexity, thread-safety
  and an example: see lacking(). The docstring of each class and concept has an example and thread-safety: see
  lacking_in_types().
- A missing docstring is noticed, for each kind of declaration, and so is each missing part.

Skipped if doxygen is not installed.
"""

import html.parser
import json
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

# The sources of the site.
SOURCES = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "docs", "blitz", "tests/README.md", "tests/model/README.md",
           "tests/interleave/README.md", "tests/mutants/README.md", "bench/README.md", "bench/simulation/README.md",
           "packaging/README.md"]

PUBLIC = ["parallel_for", "join", "scope", "sort", "copy_if", "par", "BasicThreadPool", "ThreadPoolOptions", "JoinFunction", "LoopRange", "Unit",
          "ForkJoinPolicy", "AsyncPolicy"]



def before(declaration):
    """A regular expression for the docstring of a declaration."""
    return rf"(?:^ *///.*\n)+(?=^ *{declaration})"


# file, the docstring that is removed from it, and the name in the complaint.
UNDOCUMENTED = [
    ("parallel_for.hpp", before(r"template <LoopRange R.*>\nvoid parallel_for\(R&&"), "parallel_for("),
    ("thread_pool.hpp", before(r"template <BroadcastFunction F>\n"), "broadcast("),
    ("thread_pool.hpp", before(r"using AsyncThreadPool\b"), "AsyncThreadPool"),
    ("scope.hpp", before(r"class Scope \{"), "blitz::Scope"),
    ("options.hpp", r" *///< The processors that run the threads\.", "affinity"),
    ("stats.hpp", before(r"WorkerStats& operator\+="), "operator+="),
    ("algorithm/sort.hpp", before(r"inline constexpr detail::Algorithm<detail::SortFn> sort\b"), "sort (variable)"),
    # Doxygen does not report these two kinds.
    ("join.hpp", before(r"template <class F>\nconcept JoinFunction\b"), "blitz::JoinFunction"),
    ("yield.hpp", r"///< it found no job", "blitz::Yield::kIdle"),
]


# file, the part that is removed from its docstrings, and the text that the complaint must contain.
INCOMPLETE = [
    ("spawn.hpp", r"^/// @param f  Copied or moved into the job, as by spawn\(\)\.\n", "blitz::spawn_fifo lacks param f"),
    ("join_all.hpp", r"^/// @return std::vector.*\n", "blitz::join_all lacks return"),
    ("thread_pool.hpp", r"^  /// @throws std::invalid_argument for another number\.\n", "set_max_concurrency lacks throws"),
    ("broadcast.hpp", r"^/// Complexity: O\(n\) for n workers; each is woken\. Thread-safety: any thread;.*\n",
     "blitz::broadcast lacks complexity, thread-safety"),
    ("algorithm/histogram.hpp", r"^/// @code\n(?:///.*\n)*?/// @endcode\n(?=inline constexpr detail::Algorithm<detail::Histogram>)",
     "blitz::histogram lacks example"),
    ("policy.hpp", r"^/// @code\n(?:///.*\n)*?/// @endcode\n(?=template <class F, class Q, class I>)", "blitz::JobFinder lacks example"),
    ("join.hpp", r"(?<=^/// What join_context)\(\)", "blitz::JoinContextFunction lacks thread-safety, example"),
    ("c.h", r"^/// @return BLITZ_OK, or why `f` will not be called\.\n", "c.h::blitz_task_group_run lacks return"),
    ("adaptor/calls.hpp", r" Complexity: O\(1\) plus the two calls\.$", "blitz::adaptor::join lacks complexity"),
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
    """Runs docs/build of a tree. Returns its exit status and its complaints."""
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
    """The public concepts and enumerators without a docstring, such as blitz::JoinFunction and blitz::Flow::kContinue."""
    descriptions = ("briefdescription", "detaileddescription")
    for path in sorted((site / "xml").glob("*.xml")):
        for element in xml.etree.ElementTree.parse(path).iter():
            concept = element.tag == "compounddef" and element.get("kind") == "concept"
            for item in [element] if concept else element.findall("enumvalue"):
                if not any("".join(item.find(tag).itertext()).strip() for tag in descriptions):
                    yield item.findtext("compoundname") or f"{element.findtext('qualifiedname')}::{item.findtext('name')}"


def plain(*elements):
    return " ".join(" ".join("".join(e.itertext()).split()) for e in elements if e is not None)


def text_of(item):
    """The docstring of a compound or a member, with "@return", "@throws" and "@code" in place of these parts."""
    tags = {"return": "@return", "exception": "@throws"}
    details = item.find("detaileddescription")
    found = [tags.get(part.get("kind"), "") for part in details.iter() if part.tag in ("simplesect", "parameterlist")]
    code = "@code" if details.find(".//programlisting") is not None else ""
    return " ".join([plain(item.find("briefdescription"), details), *found, code])


# The words that state each part in a docstring.
IMPERATIVE = re.compile(r"(?:As|Calls|Runs|Waits|Starts|Asks|Reads|Spawns|Combines|Folds|Makes|Appends|Assigns|Sorts|Copies|Moves|Adds)\b")
PARTS = {
    "throws": re.compile(r"@throws|hrow|xception"),
    "complexity": re.compile(
        r"omplexity|\bO\(|\b[Cc]osts?\b|\bcalls? (?:of|for)\b|\btimes\b|once for each|comparisons|swaps|assignment|One load"
    ),
    "thread-safety": re.compile(r"[Tt]hread-safe|[Aa]ny thread|[Oo]ne thread|Plain data"),
    "example": re.compile("@code"),
}


def lacking(site):
    """The missing parts in the docstrings of public functions, members and algorithms, as "blitz::join lacks example".

    A docstring names each parameter except `options`. It describes the return value, unless it begins with it ("The number of
    ..."). All other parts may be in the docstring of the class or C header, of another overload, of a section, or of a
    declaration that the docstring refers to ("As find, ...")."""
    for path in sorted((site / "xml").glob("*.xml")):
        for compound in xml.etree.ElementTree.parse(path).getroot().findall("compounddef"):
            name, kind = compound.findtext("compoundname"), compound.get("kind")
            if compound.get("prot", "public") == "public" and (kind in ("class", "struct", "namespace") or name.endswith(".h")):
                yield from lacking_in(compound, name, kind)
    yield from lacking_in_types(site)


def lacking_in_types(site):
    """Like lacking(), for classes and concepts: an example and thread-safety. "Plain data" states thread-safety. Either part
    may be in the docstring of a linked name: for the concept of a callable, the call that takes it ("What join() takes")."""
    compounds = [c for path in sorted((site / "xml").glob("*.xml")) for c in xml.etree.ElementTree.parse(path).iter("compounddef")]
    names, texts = {}, {}  # a link -> the name, which overloads share -> all documentation for it
    for compound in compounds:
        names[compound.get("id")] = compound.get("id")
        texts[compound.get("id")] = text_of(compound)
        for member in compound.iter("memberdef"):
            name = names[member.get("id")] = member.findtext("qualifiedname") or member.findtext("name")
            whole = "" if compound.get("kind") == "namespace" else texts[compound.get("id")]
            texts[name] = texts.get(name, "") + text_of(member) + whole
    for compound in compounds:
        name = compound.findtext("compoundname")
        if compound.get("kind") not in ("class", "struct", "concept") or compound.get("prot") == "private" or "promise_type" in name:
            continue
        said = texts[compound.get("id")]
        for part in compound.findall("briefdescription") + compound.findall("detaileddescription"):
            links = set(part.iter("ref")) - {link for code in part.iter("programlisting") for link in code.iter("ref")}
            said += "".join(texts.get(names.get(link.get("refid")), "") for link in links)
        missing = [part for part in ("thread-safety", "example") if not PARTS[part].search(said)]
        if missing:
            yield f"{name} lacks {', '.join(missing)}"


def lacking_in(compound, compound_name, kind):
    is_class = kind in ("class", "struct")
    members = [(member, section) for section in compound.findall("sectiondef") for member in section.findall("memberdef")]
    members = [(member, section) for member, section in members if member.get("prot") == "public"]
    texts = {}
    for member, _ in members:
        texts[member.findtext("name")] = texts.get(member.findtext("name"), "") + text_of(member)
    for member, section in members:
        name, arguments, own = member.findtext("name"), member.findtext("argsstring") or "", text_of(member)
        is_function = member.get("kind") == "function"
        is_algorithm = member.get("kind") == "variable" and not is_class
        if not (is_function or is_algorithm) or "delete" in arguments or name.startswith("~") or "promise_type" in compound_name:
            continue
        near = own + texts[name] + (text_of(compound) if compound_name != "blitz" else "")
        if section.get("kind") == "user-defined":
            near += plain(section.find("description")) + "".join(text_of(other) for other in section.findall("memberdef"))
        for other in re.findall(r"\b(?:[Aa]s|same as) (?:for )?(?:blitz::)?(\w+)", own):
            near += texts.get(other, "")

        missing = [] if own.strip() else ["brief"]
        for parameter in (p.findtext("declname") for p in member.findall("param")):
            if parameter and parameter != "options" and not re.search(rf"\b{parameter}\b", own):
                missing.append(f"param {parameter}")
        is_special = name in (compound_name.split("::")[-1], "operator=")
        returns = is_algorithm or (plain(member.find("type")) not in ("", "void") and not is_special)
        # An algorithm may describe it in its section.
        if returns and IMPERATIVE.match(own) and not re.search(r"\b[Rr]eturn" if is_algorithm else "@return", near if is_algorithm else own):
            missing.append("return")
        is_simple = is_special or (is_class and not member.findall("param"))
        needless = {"throws": "noexcept" in arguments, "complexity": is_simple}
        missing += [part for part, said in PARTS.items() if not needless.get(part) and not said.search(near)]
        if missing:
            yield f"{compound_name}::{name} lacks {', '.join(missing)}"


class SiteTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.site = pathlib.Path(cls.folder.name) / "site"
        cls.status, cls.complaints = build(ROOT, cls.site)
        cls.index = json.loads((cls.site / "search_index.js").read_text().removeprefix("const INDEX = ").removesuffix(";\n"))
        cls.pages = {path.name: Page(path) for path in cls.site.glob("*.html")}

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_doxygen_has_no_complaint_and_docstrings_are_complete(self):
        self.assertEqual((self.status, self.complaints), (0, ""))
        self.assertEqual(list(without_docstring(self.site)), [])
        self.assertEqual(list(lacking(self.site)), [])

    def test_links_lead_to_existing_places(self):
        links = {(name, link) for name, page in self.pages.items() for link in page.links}
        # Scripts create the menu. (The keys in navtreeindex*.js are not links.)
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

    def test_the_menu_has_each_page(self):
        """The menu contains each page of docs/, and no unresolved reference."""
        menu = (self.site / "navtreedata.js").read_text()
        for page in (ROOT / "docs").rglob("*.md"):
            self.assertIn(f'"md_{"_".join(page.relative_to(ROOT).with_suffix("").parts)}.html"', menu)
        self.assertNotIn("@ref", menu)

    def test_the_reference_has_the_public_names(self):
        names = set()
        for page, _, heading, _ in self.index["sections"]:
            names |= {heading.removesuffix("()"), self.index["pages"][page][1]}
        for name in PUBLIC:
            self.assertIn(name, names)
        self.assertEqual(list(self.site.glob("*1_1detail*")), [])
        self.assertEqual([page for page in self.index["pages"] if "detail::" in page[1]], [])

    def test_the_index_has_each_page_and_section(self):
        pages = [name for name, _, _ in self.index["pages"]]
        for page in (ROOT / "docs").rglob("*.md"):
            self.assertIn(f'md_{"_".join(page.relative_to(ROOT).with_suffix("").parts)}.html', pages)
        for page, anchor, heading, text in self.index["sections"]:
            with self.subTest(page=pages[page], heading=heading):
                self.assertTrue(not anchor or anchor in self.pages[pages[page]].anchors, "leads to no place in the page")
                self.assertNotIn("Reference", self.index["pages"][page][1])
        # A short part of the text of a guide and of a docstring, and a member without a section in its page.
        sections = [(pages[page], heading, text) for page, _, heading, text in self.index["sections"]]
        for page, heading, part in [("md_docs_guide.html", "Grain", "no grain size to choose"),
                                    ("namespaceblitz.html", "parallel_for()", "Calls f(x) for every x of range")]:
            self.assertTrue(any((page, heading) == section[:2] and part in section[2] for section in sections), heading)
        self.assertIn(("classblitz_1_1Scope.html", "stop_requested", "Whether a stop is requested. One load."), sections)

    def test_two_builds_are_equal(self):
        again = self.site.parent / "again"
        self.assertEqual(build(ROOT, again), (0, ""))
        files = [{path.name: path.read_bytes() for path in site.iterdir() if path.is_file()} for site in (self.site, again)]
        self.assertEqual(files[0].keys(), files[1].keys())
        self.assertEqual([name for name in files[0] if files[0][name] != files[1][name]], [])

    def test_missing_docstrings_and_parts_are_found(self):
        with tempfile.TemporaryDirectory() as folder:
            copy, site = pathlib.Path(folder) / "copy", pathlib.Path(folder) / "site"
            for source in SOURCES:
                (copy / source).parent.mkdir(parents=True, exist_ok=True)
                (shutil.copytree if (ROOT / source).is_dir() else shutil.copy)(ROOT / source, copy / source)
            for name, left_out, _ in UNDOCUMENTED + INCOMPLETE:
                path = copy / "blitz" / name
                text, count = re.subn(left_out, "", path.read_text(), 0, re.MULTILINE)
                self.assertEqual(count, 1, f"{name} should have one place like {left_out}")
                path.write_text(text)
            undocumented = {line for line in build(copy, site)[1].splitlines() if line.endswith("is not documented.")}
            undocumented |= {f"{name} is not documented." for name in without_docstring(site)}
            self.assertEqual(len(undocumented), len(UNDOCUMENTED), undocumented)
            for _, _, named in UNDOCUMENTED:
                with self.subTest(named):
                    self.assertTrue([complaint for complaint in undocumented if named in complaint], undocumented)
            incomplete = list(lacking(site))
            for _, _, expected in INCOMPLETE:
                with self.subTest(expected):
                    self.assertTrue([complaint for complaint in incomplete if complaint.endswith(expected)], incomplete)


if __name__ == "__main__":
    if shutil.which("doxygen") is None:
        print("no doxygen")
        sys.exit(77)
    unittest.main()
