#include "blitz/detail/pipeline/rope.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "blitz/detail/algorithm/blocks.hpp"
#include "blitz/detail/base/cache_line.hpp"

namespace blitz::detail {

/// The memory of a piece. Pieces are small, so malloc caches their memory.
struct FreePiece {
  void operator()(char* memory) const noexcept { ::operator delete(memory, alignment); }
  std::size_t bytes = 0;
  std::align_val_t alignment{};
};

/// Items in their order, in pieces of memory. If there is a room, an array with a place for each position, the pieces are parts
/// of it; this suits a stage with at most one item per position.
class Rope final : public RopeEnd {
 public:
  struct Piece {
    std::unique_ptr<char, FreePiece> memory;  // none in a room
    MadeItems items;
  };

  /// `room`: null, or memory for an item of each position.
  Rope(const ItemKind& kind, char* room, LoopIndex positions) noexcept
      : kind_(&kind), room_(room), end_of_room_(room == nullptr ? nullptr : room + positions * kind.size) {}

  /// Must come before the items of the positions from `first` on are appended. The blocks of one rope are neighbours, from left
  /// to right.
  void begin_at(LoopIndex first) {
    if (room_ != nullptr && pieces_.empty()) open({{}, MadeItems(*kind_, room_ + first * kind_->size)}, end_of_room_);
  }
  void append(Rope&& next) {
    if (next.pieces_.empty()) return;
    pieces_.insert(pieces_.end(), std::make_move_iterator(next.pieces_.begin()),
                   std::make_move_iterator(next.pieces_.end()));
    next.pieces_.clear();
    open_ = &pieces_.back().items;
    end_ = next.end_;
  }
  [[nodiscard]] std::vector<Piece>& pieces() noexcept { return pieces_; }

 private:
  void open(Piece&& piece, char* end) {
    pieces_.push_back(std::move(piece));
    open_ = &pieces_.back().items;
    end_ = end;
  }
  void grow() override {
    const std::size_t before = pieces_.empty() ? 0 : pieces_.back().memory.get_deleter().bytes;
    const std::size_t places = std::max<std::size_t>(std::clamp(2 * before, kFirstBytes, kMostBytes) / kind_->size, 1);
    const std::size_t bytes = places * kind_->size;
    const std::align_val_t alignment{std::max(kind_->alignment, kCacheLine)};
    std::unique_ptr<char, FreePiece> memory(static_cast<char*>(::operator new(bytes, alignment)), {bytes, alignment});
    char* const begin = memory.get();
    open({std::move(memory), MadeItems(*kind_, begin)}, begin + bytes);
  }

  static constexpr std::size_t kFirstBytes = 1024;
  static constexpr std::size_t kMostBytes = std::size_t{1} << 18;  // fits into a processor's second-level cache

  const ItemKind* kind_;
  char* room_;
  char* end_of_room_;
  std::vector<Piece> pieces_;
};

/// The items of a rope, contiguously. They already are if each position of the room has one.
static CollectedItems laid_out(const AlgorithmOptions& options, const ItemKind& kind, Rope& rope,
                               ArrayMemory<char>& room, LoopIndex positions) {
  auto& pieces = rope.pieces();
  std::vector<LoopIndex> begins;  // of the pieces, in the result
  std::size_t count = 0;
  for (const auto& piece : pieces) {
    begins.push_back(count);
    count += piece.items.size();
  }
  if (room && count == positions) {
    for (auto& piece : pieces) piece.items.release();
    return {std::move(room), count};
  }
  CollectedItems out{array_memory(count, kind.size, kind.alignment), count};
  char* const memory = out.memory.get();
  MadeItems all = fold_blocks(
      options, count, 1, [&] { return MadeItems(kind, memory); },
      [&](MadeItems& objects, LoopIndex first, LoopIndex last) {
        // The blocks of one value are neighbours, from left to right.
        if (objects.empty()) objects = MadeItems(kind, memory + first * kind.size);
        auto piece = static_cast<std::size_t>(std::ranges::upper_bound(begins, first) - begins.begin()) - 1;
        while (first < last) {
          const MadeItems& items = pieces[piece].items;
          const LoopIndex place = first - begins[piece];
          const LoopIndex size = std::min(last - first, items.size() - place);
          objects.move_from(items.begin() + place * kind.size, items.begin() + (place + size) * kind.size);
          first += size;
          ++piece;
        }
      },
      [](MadeItems& left, MadeItems&& right) { left.append(std::move(right)); });
  all.release();
  return out;
}

void MadeItems::move_from(char* first, char* last) {
  if (kind_->move != nullptr) return kind_->move(first, last, end_);
  std::memcpy(end_, first, static_cast<std::size_t>(last - first));
  end_ += last - first;
}

void MadeItems::append(MadeItems&& next) noexcept {
  if (empty()) {
    *this = std::move(next);
  } else if (end_ == next.begin_) {
    end_ = next.release();
  }
}

/// Memory for an item of each position; none if a position may have several, or if that would be too much.
static ArrayMemory<char> room_for(const ItemKind& kind, LoopIndex positions, bool at_most_one) {
  if (!at_most_one || positions > kMostKept / kind.size) return {};
  return array_memory(positions, kind.size, kind.alignment);
}

CollectedItems collect_blocks(const AlgorithmOptions& options, const ItemKind& kind, LoopIndex positions,
                              bool at_most_one, FunctionRef<void(RopeEnd&, LoopIndex, LoopIndex)> append) {
  ArrayMemory<char> room = room_for(kind, positions, at_most_one);
  Rope rope = fold_blocks(
      options, positions, 1, [&] { return Rope(kind, room.get(), positions); },
      [&](Rope& items, LoopIndex first, LoopIndex last) {
        items.begin_at(first);
        append(items, first, last);
      },
      [](Rope& left, Rope&& right) { left.append(std::move(right)); });
  return laid_out(options, kind, rope, room, positions);
}

std::pair<CollectedItems, CollectedItems> collect_two(
    const AlgorithmOptions& options, const ItemKind& kind, const ItemKind& other_kind, LoopIndex positions,
    bool at_most_one, FunctionRef<void(RopeEnd&, RopeEnd&, LoopIndex, LoopIndex)> append) {
  using Ropes = std::pair<Rope, Rope>;
  ArrayMemory<char> room = room_for(kind, positions, at_most_one);
  ArrayMemory<char> other_room = room_for(other_kind, positions, at_most_one);
  Ropes ropes = fold_blocks(
      options, positions, 1,
      [&] { return Ropes(Rope(kind, room.get(), positions), Rope(other_kind, other_room.get(), positions)); },
      [&](Ropes& items, LoopIndex first, LoopIndex last) {
        items.first.begin_at(first);
        items.second.begin_at(first);
        append(items.first, items.second, first, last);
      },
      [](Ropes& left, Ropes&& right) {
        left.first.append(std::move(right.first));
        left.second.append(std::move(right.second));
      });
  CollectedItems items = laid_out(options, kind, ropes.first, room, positions);
  MadeItems made(kind, static_cast<char*>(items.memory.get()));
  made.extend_to(made.begin() + items.count * kind.size);
  CollectedItems other_items = laid_out(options, other_kind, ropes.second, other_room, positions);
  made.release();
  return {std::move(items), std::move(other_items)};
}

}  // namespace blitz::detail
