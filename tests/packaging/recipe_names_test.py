#!/usr/bin/env python3
"""Checks that the recipes name existing options and definitions of CMakeLists.txt, targets, files, and the compilers of the
README. Runs none of their tools; recipes_test.py does, if they are installed.

    recipe_names_test.py SOURCE_ROOT
"""

import ast
import configparser
import json
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(sys.argv.pop(1))
PACKAGING = ROOT / "packaging"
CMAKE = (ROOT / "CMakeLists.txt").read_text()
CONAN = (PACKAGING / "conan/conanfile.py").read_text()
[SPACK] = [path.read_text() for path in PACKAGING.glob("spack/**/package.py")]
PORT = (PACKAGING / "vcpkg/blitz-parallel/portfile.cmake").read_text()


class RecipeNamesTest(unittest.TestCase):
    def test_recipes_name_existing_options(self):
        """CMake variables in a recipe are options, and both recipes with options have each option that changes the library."""
        options = set(re.findall(r"^option\((\w+)", CMAKE, re.MULTILINE)) | {"BUILD_SHARED_LIBS"}
        for recipe in (CONAN, SPACK, PORT):
            named = set(re.findall(r'"((?:BLITZ|BUILD)_\w+)"', recipe)) - {"BLITZ_NO_ASYMMETRIC_FENCES"}
            self.assertLessEqual(named, options)
        for recipe in (CONAN, SPACK):
            self.assertIn('"BLITZ_ASYMMETRIC_FENCES"', recipe)
            self.assertRegex(recipe, r'"?shared"?')

    def test_recipes_name_the_definitions_of_cmake(self):
        self.assertIn("BLITZ_NO_ASYMMETRIC_FENCES", CMAKE)
        self.assertIn('["BLITZ_NO_ASYMMETRIC_FENCES"]', CONAN)

    def test_recipes_name_the_targets_and_the_library(self):
        self.assertIn("ALIAS blitz)", CMAKE)
        self.assertIn('"blitz::blitz"', CONAN)
        self.assertIn("blitz::blitz", (PACKAGING / "conan/test_package/CMakeLists.txt").read_text())
        self.assertIn("OUTPUT_NAME blitz", CMAKE)
        self.assertIn('libs = ["blitz"]', CONAN)

    def test_other_builds_link_the_system_libraries(self):
        """Every other build links the libraries that Meson links on Windows, or its documentation names them."""
        [library] = re.findall(r"find_library\('(\w+)'\)", (ROOT / "blitz/meson.build").read_text())
        self.assertIn(f"$<$<PLATFORM_ID:Windows>:{library}>", CMAKE)
        self.assertIn(f'system_libs = ["{library}"]', CONAN)
        for name in ("packaging/single_header", "packaging/README.md", "docs/start.md"):
            self.assertIn(f"-l{library}", (ROOT / name).read_text(), name)

    def test_recipes_name_existing_files_and_folders(self):
        """Conan packs all files that CMake reads, and names the folders into which CMake installs."""
        [patterns] = [
            ast.literal_eval(node.iter) for node in ast.walk(ast.parse(CONAN)) if isinstance(node, ast.For)
        ]
        for pattern in patterns:
            self.assertTrue(list(ROOT.glob(pattern)), pattern)
        read = re.findall(r"(?:configure_file\(|FILES |file\(STRINGS )((?:packaging|blitz)/[\w./-]+)", CMAKE)
        self.assertGreaterEqual(len(read), 3)
        for name in read:
            self.assertTrue(any(pathlib.PurePath(name).match(p) or name.startswith(p.rstrip("*")) for p in patterns), name)
        self.assertIn("${CMAKE_INSTALL_LIBDIR}/cmake/blitz", CMAKE)
        self.assertIn("CONFIG_PATH lib/cmake/blitz", PORT)
        self.assertRegex(CONAN, r'"lib", "cmake"')
        self.assertTrue((ROOT / re.search(r'\$\{SOURCE_PATH\}/(\w+)"\)', PORT)[1]).is_file())

    def test_spack_rejects_untested_compilers(self):
        """Spack rejects compilers that are older than the oldest tested ones."""
        gcc, clang = map(int, re.search(r"g\+\+ (\d+) and clang (\d+)", (ROOT / "README.md").read_text()).groups())
        self.assertIn(f'conflicts("%gcc@:{gcc - 1}")', SPACK)
        self.assertIn(f'conflicts("%clang@:{clang - 1}")', SPACK)

    def test_recipes_can_be_parsed_and_name_their_needs(self):
        for path in PACKAGING.rglob("*.py"):
            ast.parse(path.read_text())
        port = json.loads((PACKAGING / "vcpkg/blitz-parallel/vcpkg.json").read_text())
        used = set(re.findall(r"^(vcpkg_cmake_\w+)\(", PORT, re.MULTILINE))
        needs = {"vcpkg-cmake-config" if name == "vcpkg_cmake_config_fixup" else "vcpkg-cmake" for name in used}
        self.assertEqual({dependency["name"] for dependency in port["dependencies"]}, needs)
        wrap = configparser.ConfigParser()
        wrap.read(PACKAGING / "meson/blitz.wrap")
        self.assertRegex((ROOT / "blitz/meson.build").read_text(), rf"(?m)^{wrap['provide']['blitz']} = declare_dependency")


if __name__ == "__main__":
    unittest.main()
