// The most frequent word of a text: a pipeline of its words, and groups of equal ones.

#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>

#include <blitz/pipeline.hpp>

int main() {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "the quick fox and the lazy dog met the hen ";

  const auto words = blitz::split_at(text, ' ').filter([](std::string_view word) { return !word.empty(); }).group_by();
  const auto most = blitz::par(std::size_t{0}, words.size()).max([&](std::size_t a, std::size_t b) {
    return words[a].size() < words[b].size();
  });

  const std::string word(words[*most].front());
  std::printf("%zu words, %zu different, %s: %zu\n", words.items().size(), words.size(), word.c_str(),
              words[*most].size());
  // 10000 words, 8 different, the: 3000
}
