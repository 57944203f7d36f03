// The OpenMP peer once more, compiled by clang and with clang's runtime, libomp. Both runtimes define the functions of
// <omp.h>, and libomp those that g++'s code calls as well, so one program would use only one of the two. Therefore these
// entries are a module, loaded with a scope of its own: what it calls is looked up in it and in its libraries first.
//
// It has a registry of its own, and shares no variable with the program that loads it, not even a Spec.
#pragma once

#include <vector>

#include "bench/harness/registry.hpp"

extern "C" [[gnu::visibility("default")]] const std::vector<bench::Entry>* bench_clang_openmp_entries();
