/// @file
/// Names of oneTBB's <tbb/tbb.h> that blitz does not replace. Using one is a compile-time error that names a replacement.
#pragma once

namespace tbb {
namespace detail {

/// False, evaluated when the template is instantiated.
template <class...>
inline constexpr bool has_stand_in = false;

}  // namespace detail

/// @cond
#define BLITZ_TBB_REFUSE(name, instead) \
  static_assert(::tbb::detail::has_stand_in<T...>, "blitz has no stand-in for tbb::" name ": use " instead)

#define BLITZ_TBB_TEMPLATE(name, instead) \
  template <class... T>                   \
  class name {                            \
    BLITZ_TBB_REFUSE(#name, instead);     \
  }
BLITZ_TBB_TEMPLATE(concurrent_vector, "tbb::enumerable_thread_specific vectors, or a std::deque under a std::mutex");
BLITZ_TBB_TEMPLATE(concurrent_queue, "a std::queue under a std::mutex");
BLITZ_TBB_TEMPLATE(concurrent_bounded_queue, "a std::queue under a std::mutex, with a std::condition_variable");
BLITZ_TBB_TEMPLATE(concurrent_priority_queue, "a std::priority_queue under a std::mutex");
BLITZ_TBB_TEMPLATE(concurrent_hash_map, "a std::unordered_map under a std::shared_mutex");
BLITZ_TBB_TEMPLATE(concurrent_unordered_map, "a std::unordered_map under a std::shared_mutex");
BLITZ_TBB_TEMPLATE(concurrent_unordered_multimap, "a std::unordered_multimap under a std::shared_mutex");
BLITZ_TBB_TEMPLATE(concurrent_unordered_set, "a std::unordered_set under a std::shared_mutex");
BLITZ_TBB_TEMPLATE(concurrent_unordered_multiset, "a std::unordered_multiset under a std::shared_mutex");
BLITZ_TBB_TEMPLATE(concurrent_map, "a std::map under a std::shared_mutex");
BLITZ_TBB_TEMPLATE(concurrent_multimap, "a std::multimap under a std::shared_mutex");
BLITZ_TBB_TEMPLATE(concurrent_set, "a std::set under a std::shared_mutex");
BLITZ_TBB_TEMPLATE(concurrent_multiset, "a std::multiset under a std::shared_mutex");
BLITZ_TBB_TEMPLATE(filter, "blitz::from(range).map(f)");
#undef BLITZ_TBB_TEMPLATE

/// A class that a program may derive from or create objects of.
#define BLITZ_TBB_CLASS(name, qualified, instead) \
  class name {                                    \
   public:                                        \
    template <class... T>                         \
    explicit name(T&&... /*arguments*/) {         \
      BLITZ_TBB_REFUSE(qualified, instead);       \
    }                                             \
  }
BLITZ_TBB_CLASS(collaborative_once_flag, "collaborative_once_flag", "std::once_flag");
BLITZ_TBB_CLASS(task_scheduler_observer, "task_scheduler_observer", "blitz::ThreadPoolOptions::on_thread_start");

/// The nodes of a graph have no message: every program with nodes also uses a graph.
namespace flow {
BLITZ_TBB_CLASS(graph, "flow::graph", "blitz::async, blitz::TaskGroup or coroutines");
}  // namespace flow
#undef BLITZ_TBB_CLASS

template <class... T>
void collaborative_call_once(T&&... /*arguments*/) {
  BLITZ_TBB_REFUSE("collaborative_call_once", "std::call_once");
}
/// The types in the arguments of parallel_pipeline. They are defined so that the error is about the call.
enum class filter_mode { parallel, serial_in_order, serial_out_of_order };
struct flow_control {
  void stop();
};
template <class... T, class... Arguments>
int make_filter(Arguments&&... /*arguments*/) {
  BLITZ_TBB_REFUSE("make_filter", "blitz::from(range).map(f)");
  return 0;
}
template <class... T>
void parallel_pipeline(T&&... /*arguments*/) {
  BLITZ_TBB_REFUSE("parallel_pipeline", "blitz::from(range).map(f)");
}
#undef BLITZ_TBB_REFUSE
/// @endcond

}  // namespace tbb
