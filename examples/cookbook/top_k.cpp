// The largest entries of a file that need not fit into memory. Workers read it in batches, and each part keeps only its largest
// entries.

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <istream>
#include <ranges>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <blitz/pipeline.hpp>

struct Line {
  std::string text;
  friend std::istream& operator>>(std::istream& in, Line& line) { return std::getline(in, line.text); }
};

using Entry = std::pair<int, std::string>;

Entry parse(const Line& line) {
  const std::size_t space = line.text.find(' ');
  return {std::stoi(line.text.substr(space + 1)), line.text.substr(0, space)};
}

// A heap with the least entry at the front.
using Top = std::vector<Entry>;

void add(Top& top, const Entry& entry) {
  constexpr std::size_t kMost = 3;
  if (top.size() == kMost && entry < top.front()) return;
  top.push_back(entry);
  std::ranges::push_heap(top, std::greater{});
  if (top.size() <= kMost) return;
  std::ranges::pop_heap(top, std::greater{});
  top.pop_back();
}

int main() {
  std::stringstream file;  // in place of a std::ifstream
  for (int i = 0; i < 50'000; ++i) file << "city" << i << ' ' << i * 7919 % 50'000 << '\n';

  const auto merge = [](Top& top, const Top& others) {
    for (const Entry& entry : others) add(top, entry);
  };
  Top top = blitz::from(std::ranges::istream_view<Line>(file)).map(parse).fold(Top(), add, merge);
  std::ranges::sort(top, std::greater{});

  for (const auto& [people, name] : top) std::printf("%s ", name.c_str());  // city32321 city14642 city46963
  return top.size() == 3 && top[0].first == 49'999 && top[2].first == 49'997 ? 0 : 1;
}
