// The memory of large arrays: each array has one owner, which sees the previous owner's writes. No array is lost.
#include "blitz/detail/sys/kept_memory.hpp"

#include <cstddef>
#include <cstdlib>
#include <map>
#include <memory>
#include <new>

#include "tests/support/interleave/explore.hpp"

namespace {

using blitz::detail::allocate_kept;
using blitz::detail::free_all_kept;
using blitz::detail::free_kept;
using interleave::expect;
using interleave::Plain;

/// The arrays that exist, used or kept, each with its content. Memory that malloc returns again is a new array.
class Arrays {
 public:
  struct Array {
    Plain<int> content{"content", 0};
    bool used = false;
  };

  Arrays() {
    free_all_kept();
    all = &map_;
  }
  ~Arrays() {
    free_all_kept();
    all = nullptr;
  }

  /// An array for `owner`.
  static void* allocate(int owner, std::size_t size = kSize) {
    void* const memory = allocate_kept(size, 8);
    Array& array = *all->at(memory);
    expect(!array.used, "nobody else uses it");
    array.used = true;
    array.content.write(owner);
    return memory;
  }
  static void free(void* memory, int owner, std::size_t size = kSize) {
    Array& array = *all->at(memory);
    expect(array.content.read() == owner, "nobody else has written to it");
    array.used = false;
    free_kept(memory, size, 8);
  }
  /// Call this when nothing runs.
  static void expect_none_lost() {
    free_all_kept();
    expect(all->empty(), "each has been freed");
  }

  static constexpr std::size_t kSize = std::size_t{1} << 16;

  using Map = std::map<void*, std::unique_ptr<Array>>;
  inline static Map* all = nullptr;  // null: there are no arrays

 private:
  Map map_;
};

}  // namespace

// The library's arrays are aligned to a cache line. No other block is allocated with that alignment in a case.
void* operator new(std::size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  void* const memory = std::aligned_alloc(static_cast<std::size_t>(alignment), size);
  if (Arrays::all != nullptr) (*Arrays::all)[memory] = std::make_unique<Arrays::Array>();
  return memory;
}
void operator delete(void* memory, std::align_val_t) noexcept {
  if (Arrays::all != nullptr) {
    const auto array = Arrays::all->find(memory);
    expect(array != Arrays::all->end() && !array->second->used, "it exists, and nobody uses it");
    if (array == Arrays::all->end()) return;
    Arrays::all->erase(array);
  }
  std::free(memory);
}

namespace {

INTERLEAVE_CASE("kept memory: two threads, two arrays", .preemptions = 3, .random_schedules = 2000) {
  Arrays arrays;
  for (const int owner : {1, 2}) {
    run.thread(owner == 1 ? "a" : "b", [owner] {
      for (int i = 0; i < 2; ++i) Arrays::free(Arrays::allocate(owner), owner);
    });
  }
  run.go();
  Arrays::expect_none_lost();
}

INTERLEAVE_CASE("kept memory: one is kept, three threads", .preemptions = 2, .random_schedules = 2000) {
  Arrays arrays;
  Arrays::free(Arrays::allocate(4), 4);
  for (const int owner : {1, 2, 3}) {
    run.thread(owner == 1 ? "a" : owner == 2 ? "b" : "c", [owner] { Arrays::free(Arrays::allocate(owner), owner); });
  }
  run.go();
  Arrays::expect_none_lost();
}

INTERLEAVE_CASE("kept memory: all are freed while one is taken and one is put", .preemptions = 3,
                .random_schedules = 2000) {
  Arrays arrays;
  void* const first = Arrays::allocate(1);
  Arrays::free(Arrays::allocate(1, 2 * Arrays::kSize), 1, 2 * Arrays::kSize);
  run.thread("puts", [&] { Arrays::free(first, 1); });
  run.thread("takes", [] { Arrays::free(Arrays::allocate(2, 2 * Arrays::kSize), 2, 2 * Arrays::kSize); });
  run.thread("frees", [] { free_all_kept(); });
  run.go();
  Arrays::expect_none_lost();
}

INTERLEAVE_CASE("kept memory: more than are kept", .preemptions = 3, .random_schedules = 2000) {
  Arrays arrays;
  void* of_a[3];
  void* of_b[3];
  for (void*& array : of_a) array = Arrays::allocate(1);
  for (void*& array : of_b) array = Arrays::allocate(2);
  run.thread("a", [&] {
    for (void* const array : of_a) Arrays::free(array, 1);
  });
  run.thread("b", [&] {
    for (void* const array : of_b) Arrays::free(array, 2);
  });
  run.go();
  Arrays::expect_none_lost();
}

}  // namespace
