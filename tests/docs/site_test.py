#!/usr/bin/env python3
"""Builds the documentation as a web site, and checks it.

    site_test.py ROOT

- docs/build reports nothing: no page, reference or parameter is wrong, and everything public has a docstring. Doxygen does not
  report missing docstrings of concepts and enumerators: they are checked here.
- Each link of each page leads to an existing page and an existing anchor.
- Each public function, function object, class, enumeration and concept has a page with its declaration and a link to its source;
  the calls have an example. The page of a function object shows the forms of its call. Nothing of blitz::detail has a page.
- Each heading that a Markdown page links to is the target of the same link in the site.
- Each call in the tables of the guides is a link to its page. Code in languages that Doxygen does not know has colours.
- The pages of the reference are complete: a row for each parameter of an algorithm, in order; return types and qualifiers; no text
  of Doxygen and no macro; no two equal headings. Tags are balanced, and marks of Markdown do not remain.
- The menu has the groups of MENU and all pages of docs/; the links to the next page lead through all of them.
- The index of the search contains the public names.
- Each section of the index exists, and has text. Two builds have the same files.
- The docstring of each function, member and algorithm has the parameters, return value, exceptions, complexity, thread-safety
  and an example: see lacking(). The docstring of each class and concept has an example and thread-safety: see
  lacking_in_types().
- A missing docstring is noticed, for each kind of declaration, and so is each missing part.

Skipped if doxygen is not installed.
"""

import html
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


# The groups of the menu.
GROUPS = ["Start", "Learn", "Reference", "Use beneath other libraries", "Look inside", "Performance", "Decisions"]


def page_of(source):
    """The page of a Markdown file."""
    name = "_".join(source.relative_to(ROOT).with_suffix("").parts)
    return "index.html" if name == "README" else re.sub("^docs_|_README$", "", name) + ".html"


def plain_text(text):
    return html.unescape(re.sub("<[^>]*>", "", text))


