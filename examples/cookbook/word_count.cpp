// The most frequent word of a text: a pipeline of its words, and groups of equal ones.

#include <cstddef>
#include <cstdio>
#include <span>
#include <string>
#include <string_view>

#include <blitz/algorithm.hpp>
#include <blitz/pipeline.hpp>

int main() {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "the quick fox and the lazy dog met the hen ";

  const auto words = blitz::split_at(text, ' ').filter([](std::string_view word) { return !word.empty(); }).collect();
  const auto groups = blitz::group_by(words);
  const auto most = blitz::max_element(groups, {}, [](std::span<const std::size_t> group) { return group.size(); });

  const std::string word(words[most->front()]);
  std::printf("%zu words, %zu different, %s: %zu\n", words.size(), groups.size(), word.c_str(), most->size());
  // 10000 words, 8 different, the: 3000
}
