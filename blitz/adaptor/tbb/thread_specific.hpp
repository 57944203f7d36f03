/// @file
/// oneTBB's enumerable_thread_specific and combinable: a value for each thread, of any pool or none.
#pragma once

#include "blitz/base/compiler.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <deque>
#include <functional>
#include <iterator>
#include <memory>
#include <mutex>
#include <new>
#include <ranges>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "blitz/adaptor/tbb/ranges.hpp"
#include "blitz/base/atomic.hpp"
#include "blitz/base/cache_line.hpp"

namespace tbb {

enum ets_key_usage_type : unsigned char { ets_key_per_instance, ets_no_key, ets_suspend_aware };  ///< Not heeded.

namespace detail {

/// Two numbers of each thread: a small one, which is given again when the thread has ended, and one that is not.
class ThreadNumber {
 public:
  [[nodiscard]] static const ThreadNumber& mine() {
    static thread_local const ThreadNumber it;
    return it;
  }
  [[nodiscard]] std::size_t place() const noexcept { return place_; }
  [[nodiscard]] std::size_t only() const noexcept { return only_; }

 private:
  struct Places {
    std::mutex mutex;
    std::size_t threads = 0;
    std::vector<std::size_t> free;
    std::size_t next = 0;
  };
  /// Threads may end after this file's variables have.
  static Places& places() {
    static Places& all = *new Places;
    return all;
  }

  ThreadNumber() {
    Places& all = places();
    const std::lock_guard lock(all.mutex);
    only_ = all.threads++;
    if (all.free.empty()) {
      place_ = all.next++;
      all.free.reserve(all.next);  // so that the destructor does not throw
    } else {
      place_ = all.free.back();
      all.free.pop_back();
    }
  }
  ThreadNumber(const ThreadNumber&) = delete;
  ThreadNumber& operator=(const ThreadNumber&) = delete;
  ~ThreadNumber() {
    Places& all = places();
    const std::lock_guard lock(all.mutex);
    all.free.push_back(place_);
  }

  std::size_t only_;
  std::size_t place_;
};

}  // namespace detail

/// A value for each thread that asks for it, made when it first does: by default, of a value, by a function, or of arguments.
/// local() is lock-free but for a thread's first call. Iteration, combine(), size() and clear() are for one thread, while
/// no other uses it.
template <class T, class Allocator = std::allocator<T>, ets_key_usage_type = ets_no_key>
class enumerable_thread_specific {
  /// Two values share no cache line.
  struct alignas(std::max(alignof(T), blitz::detail::kCacheLine)) Value {
    template <class Make>
    Value(std::size_t its_place, std::size_t its_thread, const Make& make) : place(its_place), thread(its_thread) {
      make(&storage);
    }
    Value(const Value&) = delete;
    Value& operator=(const Value&) = delete;
    ~Value() { value().~T(); }
    [[nodiscard]] T& value() noexcept { return *std::launder(reinterpret_cast<T*>(&storage)); }

    alignas(T) std::byte storage[sizeof(T)];
    std::size_t place;   // of that thread
    std::size_t thread;  // whose value it is
  };

  template <bool kConst>
  class Iterator {
    using Deque = std::deque<Value>;

   public:
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    using reference = std::conditional_t<kConst, const T&, T&>;
    using pointer = std::conditional_t<kConst, const T*, T*>;
    using iterator_category = std::random_access_iterator_tag;

    Iterator() = default;
    explicit Iterator(typename Deque::iterator at) : at_(at) {}
    operator Iterator<true>() const { return Iterator<true>(at_); }

