#!/usr/bin/env python3
"""Measures how much ten pipelines add to a program: bytes of text, and the compiler's time.

    code_size.py [--only NAME,...] [--parlay FOLDER] [--smoke] [--json FILE]
    code_size.py RECORD.json [--page PAGE [--check]]     reads the output of --json

Compiles the same ten pipelines with blitz by g++ and by clang, with Rayon (the sources of Debian's librust-rayon-dev) by rustc,
and with parlay (its folder include/ is in FOLDER) by g++. Compiles a file without pipelines, with the first, with the first
two, and so on, at -O2. The table shows the growth of the object file's text (size(1): code, constants, tables for exceptions)
by each pipeline, and below it the minimum time of three to compile none, one and ten. Skips libraries and compilers that are
not installed. --smoke only compiles all ten, once. --page writes the table into a page, between the lines
<!-- code_size: begin --> and <!-- code_size: end -->. --check only compares.

Exit status: 0 success; 1 a compiler is missing, or the page differs, with --check.
"""

import argparse
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

import pages

ROOT = pathlib.Path(__file__).resolve().parents[1]

# Each pipeline with blitz, Rayon and parlay. `a` and `b` are vectors of doubles, `v` of ints. The numbers differ, so that no
# two compute the same.
PIPELINES = {
    "map, filter, sum": (
        "return par(a).map([](double x) { return x * x; }).filter([](double x) { return x > 1; }).sum();",
        "a.par_iter().map(|x| x * x).filter(|x| *x > 1.0).sum::<f64>()",
        "return delayed::reduce(delayed::filter(delayed::map(a, [](double x) { return x * x; }),"
        "                                       [](double x) { return x > 1; }));",
    ),
    "zip, map, sum": (
        "return par(a, b).map([](double x, double y) { return x * y; }).sum();",
        "a.par_iter().zip(b).map(|(x, y)| x * y).sum::<f64>()",
        "return delayed::reduce(delayed::zip_with([](double x, double y) { return x * y; }, a, b));",
    ),
    "filter, count": (
        "return double(par(v).filter([](int x) { return x % 3 == 0; }).count());",
        "v.par_iter().filter(|x| *x % 3 == 0).count() as f64",
        "return double(parlay::count_if(v, [](int x) { return x % 3 == 0; }));",
    ),
    "map, collect": (
        "return par(a).map([](double x) { return x + 4; }).collect().back();",
        "*a.par_iter().map(|x| x + 4.0).collect::<Vec<f64>>().last().unwrap()",
        "auto out = parlay::map(a, [](double x) { return x + 4; }); return out[out.size() - 1];",
    ),
    "filter, collect": (
        "return par(v).filter([](int x) { return x > 5; }).collect().back();",
        "*v.par_iter().copied().filter(|x| *x > 5).collect::<Vec<i32>>().last().unwrap() as f64",
        "auto out = parlay::filter(v, [](int x) { return x > 5; }); return out[out.size() - 1];",
    ),
    "flat_map, sum": (
        "return par(v).flat_map([](int x) { return std::views::iota(x, x + 6); }).sum();",
        "v.par_iter().flat_map_iter(|x| *x..*x + 6).sum::<i32>() as f64",
        "return delayed::reduce(delayed::flatten("
        "    delayed::map(v, [](int x) { return delayed::tabulate(6, [x](std::size_t i) { return x + int(i); }); })));",
    ),
    "map, min": (
        "return *par(v).map([](int x) { return x ^ 7; }).min();",
        "v.par_iter().map(|x| x ^ 7).min().unwrap() as f64",
        "return delayed::reduce(delayed::map(v, [](int x) { return x ^ 7; }),"
        "                       [](int x, int y) { return std::min(x, y); }, std::numeric_limits<int>::max());",
    ),
    "enumerate, find": (
        "const auto found = par(v).enumerate().find_first([](std::size_t i, int x) { return x > 8 && i > 8; });"
        "return found ? double(std::get<0>(*found)) : 0;",
        "v.par_iter().enumerate().find_first(|(i, x)| **x > 8 && *i > 8).map_or(0, |(i, _)| i) as f64",
        "auto found = parlay::delayed_tabulate(v.size(), [&](std::size_t i) { return v[i] > 8 && i > 8; });"
        "return double(parlay::find(found, true) - found.begin());",
    ),
    "map, any": (
        "return par(a, b).any_of([](double x, double y) { return x > 9 * y; });",
        "if a.par_iter().zip(b).any(|(x, y)| *x > 9.0 * *y) { 1.0 } else { 0.0 }",
        "auto all = parlay::delayed_tabulate(a.size(), [&](std::size_t i) { return a[i] > 9 * b[i]; });"
        "return parlay::any_of(all, [](bool x) { return x; });",
    ),
    "fold": (
        "return par(a).fold(10.0, [](double s, double x) { return std::max(s, x / 2); },"
        "                   [](double s, double t) { return std::max(s, t); });",
        "a.par_iter().fold(|| 10.0, |s: f64, x| s.max(x / 2.0)).reduce(|| 10.0, f64::max)",
        "return delayed::reduce(delayed::map(a, [](double x) { return x / 2; }),"
        "                       [](double s, double t) { return std::max(s, t); }, 10.0);",
    ),
}
BLITZ = """
#include <algorithm>
#include <ranges>
#include <tuple>
#include <vector>
#include <blitz/pipeline.hpp>
using blitz::par;
using Reals = std::vector<double>;
using Ints = std::vector<int>;
"""
RAYON = """
#[allow(unused_imports)]
use rayon::prelude::*;
"""
PARLAY = """
#include <algorithm>
#include <limits>
#include <parlay/delayed.h>
#include <parlay/primitives.h>
namespace delayed = parlay::delayed;
using Reals = parlay::sequence<double>;
using Ints = parlay::sequence<int>;
"""
HEADINGS = {"blitz": "blitz, g++", "blitz_clang": "blitz, clang", "rayon": "Rayon", "parlay": "parlay, g++"}
CPP_FUNCTION = "double call_{i}(const Reals& a, const Reals& b, const Ints& v) {{ (void)a; (void)b; (void)v; {body} }}\n"
RUST_FUNCTION = "#[no_mangle] pub fn call_{i}(a: &[f64], b: &[f64], v: &[i32]) -> f64 {{ let _ = (a, b, v); {body} }}\n"


