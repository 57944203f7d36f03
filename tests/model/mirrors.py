#!/usr/bin/env python3
"""Checks that the models still speak of code that exists.

    mirrors.py ROOT

Every process and inline of a model is preceded by comments that say what it mirrors, as

    /* mirrors: Sleep::give_back blitz/fork_join/sleep.hpp */

or that it belongs to the models' environment:

    /* environment: a thread outside the pool */

The class must be mentioned, and the function be defined or declared, in the file named.
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


def mirrored(root, what):
    """What is wrong with one `mirrors` tag; None if nothing is."""
    fields = what.split()
    if len(fields) != 2:
        return "is not `Class::function file`"
    name, path = fields[0], root / fields[1]
    if not path.is_file():
        return f"names {fields[1]}, which does not exist"
    code = code_of(path)
    *scopes, function = name.split("::")
    for scope in scopes:
        if not re.search(rf"\b{scope}\b", code):
            return f"names {scope}, which {fields[1]} does not mention"
    # A declaration, not a call: a type stands before it on its line, and nothing that makes an expression of it.
    before = r"(?:(?!\b(?:return|else|throw|new)\b)[\w \t:<>,&*\[\]])*[\w>][ \t*&]+"
    if re.search(rf"^{before}(?:[\w<>]+::)*{function}\s*\(", code, re.MULTILINE):
        return None
    return f"names {function}, which {fields[1]} does not declare"


def complaints(root, models):
    for model in models:
        tags = []
        for number, line in enumerate(model.read_text().splitlines(), 1):
            found = TAG.findall(line)
            for kind, what in found:
                wrong = mirrored(root, what) if kind == "mirrors" else None
                if wrong:
                    yield f"{model.name}:{number}: {wrong}"
            tags += found
            unit = UNIT.match(line)
            if unit and not tags:
                yield f"{model.name}:{number}: {unit[1]} says neither what it mirrors nor that it is environment"
            if unit or line.startswith("}"):
                tags = []


def main():
    root = pathlib.Path(sys.argv[1])
    models = sorted([*HERE.glob("*.pml"), *HERE.glob("*.inc")])
    found = list(complaints(root, models))
    for complaint in found:
        print(complaint)
    print(f"{len(models)} models, {len(found)} complaints")
    sys.exit(1 if found or not models else 0)


if __name__ == "__main__":
    main()