    reference operator*() const { return at_->value(); }
    pointer operator->() const { return &at_->value(); }
    reference operator[](difference_type n) const { return at_[n].value(); }
    Iterator& operator++() { return ++at_, *this; }
    Iterator operator++(int) { return Iterator(at_++); }
    Iterator& operator--() { return --at_, *this; }
    Iterator operator--(int) { return Iterator(at_--); }
    Iterator& operator+=(difference_type n) { return at_ += n, *this; }
    Iterator& operator-=(difference_type n) { return at_ -= n, *this; }
    friend Iterator operator+(Iterator a, difference_type n) { return a += n; }
    friend Iterator operator+(difference_type n, Iterator a) { return a += n; }
    friend Iterator operator-(Iterator a, difference_type n) { return a -= n; }
    friend difference_type operator-(const Iterator& a, const Iterator& b) { return a.at_ - b.at_; }
    friend bool operator==(const Iterator& a, const Iterator& b) { return a.at_ == b.at_; }
    friend auto operator<=>(const Iterator& a, const Iterator& b) { return a.at_ - b.at_ <=> 0; }

   private:
    typename Deque::iterator at_;
  };

 public:
  using allocator_type = Allocator;
  using value_type = T;
  using reference = T&;
  using const_reference = const T&;
  using pointer = T*;
  using const_pointer = const T*;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;
  using iterator = Iterator<false>;
  using const_iterator = Iterator<true>;

  enumerable_thread_specific() : make_([](void* at) { ::new (at) T(); }) {}
  explicit enumerable_thread_specific(const T& exemplar) : make_([exemplar](void* at) { ::new (at) T(exemplar); }) {}
  explicit enumerable_thread_specific(T&& exemplar)
      : make_([shared = std::make_shared<T>(std::move(exemplar))](void* at) { ::new (at) T(*shared); }) {}
  template <class Make>
    requires(std::invocable<Make&> && !std::same_as<std::remove_cvref_t<Make>, T> &&
             !std::same_as<std::remove_cvref_t<Make>, enumerable_thread_specific>)
  explicit enumerable_thread_specific(Make make) : make_([make](void* at) mutable { ::new (at) T(make()); }) {}
  template <class First, class... More>
    requires(std::constructible_from<T, const First&, const More&...> && !std::invocable<First&> &&
             !std::same_as<std::remove_cvref_t<First>, T> &&
             !std::same_as<std::remove_cvref_t<First>, enumerable_thread_specific>)
  explicit enumerable_thread_specific(First&& first, More&&... more)
      : make_([arguments = std::tuple<std::decay_t<First>, std::decay_t<More>...>(
                   std::forward<First>(first), std::forward<More>(more)...)](void* at) {
          std::apply([at](const auto&... each) { ::new (at) T(each...); }, arguments);
        }) {}

  enumerable_thread_specific(const enumerable_thread_specific& other) : make_(other.make_) { copy(other); }
  enumerable_thread_specific(enumerable_thread_specific&& other) : make_(other.make_) { swap(other); }
  enumerable_thread_specific& operator=(enumerable_thread_specific other) {
    swap(other);
    return *this;
  }
  ~enumerable_thread_specific() {
    for (auto& segment : segments_) delete[] segment.load(std::memory_order_relaxed);
  }

  reference local() {
    bool exists;
    return local(exists);
  }
  reference local(bool& exists) {
    const auto& me = detail::ThreadNumber::mine();
    auto& slot = slot_of(me.place());
    Value* value =
        slot.load(std::memory_order_acquire);  // written by this thread, or by an ended one that had its place
    exists = value != nullptr && value->thread == me.only();
    if (!exists) {
      value = &emplace(me.place(), me.only(), make_);
      slot.store(value, std::memory_order_release);
    }
    return value->value();
  }

  void clear() {
    for (Value& value : values_) slot_of(value.place).store(nullptr, std::memory_order_relaxed);
    values_.clear();
  }

  [[nodiscard]] size_type size() const noexcept { return values_.size(); }
  [[nodiscard]] bool empty() const noexcept { return values_.empty(); }
  [[nodiscard]] iterator begin() { return iterator(values_.begin()); }
  [[nodiscard]] iterator end() { return iterator(values_.end()); }
  [[nodiscard]] const_iterator begin() const { return const_iterator(values_.begin()); }
  [[nodiscard]] const_iterator end() const { return const_iterator(values_.end()); }
  /// For parallel algorithms.
  [[nodiscard]] auto range(std::size_t grainsize = 1) { return blocked_range<iterator>(begin(), end(), grainsize); }
  [[nodiscard]] auto range(std::size_t grainsize = 1) const {
    return blocked_range<const_iterator>(begin(), end(), grainsize);
  }

