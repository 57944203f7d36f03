// Scratch memory for each worker: finds the word nearest to another one. Each worker allocates the row of the table once.

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <blitz/algorithm.hpp>
#include <blitz/blitz.hpp>

// The edit distance, row by row.
std::size_t distance(std::string_view a, std::string_view b, std::vector<std::size_t>& row) {
  row.resize(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] != b[j]);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

int main() {
  const std::vector<std::string> words{"sitting", "smitten", "kitchen", "kitten", "mitten"};
  std::vector<std::size_t> distances(words.size());
  blitz::WorkerLocal<std::vector<std::size_t>> rows;
  blitz::parallel_for(0, words.size(),
                      [&](std::size_t i) { distances[i] = distance(words[i], "kittens", rows.here()); });
  const auto nearest = blitz::min_element(distances);
  std::printf("%s %zu\n", words[static_cast<std::size_t>(nearest - distances.begin())].c_str(), *nearest);  // kitten 1
}
