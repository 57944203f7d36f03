// The exported part of the module. The rest are the files of the OpenMP peer. Their entries are registered when the module is
// loaded.
#include "bench/clang_openmp/module.hpp"

#include <omp.h>

const std::vector<bench::Entry>* bench_clang_openmp_entries() { return &bench::entries(); }
