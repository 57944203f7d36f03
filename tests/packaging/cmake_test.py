#!/usr/bin/env python3
"""Builds a user's program against blitz in the ways that users of CMake do.

    cmake_test.py SOURCE_ROOT BUILD_ROOT VERSION COMPILER...

- Against the installation of Meson's build in BUILD_ROOT.
- Against the installation of a CMake build; both install the same files.
- With blitz as a part of the program's build.
- With each adaptor that has its library installed.

Each build links the library as requested, shared or static. Skipped if CMake is not installed.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from packaging_test import ADAPTORS, CONSUMER, PARLAY_STUB, expect, expect_right_answer, library_of, output_of, program_of, run

# With SOURCE, blitz is built with the program. TARGET is blitz::blitz or blitz::static.
PROGRAM = """\
cmake_minimum_required(VERSION 3.21)
project(consumer LANGUAGES CXX)
if(SOURCE)
  include(FetchContent)
  FetchContent_Declare(blitz SOURCE_DIR ${SOURCE})
  FetchContent_MakeAvailable(blitz)
else()
  find_package(blitz ${VERSION} REQUIRED)
endif()
add_executable(consumer consumer.cpp)
target_link_libraries(consumer PRIVATE ${TARGET})
"""

# One program for each of SOURCES, named after its adaptor. They are C++17 unless the adaptor requires a later standard.
ADAPTOR_PROGRAMS = """\
cmake_minimum_required(VERSION 3.21)
project(adaptors LANGUAGES C CXX)
set(CMAKE_CXX_STANDARD 17)
find_package(Eigen3 QUIET)
find_package(OpenCV QUIET)
if(NOT TARGET opencv_core)  # Debian's package of the core has nothing for CMake.
  add_library(opencv_core INTERFACE IMPORTED)
  target_include_directories(opencv_core INTERFACE /usr/include/opencv4)
  target_link_libraries(opencv_core INTERFACE -lopencv_core)
endif()
if(SOURCE)
  add_subdirectory(${SOURCE} blitz)
else()
  find_package(blitz REQUIRED)
endif()
foreach(source IN LISTS SOURCES)
  get_filename_component(name ${source} NAME_WE)
  add_executable(run_${name} ${source})
  target_link_libraries(run_${name} PRIVATE blitz::${name})
endforeach()
"""

# Prints the versions of WANTED that find_package() accepts, one a line.
VERSIONS = """\
cmake_minimum_required(VERSION 3.21)
project(versions LANGUAGES CXX)
foreach(wanted IN LISTS WANTED)
  string(REPLACE " " ";" arguments "${wanted}")
  find_package(blitz ${arguments} QUIET)
  if(blitz_FOUND)
    message("${wanted}")
  endif()
  unset(blitz_DIR CACHE)
endforeach()
"""


def wanted_versions(version):
    """Version requests of find_package(blitz ...) -> whether this version satisfies them. No patch release is above 98."""
    major, minor, patch = map(int, version.split("."))
    return {
        version: True,
        f"{version} EXACT": True,
        f"{major}.{minor}": True,
        f"{major}.{minor}.{patch + 1}": False,
        f"{major}.{minor}.99 EXACT": False,
        f"{major}.{minor + 1}": False,
        f"{major}.{minor - 1}": False,
        f"{major + 1}.{minor}": False,
        f"0.0.1...{version}": True,
        f"0.0.1...<{version}": False,
        f"{version}...<{major}.{minor + 1}": True,
        f"{major}.{minor + 1}...{major}.{minor + 2}": False,
    }


class Builds:
    """Build folders below a scratch folder."""

    def __init__(self, scratch, compiler):
        self.scratch = scratch
        self.environment = {**os.environ, "CXX": " ".join(compiler), "CMAKE_GENERATOR": "Ninja"}

    def project(self, text):
        folder = pathlib.Path(tempfile.mkdtemp(dir=self.scratch))
        (folder / "CMakeLists.txt").write_text(text)
        shutil.copy(CONSUMER, folder)
        return folder

    def configure(self, source, **variables):
        """Returns the build folder and CMake's output."""
        build = pathlib.Path(tempfile.mkdtemp(dir=self.scratch))
        variables = {"CMAKE_BUILD_TYPE": "None", "CMAKE_CXX_FLAGS": "-Wall -Wextra -Werror", **variables}
        arguments = [f"-D{name}={value}" for name, value in variables.items()]
        command = ["cmake", "-S", source, "-B", build, *arguments]
        return build, output_of(command, env=self.environment, stderr=subprocess.STDOUT)

    def build(self, source, **variables):
        build, _ = self.configure(source, **variables)
        run(["cmake", "--build", build])
        return build


