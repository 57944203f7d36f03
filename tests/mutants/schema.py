"""Writes all mutants of a source file into the file itself, each selected at run time: see mutants.hpp.

Kinds of mutants:
    bound       a < b      ->  a <= b, and the like
    equality    a == b     ->  a != b
    arithmetic  a + b      ->  a - b
    constant    1          ->  0, next to an operator; 2 -> 3
    extreme     std::min   ->  std::max
    always      if (c)     ->  if (true)
    never       if (c)     ->  if (false)
    statement   f(x);      ->  ;

The code is formatted by clang-format: a binary operator has a space on both sides, and a template's bracket has none. Code that
a compiler must evaluate is unchanged.
"""

import dataclasses
import re

INFIX = {"<": "Less", "<=": "LessEqual", ">": "Greater", ">=": "GreaterEqual", "==": "Equal", "!=": "NotEqual", "+": "Plus", "-": "Minus"}
OTHER = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "+": "-", "-": "+"}
OPERATOR = re.compile(r"(?<=[\w)\]}]) (<=|>=|==|!=|<|>|\+|-) (?=[\w(*~:!&\"'-])")
CONSTANT = re.compile(r"(?<= [+\-*/%] )(\d+)\b(?!['.\w])")
EXTREME = re.compile(r"\bstd::(min|max)(<[\w:<> ]+>)?\((?!\{)")
CONDITION = re.compile(r"\bif \(")
STATEMENT = re.compile(r"^( +(?:if \(.*\) |else )?)((?:\+\+|--)?[A-Za-z_][\w.:\[\]>()*-]*?(?:\(.*\)| [+\-*|&]?= .*|\+\+|--)?);( //.*)?$")
# Without mutants: code that the compiler evaluates, declarations, and the parts of a program that do not run.
STATIC = re.compile(
    r"^\s*(//|#|template\b|requires\b|static_assert\b|using\b|concept\b|friend\b|BLITZ_REFUSE|public:|private:)"
    r"|\bif constexpr\b|\bconstexpr\b|\bconsteval\b|\brequires\b|\boperator\b|<=>|\bconcept\b|= default|= delete|\bnoexcept\("
)
NO_STATEMENT = re.compile(r"^\s*(return|throw|delete|goto|break|continue|case|default|co_\w+|const|auto|static|typename|struct|class|enum)\b")
NO_TEMPLATE_ARGUMENT = re.compile(r"<[^<>;]*$")


@dataclasses.dataclass(frozen=True)
class Mutant:
    number: int
    file: str
    line: int
    kind: str
    source: str  # the line
    old: str
    new: str

    def key(self):
        """Identifies the mutant even if lines move: see survivors.toml."""
        return (self.file, self.kind, " ".join(self.source.split()), self.old)


def closing(text, opening):
    """The position of the parenthesis that closes the one at `opening`, or -1."""
    depth = 0
    for i in range(opening, len(text)):
        depth += {"(": 1, ")": -1}.get(text[i], 0)
        if depth == 0:
            return i
    return -1


