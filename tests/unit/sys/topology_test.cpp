#include "blitz/detail/sys/topology.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "support/fake_root.hpp"

using blitz::detail::compact;
using blitz::detail::Processors;
using blitz::detail::processors_of;
using blitz::detail::spread;
using blitz_test::FakeRoot;

namespace {

using Numbers = std::vector<unsigned>;

Numbers first(unsigned count) {
  Numbers numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0u);
  return numbers;
}

Numbers compact_order(const FakeRoot& root, const Numbers& allowed) {
  const Processors result = compact(processors_of(allowed.data(), allowed.size()), root.path());
  return {result.begin(), result.end()};
}

Numbers spread_order(const FakeRoot& root, const Numbers& allowed) {
  const Processors result = spread(processors_of(allowed.data(), allowed.size()), root.path());
  return {result.begin(), result.end()};
}

std::string folder(unsigned processor) { return "sys/devices/system/cpu/cpu" + std::to_string(processor) + '/'; }

void node(FakeRoot& root, unsigned number, const std::string& processors) {
  root.file("sys/devices/system/node/node" + std::to_string(number) + "/cpulist", processors + '\n');
}

void nodes(FakeRoot& root, const std::string& numbers) { root.file("sys/devices/system/node/online", numbers + '\n'); }

void core(FakeRoot& root, unsigned processor, const std::string& threads) {
  root.file(folder(processor) + "topology/thread_siblings_list", threads + '\n');
}

void cache(FakeRoot& root, unsigned processor, unsigned index, unsigned level, const std::string& shared) {
  const std::string path = folder(processor) + "cache/index" + std::to_string(index) + '/';
  root.file(path + "level", std::to_string(level) + '\n').file(path + "shared_cpu_list", shared + '\n');
}

/// Two nodes of two caches of two cores of two threads, numbered as Linux does: first one thread of each core.
void two_nodes(FakeRoot& root) {
  nodes(root, "0-1");
  node(root, 0, "0-3,8-11");
  node(root, 1, "4-7,12-15");
  for (unsigned processor = 0; processor < 16; ++processor) {
    const unsigned own = processor % 8;  // the core
    const unsigned begin = own / 2 * 2;  // the first core of its cache
    const std::string cores = std::to_string(begin) + '-' + std::to_string(begin + 1);
    const std::string others = std::to_string(begin + 8) + '-' + std::to_string(begin + 9);
    const std::string threads = std::to_string(own) + ',' + std::to_string(own + 8);
    core(root, processor, threads);
    cache(root, processor, 0, 1, threads);
    cache(root, processor, 1, 1, threads);
    cache(root, processor, 2, 2, threads);
    cache(root, processor, 3, 3, cores + ',' + others);
  }
}

}  // namespace

TEST_CASE("topology: compact fills one cache after another, each core once before it takes second threads") {
  FakeRoot root;
  two_nodes(root);
  CHECK(compact_order(root, first(16)) == Numbers{0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15});
}

TEST_CASE("topology: spread alternates between nodes, then caches, and takes second threads last") {
  FakeRoot root;
  two_nodes(root);
  CHECK(spread_order(root, first(16)) == Numbers{0, 4, 2, 6, 1, 5, 3, 7, 8, 12, 10, 14, 9, 13, 11, 15});
}

TEST_CASE("topology: only allowed processors are taken") {
  FakeRoot root;
  two_nodes(root);
  // Core 1 has only its second thread, which is then its first.
  CHECK(compact_order(root, {0, 2, 8, 9, 13}) == Numbers{0, 9, 8, 2, 13});
  CHECK(spread_order(root, {0, 2, 8, 9, 13}) == Numbers{0, 13, 2, 9, 8});
}

TEST_CASE("topology: nodes of different sizes") {
  FakeRoot root;
  nodes(root, "0,8");
  node(root, 0, "0-3");
  node(root, 8, "4");
  CHECK(spread_order(root, first(5)) == Numbers{0, 4, 1, 2, 3});
  CHECK(compact_order(root, first(5)) == Numbers{0, 1, 2, 3, 4});
}

TEST_CASE("topology: without files, or with files that contain no number, the order is that of the numbers") {
  FakeRoot root;
  SUBCASE("no files") {}
  SUBCASE("other text") {
    for (const unsigned processor : first(4)) {
      core(root, processor, "none");
      cache(root, processor, 0, 1, "");
    }
    nodes(root, "0-4000000000");
    node(root, 0, "0-");
    node(root, 1, "-1,2");
  }
  SUBCASE("endless numbers") {
    nodes(root, "0");
    node(root, 0, "99999999999999999999");
  }
  CHECK(compact_order(root, first(4)) == first(4));
  CHECK(spread_order(root, first(4)) == first(4));
  CHECK(compact_order(root, {}).empty());
  CHECK(spread_order(root, {}).empty());
}
