// The most frequent word of a text: a pipeline of its words, counted in one map for each part that a worker takes.

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>
#include <unordered_map>

#include <blitz/pipeline.hpp>

using Counts = std::unordered_map<std::string_view, std::size_t>;

int main() {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "the quick fox and the lazy dog met the hen ";

  const auto add = [](Counts& counts, std::string_view word) { ++counts[word]; };
  const auto merge = [](Counts& counts, const Counts& others) {
    for (const auto& [word, count] : others) counts[word] += count;
  };
  const Counts counts = blitz::split_at(text, ' ').fold(Counts(), add, merge);
  const auto most = std::ranges::max_element(counts, {}, &Counts::value_type::second);

  const std::string word(most->first);
  std::printf("%zu different words, %s: %zu\n", counts.size(), word.c_str(),
              most->second);  // 8 different words, the: 3000
}
