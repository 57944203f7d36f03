/// The claimed pieces of a loop: each claim gets a piece that no other claim got, its own if that is free.
///
/// Any thread may claim. Knows no scheduler.
///
/// *Each claim gets a piece, and no two the same one.* Bits are only ever set, each by one read-modify-write, and the claim
/// that found the bit clear has the piece. There are no more claims than pieces, so a claim that finds all bits set would be
/// one too many.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "blitz/detail/base/atomic.hpp"

namespace blitz::detail {

class Claims {
 public:
  static constexpr std::size_t kMost = 1024;

  /// `pieces` is 1 to kMost.
  explicit Claims(std::size_t pieces) noexcept : pieces_(pieces) {
    // The bits after the last piece are set. Relaxed: no other thread knows of this object yet.
    if (pieces % kBits != 0)
      words_[pieces / kBits].store(~std::uint64_t{0} << pieces % kBits, std::memory_order_relaxed);
  }

  /// Returns the piece `own` if it exists and is free, otherwise the last free one. Must be called once for each piece.
  [[nodiscard]] std::size_t claim(std::size_t own) noexcept {
    // Relaxed, here and below: only the order of the claims of a bit matters. A piece reads data that was written before the
    // claims were made, and the thread that waits for the piece synchronises with its end.
    if (own < pieces_ && (words_[own / kBits].fetch_or(bit(own), std::memory_order_relaxed) & bit(own)) == 0)
      return own;
    for (std::size_t word = (pieces_ - 1) / kBits;; --word) {
      std::uint64_t taken = words_[word].load(std::memory_order_relaxed);
      while (~taken != 0) {
        const std::size_t piece = word * kBits + kBits - 1 - static_cast<std::size_t>(std::countl_zero(~taken));
        taken = words_[word].fetch_or(bit(piece), std::memory_order_relaxed);
        if ((taken & bit(piece)) == 0) return piece;
      }
    }
  }

 private:
  static constexpr std::size_t kBits = 64;

  [[nodiscard]] static std::uint64_t bit(std::size_t piece) noexcept { return std::uint64_t{1} << piece % kBits; }

  std::size_t pieces_;
  std::array<Atomic<std::uint64_t>, kMost / kBits> words_{};  // a bit for each piece, set by the claim
};

}  // namespace blitz::detail