class Cpp:
    suffix, function = ".cpp", CPP_FUNCTION

    def __init__(self, column, head, compiler, include):
        self.column, self.head = column, head
        self.command = [compiler, "-std=c++20", "-O2", "-DNDEBUG", "-I", include, "-c"]
        self.there = bool(shutil.which(compiler)) and include.is_dir()


class Rust:
    suffix, function, column, head = ".rs", RUST_FUNCTION, 1, RAYON

    def __init__(self, folder):
        """Compiles Rayon itself in `folder`. This is no part of the times."""
        self.there = False
        if not shutil.which("cargo"):
            return
        (folder / "src").mkdir()
        (folder / "src/lib.rs").write_text("")
        (folder / "Cargo.toml").write_text((ROOT / "bench/rayon/Cargo.toml").read_text().replace('"staticlib"', '"rlib"'))
        (folder / ".cargo").symlink_to(ROOT / "bench/rayon/.cargo")
        build = ["cargo", "build", "--release", "--offline", "--quiet", "--config", "profile.release.lto=false"]
        if subprocess.run(build, cwd=folder).returncode == 0:
            parts = folder / "target/release/deps"
            self.command = ["rustc", "--edition=2021", "--crate-type=lib", "--emit=obj", "-Copt-level=2", "-Ccodegen-units=1"]
            self.command += ["-L", f"dependency={parts}", "--extern", f"rayon={next(parts.glob('librayon-*.rlib'))}"]
            self.there = True


def compiled(way, folder, count):
    """Returns (bytes of text, seconds) of a file with the first `count` pipelines."""
    source, out = folder / f"calls{way.suffix}", folder / "calls.o"
    bodies = [bodies[way.column] for bodies in PIPELINES.values()][:count]
    source.write_text(way.head + "".join(way.function.format(i=i, body=body) for i, body in enumerate(bodies)))
    begin = time.monotonic()
    subprocess.run([*way.command, source, "-o", out], check=True)
    seconds = time.monotonic() - begin
    listed = subprocess.run(["size", out], check=True, capture_output=True, text=True).stdout
    return int(listed.splitlines()[1].split()[0]), seconds


def measured(ways, folder):
    """Returns a record: for each way the bytes added by each pipeline, and the seconds to compile none, the first and all."""
    last = len(PIPELINES)
    found = {}
    for name, way in ways.items():
        sizes = [compiled(way, folder, n)[0] for n in range(last + 1)]
        seconds = {n: min(compiled(way, folder, n)[1] for _ in range(3)) for n in (0, 1, last)}
        found[name] = {
            "bytes": dict(zip(PIPELINES, (more - less for less, more in zip(sizes, sizes[1:])))),
            "seconds": {text: round(seconds[n], 3) for n, text in ((0, "none"), (1, "the first"), (last, "all ten"))},
        }
    return found


def table(record):
    columns = record.values()
    rows = [[f"`{name}`", *(str(column["bytes"][name]) for column in columns)] for name in PIPELINES]
    rows.append(["all ten", *(str(sum(column["bytes"].values())) for column in columns)])
    for text in ("none", "the first", "all ten"):
        rows.append([f"seconds to compile {text}", *(f"{column['seconds'][text]:.2f}" for column in columns)])
    return pages.table(["bytes of text", *map(HEADINGS.get, record)], rows)


def new_record(options):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        clang = next(filter(shutil.which, ["clang++-16", "clang++"]), "clang++")
        ways = {
            "blitz": lambda: Cpp(0, BLITZ, "g++", ROOT),
            "blitz_clang": lambda: Cpp(0, BLITZ, clang, ROOT),
            "rayon": lambda: Rust(folder),
            "parlay": lambda: Cpp(2, PARLAY, "g++", options.parlay / "include"),
        }
        wanted = options.only.split(",") if options.only else ways
        ways = {name: way() for name, way in ways.items() if name in wanted}
        ways = {name: way for name, way in ways.items() if way.there}
        if not ways:
            sys.exit("code_size.py: there is no such compiler or library")
        if not options.smoke:
            return measured(ways, folder)
        for name, way in ways.items():
            print(f"{name}: {compiled(way, folder, len(PIPELINES))[0]} bytes of text")
        return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("record", metavar="RECORD.json", nargs="?", type=pathlib.Path, help="measure nothing")
    parser.add_argument("--only", metavar="NAME,...", help="of blitz, blitz_clang, rayon, parlay")
    parser.add_argument("--parlay", metavar="FOLDER", type=pathlib.Path, default=pathlib.Path("/nowhere"))
    parser.add_argument("--smoke", action="store_true")
    parser.add_argument("--json", metavar="FILE", type=pathlib.Path, help="write the record to FILE")
    parser.add_argument("--page", type=pathlib.Path, help="write the table into a page")
    parser.add_argument("--check", action="store_true", help="with --page: compare, and write nothing")
    options = parser.parse_args()
    record = json.loads(options.record.read_text(encoding="utf-8")) if options.record else new_record(options)
    if record is None:
        return 0
    if options.json:
        options.json.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    if options.page:
        return pages.update(options.page, {"code_size": table(record)}, options.check, f"'{options.record}'")
    print(table(record), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
