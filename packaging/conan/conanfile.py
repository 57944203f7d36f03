"""conan create packaging/conan: builds the tree that contains this recipe, with Conan 2."""

import os

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import copy, rmdir


class BlitzConan(ConanFile):
    name = "blitz-parallel"
    version = "0.2.0"
    description = "Rayon-style fork-join data parallelism for C++20"
    license = "MIT"
    topics = ("parallelism", "thread-pool", "work-stealing", "fork-join")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False], "asymmetric_fences": [True, False]}
    default_options = {"shared": False, "asymmetric_fences": True}

    def export_sources(self):
        root = os.path.join(self.recipe_folder, os.pardir, os.pardir)
        for pattern in ("CMakeLists.txt", "LICENSE", "blitz/*", "packaging/cmake/*", "packaging/gdb/*"):
            copy(self, pattern, root, self.export_sources_folder)

    def layout(self):
        cmake_layout(self)

    def validate(self):
        check_min_cppstd(self, 20)

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["BLITZ_ASYMMETRIC_FENCES"] = bool(self.options.asymmetric_fences)
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        CMake(self).install()
        # Conan writes the files that find_package reads.
        rmdir(self, os.path.join(self.package_folder, "lib", "cmake"))

    def package_info(self):
        self.cpp_info.set_property("cmake_file_name", "blitz")
        self.cpp_info.set_property("cmake_target_name", "blitz::blitz")
        self.cpp_info.set_property("pkg_config_name", "blitz")
        self.cpp_info.libs = ["blitz"]
        if not self.options.asymmetric_fences:
            self.cpp_info.defines = ["BLITZ_NO_ASYMMETRIC_FENCES"]
        if self.settings.os in ("Linux", "FreeBSD"):
            self.cpp_info.system_libs = ["pthread"]
        elif self.settings.os == "Windows":
            self.cpp_info.system_libs = ["synchronization"]
