// The cost of each operation of the schedulers by itself, as benchmarks named "price/OPERATION/alone" and
// "price/OPERATION/RIVAL". prices.py makes a table of them.
#pragma once

namespace bench {

/// Registers the benchmarks with Google Benchmark.
void add_prices();

}  // namespace bench
