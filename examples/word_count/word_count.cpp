// Counts the words in every text file below a folder, once serially and once in parallel, and compares the two.
//
// A word is a run of letters: see support/words.hpp. A file that contains a NUL byte counts as binary, as in grep, and is
// skipped.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <blitz/blitz.hpp>

#include "support/options.hpp"
#include "support/pool.hpp"
#include "support/words.hpp"

namespace {

namespace fs = std::filesystem;
using example::Counts;

enum class Kind { text, binary, unreadable };

struct File {
  fs::path path;
  std::size_t bytes = 0;
  Kind kind = Kind::unreadable;
};

std::size_t total_bytes(std::span<const File> files) {
  return std::transform_reduce(files.begin(), files.end(), std::size_t{0}, std::plus{},
                               [](const File& f) { return f.bytes; });
}

// Counting this much takes some hundred microseconds: far more than a join, and little enough for an even distribution.
constexpr std::size_t kLeafBytes = 64 * 1024;

struct Listing {
  std::vector<File> files;
  std::size_t unreadable_folders = 0;
};

// Every regular file below `root`, ordered by path. Links below `root` are not followed, so no file is listed twice and the
// walk enters no loop.
Listing list_files(const fs::path& root) {
  Listing listing;
  if (fs::is_regular_file(root)) {
    listing.files.push_back({.path = root});
    return listing;
  }
  std::vector<fs::path> folders{root};
  while (!folders.empty()) {
    const fs::path folder = std::move(folders.back());
    folders.pop_back();
    std::error_code error;
    fs::directory_iterator entry(folder, error);
    for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
      std::error_code ignored;  // an entry that vanished has no type and is skipped
      const fs::file_status status = entry->symlink_status(ignored);
      if (fs::is_directory(status)) folders.push_back(entry->path());
      if (fs::is_regular_file(status)) listing.files.push_back({.path = entry->path()});
    }
    if (error) ++listing.unreadable_folders;
  }
  std::ranges::sort(listing.files, {}, &File::path);
  return listing;
}

// Reads the file once, to find its size and kind, and to bring it into the page cache.
void inspect(File& file) {
  std::ifstream in(file.path, std::ios::binary);
  if (!in) return;
  file.kind = Kind::text;
  std::array<char, 64 * 1024> block;
  do {
    in.read(block.data(), block.size());
    const std::string_view read(block.data(), static_cast<std::size_t>(in.gcount()));
    file.bytes += read.size();
    if (read.find('\0') != std::string_view::npos) file.kind = Kind::binary;
  } while (in);
  if (in.bad()) file.kind = Kind::unreadable;
}

std::string read_text(const File& file) {
  std::string text(file.bytes, '\0');
  std::ifstream in(file.path, std::ios::binary);
  if (!in.read(text.data(), static_cast<std::streamsize>(text.size()))) {
    throw std::runtime_error("cannot read " + file.path.string() + " again: was it changed?");
  }
  return text;
}

void count_serial(std::span<const File> files, Counts& counts) {
  for (const File& file : files) example::count_words(read_text(file), counts);
}

void merge(Counts& into, Counts from) {
  if (into.size() < from.size()) std::swap(into, from);
  for (const auto& [word, count] : from) into[word] += count;
}

// Both sides count into `counts`, one after the other, unless another worker steals the right side, which then counts into its
// own map. So there are as many maps to merge as there were thefts, however small the pieces are.
template <class Left, class Right>
void count_both(Left left, Right right, Counts& counts) {
  Counts stolen;
  blitz::join_context([&](blitz::JoinContext) { left(counts); },
                      [&](blitz::JoinContext context) { right(context.migrated() ? stolen : counts); });
  merge(counts, std::move(stolen));
}

void count_text(std::string_view text, Counts& counts) {
  std::size_t middle = text.size() / 2;
  while (middle < text.size() && example::is_letter(text[middle])) ++middle;
  if (text.size() <= kLeafBytes || middle == text.size()) return example::count_words(text, counts);
  count_both([=](Counts& into) { count_text(text.substr(0, middle), into); },
             [=](Counts& into) { count_text(text.substr(middle), into); }, counts);
}

// Halves the files, and then the text of a single large one, until the rest is small.
void count_parallel(std::span<const File> files, Counts& counts) {
  if (files.size() == 1) return count_text(read_text(files.front()), counts);
  if (total_bytes(files) <= kLeafBytes) return count_serial(files, counts);
  const std::size_t middle = files.size() / 2;
  count_both([=](Counts& into) { count_parallel(files.first(middle), into); },
             [=](Counts& into) { count_parallel(files.subspan(middle), into); }, counts);
}

int run(const std::string& folder, std::size_t top, std::size_t threads) {
  if (!fs::exists(folder)) {
    std::fprintf(stderr, "word_count: there is no folder '%s'\n", folder.c_str());
    return 2;
  }
  threads = example::start_pool(threads);

  auto [files, unreadable_folders] = list_files(folder);
  blitz::parallel_for(files, inspect);
  const auto number_of = [&](Kind kind) {
    return static_cast<std::size_t>(std::ranges::count(files, kind, &File::kind));
  };
  const std::size_t unreadable_files = number_of(Kind::unreadable);
  const std::size_t binary_files = number_of(Kind::binary);
  std::erase_if(files, [](const File& file) { return file.kind != Kind::text; });

  Counts serial;
  Counts parallel;
  const double serial_ms = example::time_ms([&] { count_serial(files, serial); });
  const double parallel_ms = example::time_ms([&] { count_parallel(files, parallel); });

  std::size_t words = 0;
  for (const auto& [word, count] : parallel) words += count;
  std::printf("%s: %zu text files, %zu bytes, %zu words, %zu of them different\n", folder.c_str(), files.size(),
              total_bytes(files), words, parallel.size());
  std::printf("skipped: %zu binary files, %zu unreadable files, %zu unreadable folders\n\n", binary_files,
              unreadable_files, unreadable_folders);
  example::print_most_frequent(parallel, top);

  std::printf(
      "\ntime to read and count the text files, all of them read once before, so that both runs find them in\n"
      "the page cache; finding them is not timed:\n");
  example::print_comparison("serial", serial_ms, threads, parallel_ms);
  if (serial != parallel) {
    std::fprintf(stderr, "word_count: the serial and the parallel count differ\n");
    return 1;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) try {
  std::string folder = "/usr/share";
  std::size_t top = 10;
  std::size_t threads = 0;
  example::Options options("word_count", "Counts the words in every text file below FOLDER, serially and in parallel.");
  options.positional("FOLDER", "where to look", folder);
  options.number("--top", "how many of the most frequent words to print", top, 0, 1'000'000'000);
  example::add_threads_option(options, threads);
  if (const auto status = options.parse(argc, argv)) return *status;
  return run(folder, top, threads);
} catch (const std::exception& error) {
  std::fprintf(stderr, "word_count: %s\n", error.what());
  return 1;
}
