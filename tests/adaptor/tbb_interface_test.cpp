/// oneTBB's names on blitz: the types, conversions and functions that a program gets, and the calls that constraints refuse.
/// Also passes when compiled against oneTBB itself.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <iterator>
#include <list>
#include <memory_resource>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#define TBB_PREVIEW_BLOCKED_RANGE_ND 1
#define TBB_PREVIEW_ISOLATED_TASK_GROUP 1

#include <doctest/doctest.h>
#include <oneapi/tbb/mutex.h>
#include <oneapi/tbb/rw_mutex.h>
#include <tbb/blocked_rangeNd.h>
#include <tbb/cache_aligned_allocator.h>
#include <tbb/scalable_allocator.h>
#include <tbb/tbb.h>

namespace {

using Range = tbb::blocked_range<int>;

// --- constraints: each type below lacks one thing that the call needs ---

template <class... Arguments>
concept For = requires(Arguments&&... arguments) { tbb::parallel_for(std::forward<Arguments>(arguments)...); };
template <class... Arguments>
concept Reduce = requires(Arguments&&... arguments) { tbb::parallel_reduce(std::forward<Arguments>(arguments)...); };
template <class... Arguments>
concept DeterministicReduce =
    requires(Arguments&&... arguments) { tbb::parallel_deterministic_reduce(std::forward<Arguments>(arguments)...); };
template <class... Arguments>
concept Scan = requires(Arguments&&... arguments) { tbb::parallel_scan(std::forward<Arguments>(arguments)...); };
template <class... Arguments>
concept Sort = requires(Arguments&&... arguments) { tbb::parallel_sort(std::forward<Arguments>(arguments)...); };
template <class... Arguments>
concept ForEach = requires(Arguments&&... arguments) { tbb::parallel_for_each(std::forward<Arguments>(arguments)...); };
template <class Value>
concept RangeOf = requires { typename tbb::blocked_range<Value>; };

struct Nothing {};
struct NoSplit {
  [[maybe_unused]] bool empty() const { return true; }
  [[maybe_unused]] bool is_divisible() const { return false; }
};
struct NoCopy {
  NoCopy(NoCopy&, tbb::split) {}
  NoCopy(const NoCopy&) = delete;
  NoCopy& operator=(const NoCopy&) = delete;
  [[maybe_unused]] bool empty() const { return true; }
  [[maybe_unused]] bool is_divisible() const { return false; }
};
struct NoEmpty {
  NoEmpty(NoEmpty&, tbb::split) {}
  [[maybe_unused]] bool is_divisible() const { return false; }
};
struct WordForEmpty {
  WordForEmpty(WordForEmpty&, tbb::split) {}
  [[maybe_unused]] std::string empty() const { return {}; }
  [[maybe_unused]] bool is_divisible() const { return false; }
};

struct ForAny {
  template <class R>
  void operator()(R&&) const {}
};
struct ForMutable {
  void operator()(const Range&) {}
};
struct ForOther {
  void operator()(std::string) const {}
};
struct ForOnce {
  ForOnce(const ForOnce&) = delete;
  ForOnce& operator=(const ForOnce&) = delete;
  void operator()(const Range&) const {}
};

static_assert(For<const Range&, ForAny>);
static_assert(For<const Range&, ForAny, const tbb::simple_partitioner&, tbb::task_group_context&>);
static_assert(!For<const Nothing&, ForAny>);
static_assert(!For<const NoSplit&, ForAny>);
static_assert(!For<const NoCopy&, ForAny>);
static_assert(!For<const NoEmpty&, ForAny>);
static_assert(!For<const WordForEmpty&, ForAny>);
static_assert(!For<const Range&, Nothing>);
static_assert(!For<const Range&, ForMutable>);
static_assert(!For<const Range&, ForOther>);
static_assert(!For<const Range&, const ForOnce&>);
static_assert(For<int, int, ForAny>);
static_assert(For<int, int, int, ForAny>);
static_assert(!For<int, int, Nothing>);
static_assert(!For<int, int, ForOther>);
static_assert(!For<Nothing, Nothing, ForAny>);

static_assert(RangeOf<int> && RangeOf<char*> && RangeOf<std::vector<int>::iterator>);
static_assert(!RangeOf<Nothing> && !RangeOf<std::list<int>::iterator> && !RangeOf<NoCopy>);

struct Body {
  Body() = default;
  Body(Body&, tbb::split) {}
  template <class R>
  [[maybe_unused]] void operator()(const R&) {}
  [[maybe_unused]] void join(Body&) {}
  template <class R, class Tag>
  [[maybe_unused]] void operator()(const R&, Tag) {}
  [[maybe_unused]] void reverse_join(Body&) {}
  [[maybe_unused]] void assign(Body&) {}
};
struct NoJoin {
  NoJoin(NoJoin&, tbb::split) {}
  [[maybe_unused]] void operator()(const Range&) {}
  [[maybe_unused]] void operator()(const Range&, tbb::pre_scan_tag) {}
  [[maybe_unused]] void operator()(const Range&, tbb::final_scan_tag) {}
};
struct NoFinalScan {
  NoFinalScan(NoFinalScan&, tbb::split) {}
  [[maybe_unused]] void operator()(const Range&, tbb::pre_scan_tag) {}
  [[maybe_unused]] void reverse_join(NoFinalScan&) {}
  [[maybe_unused]] void assign(NoFinalScan&) {}
};
using Fold = int (*)(const Range&, int);
using ScanFold = int (*)(const Range&, int, bool);
using Combine = int (*)(int, int);
using ToText = std::string (*)(const Range&, int);
using OfText = int (*)(std::string, int);

static_assert(Reduce<const Range&, Body&>);
static_assert(!Reduce<const Range&, Nothing&>);
static_assert(!Reduce<const Range&, NoJoin&>);
static_assert(!Reduce<const NoEmpty&, Body&>);
static_assert(Reduce<const Range&, int, Fold, Combine>);
static_assert(Reduce<const Range&, long, Fold, Combine, const tbb::auto_partitioner&>);
static_assert(!Reduce<const Range&, int, Nothing, Combine>);
static_assert(!Reduce<const Range&, int, ToText, Combine>);
static_assert(!Reduce<const Range&, int, Fold, OfText>);
static_assert(!Reduce<const NoSplit&, int, Fold, Combine>);
static_assert(DeterministicReduce<const Range&, Body&>);
static_assert(!DeterministicReduce<const Range&, NoJoin&>);
static_assert(DeterministicReduce<const Range&, int, Fold, Combine>);
static_assert(!DeterministicReduce<const Range&, int, ToText, Combine>);

static_assert(Scan<const Range&, Body&>);
static_assert(!Scan<const Range&, NoJoin&>);
static_assert(!Scan<const Range&, NoFinalScan&>);
static_assert(!Scan<const NoEmpty&, Body&>);
static_assert(Scan<const Range&, int, ScanFold, Combine>);
static_assert(!Scan<const Range&, int, Fold, Combine>);
static_assert(!Scan<const Range&, int, ScanFold, OfText>);

using Ints = std::vector<int>;
static_assert(Sort<Ints::iterator, Ints::iterator> && Sort<Ints&> && Sort<Ints&, std::greater<int>>);
static_assert(!Sort<std::list<int>::iterator, std::list<int>::iterator> && !Sort<std::list<int>&>);
static_assert(!Sort<std::vector<Nothing>::iterator, std::vector<Nothing>::iterator> && !Sort<std::vector<Nothing>&>);
static_assert(!Sort<Ints&, OfText>);

struct WithFeeder {
  void operator()(int, tbb::feeder<int>&) const {}
};
static_assert(ForEach<Ints::iterator, Ints::iterator, ForAny>);
static_assert(ForEach<Ints&, ForAny, tbb::task_group_context&> && ForEach<const Ints&, ForAny>);
static_assert(ForEach<Ints&, WithFeeder>);
static_assert(!ForEach<Ints&, Nothing> && !ForEach<Ints&, ForOther> && !ForEach<Ints&, ForMutable>);
static_assert(!ForEach<Nothing&, ForAny>);
static_assert(!ForEach<std::ostream_iterator<int>, std::ostream_iterator<int>, ForAny>);

// --- mutexes ---

template <class... M>
inline constexpr bool kAllDiffer = true;
template <class First, class... More>
inline constexpr bool kAllDiffer<First, More...> = (!std::same_as<First, More> && ...) && kAllDiffer<More...>;

static_assert(kAllDiffer<tbb::mutex, tbb::spin_mutex, tbb::queuing_mutex, tbb::null_mutex, tbb::rw_mutex,
                         tbb::spin_rw_mutex, tbb::queuing_rw_mutex, tbb::null_rw_mutex>);
static_assert(
    kAllDiffer<tbb::mutex::scoped_lock, tbb::spin_mutex::scoped_lock, tbb::queuing_mutex::scoped_lock,
               tbb::rw_mutex::scoped_lock, tbb::spin_rw_mutex::scoped_lock, tbb::queuing_rw_mutex::scoped_lock>);
static_assert(!std::copy_constructible<tbb::spin_mutex> && !std::copy_constructible<tbb::spin_rw_mutex>);
// A program may have one in each node of a tree.
static_assert(sizeof(tbb::spin_mutex) == 1);
static_assert(sizeof(tbb::spin_rw_mutex) <= 8);

// --- allocators: a program specializes templates for each ---

template <class T>
struct NameOf {};
template <class T>
struct NameOf<tbb::tbb_allocator<T>> {};
template <class T>
struct NameOf<tbb::scalable_allocator<T>> {};
template <class T>
struct NameOf<tbb::cache_aligned_allocator<T>> {};

TEST_CASE("allocators: the functions of C and the memory resources return usable aligned memory") {
  char* p = static_cast<char*>(scalable_malloc(8));
  REQUIRE(p != nullptr);
  std::memcpy(p, "12345678", 8);
  CHECK(scalable_msize(p) >= 8);
  p = static_cast<char*>(scalable_realloc(p, 4000));
  REQUIRE(p != nullptr);
  CHECK(std::string(p, 8) == "12345678");
  scalable_free(p);
  scalable_free(nullptr);
  auto* const zeros = static_cast<int*>(scalable_calloc(100, sizeof(int)));
  REQUIRE(zeros != nullptr);
  CHECK(zeros[99] == 0);
  scalable_free(zeros);

  const auto is_aligned = [](const void* at, std::uintptr_t to) {
    return reinterpret_cast<std::uintptr_t>(at) % to == 0;
  };
  char* aligned = static_cast<char*>(scalable_aligned_malloc(100, 256));
  REQUIRE(aligned != nullptr);
  CHECK(is_aligned(aligned, 256));
  aligned[0] = 'a';
  aligned[99] = 'z';
  aligned = static_cast<char*>(scalable_aligned_realloc(aligned, 10000, 512));
  REQUIRE(aligned != nullptr);
  CHECK(is_aligned(aligned, 512));
  CHECK(aligned[0] == 'a');
  CHECK(aligned[99] == 'z');
  scalable_aligned_free(aligned);
  CHECK(scalable_aligned_malloc(8, 3) == nullptr);
  CHECK(scalable_aligned_malloc(0, 8) == nullptr);
  void* by_posix = nullptr;
  CHECK(scalable_posix_memalign(&by_posix, 64, 10) == 0);
  CHECK(is_aligned(by_posix, 64));
  scalable_free(by_posix);
  CHECK(scalable_posix_memalign(&by_posix, 3, 10) != 0);
  static_cast<void>(scalable_allocation_mode(TBBMALLOC_USE_HUGE_PAGES, 0));
  static_cast<void>(scalable_allocation_command(TBBMALLOC_CLEAN_ALL_BUFFERS, nullptr));

  std::vector<int, tbb::scalable_allocator<int>> numbers(10, 1);
  CHECK(numbers.size() == 10);
  tbb::cache_aligned_resource lines;
  std::pmr::vector<char> in_lines(3, &lines);
  CHECK(is_aligned(in_lines.data(), 64));
  CHECK(lines.is_equal(tbb::cache_aligned_resource()));
  std::pmr::vector<int> scalable(10, tbb::scalable_memory_resource());
  CHECK(scalable.size() == 10);
}

TEST_CASE("enumerable_thread_specific: its iterator converts to const_iterator and back") {
  using Values = tbb::enumerable_thread_specific<int>;
  static_assert(std::convertible_to<Values::iterator, Values::const_iterator>);
  static_assert(std::convertible_to<Values::const_iterator, Values::iterator>);
  Values values(1);
  values.local() = 5;
  std::thread([&] { values.local() = 6; }).join();
  const Values& same = values;
  int sum = 0;
  for (Values::iterator i = same.begin(); i != same.end(); ++i) sum += *i;
  CHECK(sum == 11);
  const Values::const_iterator first = values.begin();
  CHECK(first == values.begin());
  CHECK(values.begin() == first);
  CHECK(values.end() - first == 2);
  CHECK(first < values.end());
  CHECK(*(first + 1) + first[0] == 11);
}

TEST_CASE("blocked_rangeNd: can be made from braces and split") {
  const tbb::blocked_rangeNd<int, 3> box({0, 13, 3}, {-123, 0}, {100, 200});
  CHECK(box.dim(0).grainsize() == 3);
  CHECK(box.dim(1).size() == 123);
  CHECK(box.dim(2).begin() == 100);
  CHECK_FALSE(box.empty());
  tbb::blocked_rangeNd<int, 1> line({0, 10});
  const tbb::blocked_rangeNd<int, 1> right(line, tbb::split());
  CHECK(line.dim(0).end() == 5);
  CHECK(right.dim(0).size() == 5);
}

TEST_CASE("versions: macros and inner namespaces have oneTBB's values and names") {
  static_assert(TBB_VERSION_MAJOR >= 2021);
  static_assert(TBB_INTERFACE_VERSION >= 12000);
  CHECK(TBB_runtime_interface_version() >= TBB_INTERFACE_VERSION);
  CHECK(std::string(TBB_runtime_version()).find("202") == 0);
  __TBB_ASSERT(true, "");
  CHECK(tbb::detail::d1::blocked_range<int>(0, 3).size() == 3);
  CHECK(tbb::info::default_concurrency() >= 1);
#ifdef BLITZ_TBB  // Only some builds of oneTBB have these.
  CHECK(tbb::info::default_concurrency(tbb::task_arena::constraints().set_max_concurrency(2)) == 2);
  CHECK_FALSE(tbb::is_inside_task());
#endif
}

}  // namespace
