// The parts of parlaylib's parlay/parallel.h that a plug-in sees: it declares the four functions, calls them, and includes one
// plug-in, which a macro selects and a guard protects.
#ifndef PARLAY_PARALLEL_H_
#define PARLAY_PARALLEL_H_

#include <cstddef>

#include <utility>

namespace parlay {

inline size_t num_workers();
inline size_t worker_id();
template <typename F>
inline void parallel_for(size_t start, size_t end, F&& f, long granularity = 0, bool conservative = false);
template <typename Lf, typename Rf>
inline void par_do(Lf&& left, Rf&& right, bool conservative = false);

template <typename Lf, typename Rf>
inline void parallel_do(Lf&& left, Rf&& right, bool conservative = false) {
  par_do(std::forward<Lf>(left), std::forward<Rf>(right), conservative);
}

}  // namespace parlay

#if defined(PARLAY_TBB)
#ifndef PARLAY_INTERNAL_SCHEDULER_PLUGINS_TBB_H_
#error "the plug-in for oneTBB would be included"
#endif
#else
#error "parlaylib's own scheduler would be included"
#endif

#endif
