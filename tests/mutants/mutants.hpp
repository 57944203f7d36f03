/// @file
/// The part that `schema.py` adds to a mutated copy of the library: the choice of one mutant at run time.
///
/// A program contains all mutants; the environment chooses one. So it is compiled once, and not once for each mutant.
/// Source of the idea: R. H. Untch, A. J. Offutt, M. J. Harrold, "Mutation analysis using mutant schemata", ISSTA 1993.
///
///   BLITZ_MUTANT=17           runs with mutant 17
///   BLITZ_MUTANTS_REACHED=F   appends to file F, when the program ends, the numbers of the mutants that were reached; after a
///                             minus sign those that the types of all reached uses rule out
#pragma once

#include <cstdio>
#include <cstdlib>
#include <type_traits>
#include <utility>

namespace blitz_mutants {

struct Run {
  static constexpr int kMost = 10'000;
  Run() {
    if (const char* number = std::getenv("BLITZ_MUTANT")) chosen = std::atoi(number);
    file = std::getenv("BLITZ_MUTANTS_REACHED");
  }
  ~Run() {
    std::FILE* out = file != nullptr ? std::fopen(file, "a") : nullptr;
    if (out == nullptr) return;
    for (int i = 0; i != kMost; ++i) {
      if (reached[i]) {
        std::fprintf(out, "%d\n", i);
      } else if (impossible[i]) {
        std::fprintf(out, "-%d\n", i);
      }
    }
    std::fclose(out);
  }
  int chosen = -1;
  const char* file = nullptr;
  bool reached[kMost] = {};
  bool impossible[kMost] = {};
};
inline Run run;

/// True if mutant `number` is chosen. A constant expression has no mutants.
constexpr bool chosen(int number) noexcept {
  if (std::is_constant_evaluated()) return false;
  if (run.file != nullptr) __atomic_store_n(&run.reached[number], true, __ATOMIC_RELAXED);
  return run.chosen == number;
}

/// Marks a place at which mutant `number` would not compile.
constexpr void impossible(int number) noexcept {
  if (std::is_constant_evaluated() || run.file == nullptr) return;
  __atomic_store_n(&run.impossible[number], true, __ATOMIC_RELAXED);
}

// `a < b` is written as `a <less(17)> b`, and as the two operators bind alike, that needs no parser.

template <int kNumber>
struct Less {};  // < and <=
template <int kNumber>
struct LessEqual {};
template <int kNumber>
struct Greater {};
template <int kNumber>
struct GreaterEqual {};
template <int kNumber>
struct Equal {};
template <int kNumber>
struct NotEqual {};
template <int kNumber>
struct Plus {};
template <int kNumber>
struct Minus {};

template <class Operator, class A>
struct Left {
  A&& a;
};

#define BLITZ_MUTANT_INFIX(Name, open, close, op, other)                              \
  template <int kNumber, class A>                                                     \
  constexpr auto operator open(A&& a, Name<kNumber>) noexcept {                       \
    return Left<Name<kNumber>, A>{std::forward<A>(a)};                                \
  }                                                                                   \
  template <int kNumber, class A, class B>                                            \
  constexpr auto operator close(Left<Name<kNumber>, A> left, B&& b) {                 \
    if constexpr (requires { static_cast<decltype(left.a op b)>(left.a other b); }) { \
      if (chosen(kNumber)) return static_cast<decltype(left.a op b)>(left.a other b); \
    } else {                                                                          \
      impossible(kNumber);                                                            \
    }                                                                                 \
    return std::forward<A>(left.a) op std::forward<B>(b);                             \
  }

BLITZ_MUTANT_INFIX(Less, <, >, <, <=)
BLITZ_MUTANT_INFIX(LessEqual, <, >, <=, <)
BLITZ_MUTANT_INFIX(Greater, <, >, >, >=)
BLITZ_MUTANT_INFIX(GreaterEqual, <, >, >=, >)
BLITZ_MUTANT_INFIX(Equal, ==, ==, ==, !=)
BLITZ_MUTANT_INFIX(NotEqual, ==, ==, !=, ==)
BLITZ_MUTANT_INFIX(Plus, +, +, +, -)
BLITZ_MUTANT_INFIX(Minus, +, +, -, +)

#undef BLITZ_MUTANT_INFIX

/// std::max if kMax, otherwise std::min; the mutant is the other one.
template <int kNumber, bool kMax, class A, class B>
constexpr auto extreme(const A& a, const B& b) {
  const bool takes_b = kMax ? a < b : b < a;
  return takes_b != chosen(kNumber) ? b : a;
}
/// With the type of both, as std::max<T>(a, b).
template <int kNumber, bool kMax, class T>
constexpr T extreme_of(const T& a, const T& b) {
  return extreme<kNumber, kMax>(a, b);
}

}  // namespace blitz_mutants
