// The most frequent values of a field of a log, and the sum of another field over their lines:
//
//   log_top /var/log/dpkg.log --field 3                               actions of the package manager
//   log_top access.log --field 7 --sum 10 --containing '" 404 '       missing pages, and the bytes sent for them
//
// Fields are separated by blanks and numbered from 1, as in awk.

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iterator>
#include <optional>
#include <ranges>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <blitz/blitz.hpp>
#include <blitz/pipeline.hpp>

#include "support/options.hpp"
#include "support/pool.hpp"

namespace {

struct Query {
  std::size_t field = 1;
  std::size_t sum = 0;  // 0: no field
  std::string containing;
};

// The contribution of one line, or of several lines with the same key.
struct Total {
  std::string_view key;
  std::uint64_t lines = 0;
  std::uint64_t amount = 0;

  friend bool operator==(const Total&, const Total&) = default;
};

// The n-th field, counted from 1; empty if the line has fewer.
std::string_view field_of(std::string_view line, std::size_t n) {
  std::string_view field;
  for (; n > 0; --n) {
    line.remove_prefix(std::min(line.find_first_not_of(" \t\r"), line.size()));
    field = line.substr(0, line.find_first_of(" \t\r"));
    line.remove_prefix(field.size());
  }
  return field;
}

// The number in `text`; 0 if it is not a number, such as "-".
std::uint64_t number_of(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? number : 0;
}

std::optional<Total> parse(std::string_view line, const Query& query) {
  if (!query.containing.empty() && line.find(query.containing) == std::string_view::npos) return std::nullopt;
  const std::string_view key = field_of(line, query.field);
  if (key.empty()) return std::nullopt;
  return Total{key, 1, number_of(field_of(line, query.sum))};
}

using Totals = std::unordered_map<std::string_view, Total>;

void add(Totals& totals, const Total& other) {
  Total& total = totals[other.key];
  total.key = other.key;
  total.lines += other.lines;
  total.amount += other.amount;
}

// The `top` entries with the most lines; ties are ordered by name.
std::vector<Total> keep_top(const Totals& totals, std::size_t top) {
  const auto values = std::views::values(totals);
  std::vector<Total> sorted(values.begin(), values.end());
  top = std::min(top, sorted.size());
  std::ranges::partial_sort(
      sorted, sorted.begin() + static_cast<std::ptrdiff_t>(top),
      [](const Total& a, const Total& b) { return a.lines != b.lines ? a.lines > b.lines : a.key < b.key; });
  sorted.resize(top);
  return sorted;
}

// Parses the lines and adds them up in one map for each part that a worker takes. (A terminal group_by would keep every item,
// which counts and sums do not need.)
Totals analyse(std::string_view log, const Query& query) {
  return blitz::lines(log)
      .filter_map([&](std::string_view line) { return parse(line, query); })
      .fold(Totals(), add, [](Totals& totals, const Totals& others) {
        for (const auto& [key, total] : others) add(totals, total);
      });
}

Totals analyse_serially(std::string_view log, const Query& query) {
  Totals totals;
  for (std::size_t begin = 0; begin < log.size();) {
    const std::size_t end = std::min(log.find('\n', begin), log.size());
    if (const auto line = parse(log.substr(begin, end - begin), query)) add(totals, *line);
    begin = end + 1;
  }
  return totals;
}

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::string text(std::istreambuf_iterator<char>(in), {});
  if (!in || text.empty()) throw std::runtime_error("cannot read " + path + ", or it is empty");
  return text;
}

// A web server's log ("combined" format) of about `bytes` bytes. Few pages get most of the requests; some pages are missing.
std::string generate(std::size_t bytes) {
  constexpr std::size_t kPages = 10'000;
  std::string log;
  log.reserve(bytes + 256);
  std::uint64_t random = 1;
  const auto draw = [&random](std::uint64_t below) {
    random = random * 6364136223846793005 + 1442695040888963407;
    return (random >> 33) % below;
  };
  for (std::size_t second = 0; log.size() < bytes; ++second) {
    const std::uint64_t page = draw(draw(kPages) + 1);
    const bool missing = page % 17 == 3;
    char line[256];
    const int size = std::snprintf(line, sizeof line,
                                   "192.0.2.%llu - - [01/Feb/2025:%02zu:%02zu:%02zu +0000] \"GET /page/%llu.html "
                                   "HTTP/1.1\" %s %llu \"-\" \"%s\"\n",
                                   static_cast<unsigned long long>(draw(256)), second / 3600 % 24, second / 60 % 60,
                                   second % 60, static_cast<unsigned long long>(page), missing ? "404" : "200",
                                   static_cast<unsigned long long>(missing ? 153 : 1000 + page),
                                   draw(2) == 0 ? "Lynx/2.9" : "curl/8.5");
    log.append(line, static_cast<std::size_t>(size));
  }
  return log;
}

int run(const std::string& path, std::size_t megabytes, const Query& query, std::size_t top, std::size_t threads) {
  threads = example::start_pool(threads);
  const std::string log = path.empty() ? generate(megabytes * 1'000'000) : read_file(path);

  Totals serial;
  Totals parallel;
  const double serial_ms = example::time_ms([&] { serial = analyse_serially(log, query); });
  const double parallel_ms = example::time_ms([&] { parallel = analyse(log, query); });

  std::printf("%zu bytes; the most frequent of field %zu:\n", log.size(), query.field);
  for (const Total& total : keep_top(parallel, top)) {
    std::printf("%12llu ", static_cast<unsigned long long>(total.lines));
    if (query.sum > 0) std::printf("%16llu ", static_cast<unsigned long long>(total.amount));
    std::printf(" %.*s\n", static_cast<int>(total.key.size()), total.key.data());
  }
  std::printf("\ntime to analyse the text in memory:\n");
  example::print_comparison("serial", serial_ms, threads, parallel_ms);
  if (serial != parallel) {
    std::fprintf(stderr, "log_top: the serial and the parallel result differ\n");
    return 1;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) try {
  Query query{.field = 7, .sum = 10, .containing = ""};
  std::string path;
  std::size_t megabytes = 100;
  std::size_t top = 10;
  std::size_t threads = 0;
  example::Options options("log_top",
                           "Prints the most frequent values of a field of a log. Fields are counted from 1.");
  options.positional("FILE", "the log; none: one that a web server might have written", path);
  options.number("--megabytes", "size of the log that is generated where there is no FILE", megabytes, 1, 10'000);
  options.number("--field", "the field whose values are counted", query.field, 1, 1'000'000);
  options.number("--sum", "the field whose numbers are added up, 0 for none", query.sum, 0, 1'000'000);
  options.text("--containing", "TEXT", "take only lines with TEXT in them", query.containing);
  options.number("--top", "how many values to print", top, 0, 1'000'000'000);
  example::add_threads_option(options, threads);
  if (const auto status = options.parse(argc, argv)) return *status;
  return run(path, megabytes, query, top, threads);
} catch (const std::exception& error) {
  std::fprintf(stderr, "log_top: %s\n", error.what());
  return 1;
}
