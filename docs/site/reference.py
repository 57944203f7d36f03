"""The pages of the reference, from Doxygen's pages of namespaces and classes: a page for each name."""

import collections
import html
import re

from doxygen_pages import file_of, lists_of, members_of, spaced
from operators import Operators

KINDS = ("call", "class", "type", "concept")

# The parameters that the call operators of several algorithms share.
PARAMETERS = {
    "options": "AlgorithmOptions: the smallest block, a stop token, the pool, and whether sums are deterministic",
    "range": "random access and sized: vectors, arrays, spans, deques, iota, and views of these",
    "first": "the first item", "last": "one after the last item",
    "comp": "compares two projections; called concurrently, through a constant reference",
    "pred": "a predicate of a projection; called concurrently, through a constant reference",
    "proj": "what is compared or passed: a function of an item, or a pointer to its member; called concurrently",
    "out": "the output: a sized range, or its first item; writing stops at its end",
    "out_last": "the end of the output",
}


class Page:
    """A page of the site. Its kind is one of KINDS, "guide", "inside" (about the code), "source" or "list"."""

    def __init__(self, title, kind, text="", brief="", source=""):
        self.title, self.kind, self.text, self.brief, self.source = title, kind, text, brief, source

    def header(self):
        """Doxygen's page of the header that declares the name."""
        return self.source.split("#")[0]


