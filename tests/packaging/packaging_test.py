#!/usr/bin/env python3
"""Builds a user's program against blitz in the ways that users do.

    packaging_test.py installed BUILD_ROOT COMPILER...
        against the files that `meson install` installs, found through pkg-config; also a program with a custom policy, and a
        program that shares a policy with its own library
    packaging_test.py adaptors BUILD_ROOT COMPILER...
        as `installed`, with each adaptor whose library is installed
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

# An adaptor: the header and the statement of its program, and the header of another library that must be installed. The program
# does not compile or link without the paths and options of the adaptor's package.
ADAPTORS = {
    "asio": ("blitz/adaptor/asio.hpp", "blitz::AsioContext(blitz::global_pool()).join();", "asio.hpp"),
    "boost_asio": ("blitz/adaptor/boost_asio.hpp", "blitz::BoostAsioContext(blitz::global_pool()).join();", "boost/asio.hpp"),
    "c": ("blitz/c.h", "size_t count; return blitz_num_threads(NULL, &count);", None),
    "coroutine": ("blitz/adaptor/coroutine.hpp", "blitz::sync_wait([]() -> blitz::Task<> { co_return; }());", None),
    "eigen": ("blitz/adaptor/eigen.hpp", "blitz::EigenThreadPool pool(blitz::global_pool());", "unsupported/Eigen/CXX11/Tensor"),
    "opencv": ("blitz/adaptor/opencv.hpp", "blitz::OpenCvBackend backend(blitz::global_pool());", "opencv2/core.hpp"),
    "parlay": ("parlay/parallel.h", "parlay::parallel_for(0, 1, [](std::size_t) {});", None),  # its stub is in tests/adaptor
    "pstl": ("execution", "static int x[1]; std::for_each(std::execution::par, x, x + 1, [](int) {});", None),
    "sender": ("blitz/adaptor/sender.hpp", "(void)blitz::PoolScheduler(blitz::global_pool()).schedule();", None),
    "stdexec": ("blitz/adaptor/stdexec.hpp", "blitz::StdexecScheduler scheduler(blitz::global_pool());", "stdexec/execution.hpp"),
    "tbb": ("tbb/parallel_for.h", "tbb::parallel_for(0, 1, [](int) {});", None),
}
# Debian's folders of libraries with headers outside the compiler's default folders.
FOLDERS = ["/usr/include/eigen3", "/usr/include/opencv4"]
PARLAY_STUB = HERE.parent / "adaptor" / "parlay_stub"

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


def program_of(adaptor):
    header, statement, _ = ADAPTORS[adaptor]
    more = {"pstl": ["algorithm"], "c": ["stddef.h"], "parlay": ["cstddef"]}.get(adaptor, ["blitz/blitz.hpp"])
    return "".join(f"#include <{name}>\n" for name in [header, *more]) + f"int main() {{ {statement} }}\n"


def library_of(adaptor, compiler):
    """True if the adaptor needs no other library or its library is installed; otherwise prints that it is not."""
    needed = ADAPTORS[adaptor][2]
    has = f"#if !__has_include(<{needed}>)\n#error\n#endif\n"
    command = [*compiler, *(f"-I{folder}" for folder in FOLDERS), "-E", "-x", "c++", "-", "-o", os.devnull]
    there = not needed or subprocess.run(command, input=has, text=True, stderr=subprocess.DEVNULL).returncode == 0
    if not there:
        print(f"Not tested: {adaptor}, as {needed} is not installed", flush=True)
    return there


def staged(scratch, build_root):
    """Installs blitz in a staging area. Returns its folder, the libraries, and the environment for pkg-config and programs."""
    stage = scratch / "stage"
    run(["meson", "install", "-C", build_root, "--no-rebuild", "--quiet", "--destdir", stage])
    packages = list(stage.rglob("blitz.pc"))
    expect(len(packages) == 1, f"{len(packages)} blitz.pc files")
    libraries = list(stage.rglob("libblitz.*"))
    expect(libraries, "no library")
    # The package names its final place; the staging area is prepended to it.
    environment = {
        **os.environ,
        "PKG_CONFIG_PATH": str(packages[0].parent),
        "PKG_CONFIG_SYSROOT_DIR": str(stage),
        "LD_LIBRARY_PATH": str(libraries[0].parent),
    }
    return stage, libraries, environment


def strict(compiler):
    return [*compiler, "-std=c++20", "-Wall", "-Wextra", "-Werror", *os.environ.get("CXXFLAGS", "").split()]


def build_adaptors(scratch, names, command, stage, environment):
    """The programs compile, link and run with the flags of their adaptors' packages."""

    def in_its_place(flag):  # pkg-config prepends the staging area to other libraries' folders, too.
        astray = flag.startswith(f"-I{stage}") and not pathlib.Path(flag[2:]).exists()
        return flag.replace(str(stage), "") if astray else flag

    for name in names:
        source, program = scratch / f"{name}.cpp", scratch / name
        source.write_text(program_of(name))
        flags = output_of(["pkg-config", "--cflags", "--libs", f"blitz-{name}"], env=environment).split()
        run([*command, "-isystem", PARLAY_STUB, source, "-o", program, *map(in_its_place, flags)])
        run([program], env=environment)


