/// @file
/// Radix sort on several threads; see radix.hpp.
///
/// Several threads count many items and distribute them to buckets, in parts. Then the buckets are sorted in parallel. A stop
/// request, or a failed allocation of the pool, ends the sort with an exception. All items are moved to the destination first,
/// in an unspecified order.
///
/// Complexity for n items, b <= 1024 buckets and c <= min(4 p, n / 8192) parts on p threads: work T1 = O(n) per digit,
/// including c b counters, at most n / 8. Span O(n / p + b) per digit if the keys are spread evenly. One thread adds up b
/// numbers.
///
/// Source: M. Zagha, G. E. Blelloch: Radix Sort for Vector Multiprocessors, SC 1991 (counts per part, added up per bucket).
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>

#include "blitz/algorithm/algorithm_options.hpp"
#include "blitz/detail/algorithm/blocks.hpp"
#include "blitz/detail/algorithm/columns.hpp"
#include "blitz/detail/algorithm/scratch.hpp"
#include "blitz/detail/algorithm/sort/parts.hpp"
#include "blitz/detail/algorithm/sort/quicksort.hpp"
#include "blitz/detail/algorithm/sort/radix.hpp"
#include "blitz/detail/base/raw_memory.hpp"
#include "blitz/detail/sys/kept_memory.hpp"

namespace blitz::detail {

/// Writes to each page of a large memory of `size` bytes, so that the kernel maps each page once. Otherwise, threads that
/// scatter items would reach a new page at about the same time, and the kernel would clear a page for each of them.
inline void touch_pages(void* memory, std::size_t size, std::size_t threads) noexcept {
  constexpr std::size_t kPage = 4096;
  auto* const bytes = static_cast<std::byte*>(memory);
  const std::size_t pages = size / kPage;
  if (pages > 2 * kHugePage / kPage) {
    for_all(pages, threads, kHugePage / kPage,
            [=](std::size_t page) { std::construct_at(bytes + page * kPage, std::byte{}); });
  }
}

/// The minimum number of items of a part: eight for each counter of the part.
inline constexpr std::size_t kLeastRadixPart = std::size_t{8} << kMostDigit;

/// The number of parts for counting and distributing n items. Each part has at least `least` items.
[[nodiscard]] constexpr std::size_t radix_parts(std::size_t n, std::size_t threads, std::size_t least) noexcept {
  constexpr std::size_t kPartsOfThread = 4;  // so that parts are left for a thread that starts late
  return std::clamp<std::size_t>(n / least, 1, threads * kPartsOfThread);
}

template <class T, class Order>
class ParallelRadixSort {
 public:
  /// For n items, on a worker of the pool of the options, which has `threads` threads, or on any thread if `threads` is 1.
  ParallelRadixSort(const AlgorithmOptions& options, std::size_t threads, std::size_t n, Order order)
      : options_(options),
        threads_(threads),
        share_(n / threads),
        least_part_(std::max(options.min_grain, kLeastRadixPart)),
        order_(order) {}

  /// Sorts the n items at `items`. The result is in `other` if `into_other`, otherwise in `items`; the other array is scratch.
  /// Throws Stopped.
  void sort(T* items, T* other, std::size_t n, bool into_other) const {
    constexpr std::size_t kMostSerial = std::size_t{1} << 30;  // radix_sort counts in 32 bits
    const bool few = n < share_ / 2 || n / 2 < options_.min_grain || n * sizeof(T) <= kMostRadixBytes;
    if (few && n <= kMostSerial) {
      return radix_sort(items, other, n, into_other, order_);
    }
    T* const home = into_other ? other : items;
    const auto move_home = [&] {
      if (into_other) move_items(items, other, n);
    };
    unsigned bits = 0;
    try {
      bits = differing_bits_of(items, n);
    } catch (...) {
      move_home();
      throw;
    }
    if (bits == 0) return move_home();
    const bool once = Order::kIsItem && bits <= kMostDigit;  // The counts determine the items.
    const unsigned width = once ? bits : radix_width<T>(n, bits);
    const std::size_t parts = radix_parts(n, threads_, least_part_);
    const Scratch<Bucket> buckets(std::size_t{1} << width, std::nothrow);
    // For each part and bucket: the number of items, later the place of the next item.
    const Scratch<std::size_t> counts(parts * buckets.size(), std::nothrow);
    if (counts.data() == nullptr) {
      move_home();
      return radix_quicksort(home, into_other ? items : other, n, order_);
    }
    const RadixDigit<Order> digit{order_, bits - width, width};
    try {
      count(items, n, digit, parts, counts.data(), buckets);
      if (!once) {
        touch_pages(other, n * sizeof(T), threads_);
        to_buckets(items, other, n, digit, parts, counts.data());
      }
    } catch (...) {
      move_home();
      throw;
    }
    if constexpr (Order::kIsItem) {
      if (once) return write_items(*items, home, n, buckets);
    }
    try {
      sort_buckets(items, other, n, into_other, buckets);
    } catch (...) {
      for (Bucket* bucket = buckets.data(); !into_other && bucket != buckets.data() + buckets.size(); ++bucket) {
        if (!bucket->begun) move_items(other + bucket->begin, items + bucket->begin, bucket->size);
      }
      throw;
    }
  }

