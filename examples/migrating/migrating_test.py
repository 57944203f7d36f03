"""Compiles and runs the programs of docs/migrating.md and compares their output. Each calls blitz and another library.

    migrating_test.py ROOT LIBRARY COMPILER [ARGUMENT]...

COMPILER is one string, such as "ccache g++"; the arguments are passed to it. A program is left out if its other library is not
installed.
"""

import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT, LIBRARY = (pathlib.Path(path).resolve() for path in sys.argv[1:3])
COMPILER = [*shlex.split(sys.argv[3]), *sys.argv[4:]]
del sys.argv[1:]

# name: link arguments, a header that shows whether the library is installed, the expected output.
PROGRAMS = {
    "onetbb": (["-ltbb"], "tbb/task_group.h", "1 1 1 1 99900000"),
    "openmp": (["-fopenmp"], "omp.h", "1 1 1 1834604"),
    "standard": (["-ltbb"], "tbb/task_group.h", "1 1 1 1 245000"),  # libstdc++'s std::execution::par is oneTBB's
    "others": ([], "cstddef", "13 19 6 3"),
    "taskflow": ([], "taskflow/taskflow.hpp", "6"),
}
RUST = (pathlib.Path("/usr/share/cargo/registry"), "13 19")  # Debian's crates, and the output of rayon.rs


def compiles(source, *arguments):
    """Whether the compiler accepts a source, given as text."""
    command = [*COMPILER, "-std=c++20", "-fsyntax-only", "-x", "c++", "-", *arguments]
    return subprocess.run(command, input=source, text=True, capture_output=True, check=False).returncode == 0


class MigratingTest(unittest.TestCase):
    def test_programs(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, (arguments, header, expected) in PROGRAMS.items():
                if not compiles(f"#include <{header}>\n", *[a for a in arguments if a.startswith("-f")]):
                    print(f"{name}: left out, {header} is not installed")
                    continue
                with self.subTest(name):
                    program = pathlib.Path(folder) / name
                    source = ROOT / "examples" / "migrating" / f"{name}.cpp"
                    subprocess.run(
                        [*COMPILER, "-std=c++20", "-O1", "-Wall", "-Wextra", "-Werror", f"-I{ROOT}", source, "-o", program,
                         LIBRARY, f"-Wl,-rpath,{LIBRARY.parent}", "-pthread", *arguments],
                        check=True,
                    )
                    printed = subprocess.run([program], check=True, capture_output=True, text=True).stdout.strip()
                    self.assertEqual(printed, expected)

    def test_rayon(self):
        crates, expected = RUST
        if not (shutil.which("cargo") and list(crates.glob("rayon-[0-9]*"))):
            self.skipTest("no cargo, or no Rayon (Debian: cargo, librust-rayon-dev)")
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            package = '[package]\nname = "before"\nversion = "0.1.0"\nedition = "2021"\n\n[dependencies]\nrayon = "1.6"\n'
            (folder / "Cargo.toml").write_text(package)
            shutil.copytree(ROOT / "bench" / "rayon" / ".cargo", folder / ".cargo")
            (folder / "src").mkdir()
            shutil.copy(ROOT / "examples" / "migrating" / "rayon.rs", folder / "src" / "main.rs")
            environment = {**os.environ, "CARGO_HOME": str(folder / "home")}
            command = ["cargo", "run", "--offline", "--quiet"]
            printed = subprocess.run(command, cwd=folder, env=environment, check=True, capture_output=True, text=True).stdout
            self.assertEqual(printed.strip(), expected)


if __name__ == "__main__":
    unittest.main()
