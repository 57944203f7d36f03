#!/usr/bin/env python3
"""Checks the architecture of the source tree, which a compiler does not check.

    layering.py ROOT

Prints one line for each violation and exits with 1 if there are any. Each check_* function below takes the root of the tree and
yields its complaints. layering_test.py shows that each check notices its violations.
"""

import fnmatch
import pathlib
import re
import sys

TOP_LEVEL = {"blitz", "tests", "bench", "examples", "docs", "packaging", "meson.build", "meson_options.txt", "CMakeLists.txt",
             "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "LICENSE"}

# Plain data and concepts that the public headers share with the layers below them.
VOCABULARY = {"loop_range.hpp", "options.hpp", "stats.hpp", "stopped.hpp", "unit.hpp"}

# layer -> the lower layers that it may include, in addition to itself. A folder of blitz/detail/ is a layer; see layer_of().
# "pools" compiles both backends.
BASE = {"base"}
SYSTEM = BASE | {"sys"}
FENCE = SYSTEM | {"fence"}
WAKE = SYSTEM | {"wake"}
QUEUE = FENCE | WAKE | {"queue"}
DATA = BASE | {"concepts", "vocabulary"}
JOB = SYSTEM | DATA | {"job"}
WORKER = JOB | QUEUE | {"worker"}
# Every program compiles the join of the default backend, and nothing of the other backend.
POOL = WORKER | {"fork_join", "pool"}
PUBLIC = POOL | {"loop", "task", "public"}
ALGORITHM = PUBLIC | {"algorithm"}
PIPELINE = ALGORITHM | {"pipeline"}
C = PUBLIC | {"c"}
ARROWS = {
    "base": BASE,
    "vocabulary": BASE,
    "concepts": BASE | {"vocabulary"},
    "sys": SYSTEM,
    "fence": FENCE,
    "wake": WAKE,
    "queue": QUEUE,
    # The backends include neither each other nor a scheduler.
    "fork_join": QUEUE | DATA,
    "async": QUEUE | DATA,
    "job": JOB,
    "worker": WORKER,
    "task": WORKER,
    "loop": WORKER,
    "pool": POOL,
    "pools": PUBLIC | {"async"},
    "public": PUBLIC,
    "algorithm": ALGORITHM,
    "pipeline": PIPELINE,
    "c": C,
    # Headers named after headers of other libraries, languages and standards.
    "adaptor": PIPELINE | C,
}

# header -> the headers that may include it. Code that is compiled once for each policy is for programs with a custom policy,
# not for every program.
INCLUDED_BY = {
    "detail/pool/worker_impl.hpp": {"detail/pool/registry_impl.hpp"},
    "detail/pool/registry_impl.hpp": {"custom_policy.hpp"},
    "custom_policy.hpp": set(),
}

# Written as users write: with the public headers only.
USERS = ["examples", "tests/packaging/consumer.cpp", "tests/support/reference_policy.hpp"]

# adaptor -> the header folders of the library that it adapts.
ADAPTED = {
    "adaptor/asio.hpp": ("asio/",),
    "adaptor/boost_asio.hpp": ("boost/asio/",),
    "adaptor/eigen.hpp": ("Eigen/", "unsupported/Eigen/"),
    "adaptor/opencv.hpp": ("opencv2/",),
    "adaptor/parlay.hpp": ("parlay/",),
    "adaptor/stdexec.hpp": ("stdexec/",),
}

# Facilities with one place each, so that they can be found, replaced in a test, and left out on a system that lacks them.
ONE_PLACE = [
    (r"\bstd::atomic\w*", ["base"]),
    (r"\bsyscall\s*\(|\bSYS_\w+", ["sys", "fence"]),
    (r"\b(?:sched|pthread)_(?!atfork)\w+\s*\(", ["sys"]),
]

# A program that is compiled with _GLIBCXX_DEBUG has other definitions of these types than the library that it is linked with.
DEBUG_CONTAINER = re.compile(r"\bstd::(?:vector|deque|list|forward_list|bitset|(?:unordered_)?(?:multi)?(?:map|set))\b")

# Each of these headers costs some hundredths of <tbb/tbb.h>; fork_join.hpp may cost at most half of <tbb/tbb.h>, and join.hpp a
# quarter. detail/base/owned.hpp replaces <memory>, detail/base/invoke.hpp <functional>.
DEAR_HEADERS = {"algorithm", "filesystem", "fstream", "iostream", "memory", "regex", "sstream", "thread"}
DEAR_FOR = {"fork_join.hpp": DEAR_HEADERS, "join.hpp": DEAR_HEADERS | {"functional", "optional", "string", "vector"}}
# The maximum number of library headers that join.hpp includes, itself counted.
MOST_OF_JOIN = 23

# file -> the pattern of its blitz version. Only files that exist are checked.
VERSIONS = {
    "blitz/version.hpp": r'BLITZ_VERSION_STRING "(.*)"',
    "meson.build": r"^\s*version: '(.*)'",
    "CMakeLists.txt": r"^project\(blitz VERSION ([\d.]+)",
    "CHANGELOG.md": r"^## ([\d.]+)$",
    "packaging/conan/conanfile.py": r'^    version = "(.*)"',
    "packaging/debian/changelog": r"\A\S+ \((.*)-\d+\)",
    "packaging/vcpkg/blitz-parallel/vcpkg.json": r'"version": "(.*)"',
}

# These headers are not in the map of blitz/README.md: their folders have a README, or they have the names of other libraries'
# headers. The algorithm families are not in the map either.
OFF_THE_MAP = ("detail/fork_join/", "detail/async/", "detail/algorithm/sort/", "adaptor/tbb/")

INCLUDE = re.compile(r'^\s*#\s*include\s+(["<])([^">]+)[">]', re.MULTILINE)
# Function names that only atomics have, and names that other types have, too: for these the receiver must be a known atomic.
ATOMIC_CALL = re.compile(
    r"(?:\b(?P<receiver>\w+)\s*(?:\[[^\]]*\]|\([^()]*\))?)?\s*(?:\.|->)\s*(?P<call>(?P<shared>load|store|exchange)"
    r"|compare_exchange_weak|compare_exchange_strong|fetch_(?:add|sub|and|or|xor)|test_and_set)\s*\("
)
# A variable, an array, a parameter, or a function that returns a reference.
ATOMIC_NAME = re.compile(r"\b(?:std::atomic|Atomic)\s*<[^;{}()]*>[\s&*]*\b(\w+)\s*[\[{;=(,)]")
# A variable that is itself an atomic: not a pointer to one, not a container of them.
ATOMIC_VARIABLE = re.compile(
    r"\b(?:std::atomic|Atomic)\s*<(?:[^<>;{}()]|<[^<>;{}()]*>)*>\s+(\w+)\s*(?:\{[^;]*\}|=[^;]*)?;"
)


def sources(root):
    """All C and C++ files of the library, with their paths below blitz/. Files without a suffix replace standard headers."""
    for path in sorted((root / "blitz").rglob("*")):
        if path.suffix in (".hpp", ".h", ".cpp") or (path.suffix == "" and path.is_file()):
            yield path, path.relative_to(root / "blitz").as_posix()


def code_of(path):
    """The text with comments and literals blanked out, line numbers kept."""
    blank = lambda match: re.sub(r"[^\n]", " ", match.group())
    text = path.read_text()
    return re.sub(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|(?<!\w)\'(?:\\.|[^\'\\\n])+\'', blank, text, flags=re.DOTALL)


def line_of(text, position):
    return text.count("\n", 0, position) + 1


def is_private(name):
    return name.startswith("detail/")


def layer_of(name):
    """The layer of a file: its folder. A header directly in blitz/ is in the public layer, with the exceptions below."""
    if name == "detail/pool/global_pool.cpp":
        return "pools"
    if name == "detail/task/join.cpp":
        return "public"
    folders = name.removeprefix("detail/").split("/")[:-1]
    if folders:
        return folders[0]
    if name in ("policy.hpp", "pool_ref.hpp"):
        return "concepts"
    if name == "version.hpp":
        return "base"
    if name == "blitz.hpp":
        return "pipeline"  # the topmost layer that it includes
    if name in ("algorithm.hpp", "pipeline.hpp", "c.h"):
        return pathlib.PurePath(name).stem
    return "vocabulary" if name in VOCABULARY else "public"


def check_includes(root):
    """Includes point downwards in the layers, and every include is written relative to the root of the repository."""
    known = {name for _, name in sources(root)}
    for path, name in sources(root):
        layer = layer_of(name)
        if layer not in ARROWS:
            yield f"blitz/{name}: the folder {layer} is no layer of the architecture"
            continue
        text = path.read_text()
        for match in INCLUDE.finditer(text):
            quote, target = match.groups()
            where = f"blitz/{name}:{line_of(text, match.start(1))}"
            if quote == "<":
                if target.startswith("blitz/"):
                    yield f'{where}: write #include "{target}", quoted, inside the library'
                elif "/" in target and not target.startswith(("sys/", "linux/", *ADAPTED.get(name, ()))):
                    yield f"{where}: <{target}> is neither the standard library nor the system"
                continue
            if not target.startswith("blitz/"):
                yield f'{where}: "{target}" is not written from the root of the repository'
                continue
            below = target.removeprefix("blitz/")
            if below not in known:
                yield f'{where}: "{target}" does not exist'
            elif layer_of(below) not in ARROWS[layer] | {layer}:
                yield f"{where}: {layer} must not include {layer_of(below)} ({target})"


def check_included_by(root):
    for path, name in sources(root):
        for _, target in INCLUDE.findall(path.read_text()) if name.endswith(".hpp") else []:
            below = target.removeprefix("blitz/")
            if name not in INCLUDED_BY.get(below, {name}):
                yield f"blitz/{name}: {below} is not for every program that includes this header"


def check_users(root):
    """Programs name neither private headers nor blitz::detail."""
    for user in USERS:
        found = [root / user] if (root / user).is_file() else sorted((root / user).rglob("*.[ch]pp"))
        for path in found:
            where = path.relative_to(root).as_posix()
            text, code = path.read_text(), code_of(path)
            for match in INCLUDE.finditer(text):
                target = match[2].removeprefix("blitz/")
                # A private header is a separate complaint, below.
                lies_below = "/" in target.removeprefix("adaptor/") and not is_private(target)
                if match[2] != target and (lies_below or match[1] != "<"):
                    yield f"{where}:{line_of(text, match.start(1))}: {match[2]} is no public header, written in <>"
            for match in re.finditer(r"\bdetail\b", code):
                yield f"{where}:{line_of(code, match.start())}: names detail"


def pages(root):
    """The documentation pages for users."""
    return sorted(path for path in [root / "README.md", *(root / "docs").rglob("*.md")] if path.exists())


def check_pages(root):
    """The pages for users name no private source files. They may link to a private README."""
    for page in pages(root):
        text = page.read_text()
        for match in re.finditer(r"\bdetail/[\w/]+\.[chp]pp\b", text):
            yield f"{page.relative_to(root).as_posix()}:{line_of(text, match.start())}: {match[0]} is private"


def check_names(root):
    """No two headers have the same name. Headers named after another library's end in .h."""
    first = {}
    for _, name in sources(root):
        base = name.rpartition("/")[2]
        if base.endswith(".hpp") and first.setdefault(base, name) != name:
            yield f"blitz/{name}: has the name of blitz/{first[base]}"


def check_snippets(root):
    """Every C++ and Rust snippet in README.md and docs/ is part of a compiled program, except for its indentation. One of
    README.md is a whole program, except for the comment above it. Every part of a C snippet between lines "..." is part of a
    program, unless the snippet is a program, which tests/docs/examples_test.py compiles."""
    lines = lambda text: "\n".join(line.strip() for line in text.strip().splitlines())
    compiled = [lines(path.read_text()) for user in USERS for path in [root / user, *(root / user).rglob("*")]
                if path.suffix in (".hpp", ".cpp", ".rs") and path.exists()]
    compiled_c = [lines(path.read_text()) for path in (root / "tests" / "adaptor").glob("*.c")]
    for page in pages(root):
        text = page.read_text()
        for match in re.finditer(r"^```(?:cpp|rust)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
            snippet, where = lines(match[1]), f"{page.relative_to(root).as_posix()}:{line_of(text, match.start())}"
            if not any(snippet in program for program in compiled):
                yield f"{where}: not part of a program"
            elif page == root / "README.md" and not any(snippet == re.sub(r"\A(//.*\n|\n)+", "", p) for p in compiled):
                yield f"{where}: not a whole program"
        for match in re.finditer(r"^```c\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
            parts = re.split(r"^ *\.\.\.\n", match[1], flags=re.MULTILINE)
            if "int main(" not in match[1] and not all(any(lines(part) in program for program in compiled_c) for part in parts):
                yield f"{page.relative_to(root).as_posix()}:{line_of(text, match.start())}: not part of a program"


def check_cycles(root):
    """No header includes itself through other headers."""
    known = {name: path for path, name in sources(root)}
    edges = {
        name: [t.removeprefix("blitz/") for q, t in INCLUDE.findall(path.read_text()) if t.startswith("blitz/")]
        for name, path in known.items()
    }
    done = set()

    def visit(name, trail):
        if name in trail:
            yield "a cycle of includes: " + " -> ".join(trail[trail.index(name):] + [name])
        elif name in edges and name not in done:
            for target in edges[name]:
                yield from visit(target, trail + [name])
            done.add(name)

    for name in edges:
        yield from visit(name, [])


def check_pragma_once(root):
    for path, name in sources(root):
        if name.endswith(".hpp") and not re.search(r"^#pragma once$", path.read_text(), re.MULTILINE):
            yield f"blitz/{name}: no #pragma once"


def check_first_include(root):
    """Every public header first includes the header that rejects unsupported compilers. version.hpp supports any compiler."""
    first = "blitz/detail/base/compiler.hpp"
    for path, name in sources(root):
        if "/" in name or not name.endswith(".hpp") or name == "version.hpp":
            continue
        includes = [target for _, target in INCLUDE.findall(path.read_text())]
        if includes[:1] != [first]:
            yield f'blitz/{name}: #include "{first}" before all others'


def included_by(root, header):
    """The library headers that `header` includes, with itself: name -> the standard headers that each of them includes."""
    known = {name: path for path, name in sources(root)}
    found, waiting = {}, [header]
    while waiting:
        name = waiting.pop()
        if name in found or name not in known:
            continue
        includes = INCLUDE.findall(known[name].read_text())
        found[name] = {target for quote, target in includes if quote == "<"}
        waiting += [target.removeprefix("blitz/") for _, target in includes]
    return found


def check_reference(root):
    """Every public header has a page in the reference: it begins with a @file docstring. The site's test checks the rest."""
    for path, name in sources(root):
        if name.endswith(".hpp") and not is_private(name) and not re.match(r"(///.*\n)*/// @file\n/// \S", path.read_text()):
            yield f"blitz/{name}: begin with `/// @file` and a line that says what the header has"


def check_cost_of_calls(root):
    """Widely used headers include no standard headers that would make up a large part of their compile time."""
    told = set()
    for header, dear in DEAR_FOR.items():
        for name, standard in included_by(root, header).items():
            for target in sorted(standard & dear):
                if (name, target) not in told:
                    told.add((name, target))
                    yield f"blitz/{name}: {header} includes it, and so <{target}>, which is dear to compile"
    count = len(included_by(root, "join.hpp"))
    if count > MOST_OF_JOIN:
        yield f"blitz/join.hpp: it includes {count} headers of the library, itself among them; at most {MOST_OF_JOIN}"


def check_memory_orders(root):
    """Every atomic operation names its memory order: a std::memory_order or a parameter called `order`.

    An operator (++counter, flag = true) cannot name an order and is an error. The check misses a read through the implicit
    conversion, and a load, store or exchange through an alias with a declaration that does not say that it is atomic.
    """
    files = [(name, code_of(path)) for path, name in sources(root)]
    atomics = {atomic for _, code in files for atomic in ATOMIC_NAME.findall(code)}
    for name, code in files:
        for match in ATOMIC_CALL.finditer(code):
            if match["shared"] and match["receiver"] not in atomics:
                continue
            depth, end = 1, match.end()
            while depth > 0 and end < len(code):
                depth += {"(": 1, ")": -1}.get(code[end], 0)
                end += 1
            if not re.search(r"\bmemory_order|\border\b", code[match.end():end]):
                yield f"blitz/{name}:{line_of(code, match.start('call'))}: {match['call']}() without a memory order"
        for declaration in ATOMIC_VARIABLE.finditer(code):
            atom = declaration[1]
            changes = rf"(?:\+\+|--)\s*{atom}\b|(?<![\w.>:]){atom}\s*(?:\+\+|--|[-+|&^]?=(?!=))"
            for match in re.finditer(changes, code):
                if not declaration.start() <= match.start() < declaration.end():
                    yield f"blitz/{name}:{line_of(code, match.start())}: {atom} is atomic and changed by an operator"


def check_one_place(root):
    for path, name in sources(root):
        code = code_of(path)
        for pattern, layers in ONE_PLACE:
            if layer_of(name) in layers:
                continue
            for match in re.finditer(pattern, code):
                what = match.group().rstrip("( ")
                yield f"blitz/{name}:{line_of(code, match.start())}: {what} belongs in blitz/detail/{layers[0]}"


def check_debug_containers(root):
    """The interface between the library and a program contains no container that a debug mode changes.

    Public headers, algorithms, pipelines and adaptors may use such containers: only the program compiles them.
    """
    for path, name in sources(root):
        if not name.endswith(".hpp") or layer_of(name) in ("public", "algorithm", "pipeline", "adaptor") or name in VOCABULARY:
            continue
        code = code_of(path)
        for match in DEBUG_CONTAINER.finditer(code):
            where = f"blitz/{name}:{line_of(code, match.start())}"
            yield f"{where}: {match.group()} has another layout where _GLIBCXX_DEBUG is defined; use an array"


def check_build_lists(root):
    """Every file is compiled or installed: blitz/meson.build names the file or one of its folders."""
    listed = (root / "blitz" / "meson.build").read_text()
    for _, name in sources(root):
        path = pathlib.PurePath(name)
        if not any(f"'{it.as_posix()}'" in listed for it in [path, *path.parents] if it.name):
            yield f"blitz/{name}: not named in blitz/meson.build"


def check_unit_tests(root):
    """A folder of tests/unit tests the folder of blitz/detail/ with the same name; `public` tests the headers in blitz/. A test
    includes the header that it tests before other headers of blitz/detail/."""
    for test in sorted((root / "tests" / "unit").glob("*/*")):
        where, folder = test.relative_to(root).as_posix(), test.parent.name
        if folder == "public" or test.suffix != ".cpp":
            continue
        if not (root / "blitz" / "detail" / folder).is_dir():
            yield f"{where}: there is no folder blitz/detail/{folder}"
        tested = re.search(r'^#include "blitz/detail/(\w+)/', test.read_text(), re.MULTILINE)
        if tested and tested[1] != folder:
            yield f"{where}: tests a header of blitz/detail/{tested[1]}; move it to tests/unit/{tested[1]}"


def mapped(tree):
    """The files and folders at the beginnings of a drawn tree's lines, each with the folders above it."""
    folders = []  # (indentation, path)
    for line in tree.splitlines():
        indent = len(line) - len(line.lstrip())
        for name in re.match(r"\s*((?:[\w/]+(?:/|\.\w+)(?: +|$))*)", line)[1].split():
            while folders and folders[-1][0] >= indent:
                folders.pop()
            path = (folders[-1][1] if folders else "") + name
            if name.endswith("/"):
                folders.append((indent, path))
            yield path


def check_map(root):
    """The map of blitz/README.md names every header, in its folder, and no file that does not exist."""
    page = root / "blitz" / "README.md"
    if not page.exists():
        return
    named = set(mapped(page.read_text().split("```")[1]))
    for path in sorted(named):
        if not (root / "blitz" / path).exists():
            yield f"blitz/README.md: the map names {path}, which does not exist"
    families = root / "blitz" / "algorithm.hpp"
    off = {target for _, target in INCLUDE.findall(families.read_text())} if families.exists() else set()
    for path, name in sources(root):
        if path.suffix == ".hpp" and not (name in named or name.startswith(OFF_THE_MAP) or f"blitz/{name}" in off):
            yield f"blitz/{name}: not in the map of blitz/README.md"


def check_readmes(root):
    """A folder's README names each of its headers. No README of the library names a file that does not exist."""
    names = {path.name for path, _ in sources(root)}
    for page in sorted((root / "blitz").rglob("README.md")):
        where, folder, text = page.relative_to(root).as_posix(), page.parent, page.read_text()
        named = set(re.findall(r"[\w./-]+\.[ch]pp\b", text))
        for file in sorted(named):
            places = [folder, root / "blitz" / "detail", root / "blitz", root]
            if file not in names and not any((place / file).exists() for place in places):
                yield f"{where}: names {file}, which does not exist"
        for header in sorted(folder.glob("*.hpp")) if folder.relative_to(root / "blitz").as_posix() + "/" in OFF_THE_MAP else []:
            if header.name not in named:
                yield f"{where}: does not name {header.name}"


def check_cmake_sources(root):
    """CMakeLists.txt reads its list of sources from blitz/meson.build with a regular expression; it finds all of them."""
    cmake = root / "CMakeLists.txt"
    if not cmake.exists():
        return
    reads = re.search(r'^file\(STRINGS blitz/meson\.build sources REGEX "(.*)"\)$', cmake.read_text(), re.MULTILINE)
    lines = (root / "blitz" / "meson.build").read_text().splitlines()
    read = {line.strip(" ',") for line in lines if reads and re.search(reads[1], line)}
    for name in sorted({name for _, name in sources(root) if name.endswith(".cpp")} ^ read):
        yield f"blitz/{name}: a source that is not read from blitz/meson.build by CMakeLists.txt, or the reverse"


def check_version(root):
    """Every file that names the version names the same one as the header."""
    found = {}
    for name, pattern in VERSIONS.items():
        path = root / name
        match = re.search(pattern, path.read_text(), re.MULTILINE) if path.exists() else None
        if path.exists() or name in ("blitz/version.hpp", "meson.build"):
            found[name] = match and match[1]
    version = found["blitz/version.hpp"]
    for name, other in found.items():
        if other is None or other != version:
            yield f"{name}: names the version {other}, blitz/version.hpp {version}"


def check_pictures(root):
    """Each picture has colours for a dark page."""
    for path in sorted(root.glob("docs/**/*.svg")):
        if "prefers-color-scheme: dark" not in path.read_text():
            yield f"{path.relative_to(root)}: has no colours for a dark page (prefers-color-scheme)"


def check_top_level(root):
    ignore_file = root / ".gitignore"
    ignored = [line.strip().strip("/") for line in ignore_file.read_text().splitlines()] if ignore_file.exists() else []
    for entry in sorted(root.iterdir()):
        name = entry.name
        if name.startswith(".") or name in TOP_LEVEL or any(fnmatch.fnmatch(name, p) for p in ignored if p):
            continue
        yield f"{name}: not one of the entries that the top level may have"


CHECKS = [
    check_includes,
    check_included_by,
    check_users,
    check_pages,
    check_names,
    check_snippets,
    check_cycles,
    check_pragma_once,
    check_first_include,
    check_reference,
    check_cost_of_calls,
    check_memory_orders,
    check_one_place,
    check_debug_containers,
    check_build_lists,
    check_unit_tests,
    check_map,
    check_readmes,
    check_cmake_sources,
    check_version,
    check_pictures,
    check_top_level,
]


def complaints(root):
    for check in CHECKS:
        yield from check(root)


def main():
    root = pathlib.Path(sys.argv[1])
    found = list(complaints(root))
    for complaint in found:
        print(complaint)
    files = sum(1 for _ in sources(root))
    print(f"{files} files, {len(found)} complaints")
    # An empty tree would pass all checks.
    sys.exit(1 if found or files == 0 else 0)


if __name__ == "__main__":
    main()
