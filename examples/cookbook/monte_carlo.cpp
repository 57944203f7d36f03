#include <cmath>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <random>

#include <blitz/blitz.hpp>

// One simulated price of an asset at the end of a year, less 100, if it is more.
double payoff(std::mt19937_64& generator) {
  std::normal_distribution<double> normal(0, 1);
  double price = 100;
  for (int month = 0; month < 12; ++month) price *= std::exp(-0.00167 + 0.0577 * normal(generator));
  return price > 100 ? price - 100 : 0;
}

double mean_payoff(std::size_t batches, unsigned seed, blitz::ThreadPool& pool) {
  constexpr int kBatch = 1000;
  const double sum = blitz::parallel_transform_reduce({.deterministic = true, .pool = &pool}, 0, batches, 0.0,
                                                      std::plus<>{}, [seed](std::size_t batch) {
                                                        std::seed_seq seeds{seed, static_cast<unsigned>(batch)};
                                                        std::mt19937_64 generator(seeds);
                                                        double part = 0;
                                                        for (int i = 0; i < kBatch; ++i) part += payoff(generator);
                                                        return part;
                                                      });
  return sum / (static_cast<double>(batches) * kBatch);
}

int main() {
  double first = 0;
  bool same = true;
  for (std::size_t threads = 1; threads <= 4; ++threads) {
    blitz::ThreadPool pool({.num_threads = threads});
    const double mean = mean_payoff(50, 42, pool);
    if (threads == 1) first = mean;
    same = same && mean == first;
  }
  std::printf("%.0f %d\n", first, same);  // 8 1
  return same ? 0 : 1;
}
