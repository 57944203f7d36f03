// The OpenMP peer a second time, compiled by clang and with clang's runtime, libomp. Both runtimes define the functions of
// <omp.h>, and libomp also defines the functions that g++'s code calls, so one program would use only one of the two. Therefore
// these entries are a module with its own scope: its symbols are looked up first in the module and in its libraries.
//
// The module has its own registry, and shares no variable with the program that loads it, not even a Spec.
#pragma once

#include <vector>

#include "bench/harness/registry.hpp"

extern "C" [[gnu::visibility("default")]] const std::vector<bench::Entry>* bench_clang_openmp_entries();