def expect_consumer(builds, version, target, shared, **variables):
    """A program that links `target` works, and needs the shared library at run time only if `shared`."""
    program = builds.build(builds.project(PROGRAM), TARGET=target, **variables) / "consumer"
    expect_right_answer(program, version)
    needed = "[libblitz.so." in output_of(["readelf", "--dynamic", program])
    expect(needed == shared, f"the program {'needs' if needed else 'does not need'} the shared library")


def expect_adaptors(builds, compiler, **variables):
    """The program of each adaptor works, if the adaptor's library is installed."""
    project = builds.project(ADAPTOR_PROGRAMS)
    sources = []
    for name in ADAPTORS:
        if not library_of(name, compiler):
            continue
        sources.append(f"{name}.{'c' if name == 'c' else 'cpp'}")
        not_20 = "static_assert(__cplusplus < 202002L);\n" if name == "pstl" else ""
        (project / sources[-1]).write_text(not_20 + program_of(name))
    variables = {"CMAKE_CXX_FLAGS": f"-isystem {PARLAY_STUB}", **variables}
    build = builds.build(project, SOURCES=";".join(sources), **variables)
    for source in sources:
        run([build / f"run_{pathlib.Path(source).stem}"])


def expect_versions(builds, version, prefix):
    wanted = wanted_versions(version)
    _, said = builds.configure(builds.project(VERSIONS), WANTED=";".join(wanted), CMAKE_PREFIX_PATH=prefix)
    will_do = {line for line in said.splitlines() if line in wanted}
    expected = {text for text, good in wanted.items() if good}
    expect(will_do == expected, f"version {version} is to be found as {expected}, and is as {will_do}")


def installed_by_meson(scratch, build_root):
    """The prefix, which differs from the one that the build was configured for, and the folder of the libraries below it."""
    stage = scratch / "stage"
    run(["meson", "install", "-C", build_root, "--no-rebuild", "--quiet", "--destdir", stage])
    [package] = stage.rglob("cmake/blitz")
    [header] = stage.rglob("blitz/blitz.hpp")
    prefix = header.parents[2]
    return prefix, package.parents[1].relative_to(prefix)


def files_below(prefix):
    """All files except those of only one build system, and except the static library, which Meson may omit."""
    names = {path.relative_to(prefix).as_posix() for path in prefix.rglob("*") if not path.is_dir()}
    return {name for name in names if not name.endswith((".pc", "/blitz-targets-none.cmake", "/libblitz.a"))}


def main():
    source_root, build_root, version, *compiler = sys.argv[1:]
    if not shutil.which("cmake"):
        sys.exit(77)  # for Meson: skipped
    with tempfile.TemporaryDirectory(prefix="blitz-cmake-") as name:
        scratch = pathlib.Path(name)
        builds = Builds(scratch, compiler)

        by_meson, libraries = installed_by_meson(scratch, build_root)
        shared = any((by_meson / libraries).glob("libblitz.so"))
        expect_consumer(builds, version, "blitz::blitz", shared, CMAKE_PREFIX_PATH=by_meson, VERSION=version)
        expect_versions(builds, version, by_meson)
        if (by_meson / libraries / "libblitz.a").exists():
            expect_consumer(builds, version, "blitz::static", False, CMAKE_PREFIX_PATH=by_meson)

        by_cmake = scratch / "by_cmake"
        build = builds.build(source_root, BUILD_SHARED_LIBS="ON", CMAKE_INSTALL_LIBDIR=libraries)
        run(["cmake", "--install", build, "--prefix", by_cmake])
        for target, is_shared in (("blitz::blitz", True), ("blitz::static", False)):
            expect_consumer(builds, version, target, is_shared, CMAKE_PREFIX_PATH=by_cmake, VERSION=version)
        expect_versions(builds, version, by_cmake)
        if shared:
            differences = sorted(files_below(by_meson) ^ files_below(by_cmake))
            expect(not differences, f"Meson or CMake alone installs {differences}")

        for target, is_shared in (("blitz::blitz", True), ("blitz::static", False)):
            expect_consumer(builds, version, target, is_shared, SOURCE=source_root, BUILD_SHARED_LIBS="ON")
        for target in ("blitz::blitz", "blitz::static"):
            expect_consumer(builds, version, target, False, SOURCE=source_root)

        expect_adaptors(builds, compiler, CMAKE_PREFIX_PATH=by_meson)
        expect_adaptors(builds, compiler, CMAKE_PREFIX_PATH=by_cmake)
        expect_adaptors(builds, compiler, SOURCE=source_root)


if __name__ == "__main__":
    main()
