// Hashes the files of a directory tree. A thread blocks while it reads, so the pool has more threads than processors.

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>

#include <blitz/blitz.hpp>

namespace fs = std::filesystem;

// FNV-1a.
std::uint64_t hash_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path.string());
  std::uint64_t hash = 14695981039346656037U;
  for (std::istreambuf_iterator<char> next(file), end; next != end; ++next) {
    hash = (hash ^ static_cast<unsigned char>(*next)) * 1099511628211U;
  }
  return hash;
}

std::map<fs::path, std::uint64_t> hash_tree(const fs::path& root, blitz::AsyncThreadPool& readers) {
  return blitz::from({.batch = 1}, fs::recursive_directory_iterator(root))
      .filter([](const fs::directory_entry& entry) { return entry.is_regular_file(); })
      .map([](const fs::directory_entry& entry) { return std::pair(entry.path(), hash_file(entry.path())); })
      .with({.pool = &readers})
      .collect<std::map<fs::path, std::uint64_t>>();
}

int main() {
  const fs::path root = fs::temp_directory_path() / ("blitz_hash_files_" + std::to_string(std::random_device()()));
  for (int i = 0; i < 40; ++i) {
    const fs::path folder = root / std::to_string(i % 4);
    fs::create_directories(folder);
    std::ofstream(folder / std::to_string(i)) << "text number " << i / 2;  // pairs of equal files
  }

  blitz::AsyncThreadPool readers({.num_threads = 16});
  const std::map<fs::path, std::uint64_t> hashes = hash_tree(root, readers);
  fs::remove_all(root);

  std::set<std::uint64_t> different;
  for (const auto& [path, hash] : hashes) different.insert(hash);
  std::printf("%zu files, %zu different\n", hashes.size(), different.size());  // 40 files, 20 different
  return hashes.size() == 40 && different.size() == 20 ? 0 : 1;
}
