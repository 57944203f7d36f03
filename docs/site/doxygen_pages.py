"""Reads the pages that Doxygen writes: their text, the documented names, and the lists of names."""

import html
import re

KEYWORDS = {
    "sh": "if then else fi for do done in export cd",
    "cmake": "if endif else function endfunction include project add_executable target_link_libraries find_package "
             "FetchContent_Declare FetchContent_MakeAvailable cmake_minimum_required",
    "meson": "if endif foreach endforeach project executable dependency true false",
    "rust": "fn let mut use pub impl for in if else match return struct",
    "python": "def return import from as if else elif for in with class lambda None True False",
}


def without_tags(text):
    return html.unescape(re.sub(r"<[^>]*>", "", text)).replace("\u00a0", " ").replace("\u200b", "")


def slug(heading):
    """The anchor that GitHub gives to a heading."""
    return re.sub(r"[^\w -]", "", without_tags(heading).strip().lower()).replace(" ", "-")


def file_of(name):
    """The page for a page of Doxygen, or "" if it is dropped: class-Scope.html, guide.html, source-scope.hpp.html."""
    stem = name.removesuffix(".html")
    if name in ("index.html", "c_8h.html"):
        return {"index.html": "index.html", "c_8h.html": "c_h.html"}[name]
    if stem.startswith("md_"):
        return re.sub("^md_(docs_)?|_README$", "", stem) + ".html"
    plain = stem.replace("_1_1", "-").replace("_8", ".").replace("__", "_")
    found = re.fullmatch(r"(class|struct|concept)(?!s$)(?:blitz-)?(?:Basic)?(.*)", plain)
    if found and not plain.endswith("-members"):
        return f'{"concept" if found[1] == "concept" else "class"}-{found[2]}.html'
    if plain.endswith((".hpp", ".h", ".hpp_source", ".h_source")):
        return f'source-{plain.removesuffix("_source")}.html'
    return ""


def highlighted(code, language):
    """Colours comments, strings, keywords and names of functions of a language that Doxygen does not know."""
    keywords = KEYWORDS[language].split()
    comment = "//.*" if language == "rust" else r"(?<!\S)#.*"
    string = r"&quot;.*?&quot;|&#39;.*?&#39;|'[^']*'|\"[^\"]*\""
    token = re.compile(rf"(?P<comment>{comment})|(?P<stringliteral>{string})|(?P<word>\b[A-Za-z_]\w*\b)")

    def colour(match):
        kind = match.lastgroup if match.lastgroup != "word" else "keyword" if match[0] in keywords else ""
        return f'<span class="{kind}">{match[0]}</span>' if kind else match[0]

    return token.sub(colour, code)


def code_block(match):
    lines = re.findall(r'<div class="line">(.*)</div>', match[1])
    language = re.match("⚑([a-z]+)$", without_tags(lines[0])) if lines else None
    code = "\n".join(line.rstrip() for line in lines[1 if language else 0:])
    if language:
        code = highlighted(re.sub(r"</?(a|span)\b[^>]*>", "", code), language[1])
    else:
        code = re.sub(r'(^|.)<a class="code[^>]*>(.*?)</a>', real_link, code, flags=re.M)
    return f'<pre class="code"><code>{code}</code></pre>'


def real_link(match):
    """A link in code, if its name is one of blitz: Doxygen also links local variables and names of other libraries."""
    is_ours = re.match(r"(<span[^>]*>)?(blitz::|blitz_|BLITZ_|blitz/)", match[2]) or match[1] == "." or match[0].endswith(".hpp</a>")
    return match[0] if is_ours else match[1] + match[2]


PICTURE = re.compile(r'<div class="image">\s*<(?:object|img)[^>]*(?:data|src)="([^"]*)"[^>]*>(?:</object>)?\s*'
                     r'(?:<div class="caption">\s*(.*?)</div>)?\s*</div>', re.S)


def picture(match):
    caption = match[2] or ""
    return f'<figure><img src="{match[1]}" alt="{html.escape(without_tags(caption))}"><figcaption>{caption}</figcaption></figure>'


def tidy(text):
    """Doxygen's text with plain code blocks and pictures."""
    text = re.sub(r'<div class="ttc".*\n', "", text)
    text = re.sub(r'<div class="fragment">(.*?)</div><!-- fragment -->', code_block, text, flags=re.S)
    text = re.sub(r'<pre class="fragment">(.*?)</pre>', r'<pre class="code"><code>\1</code></pre>', text, flags=re.S)
    text = PICTURE.sub(picture, text)
    text = re.sub(r'<table class="markdownTable">(.*?)</table>', r'<div class="wide"><table>\1</table></div>', text, flags=re.S)
    text = re.sub(r"&lt;(/?)tt&gt;", r"<\1code>", text)  # in headings
    text = re.sub("<dd>([a-z])", lambda m: "<dd>" + m[1].upper(), text)
    return re.sub(r' class="markdownTable\w*"', "", text).replace("<p >", "<p>")


