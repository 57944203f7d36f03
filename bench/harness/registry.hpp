// The registry: every (workload, implementation) pair of the program, registered by the file that implements it.
//
//   void run(Fib& work, BlitzPeer& peer) { ... }       // one run of the workload
//   const Register<run> registered("blitz");
//
// `compare` and `micro` read it after static initialisation; entries come sorted, whatever the order of linking.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <typeindex>
#include <vector>

#include "bench/harness/workload.hpp"

namespace bench {

/// A library under test with its threads: a pool, an arena, a team. Made once for each thread count, outside timed
/// regions, and kept to the end.
class Peer {
 public:
  Peer() = default;
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;
  virtual ~Peer() = default;

  /// Calls `measurement` with the peer's thread count set.
  virtual void session(const std::function<void()>& measurement) { measurement(); }
};

/// One implementation of one workload.
struct Entry {
  const Spec* spec;
  std::string peer;  ///< the library, or library_style where it has several: "blitz", "tbb_auto"
  bool threaded;     ///< false for the serial form, which has no thread count
  bool in_quick;     ///< as Spec::in_quick
  std::type_index peer_type;
  std::unique_ptr<Workload> (*make_workload)(Scale);
  std::unique_ptr<Peer> (*make_peer)(unsigned threads);
  void (*run)(Workload&, Peer&);
};

void add_entry(Entry entry);

/// The place of a peer's library in every listing: serial, by hand, blitz, then the others.
std::size_t rank(std::string_view peer);

/// All entries by workload name, and within a workload serial, by hand, blitz, then the other libraries.
const std::vector<Entry>& entries();

template <auto Run>
struct Register;

template <class W, class P, void (*Run)(W&, P&)>
struct Register<Run> {
  explicit Register(std::string_view peer) {
    add_entry({
        .spec = &W::spec,
        .peer = std::string(peer),
        .threaded = P::kThreaded,
        .in_quick = W::spec.in_quick,
        .peer_type = typeid(P),
        .make_workload = [](Scale scale) -> std::unique_ptr<Workload> { return std::make_unique<W>(scale); },
        .make_peer = [](unsigned threads) -> std::unique_ptr<Peer> { return std::make_unique<P>(threads); },
        .run = [](Workload& work, Peer& p) { Run(static_cast<W&>(work), static_cast<P&>(p)); },
    });
  }
};

}  // namespace bench
