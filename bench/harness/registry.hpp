// The registry: every (workload, implementation) pair of the program, registered by the file that implements it.
//
//   struct Joins {
//     static void run(Fib& work, BlitzPeer& peer) { ... }     // one run of the workload
//     static void run(Skynet& work, BlitzPeer& peer) { ... }
//   };
//   const RegisterStyle<kTrees, Joins, BlitzPeer> joins("blitz");   // for each workload of the list that it can run
//
// A function by itself, of a class with a `static constexpr Spec spec`, is registered by `Register<run>`.
//
// `compare` and `micro` read it after static initialisation; entries come sorted, whatever the order of linking.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <typeindex>
#include <utility>
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
  std::string peer;  ///< the library, or library_style if it has several: "blitz", "tbb_auto"
  bool threaded;     ///< false for the serial form, which has no thread count
  bool in_quick;     ///< measured by `--quick`
  std::type_index peer_type;
  std::function<std::unique_ptr<Workload>(Scale)> make_workload;
  std::unique_ptr<Peer> (*make_peer)(unsigned threads);
  void (*run)(Workload&, Peer&);
};

void add_entry(Entry entry);

/// The position of a peer's library in every listing: serial, by hand, blitz, then the others.
std::size_t rank(std::string_view peer);

/// All entries by workload name, and within a workload serial, by hand, blitz, then the other libraries.
const std::vector<Entry>& entries();

/// An entry for `run`, on a workload that `make` makes.
template <class P>
void add_entry(const Spec& spec, std::string_view peer, std::function<std::unique_ptr<Workload>(Scale)> make,
               void (*run)(Workload&, Peer&)) {
  add_entry({
      .spec = &spec,
      .peer = std::string(peer),
      .threaded = P::kThreaded,
      .in_quick = spec.quick != Quick::no,
      .peer_type = typeid(P),
      .make_workload = std::move(make),
      .make_peer = [](unsigned threads) -> std::unique_ptr<Peer> { return std::make_unique<P>(threads); },
      .run = run,
  });
}

template <auto Run>
struct Register;

template <class W, class P, void (*Run)(W&, P&)>
struct Register<Run> {
  explicit Register(std::string_view peer) {
    add_entry<P>(
        W::spec, peer, [](Scale scale) { return std::make_unique<W>(scale); },
        [](Workload& work, Peer& p) { Run(static_cast<W&>(work), static_cast<P&>(p)); });
  }
};

template <const auto& Theme, class Style, class P>
struct RegisterStyle {
  explicit RegisterStyle(std::string_view peer) {
    std::apply([peer](const auto&... workload) { (add(workload, peer), ...); }, Theme);
  }

 private:
  template <class W>
  static void add(const Case<W>& workload, std::string_view peer) {
    if constexpr (requires(W& work, P& p) { Style::run(work, p); }) {
      add_entry<P>(
          workload.spec, peer, [&workload](Scale scale) { return workload.make(scale); },
          [](Workload& work, Peer& p) { Style::run(static_cast<W&>(work), static_cast<P&>(p)); });
    }
  }
};

}  // namespace bench
