#!/usr/bin/env python3
"""Checks that the models mirror code that exists.

    mirrors.py ROOT

Comments before every process and inline of a model name the code that it mirrors, as

    /* mirrors: Sleep::give_back */

or say that it belongs to the models' environment:

    /* environment: a thread outside the pool */

Some file of the library must mention the class, and declare or define the function.
"""

import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
TAG = re.compile(r"/\* (mirrors|environment): (.*?) \*/")
UNIT = re.compile(r"^(?:inline|proctype) (\w+)")


def code_of(path):
    """The file without comments and strings."""
    return re.sub(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', " ", path.read_text(), flags=re.DOTALL)


def declares(code, name):
    *scopes, function = name.split("::")
    # A declaration, not a call: a type precedes it on its line, and no keyword of an expression.
    before = r"(?:(?!\b(?:return|else|throw|new)\b)[\w \t:<>,&*\[\]])*[\w>][ \t*&]+"
    declaration = rf"^{before}(?:[\w<>]+::)*{function}\s*\("
    return all(re.search(rf"\b{scope}\b", code) for scope in scopes) and re.search(declaration, code, re.MULTILINE)


def complaints(sources, models):
    for model in models:
        tagged = False
        for number, line in enumerate(model.read_text().splitlines(), 1):
            for kind, what in TAG.findall(line):
                tagged = True
                if kind == "mirrors" and not any(declares(code, what) for code in sources):
                    yield f"{model.name}:{number}: no file of the library declares {what}"
            unit = UNIT.match(line)
            if unit and not tagged:
                yield f"{model.name}:{number}: {unit[1]} says neither what it mirrors nor that it is environment"
            if unit or line.startswith("}"):
                tagged = False


def main():
    library = pathlib.Path(sys.argv[1]) / "blitz"
    sources = [code_of(path) for path in sorted([*library.rglob("*.hpp"), *library.rglob("*.cpp")])]
    models = sorted([*HERE.glob("*.pml"), *HERE.glob("*.inc")])
    found = list(complaints(sources, models))
    for complaint in found:
        print(complaint)
    print(f"{len(models)} models, {len(found)} complaints")
    sys.exit(1 if found or not models else 0)


if __name__ == "__main__":
    main()
