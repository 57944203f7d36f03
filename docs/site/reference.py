"""The pages of the reference, from Doxygen's pages of namespaces and classes: a page for each name."""

import collections
import html
import re

from doxygen_pages import capitalised, file_of, lists_of, members_of, spaced, split_at_commas, without_tags, wrapped
from operators import Operators

KINDS = ("call", "class", "type", "concept")

# The parameters of the call operators of the algorithms.
PARAMETERS = {
    "options": '<a href="class-AlgorithmOptions.html">AlgorithmOptions</a>: the smallest block, a stop token, the pool, and whether sums '
               "are deterministic",
    "range": "random access and sized: vectors, arrays, spans, deques, iota, and views of these",
    "first": "the first item", "last": "one after the last item",
    "count": "the number of items", "by": "n, the number of places",
    "middle": "where the second part of the range begins",
    "keys": "the keys: a sized range, or the first key", "keys_last": "one after the last key",
    "values": "the values that belong to the keys: a sized range, or the first value", "values_last": "one after the last value",
    "key": "computes the key of an item; called concurrently", "key_of": "returns the key of an item; called concurrently",
    "bins": "the number of bins", "bin_of": "returns the bin of an item, in [0, bins); called concurrently",
    "out": "the output: a sized range, or its first item; writing stops at its end", "out_last": "the end of the output",
    "front": "the output for the items that satisfy <code>pred</code>: a sized range, or its first item", "front_last": "its end",
    "others": "the output for the other items: a sized range, or its first item", "others_last": "its end",
    "keys_out": "the output for the keys: a sized range, or its first item", "keys_out_last": "its end",
    "values_out": "the output for the values: a sized range, or its first item", "values_out_last": "its end",
    "init": "the initial value",
    "value": "the value that is assigned", "old_value": "the value that is replaced",
    "op": "combines two values; called concurrently", "transform": "is applied to items before they are combined; called concurrently",
    "f": "the function to call; called concurrently",
    "equal": "returns whether two neighbours have the same key; called concurrently",
    "random": "a random number generator",
    "comp": "compares two projections; called concurrently, through a constant reference",
    "pred": "a predicate of a projection; called concurrently, through a constant reference",
    "proj": "what is compared or passed: a function of an item, or a pointer to its member; called concurrently",
}
for number, place in (("1", "first"), ("2", "second")):
    PARAMETERS.update({
        f"range{number}": f"the {place} range: random access and sized", f"first{number}": f"the first item of the {place} range",
        f"last{number}": f"one after the last item of the {place} range", f"proj{number}": f"as proj1, for the {place} range",
    })
PARAMETERS["proj1"] = "for the first range: " + PARAMETERS["proj"]

# The beginning of the sentences that begin a labelled part of the text of an algorithm.
LABELS = [
    ("Exceptions", r"(?:They )?[Tt]hrows? |If a constructor throws|Exceptions,|Other exceptions"),
    ("Complexity and memory", r"O\(|Memory|No (?:additional )?memory|"
                              r"(?:At most |About )?(?:[\dn(]|one|One)[^.]* (?:comparisons?|calls?|swaps|assignments?|moves|copies)\b"),
    ("Algorithm", "The algorithm: "),
    ("Source", "Sources?: "),
]
ORDER = ("", "Exceptions", "Complexity and memory", "Thread-safety", "Algorithm", "Source")


