// The program of docs/start.md.

#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <memory>
#include <vector>

#include <blitz/blitz.hpp>

struct Tree {
  std::unique_ptr<Tree> left, right;
};

std::unique_ptr<Tree> make_tree(int depth) {
  if (depth == 0) return nullptr;
  auto tree = std::make_unique<Tree>();
  tree->left = make_tree(depth - 1);
  tree->right = make_tree(depth - 1);
  return tree;
}

int count_nodes(const Tree* tree) {
  if (tree == nullptr) return 0;
  const auto [left, right] =
      blitz::join([&] { return count_nodes(tree->left.get()); }, [&] { return count_nodes(tree->right.get()); });
  return 1 + left + right;
}

int main() {
  std::vector<double> v(4'000'000);
  const auto begun = std::chrono::steady_clock::now();

  blitz::parallel_for(0, v.size(), [&](std::size_t i) { v[i] = std::sin(static_cast<double>(i)); });

  const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - begun;
  std::fprintf(stderr, "%.1f ms on %zu threads\n", time.count(), blitz::current_num_threads());

  const double energy = blitz::parallel_transform_reduce(v, 0.0, std::plus<>{}, [](double x) { return x * x; });

  const std::unique_ptr<Tree> tree = make_tree(16);
  std::printf("%.0f %d\n", energy, count_nodes(tree.get()));
}
