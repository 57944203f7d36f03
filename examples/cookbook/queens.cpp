// The number of ways to place n queens on a board: a reduction at each level of the recursion, without a cut-off.

#include <cstdio>
#include <functional>

#include <blitz/blitz.hpp>

// The places that the queens of the first rows attack in the next one: columns, and both diagonals.
struct Attacked {
  unsigned columns = 0, left = 0, right = 0;
};

int count(int n, int row, Attacked attacked) {
  if (row == n) return 1;
  return blitz::parallel_transform_reduce(0, n, 0, std::plus<>{}, [=](int column) {
    const unsigned place = 1U << column;
    if (((attacked.columns | attacked.left | attacked.right) & place) != 0) return 0;
    return count(n, row + 1, {attacked.columns | place, (attacked.left | place) << 1, (attacked.right | place) >> 1});
  });
}

int main() {
  std::printf("%d\n", count(10, 0, {}));  // 724
}
