// The pieces of code in docs/algorithms.md: statistics of a shop's orders.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <ranges>
#include <stdexcept>
#include <stop_token>
#include <vector>

#include <blitz/algorithm.hpp>
#include <blitz/blitz.hpp>

struct Order {
  int customer = 0;
  int day = 0;
  double amount = 0;  // a multiple of 0.25: sums are exact
};

std::vector<Order> make_orders(std::size_t count) {
  std::vector<Order> orders(count);
  blitz::parallel_for(0, count, [&](std::size_t i) {
    const auto n = static_cast<int>(i * 2654435761U % 1'000'003);
    orders[i] = {n % 1000, n % 365, 0.25 * (n % 401)};
  });
  return orders;
}

// The forms of a call.
void sort_thrice(std::vector<Order>& orders, std::stop_token token, blitz::ThreadPool& pool) {
  blitz::sort(orders, std::greater{}, &Order::amount);                      // a range, a comparison, a projection
  blitz::sort(orders.begin(), orders.end(), {}, &Order::day);               // an iterator and its end
  blitz::sort({.stop = token, .pool = &pool}, orders, {}, &Order::amount);  // options come first
}

// Outputs.
std::vector<Order> large_ones(const std::vector<Order>& orders) {
  std::vector<Order> large(orders.size());
  const auto [in, out] = blitz::copy_if(orders, large, [](const Order& order) { return order.amount >= 99; });
  large.erase(out, large.end());
  return large;
}

// By key.
double best_total(std::vector<Order>& orders) {
  blitz::sort(orders, {}, &Order::customer);
  std::vector<int> customers(orders.size());
  std::vector<double> totals(orders.size());
  const auto ends = blitz::reduce_by_key(orders | std::views::transform(&Order::customer),
                                         orders | std::views::transform(&Order::amount), customers, totals);
  totals.erase(ends.values_out, totals.end());
  return blitz::max(totals);
}

std::size_t busiest_day(const std::vector<Order>& orders) {
  const std::vector<std::size_t> per_day = blitz::histogram(orders, 365, &Order::day);
  return static_cast<std::size_t>(blitz::max_element(per_day) - per_day.begin());
}

std::size_t most_orders(const std::vector<Order>& orders) {
  std::size_t most = 0;
  for (const auto group : blitz::group_by(orders, &Order::customer)) {
    most = std::max(most, group.size());  // group[0] is the position of this customer's first order
  }
  return most;
}

// Exceptions, and stop requests.
bool all_are_paid(std::vector<Order>& orders) {
  try {
    blitz::for_each(orders, [](const Order& order) {
      if (order.amount < 0) throw std::domain_error("a negative amount");
    });
    return true;
  } catch (const std::domain_error&) {
    return false;
  }
}

bool sum_up(const std::vector<Order>& orders, std::vector<double>& sums, std::stop_token token) {
  try {
    blitz::transform_inclusive_scan({.stop = token}, orders, sums, std::plus<>{}, &Order::amount);
    return true;
  } catch (const blitz::Stopped&) {
    return false;  // some of `sums` have been assigned
  }
}

// Bit-identical results.
double same_bits(const std::vector<double>& samples) { return blitz::reduce({.deterministic = true}, samples); }

// Tiles.
std::vector<float> blur(const std::vector<float>& image, std::size_t rows, std::size_t cols) {
  std::vector<float> blurred = image;
  blitz::parallel_for_tiles({rows - 2, cols - 2}, [&](const blitz::Tile<2>& tile) {
    for (const std::size_t row : tile.rows()) {
      for (const std::size_t col : tile.cols()) {
        float sum = 0;
        for (std::size_t i = 0; i < 9; ++i) sum += image[(row + i / 3) * cols + col + i % 3];
        blurred[(row + 1) * cols + col + 1] = sum / 9;
      }
    }
  });
  return blurred;
}

// A work list.
struct Folder {
  std::vector<Folder> folders;
  std::size_t bytes = 0;
};

std::size_t size_of(const Folder& root) {
  std::atomic<std::size_t> bytes = 0;
  blitz::parallel_for_each(std::views::single(&root), [&](const Folder* folder, blitz::Feeder<const Folder*>& feeder) {
    bytes.fetch_add(folder->bytes, std::memory_order_relaxed);
    for (const Folder& inner : folder->folders) feeder.add(&inner);
  });
  return bytes;
}

Folder make_folder(int depth) {
  Folder folder;
  folder.bytes = 1;
  for (int i = 0; i < (depth > 0 ? 3 : 0); ++i) folder.folders.push_back(make_folder(depth - 1));
  return folder;
}

int main() {
  std::vector<Order> orders = make_orders(100'000);
  blitz::ThreadPool pool({.num_threads = 2});
  sort_thrice(orders, {}, pool);
  std::printf("%zu %.2f ", large_ones(orders).size(), best_total(orders));
  std::printf("%zu %zu %d ", busiest_day(orders), most_orders(orders), all_are_paid(orders));

  std::stop_source stopped;
  stopped.request_stop();
  std::vector<double> sums(orders.size());
  const bool none = sum_up(orders, sums, stopped.get_token());
  const bool all = sum_up(orders, sums, {});
  std::printf("%d %d %.2f %.0f ", none, all, sums.back(), same_bits(sums));

  const std::vector<float> blurred = blur(std::vector<float>(10'000, 1), 100, 100);
  std::printf("%g %zu\n", static_cast<double>(blurred[5050]), size_of(make_folder(6)));
}
