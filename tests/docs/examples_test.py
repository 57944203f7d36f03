#!/usr/bin/env python3
"""Runs the examples in the docstrings of the public headers, each in a process, outside the pool, with 1, 2, 3 and 16 threads.
Runs the C and Python programs of docs/, too; tests/layering looks for the C++ of docs/ in compiled programs.

    examples_test.py ROOT LIBRARY COMPILER [ARGUMENT]...
    examples_test.py --other-libraries ROOT COMPILER [ARGUMENT]...

Each @code block becomes a function, in a namespace with the header's name, with the names of examples.hpp. A line "..."
separates declarations from statements. Headers that need another library are left out. With --other-libraries, the examples of
those headers are compiled, but not run, if the library is installed.
"""

import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

OTHERS = sys.argv[1] == "--other-libraries" and sys.argv.pop(1)
ROOT = pathlib.Path(sys.argv[1]).resolve()
LIBRARY = None if OTHERS else pathlib.Path(sys.argv.pop(2)).resolve()
COMPILER = [*shlex.split(sys.argv[2]), *sys.argv[3:]]
# Headers, and the headers that they need of another library.
OTHER_LIBRARIES = {
    "asio.hpp": "asio.hpp",
    "asio_context.hpp": "asio.hpp",
    "boost_asio.hpp": "boost/asio.hpp",
    "eigen.hpp": "unsupported/Eigen/CXX11/Tensor",
    "opencv.hpp": "opencv2/core.hpp",
    "stdexec.hpp": "stdexec/execution.hpp",
}
# Debian's folders.
FOLDERS = ["-isystem", "/usr/include/eigen3", "-isystem", "/usr/include/opencv4"]
LEAST = 130  # examples; if there are fewer, this test does not find them
THREADS = [1, 2, 3, 16]
PATIENCE = 60  # seconds for an example that takes milliseconds, on a busy machine

MAIN = """
extern "C" {{
double items[1000];
size_t count = 1000;
{c}
}}
static void run(void (*example)(), void (*meanwhile)()) {{
  if (meanwhile == nullptr) return example();
  std::thread other(meanwhile);
  for (int round = 0; round < 20; ++round) example();
  other.join();
}}
int main(int, char** arguments) {{
  switch (std::atoi(arguments[1])) {{
{cases}
  }}
  blitz::shutdown_global_pool();
}}
"""


def examples():
    """Yields the header, line and text of each example: of the headers with other libraries, or of the rest."""
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
    result, end = ("blitz::Task<void>", "co_return;") if is_coroutine(text) else ("void", "")
    return f"{where}\n{declarations}\n{result} example_{index}() {{\n{where_after}\n{statements}\n{end}}}\n"


def is_coroutine(text):
    return "co_await" in text.rpartition("\n  ...\n")[2]


def compiles(language, sources, *what):
    warnings = ["-Wall", "-Wextra", "-Werror", "-Wno-unused", "-Wno-unused-parameter"]
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "examples"
        source.write_text("\n".join(sources))
        command = [*COMPILER, *language, f"-I{ROOT}", *FOLDERS, *warnings, *what, source]
        return subprocess.run(command, check=False).returncode == 0


def case_of(stem, index, text, names):
    name = f"examples::{stem}::example_{index}"
    call = f"blitz::sync_wait({name}())" if is_coroutine(text) else f"{name}()"
    own_names = re.search(rf"^namespace {stem} {{$(.*?)^}}  // namespace {stem}$", names, re.MULTILINE | re.DOTALL)
    meanwhile = f"examples::{stem}::meanwhile" if own_names and "void meanwhile()" in own_names[1] else "nullptr"
    return f"    case {index}: run([] {{ {call}; }}, {meanwhile}); break;"


def runs(program, threads, index):
    environment = {**os.environ, "BLITZ_NUM_THREADS": str(threads)}
    try:
        done = subprocess.run([program, str(index)], env=environment, stdout=subprocess.DEVNULL, timeout=PATIENCE, check=False)
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


