// Pipelines that end early, by an exception or a stop at each call: all that was made is destroyed, and no item is visited
// twice. Every stage with every terminal: stages hide behind one type, so that each is compiled once.
#include <array>
#include <atomic>
#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <numeric>
#include <optional>
#include <ranges>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include <blitz/pipeline.hpp>
#include <doctest/doctest.h>

#include "algorithm/kinds.hpp"

namespace blitz_test {
namespace {

using blitz::par;
using blitz::detail::LoopIndex;

constexpr int kItems = 20;

/// A stage of Items, whichever it is.
class AnyStage {
 public:
  using Items = blitz::detail::Pack<Item>;
  static constexpr bool kIndexed = false;
  static constexpr bool kTwoPasses = true;

  template <class S>
  static AnyStage of(const blitz::Pipeline<S>& pipeline) {
    return AnyStage(std::make_shared<Of<S>>(pipeline.stage()));
  }

  [[nodiscard]] LoopIndex positions() const { return stage_->positions(); }
  void first_pass(const AlgorithmOptions& options) { stage_ = stage_->ready(options); }
  template <class Sink>
  bool for_each(LoopIndex first, LoopIndex last, const Sink& sink) const {
    return stage_->for_each(first, last, [&sink](Item&& item) { return sink(std::move(item)); });
  }

 private:
  using ItemSink = std::function<bool(Item&&)>;

  struct Stage {
    virtual ~Stage() = default;
    [[nodiscard]] virtual LoopIndex positions() const = 0;
    [[nodiscard]] virtual std::shared_ptr<const Stage> ready(const AlgorithmOptions& options) const = 0;
    virtual bool for_each(LoopIndex first, LoopIndex last, const ItemSink& sink) const = 0;
  };

  template <class S>
  struct Of final : Stage {
    explicit Of(const S& the_stage) : stage(the_stage) {}
    [[nodiscard]] LoopIndex positions() const override { return stage.positions(); }
    [[nodiscard]] std::shared_ptr<const Stage> ready(const AlgorithmOptions& options) const override {
      auto copy = std::make_shared<Of>(stage);
      if constexpr (S::kTwoPasses) copy->stage.first_pass(options);
      return copy;
    }
    bool for_each(LoopIndex first, LoopIndex last, const ItemSink& sink) const override {
      return stage.for_each(first, last, [&sink](auto&& item) { return sink(std::move(item)); });
    }
    S stage;
  };

  explicit AnyStage(std::shared_ptr<const Stage> stage) : stage_(std::move(stage)) {}

  std::shared_ptr<const Stage> stage_;
};

/// What callables share: each call of one is counted, and may throw or request a stop.
struct Calls {
  /// The item of a position.
  Item item(int position) {
    counter();
    ++visits[static_cast<std::size_t>(position)];
    return Item(position);
  }
  template <class F>
  auto counted(F f) {
    return blitz_test::counted(counter, f);
  }

