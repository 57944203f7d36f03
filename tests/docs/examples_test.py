#!/usr/bin/env python3
"""Compiles the examples in the docstrings of the public headers.

    examples_test.py ROOT COMPILER [ARGUMENT]...

Each @code block is a function of its own, in a namespace of its header's name, with the names of examples.hpp. "..." on a line
of its own stands between declarations and statements. The headers that need another library are left out: their pages have
examples too, which examples/guide compiles.
"""

import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(sys.argv[1]).resolve()
COMPILER = [*shlex.split(sys.argv[2]), *sys.argv[3:]]
OTHER_LIBRARIES = ["asio.hpp", "asio_context.hpp", "boost_asio.hpp", "eigen.hpp", "opencv.hpp", "stdexec.hpp"]
LEAST = 110  # examples; fewer, and this test does not see them


def examples():
    """The header, the line and the text of each."""
    folders = ["", "algorithm", "pipeline", "adaptor"]
    for header in sorted(path for folder in folders for path in (ROOT / "blitz" / folder).glob("*.h*")):
        if header.name not in OTHER_LIBRARIES:
            text = header.read_text()
            for match in re.finditer(r"@code\n(.*?)^ *///\s*@endcode", text, re.MULTILINE | re.DOTALL):
                yield header, text.count("\n", 0, match.start(1)) + 1, re.sub(r"^ */// ?", "", match[1], flags=re.MULTILINE)


def as_functions(header, index, line, text):
    declarations, _, statements = text.rpartition("\n  ...\n")
    where = f'#line {line} "{header.relative_to(ROOT)}"'
    where_after = f'#line {line + (declarations.count(chr(10)) + 2 if declarations else 0)} "{header.relative_to(ROOT)}"'
    is_coroutine = "co_await" in statements
    result = "blitz::Task<void>" if is_coroutine else "void"
    end = "co_return;" if is_coroutine else ""
    return f"{where}\n{declarations}\n{result} example_{index}() {{\n{where_after}\n{statements}\n{end}}}\n"


def compile_all(prelude, language, sources):
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "examples"
        source.write_text("\n".join([*prelude, *sources]))
        warnings = ["-Wall", "-Wextra", "-Werror", "-Wno-unused", "-Wno-unused-parameter"]
        command = [*COMPILER, *language, f"-I{ROOT}", *warnings, "-fsyntax-only", source]
        return subprocess.run(command, check=False).returncode == 0


def takes_coroutines():
    probe = "#include <blitz/adaptor/coroutine.hpp>\n"
    command = [*COMPILER, "-std=c++20", f"-I{ROOT}", "-fsyntax-only", "-x", "c++", "-"]
    return subprocess.run(command, input=probe, text=True, capture_output=True, check=False).returncode == 0


def main():
    cpp, c, count = {}, [], 0
    headers = ["blitz/adaptor/sender.hpp", *(["blitz/adaptor/coroutine.hpp"] if takes_coroutines() else [])]
    prelude = [*(f"#include <{name}>" for name in headers), f'#include "{ROOT}/tests/docs/examples.hpp"']
    for header, line, text in examples():
        count += 1
        if header.name == "coroutine.hpp" and len(headers) == 1:
            continue
        function = as_functions(header, count, line, text)
        if header.suffix == ".h":
            c.append(function)
        else:
            cpp.setdefault(header.stem, []).append(function)
    in_namespaces = [f"namespace examples::{stem} {{\n{''.join(functions)}}}\n" for stem, functions in cpp.items()]
    good = compile_all(prelude, ["-std=c++20", "-x", "c++"], in_namespaces)
    names = ["#include <stdio.h>", "#include <blitz/c.h>", "extern double items[];", "extern size_t count;"]
    good = compile_all(names, ["-std=c99", "-x", "c"], c) and good
    print(f"{count} examples")
    sys.exit(0 if good and count >= LEAST else 1)


if __name__ == "__main__":
    main()
