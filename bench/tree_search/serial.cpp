#include "bench/peers/serial.hpp"

#include "bench/tree_search/workload.hpp"

namespace bench {
namespace {

template <class Tree>
void run(TreeSearch<Tree>& work, SerialPeer&) {
  work.sum += serial_tree_search(work.tree, work.root);
}

const Register<run<GeometricTree>> geometric("serial");
const Register<run<BinomialTree>> binomial("serial");

}  // namespace
}  // namespace bench
