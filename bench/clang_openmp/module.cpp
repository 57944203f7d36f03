// What can be seen of the module. The rest of it are the files of the OpenMP peer, whose entries have registered
// themselves by the time it is loaded.
#include "bench/clang_openmp/module.hpp"

#include <omp.h>

const std::vector<bench::Entry>* bench_clang_openmp_entries() { return &bench::entries(); }
