#include <algorithm>
#include <functional>
#include <memory>
#include <numeric>
#include <random>
#include <ranges>

#include <blitz/algorithm.hpp>

#include "program_cases.hpp"

namespace blitz_test::program {
namespace {

constexpr Ranked kOther{7, 1'000'000};

void double_rank(Ranked& item) { item.rank += rank(item); }
void double_rank_in(Ranked& item) { item.rank += item.rank; }
std::uint64_t sum(std::uint64_t a, std::uint64_t b) { return a + busy(b); }

/// Calls `ours(ranks, sums)` and `standards(ranks, sums)`.
template <class Ours, class Standards>
bool same_sums(World& w, const Ours& ours, const Standards& standards) {
  const Numbers numbers = w.ranks();
  Numbers found(numbers.size());
  Numbers expected(numbers.size());
  ours(numbers, found);
  standards(numbers, expected);
  return found == expected;
}

using Token = std::shared_ptr<int>;

/// Calls `make(objects, token)` with memory for as many objects as there are items. Then `destroy(objects)` destroys them.
/// Returns whether each object equalled the token, or none if not `owns`.
template <class Make, class Destroy>
bool makes_tokens(World& w, bool owns, const Make& make, const Destroy& destroy) {
  const std::size_t n = w.items.size();
  const Token token = std::make_shared<int>(1);
  const blitz::detail::Scratch<Token> memory(n);
  const std::span<Token> objects(memory.data(), n);
  make(objects, token);
  bool right = std::ranges::count(objects, owns ? token : Token()) == std::ssize(objects);
  right &= token.use_count() == (owns ? static_cast<long>(n) + 1 : 1);
  destroy(objects);
  return right && token.use_count() == 1;
}
template <class Make>
bool makes_tokens(World& w, bool owns, const Make& make) {
  return makes_tokens(w, owns, make, [&](auto objects) { blitz::destroy(w.options, objects); });
}

constexpr Case kCases[] = {
    {"for_each",
     [](World& w) {
       blitz::for_each(w.options, w.found, double_rank);
       std::ranges::for_each(w.expected, double_rank_in);
       return w.same();
     }},
    {"for_each_n",
     [](World& w) {
       blitz::for_each_n(w.options, w.found.begin(), w.middle(), double_rank);
       std::ranges::for_each_n(w.expected.begin(), w.middle(), double_rank_in);
       return w.same();
     }},
    {"transform",
     [](World& w) {
       const auto twice = [](const Ranked& item) { return Ranked{2 * rank(item), item.place}; };
       blitz::transform(w.options, w.items, w.found, twice);
       std::ranges::for_each(w.expected, double_rank_in);
       return w.same();
     }},
    {"copy",
     [](World& w) {
       w.found.assign(w.items.size(), kOther);
       blitz::copy(w.options, w.items, w.found);
       return w.same();
     }},
    {"copy_n",
     [](World& w) {
       w.found.assign(w.items.size(), kOther);
       blitz::copy_n(w.options, w.items.begin(), w.middle(), w.found.begin());
       std::fill(w.expected.begin() + w.middle(), w.expected.end(), kOther);
       return w.same();
     }},
    {"move",
     [](World& w) {
       w.found.assign(w.items.size(), kOther);
       blitz::move(w.options, Items(w.items), w.found);
       return w.same();
     }},
    {"swap_ranges",
     [](World& w) {
       const auto half = std::ssize(w.items) / 2;
       blitz::swap_ranges(w.options, w.found.begin(), w.found.begin() + half, w.found.begin() + half, w.found.end());
       std::swap_ranges(w.expected.begin(), w.expected.begin() + half, w.expected.begin() + half);
       return w.same();
     }},
    {"reverse",
     [](World& w) {
       blitz::reverse(w.options, w.found);
       std::ranges::reverse(w.expected);
       return w.same();
     }},
    {"reverse_copy",
     [](World& w) {
       blitz::reverse_copy(w.options, w.items, w.found);
       std::ranges::reverse(w.expected);
       return w.same();
     }},
    {"rotate",
     [](World& w) {
       blitz::rotate(w.options, w.found, w.found.begin() + w.middle());
       std::ranges::rotate(w.expected, w.expected.begin() + w.middle());
       return w.same();
     }},
    {"rotate_copy",
     [](World& w) {
       blitz::rotate_copy(w.options, w.items, w.items.begin() + w.middle(), w.found);
       std::ranges::rotate(w.expected, w.expected.begin() + w.middle());
       return w.same();
     }},
    {"shift_left",
     [](World& w) {
       const auto left = blitz::shift_left(w.options, w.found, w.middle());
       return std::ranges::equal(left, w.items | std::views::drop(w.middle()));
     }},
    {"shift_right",
     [](World& w) {
       const auto right = blitz::shift_right(w.options, w.found, w.middle());
       return std::ranges::equal(right, w.items | std::views::take(std::ssize(w.items) - w.middle()));
     }},
    {"shuffle",
     [](World& w) {
       blitz::shuffle(w.options, w.found, std::minstd_rand(static_cast<unsigned>(w.dice)));
       return w.same_items();
     }},
    {"fill",
     [](World& w) {
       blitz::fill(w.options, w.found, kOther);
       std::ranges::fill(w.expected, kOther);
       return w.same();
     }},
    {"fill_n",
     [](World& w) {
       blitz::fill_n(w.options, w.found.begin(), w.middle(), kOther);
       std::fill_n(w.expected.begin(), w.middle(), kOther);
       return w.same();
     }},
    {"generate",
     [](World& w) {
       blitz::generate(w.options, w.found, [] { return Ranked{busy(0), 5}; });
       std::ranges::fill(w.expected, Ranked{0, 5});
       return w.same();
     }},
    {"iota",
     [](World& w) {
       return same_sums(
           w, [&](const Numbers&, Numbers& out) { blitz::iota(w.options, out, w.dice); },
           [&](const Numbers&, Numbers& out) { std::iota(out.begin(), out.end(), w.dice); });
     }},
    {"replace",
     [](World& w) {
       blitz::replace(w.options, w.found, w.some_rank(), kOther, rank);
       std::ranges::replace(w.expected, w.some_rank(), kOther, rank_in);
       return w.same();
     }},
    {"replace_if",
     [](World& w) {
       blitz::replace_if(w.options, w.found, odd, kOther, rank);
       std::ranges::replace_if(w.expected, odd, kOther, rank_in);
       return w.same();
     }},
    {"adjacent_difference",
     [](World& w) {
       return same_sums(
           w, [&](const Numbers& x, Numbers& out) { blitz::adjacent_difference(w.options, x, out, sum); },
           [](const Numbers& x, Numbers& out) {
             std::adjacent_difference(x.begin(), x.end(), out.begin(), std::plus<>());
           });
     }},
    {"inclusive_scan",
     [](World& w) {
       return same_sums(
           w, [&](const Numbers& x, Numbers& out) { blitz::inclusive_scan(w.options, x, out, sum); },
           [](const Numbers& x, Numbers& out) { std::partial_sum(x.begin(), x.end(), out.begin()); });
     }},
    {"exclusive_scan",
     [](World& w) {
       return same_sums(
           w, [&](const Numbers& x, Numbers& out) { blitz::exclusive_scan(w.options, x, out, std::uint64_t{3}, sum); },
           [](const Numbers& x, Numbers& out) {
             std::exclusive_scan(x.begin(), x.end(), out.begin(), std::uint64_t{3});
           });
     }},
    {"transform_inclusive_scan",
     [](World& w) {
       return same_sums(
           w,
           [&](const Numbers&, Numbers& out) {
             blitz::transform_inclusive_scan(w.options, w.items, out, std::plus<>(), rank);
           },
           [](const Numbers& x, Numbers& out) { std::partial_sum(x.begin(), x.end(), out.begin()); });
     }},
    {"transform_exclusive_scan",
     [](World& w) {
       return same_sums(
           w,
           [&](const Numbers&, Numbers& out) {
             blitz::transform_exclusive_scan(w.options, w.items, out, std::uint64_t{3}, std::plus<>(), rank);
           },
           [](const Numbers& x, Numbers& out) {
             std::exclusive_scan(x.begin(), x.end(), out.begin(), std::uint64_t{3});
           });
     }},
    {"uninitialized_copy",
     [](World& w) {
       return makes_tokens(w, true, [&](auto objects, const Token& token) {
         blitz::uninitialized_copy(w.options, std::vector<Token>(objects.size(), token), objects);
       });
     }},
    {"uninitialized_move",
     [](World& w) {
       return makes_tokens(w, true, [&](auto objects, const Token& token) {
         std::vector<Token> tokens(objects.size(), token);
         blitz::uninitialized_move(w.options, tokens, objects);
       });
     }},
    {"uninitialized_fill",
     [](World& w) {
       return makes_tokens(
           w, true, [&](auto objects, const Token& token) { blitz::uninitialized_fill(w.options, objects, token); });
     }},
    {"uninitialized_fill_n",
     [](World& w) {
       return makes_tokens(w, true, [&](auto objects, const Token& token) {
         blitz::uninitialized_fill_n(w.options, objects.data(), std::ssize(objects), token);
       });
     }},
    {"uninitialized_copy_n",
     [](World& w) {
       return makes_tokens(w, true, [&](auto objects, const Token& token) {
         const std::vector<Token> tokens(objects.size(), token);
         blitz::uninitialized_copy_n(w.options, tokens.begin(), std::ssize(tokens), objects.begin(), objects.end());
       });
     }},
    {"uninitialized_move_n",
     [](World& w) {
       return makes_tokens(w, true, [&](auto objects, const Token& token) {
         std::vector<Token> tokens(objects.size(), token);
         blitz::uninitialized_move_n(w.options, tokens.begin(), std::ssize(tokens), objects.begin(), objects.end());
       });
     }},
    {"uninitialized_default_construct",
     [](World& w) {
       return makes_tokens(
           w, false, [&](auto objects, const Token&) { blitz::uninitialized_default_construct(w.options, objects); });
     }},
    {"uninitialized_default_construct_n",
     [](World& w) {
       return makes_tokens(w, false, [&](auto objects, const Token&) {
         blitz::uninitialized_default_construct_n(w.options, objects.data(), std::ssize(objects));
       });
     }},
    {"uninitialized_value_construct",
     [](World& w) {
       return makes_tokens(
           w, false, [&](auto objects, const Token&) { blitz::uninitialized_value_construct(w.options, objects); });
     }},
    {"uninitialized_value_construct_n",
     [](World& w) {
       return makes_tokens(w, false, [&](auto objects, const Token&) {
         blitz::uninitialized_value_construct_n(w.options, objects.data(), std::ssize(objects));
       });
     }},
    {"destroy",
     [](World& w) {
       return makes_tokens(w, true, [](auto objects, const Token& token) {
         std::uninitialized_fill(objects.begin(), objects.end(), token);
       });
     }},
    {"destroy_n",
     [](World& w) {
       return makes_tokens(
           w, true,
           [](auto objects, const Token& token) { std::uninitialized_fill(objects.begin(), objects.end(), token); },
           [&](auto objects) { blitz::destroy_n(w.options, objects.data(), std::ssize(objects)); });
     }},
};

}  // namespace

std::span<const Case> cases_that_write() { return kCases; }

}  // namespace blitz_test::program