class Member:
    """A documented name of a namespace, class or header."""

    def __init__(self, block):
        self.id = re.match(r'<a id="(\w+)"', block)[1]
        self.name = without_tags(re.search(r'</span>(.*?)(?: <span class="overload">.*?)?</h2>', block)[1]).removesuffix("()")
        proto, doc = re.search(r'<div class="memproto">(.*?)</div><div class="memdoc">(.*)</div>\s*</div>', block, re.S).groups()
        self.places = re.findall(r'<a id="(\w+)"', block)
        found = re.search(r'<p class="definition">Definition at line <a[^>]*href="([^"]*)">(\d+)</a>.*?</p>', doc, re.S)
        self.source = found[1] if found else ""
        self.doc = merged_parameters(re.sub(r'<p class="(definition|reference)">.*?</p>', "", doc, flags=re.S))
        self.brief = re.search(r"<p>(.*?)</p>", self.doc, re.S)[1].strip() if "<p>" in self.doc else ""
        self.is_function, self.parameters = ">(</td>" in proto, []
        self.declaration = self.declared(proto)

    def declared(self, proto):
        """The declaration as in the header."""
        templates = re.findall(r'<div class="memtemplate">\s*(.*?)</div>', proto, re.S)
        head = re.search(r'<td class="memname">(.*?)</td>', proto, re.S)[1].strip()
        name = re.escape(html.escape(self.name))
        head = re.sub(rf"(?:blitz::)?(?:\w+(?:&lt; .*? &gt;)?::)*(?={name}(</a>|$| ))", "", head).replace("= typedef ", "= ")
        labels = re.findall(r'<span class="mlabel">(.*?)</span>', proto)
        if not self.is_function:
            return spaced("\n".join(templates + [head]))
        types = re.findall(r'<td class="paramtype">(.*?)</td>', proto, re.S)
        names = re.findall(r'<td class="paramname">(.*?)</td>', proto, re.S)
        arguments = [f"{a} {b}".strip(" ,") for a, b in zip(types, names)] if types else []
        self.parameters = [without_tags(em) for name in names for em in re.findall("<em>(.*?)</em>", name)]
        after = " const" if re.search(r"<td>\s*const\s*</td>", proto) else ""
        after += " noexcept" if "noexcept" in labels else ""
        after += " = delete" if "delete" in labels else ""
        before = "static " if "static" in labels and not head.startswith("static") else ""
        arguments = [spaced(argument) for argument in arguments]
        line = f'{before}{spaced(head)}({", ".join(arguments)}){after}'
        if len(without_tags(line)) > 90:
            line = f"{before}{spaced(head)}(\n    " + ",\n    ".join(arguments) + f"){after}"
        return "\n".join([spaced(t) for t in templates] + [line])

    def heading(self):
        return f'{self.name}({", ".join(self.parameters)})' if self.is_function else self.name


def spaced(text):
    """A declaration with the spaces of the headers."""
    text = re.sub(r"</?(em|code)>", "", text).replace("&#160;", " ")
    text = re.sub(r"\s*\n\s*", "\n", text)
    text = re.sub(r"(?<=\S) +(?=(&amp;|\*|&gt;|,|\.\.\.))", "", text)
    text = re.sub(r"&lt; ", "&lt;", text).replace("template&lt;", "template &lt;").replace("&amp;...", "&amp;... ")
    return re.sub("  +", " ", text).strip()


def breakable(code):
    """A code that may be broken between names."""
    parts = re.split("(<[^>]*>)", code)
    return "".join(part if part.startswith("<") else re.sub(r"(::|[(/])|(?<=\))(?=\.)", r"\1<wbr>", part) for part in parts)


def merged_parameters(doc):
    """Doxygen has a table of parameters for each paragraph that begins one."""
    tables = re.findall(r'<dl class="params">.*?</dl>', doc, re.S)
    if len(tables) > 1:
        rows = [row for table in tables for row in re.findall(r"<tr>.*?</tr>", table, re.S)]
        rows.sort(key=lambda row: "options</td>" not in row)
        doc = doc.replace(tables[0], re.sub(r"<tr>.*</tr>", lambda _: "\n".join(rows), tables[0], flags=re.S), 1)
        for table in tables[1:]:
            doc = doc.replace(table, "", 1)
    return doc


def members_of(text):
    return [Member(block) for block in re.split(r'(?=<a id="\w+" name="\w+"></a>\n<h2 class="memtitle">)', text)[1:]]


def lists_of(text):
    """The lists of names in a page of Doxygen: (heading, group or "", text of the group, link, name, brief)."""
    heading, group, about, found = "", "", "", []
    for row in re.findall(r"<tr\b.*?</tr>", "".join(re.findall(r'<table class="memberdecls">(.*?)</table>\n', text, re.S)), re.S):
        if 'class="groupheader"' in row:
            heading, group, about = without_tags(row).strip(), "", ""
        elif 'class="groupHeader"' in row:
            group, about = without_tags(row).strip(), ""
        elif 'class="groupText"' in row:
            about = re.search(r'<div class="groupText">(.*)</div>', row, re.S)[1]
        elif row.startswith('<tr class="memitem'):
            name = re.search(r'ItemRight"[^>]*>.*?<a class="el" href="([^"]*)">(.*?)</a>', row, re.S)
            if name and "memTemplParams" not in row:
                found.append([heading, group, about, name[1], without_tags(name[2]), ""])
        elif row.startswith('<tr class="memdesc') and found:
            brief = re.search(r'mdescRight">(.*?)(?:<a href="[^"]*">More...</a>)?<br />', row, re.S)
            found[-1][5] = brief[1].strip() if brief else ""
    return found
