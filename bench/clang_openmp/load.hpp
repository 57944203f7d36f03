// Adds the entries of clang's OpenMP to this program.
#pragma once

namespace bench {

/// Adds the entries `clang_*` to the registry. Must be called before anything is read from the registry. If the module cannot
/// be loaded, adds none and prints a message on the standard error. Does nothing if clang was not found when the program was
/// built.
void add_clang_openmp_entries();

}  // namespace bench
