/// main() for a fuzz target without libFuzzer: calls the target with each file that the command line names, and with every
/// prefix of it.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <vector>

#include "fuzz.hpp"

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    std::ifstream file(argv[i], std::ios::binary);
    if (!file) {
      std::fprintf(stderr, "%s cannot be read\n", argv[i]);
      return EXIT_FAILURE;
    }
    const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
    for (std::size_t size = 0; size <= bytes.size(); ++size) {
      // A copy of exactly this size, so that a sanitizer notices reads beyond it.
      const std::vector<std::uint8_t> input(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
      static_cast<void>(LLVMFuzzerTestOneInput(input.data(), input.size()));
    }
  }
  std::printf("%d inputs, and their beginnings\n", argc - 1);
  return argc > 1 ? EXIT_SUCCESS : EXIT_FAILURE;
}
