// Takes the place of load.cpp if there is no module.
#include "bench/clang_openmp/load.hpp"

void bench::add_clang_openmp_entries() {}
