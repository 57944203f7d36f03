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
    found = re.fullmatch(r"(class|struct|concept)(?!e?s$)(?:blitz-)?(?:Basic)?(.*)", plain)
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
    is_member = match[1] == "." and re.search(r'href="(class|struct|union)', match[0])
    is_ours = re.match(r"(<span[^>]*>)?(blitz::|blitz_|BLITZ_|blitz/)", match[2]) or is_member or match[0].endswith(".hpp</a>")
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
    text = re.sub(r'<table class="fieldtable">.*?</table>', r'<div class="wide">\g<0></div>', text, flags=re.S)
    text = re.sub(r'<span class="keyword\w*">(\w+)</span>(?=\w)', r"\1", text)  # the id of std::identity
    text = text.replace(r"\|", "|")  # in tables of Markdown
    text = re.sub(r"&lt;(/?)tt&gt;", r"<\1code>", text)  # in headings
    text = re.sub(r"(?<=<dd>)[^<]*", lambda m: capitalised(m[0]), text)
    text = re.sub(r' class="markdownTable\w*"', "", text).replace("<p >", "<p>")
    text = re.sub(r"<hr/>\s*The documentation for this \w+ was generated from the following file.*?</ul>", "", text, flags=re.S)
    text = text.replace("</div></div><!-- PageDoc -->", "</div>")
    text = re.sub(r'<p class="definition">Definition in file.*?</p>', "", text, flags=re.S)
    parts = re.split("(<pre.*?</pre>)", text, flags=re.S)
    parts[::2] = [with_marks(part) for part in parts[::2]]
    return "".join(parts)


def capitalised(text):
    """A text that begins with a capital letter, unless it begins with a name."""
    return text[0].upper() + text[1:] if re.match("(a|[a-z]{2,})[ ,.;-]", text) else text


def with_marks(text):
    """Emphasis and code that Doxygen has not read: emphasis next to a code or a link, and both in the text of a link."""
    text = re.sub(r"`([^`<>\n]+)`", r"<code>\1</code>", text)
    text = re.sub(r"(<a [^>]*>)\*((?:(?!</a>)[^*])+)\*(?=⚓|</a>)", r"\1<em>\2</em>", text)
    inner = r"(?:(?!</?(?:p|li|td|div|h\d)\b)[^*])*?"
    for mark, tag in ((r"\*\*", "b"), (r"\*", "em")):
        text = re.sub(rf"(?<![\w*]){mark}(?=\S)(<(?:code|a )[^*]{inner}|{inner}</(?:code|a)>){mark}(?![\w*])", rf"<{tag}>\1</{tag}>", text)
    return text


class Member:
    """A documented name of a namespace, class or header. is_nested: of a class template, whose own parameters are left out."""

    def __init__(self, block, is_nested=False):
        self.id = re.match(r'<a id="(\w+)"', block)[1]
        self.name = without_tags(re.search(r'</span>(.*?)(?: <span class="overload">.*?)?</h2>', block)[1]).removesuffix("()")
        proto, doc = re.search(r'<div class="memproto">(.*?)</div><div class="memdoc">(.*)</div>\s*</div>', block, re.S).groups()
        self.places = re.findall(r'<a id="(\w+)"', block)
        found = re.search(r'<p class="definition">Definition at line <a[^>]*href="([^"]*)">(\d+)</a>.*?</p>', doc, re.S)
        self.source = found[1] if found else ""
        self.doc = merged_parameters(re.sub(r'<p class="(definition|reference)">.*?</p>', "", doc, flags=re.S))
        self.brief = re.search(r"<p>(.*?)</p>", self.doc, re.S)[1].strip() if "<p>" in self.doc else ""
        self.is_function, self.parameters, self.signature = ">(</td>" in proto, [], ""
        self.declaration = self.declared(proto, is_nested)

    def declared(self, proto, is_nested):
        """The declaration as in the header."""
        templates = re.findall(r'<div class="memtemplate">\s*(.*?)</div>', proto, re.S)
        head = re.search(r'<td class="memname">(.*?)</td>', proto, re.S)[1].strip()
        name = re.escape(html.escape(self.name))
        scope = r"(?:<a [^>]*>blitz(?:::\w+)*</a>|blitz(?:_\w+)?(?:::\w+)*)(?:&lt; [\w, ]*? &gt;)?(?:::\w+)*::"
        head, count = re.subn(rf"{scope}(?=(?:{name}|~<a [^>]*>\w+)(?:</a>|$| |\)))", "", head)
        head = head.replace("= typedef ", "= ")
        templates = [wrapped(spaced(template)) for template in templates[1 if is_nested and count else 0:]]
        labels = re.findall(r'<span class="mlabel">(.*?)</span>', proto)
        if not self.is_function:
            head = re.sub(r"\(\* (\w+)\) \(", r" (*\1)(", re.sub(r"\*(?=\w)", "* ", spaced(head)))  # a function pointer in C
            return "\n".join(templates + [re.sub(r" \{\}$", "{}", head)])
        types = re.findall(r'<td class="paramtype">(.*?)</td>', proto, re.S)
        names = re.findall(r'<td class="paramname">(.*?)</td>', proto, re.S)
        arguments = [spaced(f"{a} {b}".strip(" ,")) for a, b in zip(types, names)] if types else []
        self.parameters = [without_tags(em) for name in names for em in re.findall("<em>(.*?)</em>", name)]
        qualifiers = re.search(r"<td>\s*((?:const)? ?(?:&amp;){0,2})\s*</td>\s*</tr>\s*</table>", proto)
        after = f" {qualifiers[1]}".rstrip().replace("const &amp;", "const&amp;") if qualifiers else ""
        after += "".join(f" {label}" for label in ("noexcept", "override") if label in labels)
        after += "".join(f" = {label}" for label in ("default", "delete") if label in labels)
        before = "".join(f"{label} " for label in ("friend", "static", "explicit") if label in labels and not head.startswith(label))
        plain = without_tags(f'{self.name}({", ".join(arguments)}){after}')
        self.signature = re.sub(" noexcept| override| = default", "", plain)
        return "\n".join(templates + [wrapped(f'{before}{spaced(head)}({", ".join(arguments)}){after}')])

    def is_repeated(self):
        """Whether it is a typedef for an enumeration of the same name."""
        return bool(re.match(r"typedef enum (\w+) \1$", without_tags(self.declaration)))

    def headings(self):
        """Possible headings: the first that no other member has is the best."""
        if not self.is_function:
            return [self.name]
        return [f'{self.name}({", ".join(self.parameters)})', re.sub(" = [^,)]*(?=[,)])", "", self.signature),
                without_tags(self.declaration.split("\n")[-1])]


