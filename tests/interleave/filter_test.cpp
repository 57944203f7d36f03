// Filter on a chain: the ring of kept items, the wait of a filter in place for unread items, and outputs with too little room.
// Races are detected per word of flags: all 64 items of a word are kept, or none.
#include "blitz/detail/algorithm/filter.hpp"

#include <array>
#include <cstddef>
#include <cstdlib>
#include <deque>
#include <limits>
#include <new>
#include <optional>
#include <vector>

#include "tests/support/interleave/explore.hpp"

// There is no pool: filters make a ring for one thread.
std::size_t blitz::detail::threads_of(const AlgorithmOptions& /*options*/) { return 1; }

namespace {

const void* newest_scratch = nullptr;  // the memory that was allocated last for an algorithm

}  // namespace

void* operator new(std::size_t size, std::align_val_t alignment, const std::nothrow_t& /*tag*/) noexcept {
  const auto unit = static_cast<std::size_t>(alignment);
  void* const memory = std::aligned_alloc(unit, (size + unit - 1) / unit * unit);
  newest_scratch = memory;
  return memory;
}
void operator delete(void* memory, std::align_val_t /*alignment*/) noexcept { std::free(memory); }

namespace {

using blitz::detail::Filter;
using blitz::detail::FlagWord;
using blitz::detail::kFlags;
using blitz::detail::LoopIndex;
using interleave::expect;
using interleave::Plain;
using interleave::Run;

constexpr LoopIndex kWords = 80;
constexpr LoopIndex kItems = kWords * kFlags;
constexpr LoopIndex kRing = kWords / 4;  // words; see Filter::ring_size
constexpr LoopIndex kRun = kRing / 2;
constexpr LoopIndex kAll = std::numeric_limits<LoopIndex>::max();

/// Item i is the number i. The items of odd words are kept.
class Game final : public Filter {
 public:
  using Filter::Target;

  explicit Game(::Run& run, Target target, LoopIndex room_kept = kAll, LoopIndex room_dropped = kAll)
      : Game(run, target, room_kept, room_dropped, std::vector<int>(2 * kItems, -1)) {}

  void use(LoopIndex words) { static_cast<void>(use_ticket(words)); }

  int in_ring = 0;  ///< how many batches have gone to the ring

  /// Each kept item is in its place, up to the first item of either kind that has no room, and no item is elsewhere.
  void expect_finished() {
    std::size_t kept = 0;
    LoopIndex end = 0;
    for (; end < kItems && (is_kept(end) ? kept < room_kept_ : end - kept < room_dropped_); ++end) {
      if (is_kept(end)) expect(out_[kept++] == static_cast<int>(end), "each item that is kept is in its place");
    }
    expect(result().kept == kept && result().end == end, "the end is the first item without room");
    if (in_place_) return;
    for (std::size_t i = kept; i < out_.size(); ++i) expect(out_[i] == -1, "nothing is written beyond the end");
  }

 private:
  // The input in place has room after its items, so that a write there is noticed.
  Game(::Run& run, Target target, LoopIndex room_kept, LoopIndex room_dropped, std::vector<int>&& out)
      : Filter({.min_grain = kRun * kFlags}, kItems, sizeof(int), Flag::kThis, target, out.data()),
        in_place_(target == Target::kInput),
        room_kept_(room_kept),
        room_dropped_(room_dropped),
        out_(std::move(out)),
        in_(in_place_ ? out_ : more_) {
    run.name(*this, "filter");
    for (LoopIndex i = 0; i < kItems; ++i) in_[i] = static_cast<int>(i);
    for (LoopIndex i = 0; i < kWords; ++i) {
      read_.emplace_back("item");
      written_.emplace_back("result");
      gathered_.emplace_back("whether the run is in the ring");
    }
    for (LoopIndex i = 0; i < kRing; ++i) ring_.emplace_back("ring");
    set_room(room_kept, room_dropped);
  }

  static bool is_kept(LoopIndex item) { return item / kFlags % 2 != 0; }
  /// The number of kept words below `word`.
  static LoopIndex kept_below(LoopIndex word) { return word / 2; }

  // --- watched accesses ---

  void reads(LoopIndex word) { static_cast<void>(read_[word].read()); }
  void writes(LoopIndex place) {
    expect(place < kWords, "a result has a place");
    auto& cell = (in_place_ ? read_ : written_)[place];
    cell.write(cell.read() + 1);
  }

  // --- as a filter of cheap items ---

  void flag(LoopIndex first, LoopIndex count, FlagWord* flags) override {
    for (LoopIndex word = first / kFlags; word < (first + count) / kFlags; ++word) {
      reads(word);
      *flags++ = is_kept(word * kFlags) ? ~FlagWord{0} : 0;
    }
  }
  void move(const FlagWord* kept, LoopIndex first, LoopIndex count, LoopIndex place) override {
    std::optional<LoopIndex> written;  // the last word
    for (LoopIndex i = 0; i < count; ++i) {
      if ((kept[i / kFlags] >> i % kFlags & 1) == 0) continue;
      if (place / kFlags != written) writes(*(written = place / kFlags));
      reads((first + i) / kFlags);
      expect(place < room_kept_, "no more are kept than there is room for");
      out_[place++] = in_[first + i];
    }
  }
  LoopIndex write(LoopIndex first, LoopIndex count, void* to) override {
    auto* item = static_cast<int*>(to);
    const bool to_ring = item < out_.data() || item >= out_.data() + out_.size();
    if (to_ring) {
      const Run& run = summed_up_[interleave::scheduler().current()];
      const int* const ring =
          item - run.first % kRing * kFlags - kept_below(first / kFlags) * kFlags + kept_below(run.first) * kFlags;
      expect(ring == ring_begin_ && run.first % kRing + run.last - run.first <= kRing,
             "a run has its place in the ring");
      if (gathered_[run.first].read() == 0) {
        gathered_[run.first].write(1);
        for (LoopIndex word = run.first; word != run.last; ++word) {
          expect(ring_[word % kRing].read() == 0, "a run whose place is not free leaves flags");
          ring_[word % kRing].write(static_cast<int>(run.last));
        }
      }
      ++in_ring;
    }
    LoopIndex kept = 0;
    for (LoopIndex word = first / kFlags; word < (first + count) / kFlags; ++word) {
      reads(word);
      if (!is_kept(word * kFlags)) continue;
      if (!to_ring) writes(static_cast<LoopIndex>(item - out_.data()) / kFlags);
      for (LoopIndex i = 0; i < kFlags; ++i) *item++ = in_[word * kFlags + i];
      kept += kFlags;
    }
    return kept;
  }

