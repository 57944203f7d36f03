#include "bench/clang_openmp/load.hpp"

#include <algorithm>
#include <iostream>
#include <string>
#include <vector>

#include <dlfcn.h>

#include "bench/clang_openmp/module.hpp"

namespace bench {
namespace {

/// The type of the module's peer in this program; OpenMpPeer is the type of the other one.
struct ClangOpenMpPeer {};

/// Returns the module's registry, or nullptr if the module cannot be loaded.
const std::vector<Entry>* load() {
  void* const module = dlopen(BENCH_CLANG_OPENMP, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
  void* const found = module != nullptr ? dlsym(module, "bench_clang_openmp_entries") : nullptr;
  if (found == nullptr) {
    std::cerr << "clang's OpenMP is left out: " << dlerror() << '\n';
    return nullptr;
  }
  return reinterpret_cast<decltype(&bench_clang_openmp_entries)>(found)();
}

/// Returns `entry` of the module as an entry of this program, which describes and makes the workload for all peers.
Entry adopt(const Entry& entry) {
  const auto same_workload = [&](const Entry& own) { return own.spec->name == entry.spec->name; };
  Entry adopted = *std::find_if(entries().begin(), entries().end(), same_workload);
  adopted.peer = "clang" + entry.peer.substr(entry.peer.find('_'));
  adopted.threaded = entry.threaded;
  adopted.in_quick = adopted.spec->quick == Quick::with_clang;
  adopted.peer_type = typeid(ClangOpenMpPeer);
  adopted.make_peer = entry.make_peer;
  adopted.run = entry.run;
  return adopted;
}

}  // namespace

void add_clang_openmp_entries() {
  const std::vector<Entry>* const all = load();
  if (all == nullptr) return;
  for (const Entry& entry : *all) add_entry(adopt(entry));
}

}  // namespace bench