def adaptors(scratch, build_root, *compiler):
    stage, _, environment = staged(scratch, build_root)
    names = [name for name, (_, _, needed) in ADAPTORS.items() if needed and library_of(name, compiler)]
    if not names:
        sys.exit(77)  # skipped
    build_adaptors(scratch, names, strict(compiler), stage, environment)


def installed(scratch, build_root, *compiler):
    stage, libraries, environment = staged(scratch, build_root)
    headers = [path for path in stage.rglob("*.hpp")]
    expect(any(path.match("include/blitz/blitz.hpp") for path in headers), "blitz/blitz.hpp is not installed")
    expect(len(list(stage.rglob("share/blitz/blitz.gdb"))) == 1, "the rules for gdb are not installed")
    strays = [str(path) for path in stage.rglob("*") if path.suffix == ".cpp" or path.name == "meson.build"]
    expect(not strays, f"installed by mistake: {strays}")

    version = output_of(["pkg-config", "--modversion", "blitz"], env=environment).strip()
    flags = output_of(["pkg-config", "--cflags", "--libs", "blitz"], env=environment).split()
    expect(f"-I{stage}" in " ".join(flags), f"pkg-config gives {flags}, which does not lead into {stage}")

    # Before 1.0 each minor release has its own soname.
    soname = "libblitz.so." + ".".join(version.split(".")[:2 if version.startswith("0.") else 1])
    if any(path.suffix == ".so" for path in libraries):
        expect(soname in [path.name for path in libraries], f"no {soname} among {libraries}")

    command = strict(compiler)
    program = scratch / "consumer"
    run([*command, CONSUMER, "-o", program, *flags])
    expect_right_answer(program, version, env=environment)

    packages = {path.stem.removeprefix("blitz-") for path in stage.rglob("blitz-*.pc")}
    expect(packages == set(ADAPTORS), f"the packages of adaptors are {packages}")
    alone = [name for name, (_, _, needed) in ADAPTORS.items() if not needed]
    build_adaptors(scratch, alone, command, stage, environment)

    command += ["-fvisibility=hidden", "-I", EXAMPLES]
    program = scratch / "custom_policy"
    run([*command, EXAMPLES / "custom_policy" / "custom_policy.cpp", "-o", program, *flags])
    answer = output_of([program, "--threads", "2", "--count", "50"], env=environment)
    expect(answer.endswith("all answers are right\n"), f"the program with a policy of its own said {answer!r}")

    library, program = scratch / "libshared_policy.so", scratch / "shared_policy"
    run([*command, "-fPIC", "-shared", HERE / "shared_policy_library.cpp", "-o", library, *flags])
    run([*command, HERE / "shared_policy_program.cpp", library, f"-Wl,-rpath,{scratch}", "-o", program, *flags])
    answer = output_of([program], env=environment)
    expect(answer == "4950 4950\n", f"the program that shares a policy with its library said {answer!r}")


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
        {"installed": installed, "adaptors": adaptors, "subproject": subproject}[mode](pathlib.Path(scratch), *arguments)


if __name__ == "__main__":
    main()
