#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <blitz/blitz.hpp>

namespace fs = std::filesystem;

// The sum of the numbers in a file.
long sum_of_file(const fs::path& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read");
  long sum = 0;
  for (std::string word; file >> word;) sum += std::stol(word);
  return sum;
}

struct Failure {
  fs::path path;
  std::string reason;
};

using Outcome = std::variant<long, Failure>;

int main() {
  const fs::path folder = fs::temp_directory_path() / ("blitz_files_" + std::to_string(std::random_device()()));
  fs::create_directories(folder);
  std::vector<fs::path> paths;
  for (int i = 0; i < 100; ++i) {
    paths.push_back(folder / std::to_string(i));
    if (i != 50) std::ofstream(paths.back()) << (i % 30 == 7 ? "seven" : "7 7 7");
  }

  blitz::AsyncThreadPool readers({.num_threads = 16});  // reading may block
  std::vector<Outcome> outcomes(paths.size());
  blitz::parallel_for({.pool = &readers}, 0, paths.size(), [&](std::size_t i) {
    try {
      outcomes[i] = sum_of_file(paths[i]);
    } catch (const std::exception& error) {
      outcomes[i] = Failure{paths[i], error.what()};
    }
  });
  fs::remove_all(folder);

  long total = 0;
  int failed = 0;
  for (const Outcome& outcome : outcomes) {  // in the order of the paths
    if (const auto* failure = std::get_if<Failure>(&outcome)) {
      std::fprintf(stderr, "%s: %s\n", failure->path.string().c_str(), failure->reason.c_str());
      ++failed;
    } else {
      total += std::get<long>(outcome);
    }
  }
  std::printf("%ld, %d failed\n", total, failed);  // 1995, 5 failed
  return total == 95 * 21 && failed == 5 ? 0 : 1;
}