def pages_run():
    """Whether the C and Python programs of the pages run."""
    good, count = True, 0
    for page in sorted((ROOT / "docs").glob("*.md")):
        for match in re.finditer(r"^```(c|python)\n(.*?)^```$", page.read_text(), re.MULTILINE | re.DOTALL):
            language, text = match.groups()
            if language == "c" and "int main(" not in text:
                continue
            count += 1
            with tempfile.TemporaryDirectory() as folder:
                program = pathlib.Path(folder) / "program"
                link = ["-pthread", "-o", program, "-Wl,--no-as-needed", LIBRARY, f"-Wl,-rpath,{LIBRARY.parent}", "-x", "c"]
                command = [program] if language == "c" else [sys.executable, "-c", text]
                environment = {**os.environ, "LD_LIBRARY_PATH": str(LIBRARY.parent)}
                ran = language != "c" or compiles(["-std=c99"], [text], *link)
                ran = ran and subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, timeout=PATIENCE).returncode == 0
            if not ran:
                print(f"{page.relative_to(ROOT)}: a program in {language} fails", file=sys.stderr)
                good = False
    return good and count > 0


def takes(text):
    command = [*COMPILER, "-std=c++20", f"-I{ROOT}", *FOLDERS, "-fsyntax-only", "-x", "c++", "-"]
    return subprocess.run(command, input=text, text=True, capture_output=True, check=False).returncode == 0


def has(header):
    return takes(f"#if !__has_include(<{header}>)\n#error\n#endif\n")


def in_namespaces(functions_of, prefix=""):
    return [f"namespace examples::{prefix}{stem} {{\n{''.join(functions)}}}\n" for stem, functions in functions_of.items()]


def main_of_others():
    """Compiles one file for each library: Asio and Boost.Asio cannot be included together."""
    good, found = True, {}
    for index, (header, line, text) in enumerate(examples()):
        if has(OTHER_LIBRARIES[header.name]):
            in_library = found.setdefault(OTHER_LIBRARIES[header.name], {})
            in_library.setdefault(header.stem, []).append(as_functions(header, index, line, text))
    for library, functions in found.items():
        headers = [*(f"blitz/adaptor/{name}" for name in OTHER_LIBRARIES if OTHER_LIBRARIES[name] == library), library]
        names = f'#include "{ROOT}/tests/docs/other_examples.hpp"'
        prelude = ["#define EIGEN_USE_THREADS", *(f"#include <{name}>" for name in headers), names]
        sources = [*prelude, *in_namespaces(functions, "of_")]
        good = compiles(["-std=c++20", "-x", "c++"], sources, "-fsyntax-only") and good
    print(f"examples with {', '.join(found)}")
    sys.exit(77 if not found else 0 if good else 1)


def main():
    cpp, c, cases, places, count = {}, [], [], {}, 0
    headers = ["blitz/adaptor/sender.hpp", *(["blitz/adaptor/coroutine.hpp"] if takes("#include <blitz/adaptor/coroutine.hpp>\n") else [])]
    prelude = [*(f"#include <{name}>" for name in headers), f'#include "{ROOT}/tests/docs/examples.hpp"']
    names = (ROOT / "tests" / "docs" / "examples.hpp").read_text()
    for header, line, text in examples():
        count += 1
        if header.name == "coroutine.hpp" and len(headers) == 1:
            continue
        places[count] = f"{header.relative_to(ROOT)}:{line}"
        function = as_functions(header, count, line, text)
        if header.suffix == ".h":
            c.append(function)
            cases.append(f"    case {count}: example_{count}(); break;")
        else:
            cpp.setdefault(header.stem, []).append(function)
            cases.append(case_of(header.stem, count, text, names))
    prelude_of_c = ["#include <stdio.h>", "#include <blitz/c.h>", "extern double items[];", "extern size_t count;"]
    of_main = MAIN.format(c="\n".join(re.findall(r"^void example_\d+\(\)", "".join(c), re.MULTILINE)).replace(")", ");"), cases="\n".join(cases))
    with tempfile.TemporaryDirectory() as folder:
        program, object_of_c = pathlib.Path(folder) / "program", pathlib.Path(folder) / "c.o"
        good = compiles(["-std=c99", "-x", "c"], [*prelude_of_c, *c], "-c", "-o", object_of_c)
        link = ["-pthread", "-o", program, object_of_c, LIBRARY, f"-Wl,-rpath,{LIBRARY.parent}", "-x", "c++"]
        good = good and compiles(["-std=c++20"], [*prelude, *in_namespaces(cpp), of_main], *link)
        for threads in THREADS if good else []:
            for index, place in places.items():
                if not runs(program, threads, index):
                    print(f"{place}: the example does not end, or fails, with {threads} threads", file=sys.stderr)
                    good = False
    good = pages_run() and good
    print(f"{count} examples")
    sys.exit(0 if good and count >= LEAST else 1)


if __name__ == "__main__":
    main_of_others() if OTHERS else main()