class Page(html.parser.HTMLParser):
    """The links and the anchors of a page, and end tags without a beginning."""

    EMPTY = ("br", "img", "hr", "meta", "link", "input", "col", "wbr")

    def __init__(self, path):
        super().__init__()
        self.links, self.anchors = set(), set()
        self.open, self.unbalanced = [], []  # tags
        self.feed(path.read_text())

    def handle_endtag(self, tag):
        if tag in self.EMPTY:
            return
        if not self.open or self.open[-1] != tag:
            self.unbalanced.append(tag)
        else:
            self.open.pop()

    def handle_starttag(self, tag, attributes):
        if tag not in self.EMPTY:
            self.open.append(tag)
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

    def test_links_to_headings_keep_their_anchors(self):
        """A link to a heading of another page, in GitHub's form, leads to this heading."""
        count = 0
        for source in (path for name in SOURCES for path in ([ROOT / name] if name.endswith(".md") else (ROOT / name).rglob("*.md"))):
            for text, target, heading in re.findall(r"\[([^\]]*)\]\(([^)#\s]*\.md)#([^)\s]*)\)", source.read_text()):
                with self.subTest(source=source, target=target, heading=heading):
                    count += 1
                    link = f"{page_of((source.parent / target).resolve())}#{heading}"
                    self.assertIn(link, self.pages[page_of(source)].links)
                    self.assertNotIn("⚓", self.html(page_of(source)))
        self.assertGreater(count, 30)

    def html(self, name):
        return (self.site / name).read_text()

    def test_the_menu_has_each_page_and_the_next_page_links_lead_through_it(self):
        """The groups of the menu, each page of docs/ in it, and a way through all pages."""
        start = self.html("index.html")
        self.assertEqual(re.findall("<summary>(.*?)</summary>", start.split("<main>")[0]), GROUPS)
        listed = set(re.findall(r'<a href="([^"]*)"', start.split('id="side-nav"')[1].split("</nav>")[0]))
        for page in (ROOT / "docs").rglob("*.md"):
            self.assertIn(page_of(page), listed)
        way, name = [], "index.html"
        while name:
            self.assertNotIn(name, way)
            way.append(name)
            following = re.search(r'<a rel="next" href="([^"]*)"', self.html(name))
            name = following[1] if following else ""
        self.assertEqual(listed - set(way), set())
        self.assertIn("call-sort.html", way)
        before = re.search(r'<a rel="prev" href="([^"]*)"', self.html(way[5]))
        self.assertEqual(before[1], way[4])

    def test_the_reference_has_the_public_names(self):
        names = {self.index["pages"][page][1] for page, *_ in self.index["sections"]}
        names |= {heading.split("(")[0] for _, _, heading, _ in self.index["sections"]}
        for name in PUBLIC:
            self.assertIn(name, names)
        self.assertEqual(list(self.site.glob("*-detail-*")), [])
        self.assertEqual([page for page in self.index["pages"] if "detail::" in page[1]], [])

    def test_each_name_has_a_page_with_declaration_and_source(self):
        kinds = {"function": "call", "variable": "call", "enum": "type", "concept": "concept", "class": "class", "struct": "class"}
        space = xml.etree.ElementTree.parse(self.site / "xml" / "namespaceblitz.xml").getroot()
        found = {(kinds[member.get("kind")], re.sub(r"\W+", "_", member.findtext("name"))) for member in space.iter("memberdef")
                 if member.get("kind") in ("function", "variable", "enum")}
        for path in (self.site / "xml").glob("*blitz_1_1*.xml"):
            compound = xml.etree.ElementTree.parse(path).find("compounddef")
            if compound.get("kind") in kinds and compound.get("prot", "public") == "public":
                name = compound.findtext("compoundname").removeprefix("blitz::").replace("::", "-").split("<")[0]
                found.add((kinds[compound.get("kind")], name.removeprefix("Basic")))
        self.assertGreater(len(found), 200)
        for kind, name in sorted(found):
            with self.subTest(kind=kind, name=name):
                page = self.html(f"{kind}-{name}.html")
                self.assertTrue(re.search(r'<p class="origin"><a href="source-[\w.]*h(pp)?\.html#l\d+">blitz/', page), "no source")
                declarations = re.findall(r'<pre class="(?:declaration|code)"><code>(.*?)</code>', page, re.S)
                if kind == "call":
                    self.assertRegex(plain_text(declarations[0]), rf"\b{name.replace('operator_', 'operator ')}\(")
                    self.assertTrue(re.search('<pre class="code">|class="uses"', page), "no example")
                    self.assertNotRegex(plain_text(declarations[0]), "constexpr auto|\\{\\};")

    def test_a_function_object_shows_its_calls(self):
        page = self.html("call-sort.html")
        forms, declarations = (plain_text(part) for part in re.findall(r'<pre class="declaration"><code>(.*?)</code>', page, re.S)[:2])
        arguments = ["range", "first, last", "options, range", "options, first, last"]
        self.assertEqual(forms.splitlines(), [f"blitz::sort({these}, comp = {{}}, proj = {{}})" for these in arguments])
        self.assertIn("auto sort(I first, S last, C comp = {}, P proj = {});", declarations)
        for part in ("<dt>Parameters</dt>", ">Exceptions<", ">Complexity and memory<", ">Thread-safety<", "std::greater{}", ">In the guides<"):
            self.assertIn(part, page)
        self.assertIn("blitz::histogram(options, range, bins, bin_of = {})", self.html("call-histogram.html"))
        for path in self.site.glob("call-*.html"):
            # Each function object has a form with a range or a count, and one with options.
            if "Declarations</summary>" in path.read_text():
                self.assertTrue(re.search(r"<code>blitz::\w+\((.|\n)*\(\s*options,\s", path.read_text()), path.name)

    def test_a_function_object_has_a_row_for_each_parameter(self):
        """The parameters of the forms of a call, in the order of the forms; none is invented."""
        count = 0
        for path in sorted(self.site.glob("call-*.html")):
            page = path.read_text()
            if "Declarations</summary>" not in page:
                continue
            count += 1
            forms = plain_text(re.search(r'<pre class="declaration"><code>(.*?)</code>', page, re.S)[1])
            forms = [[part.split(" = ")[0].strip() for part in form.split(",")] for form in re.findall(r"\(\s*(.*?)\)(?:\n|$)", forms, re.S)]
            rows = re.findall(r"<tr><td>(\w+)</td><td>(.*?)</td></tr>", page)
            names = [name for name, _ in rows]
            with self.subTest(page=path.name):
                self.assertEqual(set(names), {name for form in forms for name in form})
                for form in forms:
                    self.assertEqual(form, [name for name in names if name in form])
                self.assertEqual([name for name, text in rows if not text], [])
                self.assertNotIn("argument", names)
                self.assertNotIn("...", plain_text(page.split("Declarations</summary>")[1].split("</details>")[0]))
                self.assertLess(page.index("<dt>Parameters</dt>"), page.index("Declarations</summary>"))
        self.assertGreater(count, 80)
        self.assertIn("blitz::shift_left(first, last, by)", plain_text(self.html("call-shift_left.html")))
        self.assertIn("blitz::uninitialized_copy_n(options, first, count, out, out_last)", plain_text(self.html("call-uninitialized_copy_n.html")))
        self.assertIn("blitz::reverse(options, range)", plain_text(self.html("call-reverse.html")))

    def test_declarations_are_complete(self):
        declarations = {}
        for path in sorted(self.site.glob("*.html")):
            page = path.read_text()
            declarations[path.name] = [html.unescape(plain_text(code)) for code in re.findall(r'<pre class="declaration"><code>(.*?)</code>', page, re.S)]
            with self.subTest(page=path.name):
                for declaration in declarations[path.name]:
                    self.assertNotRegex(declaration, r"\bBLITZ_[A-Z]|template <.*>\n\n| \{\}$")
                if path.name.startswith(("class-", "c_h")):
                    lines = [re.sub(r"\s+", " ", declaration) for declaration in declarations[path.name]]
                    self.assertEqual(len(lines), len(set(lines)), "a member is repeated")
        for name, declaration in [("class-Pipeline", "std::optional<Value> reduce(Op op) const"), ("class-Scope", "std::stop_token stop_token()"),
                                  ("class-Task", "void operator co_await() & = delete"), ("class-Task", "std::coroutine_handle<promise_type> release()"),
                                  ("class-Pipeline", "with(const AlgorithmOptions& options) const&"), ("class-Array", "std::size_t size() const noexcept"),
                                  ("class-ThreadPool", "std::optional<std::size_t> current_thread_index() const noexcept")]:
            self.assertTrue(any(declaration in text for text in declarations[f"{name}.html"]), declaration)

    def test_pages_have_no_remains(self):
        """Of Doxygen's and Markdown's marks; and headings and tags are as a reader and a browser expect them."""
        for name, page in self.pages.items():
            text = self.html(name)
            with self.subTest(page=name):
                self.assertEqual(page.unbalanced, [])
                if name.startswith("source-"):
                    continue
                prose = plain_text(re.sub("<pre.*?</pre>", "", text, flags=re.S))
                self.assertNotRegex(prose, r"\bStd::|⚓|⚑|documentation for this|Definition (in|at)|blitz::\w+ (Class|Struct) ")
                self.assertNotRegex(prose, r"`[^`\n]*`|(?<![\w*/])\*[A-Z]\w+ ")
                self.assertNotRegex(text, r"<dd>[^<]*<pre|>(\.\./)*[\w/]+\.md</a>")
                headings = re.findall(r'<h[23] id="[^"]*">(.*?)</h[23]>', text, re.S)
                if name.startswith(("call-", "class-", "c_h")):
                    self.assertEqual(len(headings), len(set(headings)), headings)
                ids = re.findall(r' id="([^"]*)"', text)
                self.assertEqual(len(ids), len(set(ids)), "equal anchors")
                self.assertRegex(text, r'<meta name="description" content="[^"]{3,}">')
        self.assertNotIn("class-es.html", self.pages)

    def test_examples_follow_the_labelled_parts(self):
        for name, page in self.pages.items():
            for part in re.findall(r'<dl class="section user">.*?</dl>', self.html(name), re.S):
                self.assertNotRegex(part, r'<pre class="code">|Sources?: |The algorithm: ', name)
        page = self.html("call-sort.html")
        places = [page.index(part) for part in ("Not stable", "std::greater{}", ">Parameters<", ">Exceptions<",
                                                ">Complexity and memory<", ">Thread-safety<", ">Sources<", ">Declarations<")]
        self.assertEqual(places, sorted(places))

    def test_the_reference_is_marked_in_the_menu(self):
        for name, current in (("call-sort", "reference"), ("guide", "guide"), ("c_h", "c_h")):
            self.assertEqual(re.findall(r'<a href="(\w+)\.html" aria-current=page>', self.html(f"{name}.html")), [current])

    def test_thread_pool_has_its_own_page(self):
        page = self.html("class-ThreadPool.html")
        self.assertIn("<h1>blitz::<wbr>ThreadPool</h1>", page)
        self.assertIn("using ThreadPool = BasicThreadPool&lt;ForkJoinPolicy&gt;", plain_text(page).replace("<", "&lt;").replace(">", "&gt;"))
        self.assertIn(">install(f)</h3>", page)
        self.assertTrue(re.search(r'<a [^>]*href="class-ThreadPool\.html[^>]*>blitz::(<wbr>)?ThreadPool</a>', self.html("calls.html")))

    def test_calls_in_tables_are_links(self):
        calls = {path.stem.split("-", 1)[1] for kind in ("call", "class") for path in self.site.glob(f"{kind}-*.html")}
        for name in ("calls.html", "guide.html", "algorithms.html"):
            codes = [code for table in re.findall("<table>.*?</table>", self.html(name), re.S) for code in re.findall("<code>(.*?)</code>", table)]
            known = [code for code in codes if re.sub(r"\W.*", "", plain_text(code).removeprefix("blitz::")) in calls]
            self.assertGreater(len(known), 10)
            self.assertEqual([code for code in known if "<a " not in code], [], name)
        # On the page of the pipelines, the stages are members.
        self.assertTrue(re.search(r'<code><a href="class-Pipeline\.html#\w+">flat_map</a></code>', self.html("pipelines.html")))
        # Names of other libraries are no links.
        self.assertFalse(re.search("<a [^>]*>tbb::", self.html("migrating.html")))
        self.assertTrue(re.search(r"<td><code>parallel_sort</code>.*</td><td><code><a [^>]*>sort</a>", self.html("migrating.html")))

    def test_cmake_meson_and_sh_have_colours(self):
        start = self.html("start.html")
        self.assertIn('<span class="keyword">target_link_libraries</span>(start PRIVATE blitz::blitz)', start)
        self.assertIn('<span class="stringliteral">&#39;start.cpp&#39;</span>', start)
        self.assertEqual([path.name for path in self.site.glob("*.html") if "⚑" in path.read_text()], [])

    def test_the_index_has_each_page_and_section(self):
        pages = [name for name, _, _ in self.index["pages"]]
        for page in (ROOT / "docs").rglob("*.md"):
            self.assertIn(page_of(page), pages)
        for page, anchor, heading, text in self.index["sections"]:
            with self.subTest(page=pages[page], heading=heading):
                self.assertTrue(not anchor or anchor in self.pages[pages[page]].anchors, "leads to no place in the page")
        # A short part of the text of a guide, of a docstring, and of a member.
        sections = [(pages[page], heading, text) for page, _, heading, text in self.index["sections"]]
        for page, heading, part in [("guide.html", "Grain", "no grain size to choose"),
                                    ("call-parallel_for.html", "parallel_for(range, f)", "Calls f(x) for every x of range"),
                                    ("class-Scope.html", "stop_requested()", "Whether a stop is requested. One load.")]:
            self.assertTrue(any((page, heading) == section[:2] and part in section[2] for section in sections), heading)

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
