// The command line of `compare`.
#pragma once

#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/harness/workload.hpp"

namespace bench {

struct Options {
  Scale scale = Scale::full;
  std::vector<std::string> only;  ///< workload names; empty: all
  std::vector<unsigned> threads;
  unsigned repetitions = 0;
  std::string json;  ///< file names; empty: not written
  std::string baseline;
  bool aims = false;
  bool list = false;
  bool help = false;
};

/// The command line is wrong, or a file cannot be used; with a message for the user.
struct BadOptions : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Reads the arguments after the program's name. Throws BadOptions.
Options parse_options(std::span<const char* const> arguments);

extern const char* const kHelp;

}  // namespace bench