def with_labels(doc, inserted=""):
    """The text of an algorithm with labelled parts. `inserted` comes after the description."""
    parts = {label: "" for label in ORDER}
    blocks = re.findall(r"<p>.*?</p>|<dl.*?</dl>|<(?:ul|ol|pre|div|table)\b.*?</(?:ul|ol|pre|div|table)>", doc, re.S)
    label = ""
    for block in blocks:
        if not block.startswith("<p>"):
            label = "Thread-safety" if block.startswith("<dl") else label
            parts[label] += block
            label = "" if block.startswith("<dl") else label
            continue
        label, texts = "", []  # of sentences with the same label
        for sentence in re.split(r"(?<=[.!?)]) (?=[A-Z\d(n]|<code>)", block[3:-4].strip()):
            found = next((label for label, begin in LABELS if re.match(begin, sentence)), label)
            if texts and found == texts[-1][0]:
                texts[-1][1] += " " + sentence
            else:
                texts.append([found, sentence])
            label = found
        for found, text in texts:
            parts[found] += f"<p>{capitalised(re.sub('^(?:Sources?|The algorithm): ', '', text))}</p>\n"
    named = "".join((f'<p class="part">{label}</p>' if label != "Thread-safety" else "") + parts[label] for label in ORDER[1:] if parts[label])
    return parts[""] + inserted + named


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
        self.warnings = []

    def link_to_source(self, place):
        name, line = place.split("#")
        return f'<p class="origin"><a href="{file_of(name)}#{line}">{self.paths[name]}</a></p>'

    def origin(self, member):
        """The link to the source of a member."""
        return self.link_to_source(member.source) if member.source else ""

    def place_of(self, member, pages):
        """The place of a declaration in the sources: Doxygen names only definitions. Overloads differ in their parameters."""
        signature = re.sub(r"\s", "", member.signature or member.name)
        for wanted in (re.escape(signature), rf"\b{re.escape(member.name)}\(" if member.is_function else rf"\b{re.escape(member.name)}\b(?!\*)"):
            for page in pages:
                for number, line in enumerate((self.root / self.paths[page]).read_text().splitlines(), 1):
                    plain = line if wanted.startswith(r"\b") else re.sub(r"\s", "", line)
                    if not re.match(r" *(?://|#)", line) and re.search(wanted, plain):
                        return f"{page}#l{number:05}"
        return ""

    def documented(self, member, level, heading=None, others=()):
        """The section of a member, and of other overloads with the same text."""
        anchors = "".join(f'<a id="{other.id}"></a>' for other in others)
        heading = f'<h{level} id="{member.id}">{html.escape(heading)}</h{level}>' if heading else f'<a id="{member.id}"></a>'
        declarations = [other.declaration for other in [*others, member]]
        declarations = ("\n\n" if any("template" in declaration for declaration in declarations) else "\n").join(declarations)
        return (f'<section>{anchors}{heading}<pre class="declaration"><code>{declarations}</code></pre>{self.origin(member)}'
                f"{member.doc}</section>")

    def add_namespace(self, name, text):
        """A page for each name."""
        inner = name.removesuffix(".html").removeprefix("namespaceblitz").removeprefix("_1_1")
        lists = {link.split("#")[-1]: entry for entry in lists_of(text) for link in [entry[3]]}
        overloads = collections.defaultdict(list)
        for member in members_of(text):
            member.source = member.source or self.place_of(member, [page for page, path in self.paths.items() if "/detail/" not in path])
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
                page.text += f'<section><h2 id="group">All functions of this group: {group[0].lower() + group[1:]}</h2>{with_labels(about)}</section>'
            page.text = self.include(first.source) + page.text
            self.pages[target] = page

    def of_overloads(self, members, level=2, with_headings=False):
        """The sections of members: overloads with the same text have one section. No two headings are equal."""
        alike = collections.defaultdict(list)
        for member in members:
            alike[member.name, re.sub(r'<dl class="params">.*?</dl>', "", member.doc, flags=re.S).strip()].append(member)
        headings = collections.Counter(text for same in alike.values() for text in set(same[0].headings()))

        def heading(member):
            texts = member.headings()
            return next((text for text in texts if headings[text] == 1), texts[-1]) if len(alike) > 1 or with_headings else None

        return "".join(self.documented(same[-1], level, heading(same[0]), same[:-1]) for same in alike.values())

    def include(self, source):
        path = self.paths.get(source.split("#")[0], "")
        return f'<p class="include"><code>#include &lt;{path}&gt;</code></p>' if path else ""

    def of_object(self, member):
        """The forms of a call of a function object."""
        forms = [(template, result, split_at_commas(html.escape(arguments))) for template, result, arguments in self.operators.of(member.name)]
        calls, declarations, used = [], [], []
        for template, result, arguments in forms:
            declarations.append(wrapped(html.escape(f"template <{template}>")) + "\n" +
                                wrapped(f'{html.escape(result)} {member.name}({", ".join(arguments)});'))
            shown = [re.search(r"\w+(?: = .*)?$", argument)[0] for argument in arguments]
            calls.append(wrapped(f'blitz::{member.name}({", ".join(shown)})', is_call=True))
            for name, following in reversed([*zip(shown, [*shown[1:], ""])]):  # in the order of all forms
                name, following = name.split(" ")[0], following.split(" ")[0]
                if name not in used:
                    used.insert(used.index(following) if following else len(used), name)
        rows = "".join(f"<tr><td>{name}</td><td>{self.parameter(member, name, used)}</td></tr>" for name in used)
        table = f'<dl class="params"><dt>Parameters</dt><dd><table class="params">{rows}</table></dd></dl>\n'
        example = "".join(re.findall(r'<pre class="code">.*?</pre>', member.doc, re.S))
        doc = with_labels(re.sub(r'<pre class="code">.*?</pre>', "", member.doc, flags=re.S), example + table)
        calls, declarations = "\n".join(calls), "\n\n".join(declarations)
        return (f'<section><a id="{member.id}"></a><pre class="declaration"><code>{calls}</code></pre>{self.origin(member)}{doc}'
                '<details class="forms"><summary>Declarations</summary>'
                f'<pre class="declaration"><code>{declarations}</code></pre></details></section>')

    def parameter(self, member, name, used):
        """The text of a parameter. Algorithms with a projection and no predicate compare the projections with a value."""
        if name == "value" and "proj" in used and not {"pred", "old_value"} & set(used):
            return "the value that projections are compared with"
        if name not in PARAMETERS:
            self.warnings.append(f"docs/site/reference.py: PARAMETERS lacks {name}, a parameter of blitz::{member.name}")
        return PARAMETERS.get(name, "")

    def add_class(self, name, title, text):
        """The page of a class, a concept or c.h: its text, a table of the members, and their sections."""
        target, members = file_of(name), members_of(text)
        ids = {member.name: member.id for member in members}
        for member in members:  # C has a typedef for each of its enumerations, with the same name
            self.places.update({f"{name}#{place}": f"{target}#{ids[member.name] if member.is_repeated() else place}" for place in member.places})
        members = [member for member in members if not member.is_repeated() and not member.declaration.startswith("friend class")]
        details = re.search(r'<h2 class="groupheader">Detailed Description</h2>(.*?)(?=<h2 class="groupheader">|$)', text, re.S)
        details = details[1] if details else ""
        found = re.search(r'<p class="definition">Definition at line <a[^>]*href="([^"]*)">.*?</p>', details, re.S)
        source = found[1] if found else ""
        if found:
            details = details.replace(found[0], "") + self.link_to_source(source)
        declaration = re.search(r'<div class="compoundTemplParams">(.*?)</div>', details, re.S)
        if declaration:
            plain = wrapped(spaced(declaration[1].replace("blitz::", "").replace("<br />", "\n")))
            details = details.replace(declaration[0], f'<pre class="declaration"><code>{plain}</code></pre>')
        definition = re.search(r'<h2 class="groupheader">Concept definition</h2>\s*(<pre.*?</pre>)', text, re.S)
        brief = re.search(r"<p>(.*?)</p>", re.sub(r'<a href="[^"]*#details">More...</a>', "", text), re.S)
        kind = "concept" if name.startswith("concept") else "class"
        page = Page(title, kind, self.include(source), brief[1].strip() if brief else "", source)
        page.text += (definition[1] if definition else "") + details + self.table_of_members(target, title, text)
        header = [page for page, path in self.paths.items() if page == source.split("#")[0] or path.endswith(f"/{title}")]
        for member in members:
            member.source = member.source or self.place_of(member, header)
        page.text += self.of_overloads(members, 3, True)
        self.pages[target] = page
        self.places[f"{name}#details"] = target
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
