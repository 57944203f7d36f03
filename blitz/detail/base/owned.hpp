/// Owners of objects on the heap, like std::unique_ptr and an intrusive std::shared_ptr. <memory> would account for a tenth of
/// the time that a program needs to include blitz, and the use of its pointers for another tenth.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

#include "blitz/detail/base/atomic.hpp"
#include "blitz/detail/base/export.hpp"

namespace blitz::detail {

/// std::addressof, which <memory> declares.
template <class T>
[[nodiscard]] BLITZ_ALWAYS_INLINE constexpr T* address_of(T& object) noexcept {
  return __builtin_addressof(object);
}

/// The ways to end the object of an Owned.
struct Delete {
  template <class T>
  void operator()(T* object) const noexcept {
    delete object;
  }
};
struct DeleteArray {
  template <class T>
  void operator()(T* first) const noexcept {
    delete[] first;
  }
};
struct Release {
  template <class T>
  void operator()(T* object) const noexcept {
    object->release();
  }
};

/// The only owner of an object, or of the elements of an array. With Release, one of several owners. May be empty.
template <class T, class End = Delete>
class Owned {
 public:
  Owned() noexcept = default;
  explicit Owned(T* object, End end = {}) noexcept : object_(object), end_(end) {}
  Owned(const Owned& other) noexcept
    requires std::same_as<End, Release>
      : object_(other.object_) {
    if (object_ != nullptr) object_->retain();
  }
  Owned(Owned&& other) noexcept : object_(other.release()), end_(other.end_) {}
  Owned& operator=(Owned&& other) noexcept {
    T* const object = other.release();
    const Owned old(object_, end_);
    object_ = object;
    end_ = other.end_;
    return *this;
  }
  ~Owned() {
    if (object_ != nullptr) end_(object_);
  }

  [[nodiscard]] T* get() const noexcept { return object_; }
  [[nodiscard]] T& operator*() const noexcept { return *object_; }
  [[nodiscard]] T* operator->() const noexcept { return object_; }
  [[nodiscard]] T& operator[](std::size_t i) const noexcept { return object_[i]; }
  [[nodiscard]] explicit operator bool() const noexcept { return object_ != nullptr; }
  /// The functor that ends the object.
  [[nodiscard]] const End& deleter() const noexcept { return end_; }
  /// Leaves this empty. The caller owns the returned object.
  [[nodiscard]] T* release() noexcept {
    T* const object = object_;
    object_ = nullptr;
    return object;
  }

 private:
  T* object_ = nullptr;
  [[no_unique_address]] End end_{};
};

template <class T>
using OwnedArray = Owned<T, DeleteArray>;

/// `count` value-initialised elements. Throws std::bad_alloc and the exceptions of their constructor.
template <class T>
[[nodiscard]] OwnedArray<T> make_array(std::size_t count) {
  return OwnedArray<T>(new T[count]());
}

/// An object that counts its owners, each of them a Shared. The last owner to end deletes it. Any thread may call the members.
class SharedObject {
 public:
  /// Relaxed: the caller knows that there is an owner.
  void retain() noexcept { owners_.fetch_add(1, std::memory_order_relaxed); }
  /// Release and acquire: all uses happen before the end.
  void release() noexcept {
    if (owners_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }

 protected:
  explicit SharedObject(std::uint32_t owners = 1) noexcept : owners_(owners) {}
  virtual ~SharedObject() = default;

 private:
  Atomic<std::uint32_t> owners_;
};

template <class T>
using Shared = Owned<T, Release>;

/// Adds an owner of `object`.
template <class T>
[[nodiscard]] Shared<T> share(T& object) noexcept {
  object.retain();
  return Shared<T>(&object);
}

}  // namespace blitz::detail
