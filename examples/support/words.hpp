// Words and their numbers of occurrences.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace example {

using Counts = std::unordered_map<std::string, std::size_t>;

[[nodiscard]] inline bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || static_cast<unsigned char>(c) > 127;
}

[[nodiscard]] inline char to_lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// A word is a longest run of ASCII letters and bytes above 127 (so that UTF-8 words stay whole); A-Z count as a-z.
inline void count_words(std::string_view text, Counts& counts) {
  std::string word;
  for (auto c = text.begin(); c != text.end();) {
    word.clear();
    for (; c != text.end() && is_letter(*c); ++c) word.push_back(to_lower(*c));
    if (!word.empty()) ++counts[word];
    while (c != text.end() && !is_letter(*c)) ++c;
  }
}

inline void print_most_frequent(const Counts& counts, std::size_t top) {
  std::vector<std::pair<std::string_view, std::size_t>> words(counts.begin(), counts.end());
  top = std::min(top, words.size());
  std::ranges::partial_sort(words, words.begin() + static_cast<std::ptrdiff_t>(top), [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  std::printf("the %zu most frequent words:\n", top);
  for (const auto& [word, count] : std::span(words).first(top)) {
    std::printf("%12zu  %.*s\n", count, static_cast<int>(word.size()), word.data());
  }
}

}  // namespace example
