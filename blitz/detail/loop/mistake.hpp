/// Invalid calls: the mistake in the arguments, as far as their types tell. The overloads that refuse the call with advice
/// query it. See detail/base/refuse.hpp.
#pragma once

#include <concepts>
#include <type_traits>

#include "blitz/detail/base/refuse.hpp"
#include "blitz/pool_ref.hpp"

namespace blitz::detail {

enum class Mistake {
  kNone,
  kOptions,     // options that are not the first argument, or the options of another call
  kPool,        // a pool as an argument
  kArguments,   // the number or the kinds of the arguments
  kRange,       // not a range
  kItems,       // a range without random access or size
  kBounds,      // bounds that are not integers or random-access iterators
  kGrain,       // a number as the last argument
  kBody,        // a body or function of a range that cannot be called with its items
  kIndexBody,   // a body that cannot be called with the items between bounds
  kMutable,     // a callable that changes itself
  kWords,       // items that share words
  kIdentity,    // no identity, or one that cannot be copied
  kResult,      // an operation with a result type other than the identity's
  kOperation,   // an operation that cannot be called
  kCallable,    // a callable that cannot be called with items
  kMoves,       // items that cannot be moved
  kProjection,  // a projection that cannot be called with an item
  kOrder,       // an order that cannot be called with items
  kOutput,      // an iterator instead of an output range
  kOutputEnd    // an output without an end
};

template <class T>
inline constexpr bool kIsPool = std::convertible_to<T&, PoolRef> && !std::same_as<T, PoolRef>;

template <class T>
inline constexpr bool kIsOptions = requires { requires std::same_as<decltype(T::pool), PoolRef>; };

template <class Check, class... Arguments>
[[nodiscard]] consteval Mistake mistake_of_arguments() {
  if constexpr ((kIsPool<std::remove_cvref_t<Arguments>> || ...)) {
    return Mistake::kPool;
  } else if constexpr ((kIsOptions<std::remove_cvref_t<Arguments>> || ...)) {
    return Mistake::kOptions;
  } else if constexpr (requires { Check::template of<Arguments...>(); }) {
    return Check::template of<Arguments...>();
  } else {
    return Mistake::kArguments;
  }
}

/// The options of a call, as the first argument of a template. The compiler checks the other arguments only if this holds.
/// `template <OptionsOf<ForOptions> O = ForOptions, ...> void f(O&& options, ...)` also takes options in braces. With
/// `const ForOptions& options` instead, a compiler would check the arguments of a call without options one place too far to the
/// right. It would then instantiate a program's callables with arguments of wrong types.
template <class O, class Options>
concept OptionsOf = std::same_as<std::remove_cvref_t<O>, Options>;

/// Constructible from any value.
struct AnyValue {
  template <class T>
  AnyValue(const T& value) noexcept;
};
/// Not constructible: as the first member of a union it keeps `{}` and `{1}` from converting to the union.
struct NoValue {
  NoValue(const NoValue&) = delete;
};

/// One option in braces, `{.stop = token}`.
union MisplacedOption {
  NoValue none;
  AnyValue min_grain;
  AnyValue schedule;
  AnyValue stop;
  AnyValue deterministic;
  AnyValue pool;
};

/// An option in braces by a name that other libraries use.
union MisspelledOption {
  NoValue none;
  AnyValue grain;
  AnyValue grain_size;
  AnyValue grainsize;
  AnyValue granularity;
  AnyValue min_block;
  AnyValue min_block_size;
  AnyValue block;
  AnyValue block_size;
  AnyValue chunk;
  AnyValue chunk_size;
  AnyValue chunksize;
  AnyValue min_size;
  AnyValue min_chunk;
  AnyValue min_len;
  AnyValue partitioner;
  AnyValue policy;
  AnyValue scheduling;
  AnyValue token;
  AnyValue stop_token;
  AnyValue cancel;
  AnyValue cancellation;
  AnyValue arena;
  AnyValue executor;
  AnyValue thread_pool;
  AnyValue threads;
  AnyValue num_threads;
  AnyValue concurrency;
};

/// An option of a pool by another name.
union MisspelledPoolOption {
  NoValue none;
  AnyValue threads;
  AnyValue n;
  AnyValue nthreads;
  AnyValue thread_count;
  AnyValue max_threads;
  AnyValue max_concurrency;
  AnyValue concurrency;
  AnyValue workers;
  AnyValue num_workers;
  AnyValue size;
};

}  // namespace blitz::detail

/// Refuses the calls of a function with one kind of mistake, with options and without. `Check::of<Arguments...>()` returns the
/// mistake in the arguments after the options; it exists if their number is right.
#define BLITZ_REFUSE_CALL_OF(function, constness, Options, Check, mistake, message)                               \
  template <class First, class... Rest>                                                                           \
    requires(!::blitz::detail::OptionsOf<First, Options> &&                                                       \
             ::blitz::detail::mistake_of_arguments<Check, First, Rest...>() == ::blitz::detail::Mistake::mistake) \
  BLITZ_REFUSE(message) function(First&& first, Rest&&... rest) constness BLITZ_REFUSED;                          \
  template <::blitz::detail::OptionsOf<Options> O = Options, class First, class... Rest>                          \
    requires(::blitz::detail::mistake_of_arguments<Check, First, Rest...>() == ::blitz::detail::Mistake::mistake) \
  BLITZ_REFUSE(message) function(O&& options, First&& first, Rest&&... rest) constness BLITZ_REFUSED
#define BLITZ_REFUSE_CALL(function, Options, Check, mistake, message) \
  BLITZ_REFUSE_CALL_OF(function, , Options, Check, mistake, message)

/// Refuses the calls of a function with misplaced or misspelled options. `names` lists the options, and `call` ends the
/// example in the advice.
#define BLITZ_REFUSE_OPTIONS(function, Options, Check, names, call)                                             \
  BLITZ_REFUSE_CALL(function, Options, Check, kOptions,                                                         \
                    "the options come first, and are blitz::" #Options ": blitz::" #function                    \
                    "({.stop = token}, " call);                                                                 \
  BLITZ_REFUSE_CALL(function, Options, Check, kPool,                                                            \
                    "the pool of a call is an option: blitz::" #function "({.pool = &pool}, " call);            \
  BLITZ_REFUSE_AFTER(function, Options, "the options come first: blitz::" #function "({.stop = token}, " call); \
  BLITZ_REFUSE_AFTER(function, ::blitz::detail::MisspelledOption,                                               \
                     "the options of " #function " come first, and are " names);                                \
  template <class... A>                                                                                         \
  BLITZ_REFUSE("the options of " #function " are " names)                                                       \
  function(const ::blitz::detail::MisspelledOption& option, A&&... rest) BLITZ_REFUSED

/// Refuses options in braces after two to five arguments.
#define BLITZ_REFUSE_AFTER(function, Options, message)                        \
  template <class A, class B>                                                 \
  BLITZ_REFUSE(message)                                                       \
  function(A&& a, B&& b, const Options& options) BLITZ_REFUSED;               \
  template <class A, class B, class C>                                        \
  BLITZ_REFUSE(message)                                                       \
  function(A&& a, B&& b, C&& c, const Options& options) BLITZ_REFUSED;        \
  template <class A, class B, class C, class D>                               \
  BLITZ_REFUSE(message)                                                       \
  function(A&& a, B&& b, C&& c, D&& d, const Options& options) BLITZ_REFUSED; \
  template <class A, class B, class C, class D, class E>                      \
  BLITZ_REFUSE(message)                                                       \
  function(A&& a, B&& b, C&& c, D&& d, E&& e, const Options& options) BLITZ_REFUSED
