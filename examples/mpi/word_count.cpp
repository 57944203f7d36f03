// Counts the words of a text: each rank of MPI reads and counts a part of it, and its threads count parts of that.
//
// Each word then goes to a rank chosen by its hash, which adds up the counts of all ranks, so no rank adds up all words. Rank 0
// gets the sums, counts the whole text serially, and compares.

#include <algorithm>
#include <charconv>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <blitz/blitz.hpp>
#include <mpi.h>

#include "ranks.hpp"
#include "support/options.hpp"
#include "support/pool.hpp"
#include "support/words.hpp"

namespace {

using example::Counts;

// The text: a file, or a generated one.
struct Source {
  std::string path;
  std::size_t megabytes = 20;
};

// A part of the file. A word across the edge of two parts belongs to the first.
std::string read_part(const std::string& path, std::size_t part, std::size_t parts) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + path);
  const std::size_t size = std::filesystem::file_size(path);
  std::size_t begin = size / parts * part + std::min(part, size % parts);
  const std::size_t end = begin + size / parts + (part < size % parts ? 1 : 0);
  const bool continues = begin > 0;
  if (continues) --begin;
  in.seekg(static_cast<std::streamoff>(begin));
  std::string text(end - begin, '\0');
  if (!in.read(text.data(), static_cast<std::streamsize>(text.size()))) throw std::runtime_error("cannot read " + path);

  // Includes the rest of a word that continues after the end; excludes the rest of a word that began in the part before.
  for (char c = 0; !text.empty() && example::is_letter(text.back()) && in.get(c) && example::is_letter(c);) text += c;
  if (continues) text.erase(text.begin(), std::ranges::find_if_not(text, example::is_letter));
  return text;
}

