#include "bench/harness/registry.hpp"

#include <algorithm>
#include <array>
#include <tuple>

namespace bench {
namespace {

std::vector<Entry>& storage() {
  static std::vector<Entry> all;
  return all;
}

auto key(const Entry& entry) { return std::tuple(entry.spec->name, rank(entry.peer), std::string_view(entry.peer)); }

}  // namespace

std::size_t rank(std::string_view peer) {
  // The part of the name before the first underscore; "by" is by_hand's.
  constexpr std::array<std::string_view, 7> kOrder{"serial", "by", "blitz", "tbb", "openmp", "clang", "rayon"};
  const auto library = peer.substr(0, peer.find('_'));
  return static_cast<std::size_t>(std::find(kOrder.begin(), kOrder.end(), library) - kOrder.begin());
}

void add_entry(Entry entry) {
  auto& all = storage();
  const auto less = [](const Entry& a, const Entry& b) { return key(a) < key(b); };
  all.insert(std::upper_bound(all.begin(), all.end(), entry, less), std::move(entry));
}

const std::vector<Entry>& entries() { return storage(); }

}  // namespace bench
