/// @file
/// oneTBB's enumerable_thread_specific and combinable: a value for each thread, of any pool or none.
#pragma once

#include "blitz/detail/base/compiler.hpp"

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
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "blitz/adaptor/tbb/memory.hpp"
#include "blitz/adaptor/tbb/ranges.hpp"
#include "blitz/detail/base/atomic.hpp"
#include "blitz/detail/base/cache_line.hpp"

namespace tbb {

enum ets_key_usage_type : unsigned char { ets_key_per_instance, ets_no_key, ets_suspend_aware };  ///< Ignored.

namespace detail {

/// Two numbers for each thread: a small one that is reused after the thread ends, and a unique one.
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
  /// Never destroyed, because threads may end after static variables are destroyed.
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

/// The values of an enumerable_thread_specific, for parallel algorithms.
template <class I>
class ValueRange : public blocked_range<I> {
 public:
  using iterator = I;
  using value_type = std::remove_const_t<typename I::value_type>;
  using reference = typename I::reference;
  using const_reference = const value_type&;
  using difference_type = std::ptrdiff_t;
  using blocked_range<I>::blocked_range;
  /// Converts a range of mutable values to a range of const values.
  template <std::convertible_to<I> J>
  ValueRange(const ValueRange<J>& other) : blocked_range<I>(other.begin(), other.end(), other.grainsize()) {}
};

}  // namespace detail

template <class T, class Allocator, ets_key_usage_type Key>
class enumerable_thread_specific;

namespace detail {
template <class X, class T>
inline constexpr bool kIsThreadSpecific = false;
template <class T, class Allocator, ets_key_usage_type Key>
inline constexpr bool kIsThreadSpecific<enumerable_thread_specific<T, Allocator, Key>, T> = true;
struct NoValues {};
}  // namespace detail

/// A value per thread, created at the thread's first local(): by default, from a value, by a function, or from arguments. The
/// function may run on several threads at the same time, and may wait for parallel work: no lock is held while it runs.
/// local() is lock-free except for a thread's first call. size() and empty() may be called at any time; iteration, combine()
/// and clear() only while no other thread uses the object. The allocator supplies the memory of the values, each in cache lines
/// that it shares with no other.
template <class T, class Allocator = cache_aligned_allocator<T>, ets_key_usage_type Key = ets_no_key>
class enumerable_thread_specific {
  template <class U, class A, ets_key_usage_type K>
  friend class enumerable_thread_specific;

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
    std::size_t place;   // the place of that thread
    std::size_t thread;  // the thread that owns the value
  };

  using Memory = typename std::allocator_traits<Allocator>::template rebind_alloc<Value>;
  struct Delete {
    void operator()(Value* value) const noexcept {
      value->~Value();
      Memory().deallocate(value, 1);
    }
  };
  using Values = std::deque<std::unique_ptr<Value, Delete>>;

  template <bool kConst>
  class Iterator {
   public:
    using value_type = std::conditional_t<kConst, const T, T>;
    using difference_type = std::ptrdiff_t;
    using reference = std::conditional_t<kConst, const T&, T&>;
    using pointer = std::conditional_t<kConst, const T*, T*>;
    using iterator_category = std::random_access_iterator_tag;

    Iterator() = default;
    explicit Iterator(typename Values::iterator at) : at_(at) {}
    /// oneTBB converts in both directions: the values are mutable even if the object is const.
    Iterator(const Iterator<!kConst>& other) : at_(other.at_) {}

    reference operator*() const { return (*at_)->value(); }
    pointer operator->() const { return &(*at_)->value(); }
    reference operator[](difference_type n) const { return at_[n]->value(); }
    Iterator& operator++() { return ++at_, *this; }
    Iterator operator++(int) { return Iterator(at_++); }
    Iterator& operator--() { return --at_, *this; }
    Iterator operator--(int) { return Iterator(at_--); }
    Iterator& operator+=(difference_type n) { return at_ += n, *this; }
    Iterator& operator-=(difference_type n) { return at_ -= n, *this; }
    friend Iterator operator+(Iterator a, difference_type n) { return a += n; }
    friend Iterator operator+(difference_type n, Iterator a) { return a += n; }
    friend Iterator operator-(Iterator a, difference_type n) { return a -= n; }
    template <bool kOther>
    difference_type operator-(const Iterator<kOther>& other) const {
      return at_ - other.at_;
    }
    template <bool kOther>
    bool operator==(const Iterator<kOther>& other) const {
      return at_ == other.at_;
    }
    template <bool kOther>
    auto operator<=>(const Iterator<kOther>& other) const {
      return at_ - other.at_ <=> 0;
    }