// A part of a text of about `megabytes` megabytes. Few words are frequent.
std::string generate_part(std::size_t megabytes, std::size_t part, std::size_t parts) {
  constexpr std::size_t kWordsInLine = 16;
  constexpr std::size_t kBytesOfLine = 64;
  const std::size_t lines = megabytes * 1'000'000 / kBytesOfLine;
  std::string text;
  for (std::size_t line = lines * part / parts; line < lines * (part + 1) / parts; ++line) {
    std::uint64_t random = line;
    const auto draw = [&random](std::uint64_t below) {
      random = random * 6364136223846793005 + 1442695040888963407;
      return (random >> 33) % below;
    };
    for (std::size_t i = 0; i < kWordsInLine; ++i) {
      std::uint64_t word = draw(draw(20'000) + 1) + 1;
      for (; word > 0; word /= 26) text += static_cast<char>('a' + word % 26);
      text += i + 1 < kWordsInLine ? ' ' : '\n';
    }
  }
  return text;
}

std::string text_of(const Source& source, std::size_t part, std::size_t parts) {
  return source.path.empty() ? generate_part(source.megabytes, part, parts) : read_part(source.path, part, parts);
}

Counts count(std::string_view text) {
  const auto add = [](Counts& counts, std::string_view line) { example::count_words(line, counts); };
  const auto merge = [](Counts& counts, const Counts& others) {
    for (const auto& [word, number] : others) counts[word] += number;
  };
  return blitz::lines(text).fold(Counts(), add, merge);
}

// A word and its number as text, which any two machines understand.
void append(std::string& message, const std::string& word, std::size_t number) {
  message += word + ' ' + std::to_string(number) + '\n';
}

Counts read_message(std::string_view message) {
  Counts counts;
  while (!message.empty()) {
    const std::size_t blank = message.find(' ');
    const std::size_t end = message.find('\n', blank);
    std::size_t number = 0;
    std::from_chars(message.data() + blank + 1, message.data() + end, number);
    counts[std::string(message.substr(0, blank))] += number;
    message.remove_prefix(end + 1);
  }
  return counts;
}

int size_for_mpi(std::size_t size) {
  if (size > INT_MAX) throw std::length_error("more than 2 GiB of words for one rank, which MPI does not send");
  return static_cast<int>(size);
}

// The position of each message if they are stored one after another, and the end of the last one.
std::vector<int> positions_of(const std::vector<int>& sizes) {
  std::vector<int> positions{0};
  for (const int size : sizes) {
    positions.push_back(size_for_mpi(static_cast<std::size_t>(positions.back()) + static_cast<std::size_t>(size)));
  }
  return positions;
}

// The sums of the words that belong to this rank.
Counts exchange(const Counts& mine, const example::Ranks& ranks) {
  std::vector<std::string> messages(ranks.size());
  for (const auto& [word, number] : mine) append(messages[std::hash<std::string>()(word) % ranks.size()], word, number);
  std::string out;
  std::vector<int> out_sizes;
  for (const std::string& message : messages) {
    out += message;
    out_sizes.push_back(size_for_mpi(message.size()));
  }
  std::vector<int> in_sizes(ranks.size());
  MPI_Alltoall(out_sizes.data(), 1, MPI_INT, in_sizes.data(), 1, MPI_INT, MPI_COMM_WORLD);

  const std::vector<int> out_positions = positions_of(out_sizes);
  const std::vector<int> in_positions = positions_of(in_sizes);
  std::string in(static_cast<std::size_t>(in_positions.back()), '\0');
  MPI_Alltoallv(out.data(), out_sizes.data(), out_positions.data(), MPI_CHAR, in.data(), in_sizes.data(),
                in_positions.data(), MPI_CHAR, MPI_COMM_WORLD);
  return read_message(in);
}

// The counts of all ranks, on rank 0.
Counts gather(const Counts& mine, const example::Ranks& ranks) {
  std::string out;
  for (const auto& [word, number] : mine) append(out, word, number);
  const int size = size_for_mpi(out.size());
  std::vector<int> sizes(ranks.size());
  MPI_Gather(&size, 1, MPI_INT, sizes.data(), 1, MPI_INT, 0, MPI_COMM_WORLD);
  const std::vector<int> positions = positions_of(sizes);
  std::string in(static_cast<std::size_t>(positions.back()), '\0');
  MPI_Gatherv(out.data(), size, MPI_CHAR, in.data(), sizes.data(), positions.data(), MPI_CHAR, 0, MPI_COMM_WORLD);
  return read_message(in);
}

int run(const example::Ranks& ranks, const Source& source, std::size_t top, std::size_t threads) {
  blitz::ThreadPool pool({.num_threads = threads});
  const std::string text = text_of(source, ranks.rank(), ranks.size());

  MPI_Barrier(MPI_COMM_WORLD);  // so that no rank's time includes the reading of another one
  Counts mine;
  const double parallel_ms = example::time_ms([&] {
    mine = exchange(pool.install([&] { return count(text); }), ranks);
    MPI_Barrier(MPI_COMM_WORLD);
  });

  const Counts parallel = gather(mine, ranks);
  const std::size_t all_threads = ranks.sum(pool.num_threads());
  if (ranks.rank() != 0) return 0;  // to MPI_Finalize, which waits without using the processor

  const std::string whole = text_of(source, 0, 1);
  Counts serial;
  const double serial_ms = example::time_ms([&] { example::count_words(whole, serial); });

  std::size_t words = 0;
  for (const auto& [word, number] : parallel) words += number;
  std::printf("%zu bytes, %zu words, %zu of them different, ranks: %zu\n\n", whole.size(), words, parallel.size(),
              ranks.size());
  example::print_most_frequent(parallel, top);
  std::printf("\ntime to count the text in memory, and to exchange the counts:\n");
  example::print_comparison("serial", serial_ms, all_threads, parallel_ms);
  if (serial != parallel) {
    std::fprintf(stderr, "mpi_word_count: the serial and the parallel count differ\n");
    return 1;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const example::Ranks ranks("mpi_word_count", argc, argv);
  try {
    Source source;
    std::size_t top = 10;
    std::size_t threads = 0;
    example::Options options("mpi_word_count",
                             "Counts the words of FILE; started by: mpirun -n RANKS mpi_word_count FILE");
    options.positional("FILE", "the text, which each rank can read; none: a generated text", source.path);
    options.number("--megabytes", "size of the text that is generated without FILE", source.megabytes, 1, 10'000);
    options.number("--top", "how many of the most frequent words to print", top, 0, 1'000'000'000);
    example::add_threads_option(options, threads);
    const auto check = [&]() -> std::optional<int> {
      if (source.path.empty() || std::filesystem::is_regular_file(source.path)) return std::nullopt;
      std::fprintf(stderr, "mpi_word_count: there is no file '%s'\n", source.path.c_str());
      return 2;
    };
    if (const auto status = ranks.parse(options, argc, argv, check)) return *status;
    return run(ranks, source, top, threads);
  } catch (const std::exception& error) {
    ranks.abort(error.what());
  }
}
