#!/usr/bin/env python3
"""Builds blitz by the recipes in packaging/, and a user's program with the results.

    recipes_test.py conan|debian|vcpkg|meson_wrap|spack SOURCE_ROOT VERSION COMPILER...

Each recipe is skipped if its tool is not installed. vcpkg needs $VCPKG_ROOT and downloads further tools; Spack downloads its
recipes.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from cmake_test import PROGRAM, Builds
from packaging_test import CONSUMER, PROJECT, expect, expect_right_answer, output_of, run

SKIPPED = 77  # skipped, for Meson


def copy_as_repository(source_root, folder):
    """Commits a copy of the tree on the branch `main`. The tree itself may be an unpacked archive. Git leaves out build folders;
    they are not copied either, because they are large."""
    left_out = {".git", "subprojects", *(path.name for path in source_root.glob("build*"))}
    shutil.copytree(source_root, folder, ignore=lambda path, _: left_out if pathlib.Path(path) == source_root else ())
    git = ["git", "-C", folder, "-c", "user.name=test", "-c", "user.email=test@localhost"]
    run([*git, "init", "--quiet", "--initial-branch=main"])
    run([*git, "add", "--all"])
    run([*git, "commit", "--quiet", "--message", "all"])


def conan(scratch, root, version, compiler):
    # `conan create` builds its test in the folder of the recipe.
    copy_as_repository(root, scratch / "copy")
    environment = {**os.environ, "CONAN_HOME": str(scratch / "home"), "CXX": " ".join(compiler)}
    run(["conan", "profile", "detect"], env=environment)
    for shared in (True, False):
        options = ["-s", "compiler.cppstd=20", "-o", f"*:shared={shared}"]
        said = output_of(["conan", "create", scratch / "copy/packaging/conan", *options], env=environment,
                         stderr=subprocess.STDOUT)
        expect(f"blitz {version}: 42 4950\n" in said, f"the consumer did not say so:\n{said}")


def debian(scratch, root, version, compiler):
    copy_as_repository(root, scratch / "copy")
    run([scratch / "copy/packaging/build_deb", scratch / "out"])
    packages = list((scratch / "out").glob("*.deb"))
    for package in packages:
        run(["dpkg", "--extract", package, scratch / "stage"])
    [package_file] = (scratch / "stage").rglob("blitz.pc")
    environment = {
        **os.environ,
        "PKG_CONFIG_PATH": str(package_file.parent),
        "PKG_CONFIG_SYSROOT_DIR": str(scratch / "stage"),
        "LD_LIBRARY_PATH": str(package_file.parents[1]),
    }
    flags = output_of(["pkg-config", "--cflags", "--libs", "blitz"], env=environment).split()
    run([*compiler, "-std=c++20", CONSUMER, "-o", scratch / "consumer", *flags])
    expect_right_answer(scratch / "consumer", version, env=environment)


def vcpkg(scratch, root, version, compiler):
    installed = scratch / "installed"
    ports = root / "packaging/vcpkg"
    run(["vcpkg", "install", "blitz-parallel", f"--overlay-ports={ports}", f"--x-install-root={installed}"])
    [package] = installed.glob("*/share/blitz")
    builds = Builds(scratch, compiler)
    build = builds.build(builds.project(PROGRAM), TARGET="blitz::blitz", CMAKE_PREFIX_PATH=package.parents[1])
    expect_right_answer(build / "consumer", version)


def meson_wrap(scratch, root, version, compiler):
    copy_as_repository(root, scratch / "blitz")
    project = scratch / "project"
    (project / "subprojects").mkdir(parents=True)
    text = (root / "packaging/meson/blitz.wrap").read_text()
    (project / "subprojects/blitz.wrap").write_text(re.sub(r"(?m)^url = .*", f"url = {scratch}/blitz", text))
    (project / "meson.build").write_text(PROJECT)
    shutil.copy(CONSUMER, project)
    build = scratch / "build"
    run(["meson", "setup", build, project, "-Doptimization=0"], env={**os.environ, "CXX": " ".join(compiler)})
    run(["meson", "compile", "-C", build])
    expect_right_answer(build / "consumer", version)


def spack(scratch, root, version, compiler):
    # Spack clones the repository of the recipe, and stores its data in the folders below.
    copy_as_repository(root, scratch / "copy")
    folders = {"SPACK_USER_CONFIG_PATH": scratch / "user", "SPACK_USER_CACHE_PATH": scratch / "cache"}
    environment = {**os.environ, **{name: str(folder) for name, folder in folders.items()}}
    run(["spack", "repo", "add", scratch / "copy/packaging/spack/spack_repo/blitz"], env=environment)
    run(["spack", "compiler", "find"], env=environment)
    installed = f"config:install_tree:root:{scratch / 'installed'}"
    run(["spack", "-c", installed, "install", "blitz-parallel@main"], env=environment)
    prefix = output_of(["spack", "-c", installed, "location", "--install-dir", "blitz-parallel@main"], env=environment).strip()
    builds = Builds(scratch, compiler)
    build = builds.build(builds.project(PROGRAM), TARGET="blitz::blitz", CMAKE_PREFIX_PATH=prefix)
    expect_right_answer(build / "consumer", version)


NEEDS = {
    conan: ["conan", "cmake", "git"],
    debian: ["git", "dpkg-buildpackage", "dh", "lintian"],
    vcpkg: ["vcpkg", "cmake"],
    meson_wrap: ["git"],
    spack: ["spack", "cmake", "git"],
}


def main():
    which, root, version, *compiler = sys.argv[1:]
    [recipe] = [recipe for recipe in NEEDS if recipe.__name__ == which]
    missing = [tool for tool in NEEDS[recipe] if not shutil.which(tool)]
    if missing:
        print(f"skipped: no {', '.join(missing)}")
        sys.exit(SKIPPED)
    with tempfile.TemporaryDirectory(prefix="blitz-recipes-") as scratch:
        recipe(pathlib.Path(scratch), pathlib.Path(root), version, compiler)


if __name__ == "__main__":
    main()