class Schema:
    def __init__(self):
        self.mutants = []

    def add(self, file, line, kind, source, old, new):
        self.mutants.append(Mutant(len(self.mutants), file, line, kind, source, old, new))
        return len(self.mutants) - 1

    def mutated(self, file, text):
        """The text with its mutants. The first line includes mutants.hpp."""
        out, static_until, ended = [], None, True
        for n, line in enumerate(text.splitlines(), 1):
            begins = ended  # a statement
            if code := self.split_comment(line)[0].rstrip():
                ended = code.endswith((";", "{", "}", ":", ")"))
            # A declaration over several lines is as static as its first line.
            if static_until is None and STATIC.search(line) and not line.rstrip().endswith(("{", ";", ">", ":", "*/")) and "//" not in line:
                static_until = n
                out.append(line)
                continue
            if static_until is not None:
                if line.rstrip().endswith(("{", ";", ">", "}")):
                    static_until = None
                out.append(line)
                continue
            out.append(line if STATIC.search(line) or not line.startswith("  ") else self.mutated_line(file, n, line, begins))
        return "#include \"mutants.hpp\"\n#line 1\n" + "\n".join(out) + "\n"

    def mutated_line(self, file, n, line, begins):
        code, comment = self.split_comment(line)
        source = code.strip()
        edits = []  # (begin, end, text), without overlaps
        for m in OPERATOR.finditer(code):
            # A parameter's default, a template's argument, or a string is not an expression to be changed.
            if self.in_string(code, m.start()) or (m[1] in "<>" and self.is_bracket(code, m)):
                continue
            kind = "bound" if m[1][0] in "<>" else "equality" if m[1] in ("==", "!=") else "arithmetic"
            number = self.add(file, n, kind, source, self.around(code, m), OTHER[m[1]])
            name = f"blitz_mutants::{INFIX[m[1]]}<{number}>{{}}"
            opening, close = {"bound": "<>", "equality": ("==", "=="), "arithmetic": "++"}[kind]
            edits.append((m.start(), m.end(), f" {opening} {name} {close} "))
        for m in CONSTANT.finditer(code):
            other = {"1": "0", "2": "3"}.get(m[1], str(int(m[1]) + 1))
            number = self.add(file, n, "constant", source, self.around(code, m), other)
            edits.append((m.start(), m.end(), f"(blitz_mutants::chosen({number}) ? {other} : {m[1]})"))
        for m in EXTREME.finditer(code):
            other = "max" if m[1] == "min" else "min"
            number = self.add(file, n, "extreme", source, self.around(code, m), "std::" + other)
            is_max = "true" if m[1] == "max" else "false"
            name = f"extreme<{number}, {is_max}>" if not m[2] else f"extreme_of<{number}, {is_max}, {m[2][1:-1]}>"
            call = f"blitz_mutants::{name}("
            edits.append((m.start(), m.end(), call))
        for m in CONDITION.finditer(code):
            end = closing(code, m.end() - 1)
            condition = code[m.end() : end]
            if end < 0 or ";" in condition or re.match(r"(const )?\w[\w:<>]*[ *&]+\w+ = ", condition):
                continue
            always = self.add(file, n, "always", source, condition, "true")
            never = self.add(file, n, "never", source, condition, "false")
            edits.append((m.end(), m.end(), f"(blitz_mutants::chosen({always}) || !blitz_mutants::chosen({never})) && (blitz_mutants::chosen({always}) || ("))
            edits.append((end, end, "))"))
        if begins and (m := STATEMENT.match(code)) and not NO_STATEMENT.match(m[2]) and re.search(r"\)$| = |=|\+\+|--", m[2]) and m[2].count("(") == m[2].count(")") and not self.declares(m[2]):
            number = self.add(file, n, "statement", source, m[2], "")
            edits.append((m.start(2), m.start(2), f"blitz_mutants::chosen({number}) ? static_cast<void>(0) : static_cast<void>("))
            edits.append((m.end(2), m.end(2), ")"))
        edits.sort(key=lambda edit: (edit[0], edit[1]))
        out, at = "", 0
        for begin, end, text in edits:
            out += code[at:begin] + text
            at = end
        return out + code[at:] + comment

    @staticmethod
    def around(code, m):
        return code[max(0, m.start() - 12) : m.end() + 12].strip()

    @staticmethod
    def split_comment(line):
        at = line.find("//")
        return (line, "") if at < 0 else (line[:at], line[at:])

    @staticmethod
    def in_string(code, at):
        return code[:at].count('"') % 2 == 1

    @staticmethod
    def is_bracket(code, m):
        return bool(NO_TEMPLATE_ARGUMENT.search(code[: m.start()])) and m[1] == ">"

    @staticmethod
    def declares(statement):
        """True if it may be a declaration, such as `Run run(first, last)`."""
        return bool(re.match(r"[\w:<>*&, ]+ [\w]+[({=]", statement)) and not re.match(r"[\w.>\[\]()*-]+ [+\-*|&]?= ", statement)