 private:
  using Bits = std::remove_cvref_t<std::invoke_result_t<Order&, T&>>;

  struct Bucket {
    std::size_t begin;
    std::size_t size;
    bool begun;  // The bucket's sort has started, and will move its items to the destination.
  };

  /// Options for loops in the pool of the sort. A caller that sorts on one thread need not be a worker of that pool.
  [[nodiscard]] AlgorithmOptions here() const { return {.pool = options_.pool}; }

  /// See differing_bits().
  unsigned differing_bits_of(T* items, std::size_t n) const {
    const Bits first = order_(*items);
    const Bits bits = fold_blocks(
        here(), n, least_part_, [] { return Bits{0}; },
        [&](Bits& value, LoopIndex from, LoopIndex to) {
          Bits found = 0;
          for (LoopIndex i = from; i != to; ++i) found = static_cast<Bits>(found | (order_(items[i]) ^ first));
          value = static_cast<Bits>(value | found);
        },
        [](Bits& left, Bits right) { left = static_cast<Bits>(left | right); });
    return static_cast<unsigned>(std::bit_width(bits));
  }

  /// Calls `f(part, items, size)` for parts of the n items.
  template <class F>
  void for_parts(T* items, std::size_t n, std::size_t parts, F&& f) const {
    for_blocks(here(), parts, 1, [&](LoopIndex first, LoopIndex last) {
      for (LoopIndex part = first; part != last; ++part) {
        throw_if_stopped(options_);
        const std::size_t begin = n / parts * part;
        f(part, items + begin, part + 1 == parts ? n - begin : n / parts);
      }
    });
  }

  /// Counts the items of each bucket and part, and replaces the counts by the places of the first items.
  void count(T* items, std::size_t n, RadixDigit<Order> digit, std::size_t parts, std::size_t* counts,
             const Scratch<Bucket>& buckets) const {
    for_parts(items, n, parts, [&](std::size_t part, T* from, std::size_t size) {
      std::size_t* const of_part = counts + part * buckets.size();
      std::uninitialized_fill_n(of_part, buckets.size(), std::size_t{0});
      for (std::size_t i = 0; i != size; ++i) ++of_part[digit(from[i])];
    });
    std::array<std::size_t, (std::size_t{1} << kMostDigit) + 1> begins;
    add_up_columns(here(), parts, buckets.size(), counts, begins.data());
    for (std::size_t b = 0; b != buckets.size(); ++b)
      std::construct_at(buckets.data() + b, Bucket{begins[b], begins[b + 1] - begins[b], false});
  }

  /// Moves the items to their buckets in `other`. They are still at `items` if it throws.
  void to_buckets(T* items, T* other, std::size_t n, RadixDigit<Order> digit, std::size_t parts,
                  std::size_t* counts) const {
    for_parts(items, n, parts, [&](std::size_t part, T* from, std::size_t size) {
      distribute(from, other, size, digit, counts + (part << digit.width));
    });
  }

  void sort_buckets(T* items, T* other, std::size_t n, bool into_other, const Scratch<Bucket>& buckets) const {
    const std::size_t blocks = std::max<std::size_t>(n / std::max<std::size_t>(options_.min_grain, 1), 1);
    const std::size_t grain = std::max<std::size_t>(buckets.size() / blocks, 1);
    for_blocks(here(), buckets.size(), grain, [&](LoopIndex first, LoopIndex last) {
      for (Bucket *bucket = buckets.data() + first, *end = buckets.data() + last; bucket != end; ++bucket) {
        throw_if_stopped(options_);
        bucket->begun = true;
        sort(other + bucket->begin, items + bucket->begin, bucket->size, !into_other);
      }
    });
  }

  /// Writes the items of all buckets. The items of a bucket are equal, and differ from `any` only in the lowest bits.
  void write_items(Bits any, T* to, std::size_t n, const Scratch<Bucket>& buckets) const noexcept {
    const std::size_t high = static_cast<std::size_t>(any) & ~(buckets.size() - 1);
    const Bucket* const all = buckets.data();
    detail::for_parts(
        {}, n, part_count(n, threads_, least_part_), [&](std::size_t, std::size_t begin, std::size_t end) {
          // Starts with the last bucket that starts at or before `begin`.
          const Bucket* bucket = std::upper_bound(all, all + buckets.size(), begin,
                                                  [](std::size_t i, const Bucket& b) { return i < b.begin; });
          for (--bucket; begin != end; ++bucket) {
            const std::size_t stop = std::min(end, bucket->begin + bucket->size);
            std::uninitialized_fill(to + begin, to + stop,
                                    static_cast<Bits>(high | static_cast<std::size_t>(bucket - all)));
            begin = stop;
          }
        });
  }

  const AlgorithmOptions& options_;
  std::size_t threads_;
  std::size_t share_;  // the number of items per thread
  std::size_t least_part_;
  Order order_;
};

}  // namespace blitz::detail
