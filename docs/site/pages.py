#!/usr/bin/env python3
"""Makes the web site from Doxygen's pages: pages.py ROOT DOXYGEN FOLDER reads DOXYGEN/*.html and writes FOLDER/*.html.

Doxygen's text of each page is kept. Its frame is replaced by TEMPLATE, and a namespace by a page for each of its names
(reference.py). Links follow the new pages.
"""

import collections
import html
import pathlib
import re
import shutil
import sys

from doxygen_pages import breakable, coloured, file_of, slug, tidy, without_tags
from menu import INSIDE, MENU, OPEN
from reference import KINDS, Page, Reference

TEMPLATE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>blitz: {title}</title>
{description}<link rel="icon" href="logo.svg">
<link rel="stylesheet" href="style.css">
<script src="site.js"></script>
<script defer src="search.js"></script>
</head>
<body data-kind="{kind}">
<header><a id="home" href="index.html"><img src="logo.svg" alt="">blitz</a> <span id="version">{version}</span></header>
<nav id="side-nav" aria-label="Pages">{menu}</nav>
<main>
{toc}<article>
<h1>{heading}</h1>
{text}
</article>
<nav id="neighbours" aria-label="Previous and next page">{neighbours}</nav>
</main>
</body>
</html>
"""


class Site:
    def __init__(self, root, doxygen):
        self.version = re.search(r'BLITZ_VERSION_STRING "(.*)"', (root / "blitz/version.hpp").read_text())[1]
        raw = {path.name: path.read_text() for path in sorted(doxygen.glob("*.html"))}
        self.paths = {name: self.path_of(text) for name, text in raw.items() if name.endswith("_source.html")}
        self.reference = Reference(root, self.paths)
        self.pages, self.names = self.reference.pages, self.reference.names
        for name, text in raw.items():
            title = re.search(r'<div class="title">(.*?)</div>', text, re.S)
            if title and '<div class="contents">' in text:
                self.add(name, without_tags(title[1]).strip(), tidy(text.split('<div class="contents">', 1)[1].rsplit("</div><!-- contents -->", 1)[0]))

    @staticmethod
    def path_of(text):
        folders = re.findall(r'<li class="navelem"><a class="el" href="dir_[^"]*">(.*?)</a>', text)
        return "/".join([*folders, without_tags(re.search(r'<div class="title">(.*?)</div>', text)[1])])

    def add(self, name, title, text):
        if name.startswith("namespaceblitz"):
            self.reference.add_namespace(name, text)
        elif name in self.paths:
            self.pages[file_of(name)] = Page(self.paths[name], "source", text[text.index("<pre"):])
        elif name.startswith("md_") or name == "index.html":
            inside = any(f"{page}.html" == file_of(name) for group in INSIDE for page in MENU[group])
            self.pages[file_of(name)] = Page(title, "inside" if inside else "guide", text)
        elif file_of(name).startswith(("class-", "concept-", "c_h.")):
            title = re.sub(r"^(?:blitz::)?(.*?)(?:<[^>]*>)? (?:Class|Struct|Concept|File).*", r"\1", title)
            self.reference.add_class(name, title.replace("< ", "<").replace(" >", ">"), text)

    # The text of the pages, after all names are known.

    def finish(self):
        for target, aliases in self.reference.aliases.items():
            self.show_alias(self.pages[target], target, aliases)
        for target, page in self.pages.items():
            page.text = re.sub(r'href="([^"]*)"', lambda m: f'href="{self.link(m[1])}"', page.text)
            if page.kind in ("guide", "inside"):
                page.text = self.with_links(self.with_headings(self.without_wrong_links(page.text, target)), target)
            if page.kind in KINDS:
                page.text = re.sub(r'(?<=<pre class="declaration"><code>).*?(?=</code></pre>)', lambda m: coloured(self.linked_types(m[0])),
                                   page.text, flags=re.S)
        self.add_uses()
        self.add_reference()

    def show_alias(self, page, target, aliases):
        """BasicThreadPool is known as ThreadPool: this is the page's title, and its text begins with this alias. Others come last."""
        self.names[page.title] = target
        page.title = page.title.removeprefix("Basic")
        self.names[page.title] = target
        main, *others = sorted(aliases, key=lambda alias: alias.name != page.title)
        page.brief = main.brief
        text = re.sub('^<p class="include">.*?</p>', "", page.text)
        links = ", ".join(f'<a href="#{other.id}"><code>{other.name}</code></a>' for other in others)
        page.text = "".join([
            self.reference.include(main.source), self.reference.documented(main, 2), f"<p>See also {links}.</p>" if others else "",
            f'<h2 id="template">Basic{page.title}</h2>', text,
            *(self.reference.documented(other, 2, other.name) for other in others)])

    def link(self, link):
        if re.match(r"[a-z]+:", link) or link.startswith("#"):
            return link
        places = self.reference.places
        if link in places:
            return places[link]
        name, _, place = link.partition("#")
        if name in self.pages:  # ours
            return link
        if name in places:
            return places[name]
        target = file_of(name) if name.endswith(".html") else name
        has_place = place and (not target.startswith("source-") or re.match(r"l\d+$", place))
        return (target or "reference.html") + (f"#{place}" if has_place else "")

    def with_headings(self, text):
        """Headings one level lower, with GitHub's anchors, and links to them."""
        seen = collections.Counter()

        def heading(match):
            anchor = slug(match[2])
            seen[anchor] += 1
            anchor += f"-{seen[anchor] - 1}" if seen[anchor] > 1 else ""
            level = int(match[1]) + 1
            return f'<h{level} id="{anchor}">{match[2].strip()}</h{level}>'

        text = re.sub(r'<h(\d)[^>]*><a class="anchor" id="[^"]*"></a>\s*(.*?)</h\1>', heading, text, flags=re.S)
        return re.sub(r'href="([^"#]*)(?:#[^"]*)?">([^<⚓]*(?:<(?!/a>)[^<⚓]*)*)⚓([\w-]*)</a>', r'href="\1#\3">\2</a>', text)

    def without_wrong_links(self, text, target):
        """Doxygen links each name() and file.hpp of a page, though it may be of another library, or a member of another class. Pages
        about other libraries and programs keep only links with blitz:: and blitz/."""
        text = re.sub(r'(?<=[\w)]\.)<a class="el"[^>]*>(\w+(?:\(\))?)</a>|<a class="el"[^>]*>([\w.]*\.\w+\(\))</a>', r"\1\2", text)
        if target == "pipelines.html":  # its calls are stages: see linked_code
            return re.sub(r'(?<=<code>)<a class="el" href="call-[^>]*>(\w+\(\))</a>', r"\1", text)
        if self.is_about_blitz(target):
            return text
        return re.sub(r'<a class="el" href="(?:call|class|type|source)-[^>]*>((?:\w+\(\)|\w+\.hpp))</a>', r"\1", text)

    @staticmethod
    def is_about_blitz(target):
        """Whether the names in a page are those of blitz."""
        groups = [group for group, names in MENU.items() if target.removesuffix(".html") in names]
        return groups in (["Start"], ["Learn"], ["Reference"]) or target.startswith("blitz")

    def with_links(self, text, target):
        """Calls in tables, and blitz::name in all code, become links to their pages."""
        def table(match):
            heads = [without_tags(head).strip() for head in re.findall(r"<th[^>]*>(.*?)</th>", match[0], re.S)]

            def row(match):
                cells = re.split(r"(?=<td)", match[0])
                for i, cell in enumerate(cells):
                    ours = heads[i - 1:i] == ["blitz"] if "blitz" in heads else self.is_about_blitz(target)
                    if len(without_tags(cell).strip()) > 40:
                        cell = cell.replace("<td", '<td class="prose"', 1)
                    cell = re.sub(r"(<a [^>]*>)([^<]*)(?=</a>)", lambda m: m[1] + breakable(m[2]), cell)
                    cells[i] = re.sub(r"<code>(.*?)</code>", lambda m: breakable(self.linked_code(m, ours, target)), cell)
                return "".join(cells)

            return re.sub(r"<tr.*?</tr>", row, match[0], flags=re.S)

        parts = re.split(r"(<table>.*?</table>)", text, flags=re.S)
        return "".join(re.sub("^.*$", table, part, flags=re.S) if part.startswith("<table>")
                       else re.sub(r"(?<!\">)<code>(blitz::.*?)</code>", lambda m: self.linked_code(m, False, target), part) for part in parts)

    def linked_code(self, match, is_ours, target):
        """A code with links: a name of blitz at its begin, and after blitz::."""
        if "<a" in match[1]:
            return match[0]

        def link(found):
            name = found[3]
            stages = self.reference.members["class-Pipeline.html"] if target == "pipelines.html" else {}
            place = stages.get(name) or self.names.get(name)
            if not place or (not found[2] and (found.start() > 0 or not is_ours)):
                return found[0]
            return f'<a href="{self.link(place)}">{found[2] or ""}{name}</a>'

        return "<code>" + re.sub(r"(?<![.:>&;\w-])((blitz::)?([A-Za-z_]\w*))", link, match[1]) + "</code>"

    def linked_types(self, declaration):
        return "".join(part if part.startswith("<a") else re.sub(
            r"(?<![\w:&-])[A-Z]\w+(?!\w*\()", lambda m: f'<a href="{self.names[m[0]]}">{m[0]}</a>' if m[0] in self.names else m[0], part)
            for part in re.split(r"(<a .*?</a>)", declaration))

    def ordered(self):
        """The pages in the order of the sidebar, then the reference."""
        listed = [f"{page}.html" for pages in MENU.values() for page in pages]
        return listed + [name for _, names in self.groups() for name in names if name not in listed]

    def add_uses(self):
        """The sections of the guides that link to a page of the reference, and the names of the same header."""
        uses = collections.defaultdict(dict)
        for group in ("Learn", "Reference", "Use beneath other libraries"):
            for name in MENU[group]:
                page = self.pages.get(f"{name}.html")
                for part in re.split("(?=<h2)", page.text) if page and page.kind == "guide" else []:
                    heading = re.match(r'<h2 id="(.*?)">(.*?)</h2>', part, re.S)
                    where = f"{name}.html#{heading[1]}" if heading else f"{name}.html"
                    says = f"{page.title}: {without_tags(heading[2])}" if heading else page.title
                    for link in re.findall(r'href="((?:call|class|type|concept)-[^"#]*)', part):
                        uses[link][where] = says
        headers = collections.defaultdict(list)
        for name, page in self.pages.items():
            if page.source:
                headers[page.header()].append(name)
        for name, page in self.pages.items():
            if page.kind not in KINDS:
                continue
            if uses[name]:
                seen = collections.Counter()
                places = []  # (how many places of the same guide come before it, place, text): the first of each guide is shown
                for where, says in uses[name].items():
                    places.append((seen[where.split("#")[0]], where, says))
                    seen[where.split("#")[0]] += 1
                shown = sorted(places, key=lambda place: place[0])[:max(8, len(seen))]
                items = "".join(f'<li><a href="{place[1]}">{html.escape(place[2])}</a></li>' for place in places if place in shown)
                page.text += f'<section class="uses"><h2 id="in-the-guides">In the guides</h2><ul>{items}</ul></section>'
            others = [other for other in headers[page.header()] if other != name]
            if others:
                items = ", ".join(f'<a href="{other}"><code>{html.escape(self.pages[other].title)}</code></a>' for other in others)
                page.text += f'<section class="uses"><h2 id="in-the-same-header">In the same header</h2><p>{items}</p></section>'

    def groups(self):
        """The names of the reference: (heading, pages)."""
        groups = {"Calls": [], "Algorithms": [], "Pipelines": [], "Classes and options": [], "Types": [], "Adaptors": [], "C++17: adaptor": [],
                  "Concepts": [], "Custom policies: policy": [], "C": []}
        for name, page in self.pages.items():
            if page.kind not in KINDS:
                continue
            path = self.paths.get(page.header(), "")
            group = {"call": "Calls", "class": "Classes and options", "type": "Types", "concept": "Concepts"}[page.kind]
            if "-policy-" in name:
                group = "Custom policies: policy"
            elif "-adaptor-" in name:
                group = "C++17: adaptor"
            elif path.endswith("/c.h") or name == "c_h.html":
                group = "C"
            elif "/adaptor/" in path:
                group = "Adaptors"
            elif page.kind == "call" and "/algorithm/" in path:
                group = "Algorithms"
            elif page.kind == "call" and "/pipeline/" in path:
                group = "Pipelines"
            groups[group].append(name)
        return [(group, sorted(names, key=lambda name: self.pages[name].title.lower())) for group, names in groups.items()]

    def add_reference(self):
        text = "<p>The public names of blitz, by kind.</p>"
        for group, names in self.groups():
            anchor = {"Custom policies: policy": "policy", "C++17: adaptor": "adaptor"}.get(group, slug(group))
            rows = "".join(f'<tr><td><a href="{name}"><code>{html.escape(self.pages[name].title)}</code></a></td>'
                           f"<td>{self.pages[name].brief}</td></tr>" for name in names)
            rows = re.sub(r'href="([^"]*)"', lambda m: f'href="{self.link(m[1])}"', rows)
            text += f'<h2 id="{anchor}">{group}</h2><div class="wide"><table class="members">{rows}</table></div>'
        self.pages["reference.html"] = Page("All names", "list", text)

    def menu(self, current):
        entry = "reference.html" if self.pages[current].kind in KINDS and current != "c_h.html" else current
        groups = []
        for group, names in MENU.items():
            links = "".join(f'<a href="{name}.html"{" aria-current=page" if entry == f"{name}.html" else ""}>{self.title(f"{name}.html")}</a>'
                            for name in names if f"{name}.html" in self.pages)
            is_open = group in OPEN or entry.removesuffix(".html") in names
            groups.append(f'<details{" open" if is_open else ""}><summary>{group}</summary>{links}</details>')
        return "\n".join(groups)

    def title(self, name):
        """The title of a page, which may be broken between the words of a name."""
        return re.sub("(::|[_/])", r"\1<wbr>", html.escape(self.pages[name].title))

    @staticmethod
    def description(page):
        """The first sentence of a page, for search engines and previews."""
        first = page.brief or next((text for text in re.findall(r"<p>(.*?)</p>", page.text, re.S) if without_tags(text).strip()), "")
        words = " ".join(without_tags(first).split())
        sentence = re.match(r".*?[.!?](?= |$)|.*", words)[0].rstrip(":")
        sentence = sentence if len(sentence) <= 200 else sentence[:200].rsplit(" ", 1)[0] + " ..."
        return f'<meta name="description" content="{html.escape(sentence)}">\n' if sentence else ""

    @staticmethod
    def contents(text):
        """The table of contents of a long page."""
        headings = re.findall(r'<h([23]) id="([^"]+)">(.*?)</h\1>', text, re.S)
        if len(headings) < 3:
            return ""
        links = "".join(f'<a class="level{level}" href="#{anchor}">{re.sub("</?a[^>]*>", "", heading)}</a>' for level, anchor, heading in headings)
        links = re.sub(r"(?<=>)[^<>]+", lambda m: re.sub(r"([(_]|::)(?=\w)", r"\1<wbr>", m[0]), links)
        return f'<details id="toc" open><summary>On this page</summary>{links}</details>\n'

    def heading(self, name, page):
        is_ours = page.kind in KINDS and not re.match("class-blitz_|c_h", name)
        return ("blitz::<wbr>" if is_ours else "") + self.title(name)

    def write(self, folder):
        order = self.ordered()
        for name, page in self.pages.items():
            neighbours = ""
            if name in order:
                i = order.index(name)
                for step, arrow in ((-1, "←\u00a0{}"), (1, "{}\u00a0→")):
                    if 0 <= i + step < len(order) and order[i + step] in self.pages:
                        other = order[i + step]
                        title = arrow.format(self.title(other))
                        neighbours += f'<a rel="{"prev" if step < 0 else "next"}" href="{other}">{title}</a>'
            text = re.sub(r"<code>([^<]*)</code>", unbroken_options, page.text)
            (folder / name).write_text(TEMPLATE.format(
                title=html.escape(page.title), description=self.description(page), heading=self.heading(name, page), kind=page.kind, version=self.version,
                menu=self.menu(name), toc=self.contents(text), text=text, neighbours=neighbours))


def unbroken_options(match):
    """A short code with options, such as --socket, which are not broken after a hyphen."""
    return "<code>" + re.sub(r"(?<![\w-])--?[A-Za-z][\w-]*", r'<span class="option">\g<0></span>', match[1]) + "</code>" \
        if len(match[1]) < 60 and "\n" not in match[1] else match[0]


if __name__ == "__main__":
    root, doxygen, folder = map(pathlib.Path, sys.argv[1:])
    site = Site(root, doxygen)
    site.finish()
    site.write(folder)
    with (folder / "warnings.txt").open("a") as file:
        file.writelines(f"{warning}\n" for warning in site.reference.warnings)
    parts = [root / "docs" / name for name in ("logo.svg", "site/style.css", "site/site.js", "site/search.js")]
    for file in [*doxygen.glob("*.svg"), *parts]:
        shutil.copy(file, folder)
