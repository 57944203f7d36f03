#include "bench/compare/geometric_mean.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace bench {
namespace {

struct Sum {
  std::string peer;
  double logarithms = 0;
  std::size_t count = 0;
};

std::vector<Sum> sums(const Results& results, unsigned threads) {
  std::vector<Sum> all;
  for (const auto& row : results.rows) {
    if (row.peer == "blitz" || !row.correct || (row.threaded && row.threads != threads)) continue;
    if (is_cpu_time(*row.spec)) continue;
    const double ratio = times_slower(&row, results.find(row.spec->name, "blitz", threads));
    if (!std::isfinite(ratio)) continue;
    auto sum = std::find_if(all.begin(), all.end(), [&](const Sum& s) { return s.peer == row.peer; });
    if (sum == all.end()) sum = all.insert(sum, Sum{row.peer});
    sum->logarithms += std::log(ratio);
    ++sum->count;
  }
  std::sort(all.begin(), all.end(), [](const Sum& a, const Sum& b) {
    return std::tuple(rank(a.peer), a.peer) < std::tuple(rank(b.peer), b.peer);
  });
  return all;
}

}  // namespace

std::vector<GeometricMean> geometric_means(const Results& results) {
  std::vector<GeometricMean> means;
  for (const unsigned threads : results.threads) {
    for (const auto& sum : sums(results, threads)) {
      means.push_back({sum.peer, threads, std::exp(sum.logarithms / static_cast<double>(sum.count)), sum.count});
    }
  }
  return means;
}

}  // namespace bench
