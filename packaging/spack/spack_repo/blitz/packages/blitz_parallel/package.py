"""Builds the tree that contains this recipe, with Spack 1.0:

    spack repo add packaging/spack/spack_repo/blitz
    spack install blitz-parallel@main
"""

import pathlib

from spack.package import *
from spack_repo.builtin.build_systems.cmake import CMakePackage


class BlitzParallel(CMakePackage):
    """Rayon-style fork-join data parallelism for C++20."""

    git = pathlib.Path(__file__).resolve().parents[6].as_uri()

    license("MIT")

    version("main", branch="main")

    variant("shared", default=True, description="Build the shared library beside the static one")
    variant("asymmetric_fences", default=True, description="Use membarrier(2) where the kernel offers it")

    depends_on("cxx", type="build")
    depends_on("cmake@3.21:", type="build")

    conflicts("%gcc@:10")
    conflicts("%clang@:15")

    def cmake_args(self):
        return [
            self.define_from_variant("BUILD_SHARED_LIBS", "shared"),
            self.define_from_variant("BLITZ_ASYMMETRIC_FENCES", "asymmetric_fences"),
        ]