class Reference:
    def __init__(self, root, paths):
        self.root, self.operators = root, Operators(root)
        self.paths = paths  # Doxygen's page of a source -> its path
        self.pages = {}
        self.places = {}  # a link of Doxygen -> our link
        self.names = {}  # a public name -> its page
        self.members = collections.defaultdict(dict)  # the page of a class -> its members -> their links
        self.aliases = collections.defaultdict(list)  # the page of a class BasicX -> X, ...

    def link_to_source(self, place):
        name, line = place.split("#")
        return f'<p class="origin"><a href="{file_of(name)}#{line}">{self.paths[name]}</a></p>'

    def origin(self, member):
        """The link to the source of a member."""
        return self.link_to_source(member.source) if member.source else ""

    def place_of(self, name):
        """The source of a function that the library defines: Doxygen names only definitions."""
        for page, path in self.paths.items():
            for number, line in enumerate((self.root / path).read_text().splitlines(), 1):
                if re.search(rf"\bBLITZ_(C_)?API\b.*\b{re.escape(name)}\(", line):
                    return f"{page}#l{number:05}"
        return ""

    def documented(self, member, level, heading=None, others=()):
        """The section of a member, and of other overloads with the same text."""
        anchors = "".join(f'<a id="{other.id}"></a>' for other in others)
        heading = f'<h{level} id="{member.id}">{html.escape(heading)}</h{level}>' if heading else f'<a id="{member.id}"></a>'
        declarations = "\n\n".join(other.declaration for other in [*others, member])
        return (f'<section>{anchors}{heading}<pre class="declaration"><code>{declarations}</code></pre>{self.origin(member)}'
                f"{member.doc}</section>")

    def add_namespace(self, name, text):
        """A page for each name."""
        inner = name.removesuffix(".html").removeprefix("namespaceblitz").removeprefix("_1_1")
        lists = {link.split("#")[-1]: entry for entry in lists_of(text) for link in [entry[3]]}
        overloads = collections.defaultdict(list)
        for member in members_of(text):
            member.source = member.source or self.place_of(member.name)
            overloads[member.name].append(member)
        self.places[name] = f"reference.html#{inner}" if inner else "reference.html"
        for member_name, members in overloads.items():
            first = members[0]
            is_call = first.is_function or member_name in self.operators.objects
            alias = re.search(r'href="(classblitz_1_1Basic\w+\.html)"', first.declaration) if first.declaration.startswith("using") else None
            target = f'{"call" if is_call else "type"}-{inner + "-" if inner else ""}{re.sub("[^A-Za-z0-9_]+", "_", member_name)}.html'
            if alias:
                target = file_of(alias[1])
            for member in members:
                for place in member.places:
                    self.places[f"{name}#{place}"] = f"{target}#{place}"
            if not inner:
                self.names[member_name] = target + (f"#{first.id}" if alias else "")
            if alias:
                self.aliases[target].append(first)
                continue
            _, group, about, *_ = lists.get(first.id, [""] * 6)
            page = Page("::".join(filter(None, [inner, member_name])), "call" if is_call else "type", "", first.brief, first.source)
            if member_name in self.operators.objects and not inner:
                page.text = self.of_object(first)
            else:
                page.text = self.of_overloads(members)
            if about:
                page.text += f'<section><h2 id="group">{group}</h2>{about}</section>'
            page.text = self.include(first.source) + page.text
            self.pages[target] = page

    def of_overloads(self, members):
        alike = collections.defaultdict(list)  # overloads with the same text
        for member in members:
            alike[re.sub(r'<dl class="params">.*?</dl>', "", member.doc, flags=re.S).strip()].append(member)
        return "".join(self.documented(same[-1], 2, same[0].heading() if len(alike) > 1 else None, same[:-1])
                       for same in alike.values())

    def include(self, source):
        path = self.paths.get(source.split("#")[0], "")
        return f'<p class="include"><code>#include &lt;{path}&gt;</code></p>' if path else ""

    def of_object(self, member):
        """The forms of a call of a function object."""
        calls, declarations, used = [], [], []
        for template, result, arguments in self.operators.of(member.name):
            line = f"{result} {member.name}({arguments});"
            if len(line) > 90:
                line = f"{result} {member.name}(\n    " + ",\n    ".join(re.split(r", (?![^<]*>)", arguments)) + ");"
            declarations.append(html.escape(f"template <{template}>\n{line}"))
            used.append(re.findall(r"(\w+)(?: = [^,]*)?(?:,|$)", arguments))
            calls.append(f"blitz::{member.name}(" + ", ".join(re.findall(r"(\w+(?: = [^,]*)?)(?:,|$)", arguments)) + ")")
        rows = "".join(f"<tr><td>{name}</td><td>{text}</td></tr>" for name, text in PARAMETERS.items()
                       if name in {re.sub(r"\d$", "", parameter) for parameters in used for parameter in parameters})
        example = re.search(r'<pre class="code">.*?</pre>', member.doc, re.S)
        example = example[0] if example else ""
        doc = re.sub(re.escape(example) + r"\s*(?=[A-Z])", "<br>", member.doc).replace(example, "") if example else member.doc
        doc = re.sub(r"<p>(?=Throws? )", '<p class="part">Exceptions</p><p>', doc, count=1)
        doc = re.sub(r"<p>(?=O\()", '<p class="part">Complexity and memory</p><p>', doc, count=1)
        table = f'<dl class="params"><dt>Parameters</dt><dd><table class="params">{rows}</table></dd></dl>'
        doc = re.sub(r"(?<=</p>)", (example + table).replace("\\", r"\\"), doc, count=1)
        calls, declarations = "\n".join(calls), "\n\n".join(declarations)
        return (f'<section><a id="{member.id}"></a><pre class="declaration"><code>{calls}</code></pre>{self.origin(member)}{doc}'
                '<details class="forms"><summary>Declarations</summary>'
                f'<pre class="declaration"><code>{declarations}</code></pre></details></section>')

    def add_class(self, name, title, text):
        """The page of a class, a concept or c.h: its text, a table of the members, and their sections."""
        target, members = file_of(name), members_of(text)
        details = re.search(r'<h2 class="groupheader">Detailed Description</h2>(.*?)(?=<h2 class="groupheader">|$)', text, re.S)
        details = details[1] if details else ""
        found = re.search(r'<p class="definition">Definition at line <a[^>]*href="([^"]*)">.*?</p>', details, re.S)
        source = found[1] if found else ""
        if found:
            details = details.replace(found[0], "") + self.link_to_source(source)
        declaration = re.search(r'<div class="compoundTemplParams">(.*?)</div>', details, re.S)
        if declaration:
            plain = spaced(declaration[1].replace("<br />", "\n").replace("blitz::", ""))
            details = details.replace(declaration[0], f'<pre class="declaration"><code>{plain}</code></pre>')
        definition = re.search(r'<h2 class="groupheader">Concept definition</h2>\s*(<pre.*?</pre>)', text, re.S)
        brief = re.search(r"<p>(.*?)</p>", re.sub(r'<a href="[^"]*#details">More...</a>', "", text), re.S)
        kind = "concept" if name.startswith("concept") else "class"
        page = Page(title, kind, self.include(source), brief[1].strip() if brief else "", source)
        page.text += (definition[1] if definition else "") + details + self.table_of_members(target, title, text)
        page.text += "".join(self.documented(member, 3, member.heading()) for member in members)
        self.pages[target] = page
        self.places[f"{name}#details"] = target
        for member in members:
            self.places.update({f"{name}#{place}": f"{target}#{place}" for place in member.places})
        if title == "c.h":
            self.names.update({member.name: f"{target}#{member.id}" for member in members})
        else:
            self.names[title] = target

    def table_of_members(self, target, title, text):
        rows, open_group = "", ""
        for heading, group, about, link, name, brief in lists_of(text):
            if "Classes" in heading or "#" not in link or name in self.members[target] or not (group or brief):
                continue
            if group != open_group:
                rows += f'<tr><th colspan="2">{group}</th></tr>' + (f'<tr><td colspan="2">{about}</td></tr>' if about else "")
                open_group = group
            self.members[target][name] = link
            rows += f'<tr><td><a href="{link}"><code>{html.escape(name)}</code></a></td><td>{brief}</td></tr>'
        heading = "Names" if title == "c.h" else "Members"
        return f'<h2 id="members">{heading}</h2><div class="wide"><table class="members">{rows}</table></div>' if rows else ""
