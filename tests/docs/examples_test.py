#!/usr/bin/env python3
"""Compiles the examples in the docstrings of the public headers.

    examples_test.py [--other-libraries] ROOT COMPILER [ARGUMENT]...

Each @code block is a function of its own, in a namespace of its header's name, with the names of examples.hpp. "..." on a line
of its own stands between declarations and statements. The headers that need another library are left out, or, with
--other-libraries, only those are taken whose library is installed.
"""

import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

OTHERS = sys.argv[1] == "--other-libraries" and sys.argv.pop(1)
ROOT = pathlib.Path(sys.argv[1]).resolve()
COMPILER = [*shlex.split(sys.argv[2]), *sys.argv[3:]]
# Headers, and what is included of the library.
OTHER_LIBRARIES = {
    "asio.hpp": "asio.hpp",
    "asio_context.hpp": "asio.hpp",
    "boost_asio.hpp": "boost/asio.hpp",
    "eigen.hpp": "unsupported/Eigen/CXX11/Tensor",
    "opencv.hpp": "opencv2/core.hpp",
    "stdexec.hpp": "stdexec/execution.hpp",
}
# The folders are those of Debian.
FOLDERS = ["-isystem", "/usr/include/eigen3", "-isystem", "/usr/include/opencv4"]
LEAST = 130  # examples; fewer, and this test does not see them


def examples():
    """The header, the line and the text of each, of one kind of headers."""
    folders = ["", "algorithm", "pipeline", "adaptor"]
    for header in sorted(path for folder in folders for path in (ROOT / "blitz" / folder).glob("*.h*")):
        if (header.name in OTHER_LIBRARIES) == bool(OTHERS):
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
        command = [*COMPILER, *language, f"-I{ROOT}", *FOLDERS, *warnings, "-fsyntax-only", source]
        return subprocess.run(command, check=False).returncode == 0


def takes(text):
    command = [*COMPILER, "-std=c++20", f"-I{ROOT}", *FOLDERS, "-fsyntax-only", "-x", "c++", "-"]
    return subprocess.run(command, input=text, text=True, capture_output=True, check=False).returncode == 0


def has(header):
    return takes(f"#if !__has_include(<{header}>)\n#error\n#endif\n")


def in_namespaces(functions_of, prefix=""):
    return [f"namespace examples::{prefix}{stem} {{\n{''.join(functions)}}}\n" for stem, functions in functions_of.items()]


def main_of_others():
    """A file for each library: Asio and Boost.Asio do not go together."""
    good, found = True, {}
    for index, (header, line, text) in enumerate(examples()):
        if has(OTHER_LIBRARIES[header.name]):
            in_library = found.setdefault(OTHER_LIBRARIES[header.name], {})
            in_library.setdefault(header.stem, []).append(as_functions(header, index, line, text))
    for library, functions in found.items():
        headers = [*(f"blitz/adaptor/{name}" for name in OTHER_LIBRARIES if OTHER_LIBRARIES[name] == library), library]
        names = f'#include "{ROOT}/tests/docs/other_examples.hpp"'
        prelude = ["#define EIGEN_USE_THREADS", *(f"#include <{name}>" for name in headers), names]
        good = compile_all(prelude, ["-std=c++20", "-x", "c++"], in_namespaces(functions, "of_")) and good
    print(f"examples with {', '.join(found)}")
    sys.exit(77 if not found else 0 if good else 1)


def main():
    cpp, c, count = {}, [], 0
    headers = ["blitz/adaptor/sender.hpp", *(["blitz/adaptor/coroutine.hpp"] if takes("#include <blitz/adaptor/coroutine.hpp>\n") else [])]
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
    good = compile_all(prelude, ["-std=c++20", "-x", "c++"], in_namespaces(cpp))
    names = ["#include <stdio.h>", "#include <blitz/c.h>", "extern double items[];", "extern size_t count;"]
    good = compile_all(names, ["-std=c99", "-x", "c"], c) and good
    print(f"{count} examples")
    sys.exit(0 if good and count >= LEAST else 1)


if __name__ == "__main__":
    main_of_others() if OTHERS else main()