   private:
    friend class Iterator<!kConst>;
    typename Values::iterator at_;
  };

 public:
  using allocator_type = Allocator;
  using value_type = T;
  using reference = T&;
  using const_reference = const T&;
  using pointer = typename std::allocator_traits<Allocator>::pointer;
  using const_pointer = typename std::allocator_traits<Allocator>::const_pointer;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;
  using iterator = Iterator<false>;
  using const_iterator = Iterator<true>;
  using range_type = detail::ValueRange<iterator>;
  using const_range_type = detail::ValueRange<const_iterator>;

  enumerable_thread_specific() : make_([](void* at) { ::new (at) T(); }) {}
  explicit enumerable_thread_specific(const T& exemplar) : make_([exemplar](void* at) { ::new (at) T(exemplar); }) {}
  explicit enumerable_thread_specific(T&& exemplar)
      : make_([shared = std::make_shared<const T>(std::move(exemplar))](void* at) { ::new (at) T(*shared); }) {}
  template <class Make>
    requires(std::invocable<Make&> && !std::same_as<Make, T> && !detail::kIsThreadSpecific<Make, T>)
  explicit enumerable_thread_specific(Make make) : make_([make](void* at) mutable { ::new (at) T(make()); }) {}
  template <class First, class... More>
    requires(std::constructible_from<T, const First&, const More&...> && !std::invocable<First&> &&
             !std::same_as<std::remove_cvref_t<First>, T> && !detail::kIsThreadSpecific<std::remove_cvref_t<First>, T>)
  explicit enumerable_thread_specific(First&& first, More&&... more)
      : make_([arguments = std::tuple<std::decay_t<First>, std::decay_t<More>...>(
                   std::forward<First>(first), std::forward<More>(more)...)](void* at) {
          std::apply([at](const auto&... each) { ::new (at) T(each...); }, arguments);
        }) {}