  void sum_up(const Run& run) override {
    summed_up_[interleave::scheduler().current()] = run;
    Filter::sum_up(run);
  }
  bool finish(const Run& run) override {
    if (gathered_[run.first].read() != 0) {
      for (LoopIndex word = run.first; word != run.last; ++word) {
        expect(ring_[word % kRing].read() == static_cast<int>(run.last), "the ring keeps a run until it is finished");
        ring_[word % kRing].write(0);
      }
      for (LoopIndex place = kept_below(run.first); place != kept_below(run.last); ++place) writes(place);
    }
    return Filter::finish(run);
  }

  const bool in_place_;
  const LoopIndex room_kept_;
  const LoopIndex room_dropped_;
  std::vector<int> out_;
  std::vector<int> more_ = std::vector<int>(kItems);
  std::vector<int>& in_;
  std::deque<Plain<int>> read_;
  std::deque<Plain<int>> written_;
  std::deque<Plain<int>> gathered_;
  std::deque<Plain<int>> ring_;
  std::array<Run, interleave::kMaxThreads> summed_up_{};
  const int* const ring_begin_ = static_cast<const int*>(newest_scratch);  // Filter allocates the ring last.
};

/// Runs of half the ring, of the full ring, and across its end.
void use_by_two(Run& run, Game& game) {
  for (const char* const name : {"a", "b"}) {
    run.thread(name, [&] {
      game.use(kRun);
      game.use(kRun);
      game.use(kRing);
    });
  }
  run.go();
}

/// The last run may be longer than the ring.
void use_by_three(Run& run, Game& game) {
  for (const char* const name : {"a", "b"}) run.thread(name, [&] { game.use(kRun); });
  run.thread("c", [&] {
    game.use(kRun);
    game.use(kWords - 3 * kRun);
  });
  run.go();
}

INTERLEAVE_CASE("filter: two workers", .preemptions = 2, .random_schedules = 2000) {
  Game game(run, Game::Target::kElsewhere);
  use_by_two(run, game);
  game.expect_finished();
}

INTERLEAVE_CASE("filter: three workers", .preemptions = 2, .random_schedules = 2000) {
  Game game(run, Game::Target::kElsewhere);
  use_by_three(run, game);
  game.expect_finished();
}

INTERLEAVE_CASE("filter: a place in the ring that another worker has freed", .preemptions = 2,
                .random_schedules = 1000) {
  Game game(run, Game::Target::kElsewhere);
  run.thread("a", [&] { game.use(kRun); });
  run.thread("b", [&] {
    game.use(kRun);
    game.use(kRun);
  });
  run.thread("c", [&] {
    game.use(kRun);
    game.use(kWords - 4 * kRun);
  });
  run.go();
  game.expect_finished();
}

INTERLEAVE_CASE("filter: a run that is one word too long for its place", .preemptions = 2, .random_schedules = 1000) {
  Game game(run, Game::Target::kElsewhere);
  for (const char* const name : {"a", "b"}) run.thread(name, [&] { game.use(kRun); });
  run.thread("c", [&] {
    game.use(kRun + 1);
    game.use(kWords - 3 * kRun - 1);
  });
  run.go();
  game.expect_finished();
}

INTERLEAVE_CASE("filter: in place, two workers", .preemptions = 2, .random_schedules = 2000) {
  Game game(run, Game::Target::kInput);
  use_by_two(run, game);
  game.expect_finished();
}

INTERLEAVE_CASE("filter: in place, three workers", .preemptions = 2, .random_schedules = 2000) {
  Game game(run, Game::Target::kInput);
  use_by_three(run, game);
  game.expect_finished();
}

INTERLEAVE_CASE("filter: the ring is used", .preemptions = 1, .finds = "no batch is in the ring") {
  Game game(run, Game::Target::kElsewhere);
  use_by_two(run, game);
  expect(game.in_ring == 0, "no batch is in the ring");
}

INTERLEAVE_CASE("filter: too little room for what is kept", .preemptions = 2, .random_schedules = 1000) {
  Game game(run, Game::Target::kElsewhere, kItems / 8 + 7);
  use_by_two(run, game);
  game.expect_finished();
  expect(game.in_ring == 0, "nothing goes to the ring if there may be no room for it");
}

INTERLEAVE_CASE("filter: room up to the end of a run", .preemptions = 2, .random_schedules = 1000) {
  Game game(run, Game::Target::kElsewhere, kRing / 2 * kFlags);
  use_by_two(run, game);
  game.expect_finished();
}

INTERLEAVE_CASE("filter: too little room for what is dropped", .preemptions = 2, .random_schedules = 1000) {
  Game game(run, Game::Target::kElsewhere, kAll, kItems / 8 + 7);
  use_by_two(run, game);
  game.expect_finished();
  expect(game.in_ring == 0, "nothing goes to the ring if there may be no room for it");
}

}  // namespace
