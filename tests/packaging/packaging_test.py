#!/usr/bin/env python3
"""Builds a user's program against blitz in the ways that users do.

    packaging_test.py installed BUILD_ROOT COMPILER...
        against what `meson install` puts in place, found through pkg-config; and a program with a policy of its own,
        and one that shares a policy with a library of its own
    packaging_test.py subproject SOURCE_ROOT VERSION COMPILER...
        with blitz as a Meson subproject, once as a shared and once as a static library
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
CONSUMER = HERE / "consumer.cpp"
EXAMPLES = HERE.parents[1] / "examples"

PROJECT = """\
project('consumer', 'cpp', version: '1', default_options: ['cpp_std=c++20', 'warning_level=3', 'werror=true'])
executable('consumer', 'consumer.cpp', dependencies: dependency('blitz'))
"""


def run(command, **options):
    print("+", " ".join(map(str, command)), flush=True)
    return subprocess.run(command, check=True, text=True, **options)


def output_of(command, **options):
    return run(command, stdout=subprocess.PIPE, **options).stdout


def expect(condition, complaint):
    if not condition:
        sys.exit(f"FAILED: {complaint}")


def expect_right_answer(program, version, **options):
    answer = output_of([program], **options)
    expect(answer == f"blitz {version}: 42 4950\n", f"the consumer said {answer!r}")


def installed(scratch, build_root, *compiler):
    stage = scratch / "stage"
    run(["meson", "install", "-C", build_root, "--no-rebuild", "--quiet", "--destdir", stage])

    packages = list(stage.rglob("blitz.pc"))
    expect(len(packages) == 1, f"{len(packages)} blitz.pc files")
    libraries = list(stage.rglob("libblitz.*"))
    expect(libraries, "no library")
    headers = [path for path in stage.rglob("*.hpp")]
    expect(any(path.match("include/blitz/blitz.hpp") for path in headers), "blitz/blitz.hpp is not installed")
    strays = [str(path) for path in stage.rglob("*") if path.suffix == ".cpp" or path.name == "meson.build"]
    expect(not strays, f"installed by mistake: {strays}")

    # The package names its final place; the staging area stands before it for now.
    environment = {
        **os.environ,
        "PKG_CONFIG_PATH": str(packages[0].parent),
        "PKG_CONFIG_SYSROOT_DIR": str(stage),
        "LD_LIBRARY_PATH": str(libraries[0].parent),
    }
    version = output_of(["pkg-config", "--modversion", "blitz"], env=environment).strip()
    flags = output_of(["pkg-config", "--cflags", "--libs", "blitz"], env=environment).split()
    expect(f"-I{stage}" in " ".join(flags), f"pkg-config gives {flags}, which does not lead into {stage}")

    # Before 1.0 each minor release has a soname of its own.
    soname = "libblitz.so." + ".".join(version.split(".")[:2 if version.startswith("0.") else 1])
    if any(path.suffix == ".so" for path in libraries):
        expect(soname in [path.name for path in libraries], f"no {soname} among {libraries}")

    extra = os.environ.get("CXXFLAGS", "").split()
    command = [*compiler, "-std=c++20", "-Wall", "-Wextra", "-Werror", *extra]
    program = scratch / "consumer"
    run([*command, CONSUMER, "-o", program, *flags])
    expect_right_answer(program, version, env=environment)

    command += ["-fvisibility=hidden", "-I", EXAMPLES]
    program = scratch / "custom_policy"
    run([*command, EXAMPLES / "custom_policy" / "custom_policy.cpp", "-o", program, *flags])
    answer = output_of([program, "--threads", "2", "--count", "50"], env=environment)
    expect(answer.endswith("all answers are right\n"), f"the program with a policy of its own said {answer!r}")

    library, program = scratch / "libshared_policy.so", scratch / "shared_policy"
    run([*command, "-fPIC", "-shared", HERE / "shared_policy_library.cpp", "-o", library, *flags])
    run([*command, HERE / "shared_policy_program.cpp", library, f"-Wl,-rpath,{scratch}", "-o", program, *flags])
    answer = output_of([program], env=environment)
    expect(answer == "4950 4950 one\n", f"the program that shares a policy with its library said {answer!r}")


def subproject(scratch, source_root, version, *compiler):
    project = scratch / "project"
    (project / "subprojects").mkdir(parents=True)
    (project / "subprojects" / "blitz").symlink_to(source_root, target_is_directory=True)
    (project / "meson.build").write_text(PROJECT)
    shutil.copy(CONSUMER, project)
    environment = {**os.environ, "CXX": " ".join(compiler)}
    for kind in ("shared", "static"):
        build = scratch / kind
        run(["meson", "setup", build, project, f"-Ddefault_library={kind}"], env=environment, stdout=subprocess.PIPE)
        targets = output_of(["meson", "introspect", "--targets", build])
        expect("unit_memory" not in targets, "a subproject must not build the tests")
        run(["meson", "compile", "-C", build])
        expect_right_answer(build / "consumer", version)


def main():
    mode, *arguments = sys.argv[1:]
    with tempfile.TemporaryDirectory(prefix="blitz-packaging-") as scratch:
        {"installed": installed, "subproject": subproject}[mode](pathlib.Path(scratch), *arguments)


if __name__ == "__main__":
    main()