  CallCounter& counter;
  std::array<std::atomic<int>, 2 * kItems> visits{};
};

/// The beginning of most pipelines, from `first` on.
auto items(Calls& calls, int first = 0) {
  return par(first, first + kItems).map([&calls](int i) { return calls.item(i); });
}

const auto kEven = [](const Item& x) { return x.value() % 2 == 0; };
const auto kSame = [](auto&&... x) -> Item {
  return std::get<sizeof...(x) - 1>(std::forward_as_tuple(std::move(x)...));
};

struct NamedStage {
  const char* name;
  AnyStage (*make)(Calls&);
};
const std::array kStages{
    NamedStage{"map", [](Calls& c) { return AnyStage::of(items(c).map(c.counted(kSame))); }},
    NamedStage{"filter", [](Calls& c) { return AnyStage::of(items(c).filter(c.counted(kEven))); }},
    NamedStage{"filter_map",
               [](Calls& c) {
                 return AnyStage::of(items(c).filter_map(
                     c.counted([](Item&& x) { return kEven(x) ? std::optional(std::move(x)) : std::nullopt; })));
               }},
    NamedStage{"flat_map",
               [](Calls& c) {
                 return AnyStage::of(items(c).flat_map(c.counted([](const Item& x) {
                   std::vector<Item> more;
                   for (int i = 0; i < x.value() % 3; ++i) more.emplace_back(i);
                   return more;
                 })));
               }},
    NamedStage{"inspect", [](Calls& c) { return AnyStage::of(items(c).inspect(c.counted([](const Item&) {}))); }},
    NamedStage{"chain", [](Calls& c) { return AnyStage::of(items(c).chain(items(c, kItems))); }},
    NamedStage{"enumerate", [](Calls& c) { return AnyStage::of(items(c).enumerate().map(c.counted(kSame))); }},
    NamedStage{"zip", [](Calls& c) { return AnyStage::of(items(c).zip(items(c, kItems)).map(c.counted(kSame))); }},
    NamedStage{"take and skip", [](Calls& c) { return AnyStage::of(items(c).take(kItems - 3).skip(3)); }},
    NamedStage{"step_by", [](Calls& c) { return AnyStage::of(items(c).step_by(3)); }},
    NamedStage{"rev", [](Calls& c) { return AnyStage::of(items(c).rev()); }},
    NamedStage{"scan",
               [](Calls& c) {
                 return AnyStage::of(
                     par(0, kItems).scan(c.counted(std::plus<>())).map([&c](int) { return c.item(0); }));
               }},
    NamedStage{"exclusive_scan",
               [](Calls& c) {
                 return AnyStage::of(
                     par(0, kItems).exclusive_scan(1, c.counted(std::plus<>())).map([&c](int) { return c.item(0); }));
               }},
    NamedStage{"chunks",
               [](Calls& c) {
                 static const std::vector<int> numbers(kItems, 1);
                 return AnyStage::of(par(numbers).chunks(3).map([&c](auto) { return c.item(0); }));
               }},
    NamedStage{"windows",
               [](Calls& c) {
                 static const std::vector<int> numbers(kItems, 1);
                 return AnyStage::of(par(numbers).windows(3).map([&c](auto) { return c.item(0); }));
               }},
    NamedStage{"from",
               [](Calls& c) {
                 static const std::list<int> numbers(kItems, 1);
                 return AnyStage::of(blitz::from(numbers, {.batch = 3}).map([&c](int) { return c.item(0); }));
               }},
    NamedStage{"split",
               [](Calls& c) {
                 const auto halves = c.counted([](int n) {
                   return n < 2 ? std::pair(n, std::optional<int>()) : std::pair(n / 2, std::optional(n - n / 2));
                 });
                 return AnyStage::of(blitz::split(kItems, halves).map([&c](int) { return c.item(0); }));
               }},
    NamedStage{"walk_tree",
               [](Calls& c) {
                 const auto children = c.counted([](int node) {
                   return std::views::iota(std::min(2 * node, kItems), std::min(2 * node + 2, kItems));
                 });
                 return AnyStage::of(blitz::walk_tree(1, children).map([&c](int i) { return c.item(i); }));
               }},
};

using Any = blitz::Pipeline<AnyStage>;
struct NamedTerminal {
  const char* name;
  int passes;
  void (*run)(const Any&, Calls&);
};
const auto kNothing = [](const Item&) {};
const auto kNever = [](const Item&) { return false; };
const auto kAdd = [](Item x, Item y) { return Item(x.value() + y.value()); };  // NOLINT: they are moved from
template <class... T>
void ignore(const T&... /*results*/) {}

const std::array kTerminals{
    NamedTerminal{"for_each", 1, [](const Any& p, Calls& c) { p.for_each(c.counted(kNothing)); }},
    NamedTerminal{"for_each_with", 1,
                  [](const Any& p, Calls& c) {
                    p.for_each_with(c.counted([] { return Item(0); }), c.counted([](Item&, const Item&) {}));
                  }},
    NamedTerminal{"reduce", 1, [](const Any& p, Calls& c) { ignore(p.reduce(c.counted(kAdd))); }},
    NamedTerminal{"fold", 1,
                  [](const Any& p, Calls& c) {
                    const auto count = c.counted([](int n, const Item&) { return n + 1; });
                    ignore(p.fold(0, count, c.counted(std::plus<>())));
                  }},
    NamedTerminal{"count", 1, [](const Any& p, Calls&) { ignore(p.count()); }},
    NamedTerminal{"min", 1, [](const Any& p, Calls& c) { ignore(p.min(c.counted(std::less<>()))); }},
    NamedTerminal{"max", 1, [](const Any& p, Calls& c) { ignore(p.max(c.counted(std::less<>()))); }},
    NamedTerminal{"any_of", 1, [](const Any& p, Calls& c) { ignore(p.any_of(c.counted(kNever))); }},
    NamedTerminal{"all_of", 1, [](const Any& p, Calls& c) { ignore(p.all_of(c.counted(kEven))); }},
    NamedTerminal{"find_first", 1, [](const Any& p, Calls& c) { ignore(p.find_first(c.counted(kEven))); }},
    NamedTerminal{"find_any", 1, [](const Any& p, Calls& c) { ignore(p.find_any(c.counted(kNever))); }},
    NamedTerminal{"find_last", 1, [](const Any& p, Calls& c) { ignore(p.find_last(c.counted(kEven))); }},
    NamedTerminal{"first", 1, [](const Any& p, Calls&) { ignore(p.first()); }},
    NamedTerminal{"last", 1, [](const Any& p, Calls&) { ignore(p.last()); }},
    NamedTerminal{"collect", 1, [](const Any& p, Calls&) { ignore(p.collect()); }},
    NamedTerminal{"collect into a vector", 1, [](const Any& p, Calls&) { ignore(p.collect<std::vector<Item>>()); }},
    NamedTerminal{"collect_into", 1,
                  [](const Any& p, Calls&) {
                    std::vector<Item> out;
                    for (int i = 0; i < kItems / 2; ++i) out.emplace_back(i);
                    ignore(p.collect_into(out));
                  }},
    NamedTerminal{"append_to", 1,
                  [](const Any& p, Calls&) {
                    std::vector<Item> out;
                    out.emplace_back(1);
                    p.append_to(out);
                  }},
    NamedTerminal{"partition", 2, [](const Any& p, Calls& c) { ignore(p.partition(c.counted(kEven))); }},
    NamedTerminal{
        "group_by", 1,
        [](const Any& p, Calls& c) { ignore(p.group_by(c.counted([](const Item& x) { return x.value() % 3; }))); }},
    NamedTerminal{"try_for_each", 1,
                  [](const Any& p, Calls& c) {
                    ignore(p.try_for_each(c.counted([](const Item&) { return std::optional<std::string>(); })));
                  }},
};

/// Calls `test(stage, terminal, options)` for all of them, on pools of one thread and of several of both backends.
template <class Test>
void for_each_pipeline(Test&& test) {
  for (const std::size_t pool : {std::size_t{0}, std::size_t{2}, std::size_t{4}}) {
    for (const NamedStage& stage : kStages) {
      for (const NamedTerminal& terminal : kTerminals) {
        CAPTURE(pool);
        CAPTURE(stage.name);
        CAPTURE(terminal.name);
        test(stage, terminal, AlgorithmOptions{.min_grain = 1, .pool = pools()[pool]});
      }
    }
  }
}

/// Runs the terminal; no item is visited twice in a pass. Position 0 stands for items that have none.
void run(const NamedStage& stage, const NamedTerminal& terminal, const AlgorithmOptions& options,
         CallCounter& counter) {
  Calls calls{.counter = counter};
  const auto check = [&] {
    for (std::size_t i = 1; i < calls.visits.size(); ++i) CHECK(calls.visits[i] <= terminal.passes);
  };
  try {
    terminal.run(Any(stage.make(calls), options), calls);
  } catch (...) {
    check();
    throw;
  }
  check();
}

TEST_CASE("pipelines: an exception at each call of each pipeline") {
  for_each_pipeline([](const NamedStage& stage, const NamedTerminal& terminal, const AlgorithmOptions& options) {
    throw_at_each_call([&](CallCounter& counter) { run(stage, terminal, options, counter); },
                       [] { CHECK(items_alive == 0); });
    CHECK(items_alive == 0);
  });
}

TEST_CASE("pipelines: a stop at each third call of each pipeline") {
  for_each_pipeline([](const NamedStage& stage, const NamedTerminal& terminal, AlgorithmOptions options) {
    bool stopped = true;
    for (std::size_t at = 0; stopped; at += 3) {
      CAPTURE(at);
      CallCounter counter;
      options.stop = counter.stop_at(at);
      try {
        run(stage, terminal, options, counter);
      } catch (const blitz::Stopped&) {
        CHECK(options.stop.stop_requested());
      }
      CHECK(items_alive == 0);
      stopped = options.stop.stop_requested();
    }
  });
}

}  // namespace
}  // namespace blitz_test
