/// Sorting, selection and merging. The first four bytes choose the call, the kind of items and the comparison. Each further
/// byte is a run of items.
///
/// With a strict weak order, the result equals the standard library's. With a comparison that is not an order, or throws, the
/// result is a permutation of the items, and AddressSanitizer notices accesses out of bounds.

#include <algorithm>
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <ranges>
#include <span>
#include <string>
#include <vector>

#include "blitz/algorithm/merge.hpp"
#include "blitz/algorithm/sort.hpp"
#include "blitz/algorithm/stable_sort.hpp"
#include "blitz/thread_pool.hpp"
#include "fuzz.hpp"

using blitz_test::require;

namespace {

struct Thrown {};

struct Choice {
  std::uint8_t call;
  std::uint8_t order;
  std::uint8_t middle;
  std::uint8_t grain;
};

/// Ordered by the key; `place` distinguishes equal items.
template <class Key>
struct Item {
  Key key;
  std::uint32_t place;
  friend bool operator==(const Item&, const Item&) = default;
};

template <class Key>
Key key_from(std::uint8_t byte) {
  if constexpr (std::same_as<Key, std::string>) {
    return std::string(byte % 3 == 0 ? 20 : 1, static_cast<char>('a' + byte % 26)) + static_cast<char>(byte);
  } else {
    return static_cast<Key>(byte) * 3 - 100;
  }
}

/// A byte makes up to 32 items: equal, ascending, descending or mixed. So a short input is long enough to be sorted in
/// parallel.
template <class Key>
std::vector<Item<Key>> items_from(std::span<const std::uint8_t> bytes) {
  std::vector<Item<Key>> items;
  for (const unsigned byte : bytes) {
    const unsigned step = byte / 32 % 4;  // 3: pseudo-random
    for (unsigned i = 0; i <= byte % 32; ++i) {
      const unsigned key = step == 3 ? byte * 37 + i * i * 59 : step == 2 ? byte - i : byte + i * step;
      items.push_back({key_from<Key>(static_cast<std::uint8_t>(key)), static_cast<std::uint32_t>(items.size())});
    }
  }
  return items;
}

/// Sorts the items, then swaps some pairs at positions from the bytes.
template <class Key>
void make_nearly_sorted(std::vector<Item<Key>>& items, std::span<const std::uint8_t> bytes) {
  std::ranges::stable_sort(items, {}, &Item<Key>::key);
  for (std::size_t i = 0; i + 1 < bytes.size(); i += 8)
    std::swap(items[bytes[i] * items.size() / 256], items[bytes[i + 1] * items.size() / 256]);
  for (std::size_t i = 0; i != items.size(); ++i) items[i].place = static_cast<std::uint32_t>(i);
}

template <class Key>
bool same_items(std::vector<Item<Key>> found, std::vector<Item<Key>> wanted) {
  std::ranges::sort(found, {}, &Item<Key>::place);
  std::ranges::sort(wanted, {}, &Item<Key>::place);
  return found == wanted;
}

/// The comparisons: two strict weak orders, two invalid ones, and one that throws.
template <class Key>
struct Order {
  unsigned kind;
  Key special;

  [[nodiscard]] bool is_order() const { return kind < 2; }
  bool operator()(const Key& a, const Key& b) const {
    switch (kind) {
      case 0:
        return a < b;
      case 1:
        return b < a;
      case 2:
        return !(b < a);
      case 3:
        return a < special ? !(b < a) : b < special;
      default:
        if (a == special) throw Thrown{};
        return a < b;
    }
  }
};

const blitz::AlgorithmOptions& options(const Choice& choice) {
  static blitz::ThreadPool pool({.num_threads = 2});
  static blitz::AlgorithmOptions options{.pool = &pool};
  options.min_grain = choice.grain % 4 == 0 ? 0 : choice.grain;
  return options;
}

template <class Key>
void check(const Choice& choice, std::span<const std::uint8_t> bytes) {
  constexpr auto kKey = &Item<Key>::key;
  std::vector<Item<Key>> items = items_from<Key>(bytes);
  if (choice.order >= 128) make_nearly_sorted(items, bytes);
  const Order<Key> order{choice.order % 5U, key_from<Key>(choice.middle)};
  const auto at = static_cast<std::ptrdiff_t>(items.size() * choice.middle / 256);
  const auto middle = items.begin() + at;
  const auto front = std::ranges::subrange(items.begin(), middle);
  const auto back = std::ranges::subrange(middle, items.end());
  const unsigned call = choice.call % 6;
  if (call >= 4 && order.is_order()) {
    std::ranges::stable_sort(front, order, kKey);
    std::ranges::stable_sort(back, order, kKey);
  }
  const std::vector<Item<Key>> before = items;
  std::vector<Item<Key>> expected = items;
  try {
    switch (call) {
      case 0:
        if (order.kind == 0) {
          blitz::sort(options(choice), items, {}, kKey);  // by radix
        } else {
          blitz::sort(options(choice), items, order, kKey);
        }
        require(!order.is_order() || std::ranges::is_sorted(items, order, kKey), "sort sorts");
        break;
      case 1:
        blitz::stable_sort(options(choice), items, order, kKey);
        if (!order.is_order()) break;
        std::ranges::stable_sort(expected, order, kKey);
        require(items == expected, "stable_sort keeps the order of equal items");
        break;
      case 2:
        blitz::partial_sort(options(choice), items, middle, order, kKey);
        if (!order.is_order()) break;
        std::ranges::sort(expected, order, kKey);
        require(std::ranges::equal(front, expected | std::views::take(at), {}, kKey, kKey),
                "partial_sort sorts the first items");
        break;
      case 3:
        blitz::nth_element(options(choice), items, middle, order, kKey);
        if (!order.is_order() || items.empty()) break;
        require(std::ranges::none_of(
                    front, [&](const Key& key) { return order(middle->key, key); }, kKey),
                "nth_element leaves no greater item before the n-th");
        require(std::ranges::none_of(
                    back, [&](const Key& key) { return order(key, middle->key); }, kKey),
                "nth_element leaves no lesser item behind the n-th");
        break;
      case 4: {
        std::vector<Item<Key>> merged(items.size());
        blitz::merge(options(choice), front, back, merged, order, kKey, kKey);
        require(same_items(merged, before), "merge copies every item once");
        if (!order.is_order()) break;
        std::ranges::inplace_merge(expected, expected.begin() + at, order, kKey);
        require(merged == expected, "merge keeps the order of equal items");
        break;
      }
      default:
        blitz::inplace_merge(options(choice), items, middle, order, kKey);
        if (!order.is_order()) break;
        std::ranges::inplace_merge(expected, expected.begin() + at, order, kKey);
        require(items == expected, "inplace_merge keeps the order of equal items");
    }
  } catch (const Thrown&) {
    require(order.kind == 4, "nothing is thrown but by the comparison");
  }
  require(same_items(items, before), "the items are a permutation of what they were");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Choice choice{};
  if (size < sizeof choice) return 0;
  std::memcpy(&choice, data, sizeof choice);
  const std::span bytes(data + sizeof choice, size - sizeof choice);
  if (choice.call < 128) {
    check<int>(choice, bytes);
  } else {
    check<std::string>(choice, bytes);
  }
  return 0;
}
