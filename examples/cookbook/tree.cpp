// A recursion over a tree with any number of children: join_all runs the calls in parallel and returns their results.

#include <algorithm>
#include <cstdio>
#include <ranges>
#include <vector>

#include <blitz/blitz.hpp>

struct Node {
  std::vector<Node> children;
};

Node make_tree(int depth) {
  Node node;
  for (int i = 0; i < depth; ++i) node.children.push_back(make_tree(depth - 1));
  return node;
}

int height(const Node& node) {
  const auto calls =
      node.children | std::views::transform([](const Node& child) { return [&child] { return height(child); }; });
  const std::vector<int> heights = blitz::join_all(calls);
  return heights.empty() ? 0 : 1 + *std::ranges::max_element(heights);
}

int main() {
  std::printf("%d\n", height(make_tree(7)));  // 7
}
