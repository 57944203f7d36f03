// Clang's OpenMP among the entries of this program.
#pragma once

namespace bench {

/// Adds the entries `clang_*` to the registry, before anything is read from it; with a message on the standard error,
/// none where the module cannot be loaded. Does nothing where clang was not found when the program was built.
void add_clang_openmp_entries();

}  // namespace bench