  /// The values combined by `f`; one that is made for this, if there are none.
  template <class F>
  [[nodiscard]] T combine(F f) {
    if (empty()) {
      Value made(0, 0, make_);
      return std::move(made.value());
    }
    auto next = begin();
    T sum = *next;
    while (++next != end()) sum = f(sum, *next);
    return sum;
  }
  template <class F>
  void combine_each(F f) {
    for (T& value : *this) f(value);
  }

 private:
  static constexpr std::size_t kFirst = 16;  // slots in the first segment; each further one has twice as many

  template <class Make>
  Value& emplace(std::size_t place, std::size_t thread, const Make& make) {
    const std::lock_guard lock(mutex_);
    return values_.emplace_back(place, thread, make);
  }
  void swap(enumerable_thread_specific& other) {
    make_.swap(other.make_);
    values_.swap(other.values_);
    for (std::size_t i = 0; i < segments_.size(); ++i) {
      auto* const mine = segments_[i].load(std::memory_order_relaxed);
      segments_[i].store(other.segments_[i].load(std::memory_order_relaxed), std::memory_order_relaxed);
      other.segments_[i].store(mine, std::memory_order_relaxed);
    }
  }
  void copy(const enumerable_thread_specific& other) {
    for (Value& from : other.values_) {
      Value& to = emplace(from.place, from.thread, [&](void* at) { ::new (at) T(from.value()); });
      slot_of(from.place).store(&to, std::memory_order_relaxed);
    }
  }
  [[nodiscard]] blitz::detail::Atomic<Value*>& slot_of(std::size_t thread) {
    const auto segment = static_cast<std::size_t>(std::bit_width(thread / kFirst + 1)) - 1;
    const std::size_t size = kFirst << segment;
    auto* slots = segments_[segment].load(std::memory_order_acquire);  // [grown]
    if (slots == nullptr) {
      auto grown = std::make_unique<blitz::detail::Atomic<Value*>[]>(size);
      if (segments_[segment].compare_exchange_strong(slots, grown.get(), std::memory_order_acq_rel,
                                                     std::memory_order_acquire)) {  // [grown]
        slots = grown.release();
      }
    }
    return slots[thread - (size - kFirst)];
  }

  std::function<void(void*)> make_;
  std::mutex mutex_;
  mutable std::deque<Value> values_;  // grown under mutex_
  std::array<blitz::detail::Atomic<blitz::detail::Atomic<Value*>*>, 48> segments_{};
};

/// A value for each thread that asks for it, to be combined; see enumerable_thread_specific.
template <class T>
class combinable {
 public:
  combinable() = default;
  template <class Make>
    requires(std::invocable<Make&> && !std::same_as<std::remove_cvref_t<Make>, combinable>)
  explicit combinable(Make make) : values_(std::move(make)) {}

  T& local() { return values_.local(); }
  T& local(bool& exists) { return values_.local(exists); }
  void clear() { values_.clear(); }
  template <class F>
  [[nodiscard]] T combine(F f) {
    return values_.combine(std::move(f));
  }
  template <class F>
  void combine_each(F f) {
    values_.combine_each(std::move(f));
  }

 private:
  enumerable_thread_specific<T> values_;
};

/// The items of a container's containers, one after the other.
template <class Container>
class flattened2d {
 public:
  explicit flattened2d(const Container& container) : joined_(std::views::join(container)), container_(&container) {}
  [[nodiscard]] auto begin() const { return joined_.begin(); }
  [[nodiscard]] auto end() const { return joined_.end(); }
  [[nodiscard]] std::size_t size() const {
    std::size_t sum = 0;
    for (const auto& each : *container_) sum += each.size();
    return sum;
  }

 private:
  std::ranges::join_view<std::ranges::ref_view<const Container>> joined_;
  const Container* container_;
};
template <class Container>
[[nodiscard]] flattened2d<Container> flatten2d(const Container& container) {
  return flattened2d<Container>(container);
}

}  // namespace tbb