  // A copy is empty first. If an allocation then fails, the destructor runs and frees the memory.
  enumerable_thread_specific(const enumerable_thread_specific& other)
      : enumerable_thread_specific(detail::NoValues(), other.make_) {
    add_all(other, [](T& value) -> const T& { return value; });
  }
  enumerable_thread_specific(enumerable_thread_specific&& other)
      : enumerable_thread_specific(detail::NoValues(), other.make_) {
    swap(other);
  }
  template <class A, ets_key_usage_type K>
  enumerable_thread_specific(const enumerable_thread_specific<T, A, K>& other)
      : enumerable_thread_specific(detail::NoValues(), other.make_) {
    add_all(other, [](T& value) -> const T& { return value; });
  }
  template <class A, ets_key_usage_type K>
  enumerable_thread_specific(enumerable_thread_specific<T, A, K>&& other)
      : enumerable_thread_specific(detail::NoValues(), other.make_) {
    add_all(other, [](T& value) -> T&& { return std::move(value); });
  }
  /// Copies or moves.
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
        slot.load(std::memory_order_acquire);  // written by this thread, or by an ended one with the same place
    exists = value != nullptr && value->thread == me.only();
    if (!exists) {
      value = &add(me.place(), me.only(), make_);
      slot.store(value, std::memory_order_release);
    }
    return value->value();
  }

  void clear() {
    for (const auto& value : values_) slot_of(value->place).store(nullptr, std::memory_order_relaxed);
    values_.clear();
  }

  [[nodiscard]] size_type size() const {
    const std::lock_guard lock(mutex_);
    return values_.size();
  }
  [[nodiscard]] bool empty() const { return size() == 0; }
  [[nodiscard]] iterator begin() { return iterator(values_.begin()); }
  [[nodiscard]] iterator end() { return iterator(values_.end()); }
  [[nodiscard]] const_iterator begin() const { return const_iterator(values_.begin()); }
  [[nodiscard]] const_iterator end() const { return const_iterator(values_.end()); }
  /// For parallel algorithms.
  [[nodiscard]] range_type range(std::size_t grainsize = 1) { return {begin(), end(), grainsize}; }
  [[nodiscard]] const_range_type range(std::size_t grainsize = 1) const { return {begin(), end(), grainsize}; }

  /// The values combined by `f`; a new value if there are none.
  template <class F>
  [[nodiscard]] T combine(F f) {
    if (empty()) {
      Value made(0, 0, make_);
      return std::move(made.value());
    }
    auto next = begin();
    T sum = std::as_const(*next);
    while (++next != end()) sum = f(sum, *next);
    return sum;
  }
  template <class F>
  void combine_each(F f) {
    for (T& value : *this) f(value);
  }

 private:
  static constexpr std::size_t kFirst = 16;  // slots in the first segment; each further one has twice as many

  enumerable_thread_specific(detail::NoValues /*tag*/, std::function<void(void*)> make) : make_(std::move(make)) {}

  /// Creates a value and adds it. Holds the lock only while it adds the value.
  template <class Make>
  Value& add(std::size_t place, std::size_t thread, const Make& make) {
    Memory memory;
    Value* const at = std::allocator_traits<Memory>::allocate(memory, 1);
    try {
      ::new (static_cast<void*>(at)) Value(place, thread, make);
    } catch (...) {
      memory.deallocate(at, 1);
      throw;
    }
    std::unique_ptr<Value, Delete> value(at);
    const std::lock_guard lock(mutex_);
    return *values_.emplace_back(std::move(value));
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
  /// Adds values that `pass` creates from the values of `other`.
  template <class Other, class Pass>
  void add_all(const Other& other, Pass pass) {
    for (const auto& from : other.values_) {
      Value& to = add(from->place, from->thread, [&](void* at) { ::new (at) T(pass(from->value())); });
      slot_of(from->place).store(&to, std::memory_order_relaxed);
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
  mutable std::mutex mutex_;
  mutable Values values_;  // grown under mutex_
  std::array<blitz::detail::Atomic<blitz::detail::Atomic<Value*>*>, 48> segments_{};
};

/// A value per thread, with functions that combine the values; see enumerable_thread_specific.
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

/// A flat view of the items of a container of containers, or of some of these containers.
template <class Container>
class flattened2d {
  using Inner = typename Container::value_type;
  using Outer = typename Container::const_iterator;

 public:
  using value_type = typename Inner::value_type;
  using reference = typename Inner::reference;
  using const_reference = typename Inner::const_reference;
  using pointer = typename Inner::pointer;
  using const_pointer = typename Inner::const_pointer;
  using size_type = typename Inner::size_type;
  using difference_type = typename Inner::difference_type;
  using allocator_type = typename Inner::allocator_type;

  class iterator {
   public:
    using value_type = flattened2d::value_type;
    using difference_type = flattened2d::difference_type;
    using reference = flattened2d::reference;
    using pointer = flattened2d::pointer;
    using iterator_category = std::forward_iterator_tag;

    iterator() = default;
    iterator(Outer first, Outer last) : outer_(first), last_(last) { find(); }

    reference operator*() const { return *inner_; }
    pointer operator->() const { return std::addressof(*inner_); }
    iterator& operator++() {
      if (++inner_ == items().end()) {
        ++outer_;
        find();
      }
      return *this;
    }
    iterator operator++(int) {
      iterator before = *this;
      ++*this;
      return before;
    }
    friend bool operator==(const iterator& a, const iterator& b) {
      return a.outer_ == b.outer_ && (a.outer_ == a.last_ || a.inner_ == b.inner_);
    }

   private:
    /// As in oneTBB, the items are mutable even if the container is const.
    [[nodiscard]] Inner& items() const { return const_cast<Inner&>(*outer_); }
    /// Moves to the first item at or after `outer_`.
    void find() {
      while (outer_ != last_ && items().begin() == items().end()) ++outer_;
      inner_ = outer_ != last_ ? items().begin() : typename Inner::iterator();
    }

    Outer outer_{};
    Outer last_{};
    typename Inner::iterator inner_{};
  };
  using const_iterator = iterator;

  explicit flattened2d(const Container& container) : flattened2d(container, container.begin(), container.end()) {}
  flattened2d(const Container& /*container*/, Outer first, Outer last) : first_(first), last_(last) {}
  [[nodiscard]] iterator begin() const { return iterator(first_, last_); }
  [[nodiscard]] iterator end() const { return iterator(last_, last_); }
  [[nodiscard]] size_type size() const {
    size_type sum = 0;
    for (Outer each = first_; each != last_; ++each) sum += each->size();
    return sum;
  }

 private:
  Outer first_;
  Outer last_;
};
template <class Container>
[[nodiscard]] flattened2d<Container> flatten2d(const Container& container) {
  return flattened2d<Container>(container);
}
template <class Container>
[[nodiscard]] flattened2d<Container> flatten2d(const Container& container, typename Container::const_iterator first,
                                               typename Container::const_iterator last) {
  return flattened2d<Container>(container, first, last);
}

}  // namespace tbb