def split_at_commas(text):
    """The arguments of a list: a comma within <>, () or {} does not divide it."""
    parts, depth = [""], 0
    for token in re.split(r"(<[^>]*>|-&gt;|&lt;|&gt;|[(){}]|, )", text):
        depth += {"&lt;": 1, "(": 1, "{": 1, "&gt;": -1, ")": -1, "}": -1}.get(token, 0)
        if token == ", " and not depth:
            parts.append("")
        else:
            parts[-1] += token
    return parts


def wrapped(line, is_call=False, width=90):
    """A declaration with one argument per line, or a call with several, if it is longer than a line."""
    if len(without_tags(line.split("\n")[0])) <= width:
        return line
    first, *others = line.split("\n")
    opening = re.match(r"(template &lt;)(.*)(&gt;)$", first) or re.match(r"((?:<[^>]*>|[^(<]|decltype\(auto\))*\()(.*)(\)[^)]*)$", first)
    if opening and opening[2]:
        lines = []
        for argument in split_at_commas(opening[2] + opening[3]):
            if is_call and lines and len(lines[-1] + argument) < width - 6:
                lines[-1] += f", {argument}"
            else:
                lines.append(argument)
        first = f"{opening[1]}\n    " + ",\n    ".join(lines)
    return "\n".join([first, *others])


def spaced(text):
    """A declaration with the spaces of the headers."""
    text = re.sub(r"</?(em|code)>", "", text).replace("&#160;", " ")
    text = re.sub(r"\s*(<br ?/>)?\s*\n\s*", "\n", text)
    text = re.sub(r"(?<=\S) +(?=(&amp;|\*|&gt;|,|\.\.\.))", "", text)
    text = re.sub(r"&lt; ", "&lt;", text).replace("template&lt;", "template &lt;").replace("&amp;...", "&amp;... ")
    return re.sub("  +", " ", text).strip()


KEYWORDS_OF_CPP = set("template class struct typename requires concept using namespace explicit friend static inline constexpr virtual const "
                      "noexcept operator override final default delete enum extern volatile mutable typedef co_await decltype sizeof".split())
TYPES_OF_CPP = set("void bool char int long short unsigned signed float double auto size_t".split())


def coloured(declaration):
    """A declaration with coloured keywords."""
    def colour(match):
        kind = "keyword" if match[0] in KEYWORDS_OF_CPP else "keywordtype" if match[0] in TYPES_OF_CPP else ""
        return f'<span class="{kind}">{match[0]}</span>' if kind else match[0]

    return "".join(part if part.startswith("<") else re.sub(r"(?<![\w&:.])[a-z]\w*", colour, part)
                   for part in re.split("(<[^>]*>)", declaration))


def breakable(code):
    """A code that may be broken between names; a short one, such as get(), only after ::."""
    parts = re.split("(<[^>]*>)", code.replace("<wbr>", ""))
    place = r"(::|[(/](?!\)))|(?<=\))(?=\.)" if len(without_tags(code)) > 20 else "(::)"
    parts = [part if part.startswith("<") else re.sub(place, r"\1<wbr>", part) for part in parts]
    parts = [part for text in parts for part in re.split("(<[^>]*>)", text)]
    return "".join(part if part.startswith("<") else re.sub(r"\w{20,}", lambda m: m[0].replace("_", "_<wbr>"), part) for part in parts)


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
    is_template = "compoundTemplParams" in text
    return [Member(block, is_template) for block in re.split(r'(?=<a id="\w+" name="\w+"></a>\n<h2 class="memtitle">)', text)[1:]]


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
