// Pipelines that end early by an exception or a stop request at each call, or by a failed allocation: all items are destroyed,
// and no item is visited twice. Every source and stage is combined with every terminal (names_test.py looks for their names
// here). Two types erase the stages, one for stages that keep positions and one for others, so that each is compiled only once.
#include <array>
#include <atomic>
#include <concepts>
#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <new>
#include <numeric>
#include <optional>
#include <ranges>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <blitz/pipeline.hpp>
#include <doctest/doctest.h>

#include "algorithm/kinds.hpp"
#include "pipeline/any_stage.hpp"
#include "support/fail_each.hpp"
#include "support/failing_new.hpp"

namespace blitz_test {
namespace {

using blitz::par;
using blitz::detail::LoopIndex;

constexpr int kItems = 20;

/// The state shared by callables: each call of a callable is counted, and may throw or request a stop.
struct Calls {
  /// The item at a position.
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

/// The first stages of most pipelines, starting with position `first`.
auto items(Calls& calls, int first = 0) {
  return par(first, first + kItems).map([&calls](int i) { return calls.item(i); });
}

const auto kEven = [](const Item& x) { return x.value() % 2 == 0; };
const auto kSame = [](auto&&... x) -> Item {
  return std::get<sizeof...(x) - 1>(std::forward_as_tuple(std::move(x)...));
};

using Indexed = blitz::Pipeline<AnyStage<Item, true>>;
using Unindexed = blitz::Pipeline<AnyStage<Item, false>>;
/// The pipeline with its stage's type erased.
template <class S>
auto hidden(const blitz::Pipeline<S>& pipeline) {
  return blitz::Pipeline(AnyStage<Item, S::kIndexed>(pipeline.stage()));
}

struct NamedStage {
  const char* name;
  std::variant<Indexed (*)(Calls&), Unindexed (*)(Calls&)> make;
};
const std::array kStages{
    NamedStage{"par of several",
               +[](Calls& c) {
                 static const std::vector<int> numbers(kItems, 1);
                 return hidden(par(numbers, numbers).map([&c](int, int) { return c.item(0); }));
               }},
    NamedStage{"map", +[](Calls& c) { return hidden(items(c).map(c.counted(kSame))); }},
    NamedStage{"filter", +[](Calls& c) { return hidden(items(c).filter(c.counted(kEven))); }},
    NamedStage{"filter_map",
               +[](Calls& c) {
                 return hidden(items(c).filter_map(
                     c.counted([](Item&& x) { return kEven(x) ? std::optional(std::move(x)) : std::nullopt; })));
               }},
    NamedStage{"flat_map",
               +[](Calls& c) {
                 return hidden(items(c).flat_map(c.counted([](const Item& x) {
                   std::vector<Item> more;
                   for (int i = 0; i < x.value() % 3; ++i) more.emplace_back(i);
                   return more;
                 })));
               }},
    NamedStage{"inspect", +[](Calls& c) { return hidden(items(c).inspect(c.counted([](const Item&) {}))); }},
    NamedStage{"chain", +[](Calls& c) { return hidden(items(c).chain(items(c, kItems))); }},
    NamedStage{"enumerate", +[](Calls& c) { return hidden(items(c).enumerate().map(c.counted(kSame))); }},
    NamedStage{"zip", +[](Calls& c) { return hidden(items(c).zip(items(c, kItems)).map(c.counted(kSame))); }},
    NamedStage{"take and skip", +[](Calls& c) { return hidden(items(c).take(kItems - 3).skip(3)); }},
    NamedStage{"step_by", +[](Calls& c) { return hidden(items(c).step_by(3)); }},
    NamedStage{"rev", +[](Calls& c) { return hidden(items(c).rev()); }},
    NamedStage{"scan",
               +[](Calls& c) {
                 return hidden(par(0, kItems).scan(c.counted(std::plus<>())).map([&c](int) { return c.item(0); }));
               }},
    NamedStage{"exclusive_scan",
               +[](Calls& c) {
                 return hidden(
                     par(0, kItems).exclusive_scan(1, c.counted(std::plus<>())).map([&c](int) { return c.item(0); }));
               }},
    NamedStage{"chunks",
               +[](Calls& c) {
                 static const std::vector<int> numbers(kItems, 1);
                 return hidden(par(numbers).chunks(3).map([&c](auto) { return c.item(0); }));
               }},
    NamedStage{"windows",
               +[](Calls& c) {
                 static const std::vector<int> numbers(kItems, 1);
                 return hidden(par(numbers).windows(3).map([&c](auto) { return c.item(0); }));
               }},
    NamedStage{"from",
               +[](Calls& c) {
                 static const std::list<int> numbers(kItems, 1);
                 return hidden(blitz::from({.batch = 3}, numbers).map([&c](int) { return c.item(0); }));
               }},
    NamedStage{"from, ordered",
               +[](Calls& c) {
                 static const std::list<int> numbers(kItems, 1);
                 return hidden(blitz::from(numbers).ordered().map([&c](int) { return c.item(0); }));
               }},
    NamedStage{"lines and split_at",
               +[](Calls& c) {
                 // The second line crosses into a second block.
                 static const std::string text = "a\n" + std::string(5000, 'b') + "\nc,d\n" + std::string(5000, 'e');
                 return hidden(blitz::lines(text).chain(blitz::split_at(text, ',')).map([&c](std::string_view) {
                   return c.item(0);
                 }));
               }},
    NamedStage{"split",
               +[](Calls& c) {
                 const auto halves = c.counted([](int n) {
                   return n < 2 ? std::pair(n, std::optional<int>()) : std::pair(n / 2, std::optional(n - n / 2));
                 });
                 return hidden(blitz::split(kItems, halves).map([&c](int) { return c.item(0); }));
               }},
    NamedStage{"walk_tree",
               +[](Calls& c) {
                 const auto children = c.counted([](int node) {
                   return std::views::iota(std::min(2 * node, kItems), std::min(2 * node + 2, kItems));
                 });
                 return hidden(blitz::walk_tree(1, children).map([&c](int i) { return c.item(i); }));
               }},
};

struct NamedTerminal {
  const char* name;
  void (*run)(const Unindexed&, Calls&);
  void (*run_indexed)(const Indexed&, Calls&);

  template <class F>
  NamedTerminal(const char* the_name, F f) : name(the_name), run(f), run_indexed(f) {}
};
const auto kNothing = [](const Item&) {};
const auto kNever = [](const Item&) { return false; };
const auto kValue = [](const Item& x) { return x.value(); };
const auto kAdd = [](Item x, Item y) { return Item(x.value() + y.value()); };  // NOLINT: they are moved from
/// An Item for terminals that need copies.
class Copyable {
 public:
  explicit Copyable(Item item) : item_(std::move(item)) {}
  Copyable(const Copyable& other) : item_(other.item_.value()) {}
  Copyable(Copyable&&) = default;
  Copyable& operator=(const Copyable& other) { return *this = Copyable(other); }
  Copyable& operator=(Copyable&&) = default;
  ~Copyable() = default;
  [[nodiscard]] int value() const { return item_.value(); }
  friend auto operator<=>(const Copyable&, const Copyable&) = default;

 private:
  Item item_;
};
const auto kCopyable = [](Item&& x) { return Copyable(std::move(x)); };
const auto kPair = [](Item&& x) { return std::pair(1, Copyable(std::move(x))); };
template <class... T>
void ignore(const T&... /*results*/) {}

const std::array kTerminals{
    NamedTerminal{"for_each", [](const auto& p, Calls& c) { p.for_each(c.counted(kNothing)); }},
    NamedTerminal{"for_each_with",
                  [](const auto& p, Calls& c) {
                    p.for_each_with(c.counted([] { return Item(0); }), c.counted([](Item&, const Item&) {}));
                  }},
    NamedTerminal{"reduce", [](const auto& p, Calls& c) { ignore(p.reduce(c.counted(kAdd))); }},
    NamedTerminal{"fold",
                  [](const auto& p, Calls& c) {
                    const auto count = c.counted([](int n, const Item&) { return n + 1; });
                    ignore(p.fold(0, count, c.counted(std::plus<>())));
                  }},
    NamedTerminal{"sum", [](const auto& p, Calls& c) { ignore(p.map(c.counted(kValue)).sum()); }},
    NamedTerminal{
        "sum of doubles",
        [](const auto& p, Calls& c) { ignore(p.map(c.counted([](const Item& x) { return x.value() / 3.0; })).sum()); }},
    NamedTerminal{"ordered_sum", [](const auto& p, Calls& c) { ignore(p.map(c.counted(kValue)).ordered_sum()); }},
    NamedTerminal{"product",
                  [](const auto& p, Calls& c) {
                    ignore(p.map(c.counted([](const Item& x) { return x.value() / 3.0; })).product());
                  }},
    NamedTerminal{"count", [](const auto& p, Calls& /*c*/) { ignore(p.count()); }},
    NamedTerminal{"min", [](const auto& p, Calls& c) { ignore(p.min(c.counted(std::less<>()))); }},
    NamedTerminal{"max", [](const auto& p, Calls& c) { ignore(p.max(c.counted(std::less<>()))); }},
    NamedTerminal{"minmax", [](const auto& p, Calls& c) { ignore(p.map(kCopyable).minmax(c.counted(std::less<>()))); }},
    NamedTerminal{"any_of", [](const auto& p, Calls& c) { ignore(p.any_of(c.counted(kNever))); }},
    NamedTerminal{"all_of", [](const auto& p, Calls& c) { ignore(p.all_of(c.counted(kEven))); }},
    NamedTerminal{"none_of", [](const auto& p, Calls& c) { ignore(p.none_of(c.counted(kNever))); }},
    NamedTerminal{"find_first", [](const auto& p, Calls& c) { ignore(p.find_first(c.counted(kEven))); }},
    NamedTerminal{"find_any", [](const auto& p, Calls& c) { ignore(p.find_any(c.counted(kNever))); }},
    NamedTerminal{"find_last", [](const auto& p, Calls& c) { ignore(p.find_last(c.counted(kEven))); }},
    NamedTerminal{"position_first",
                  [](const auto& p, Calls& c) {
                    if constexpr (std::same_as<decltype(p), const Indexed&>) {
                      ignore(p.position_first(c.counted(kNever)));
                    }
                  }},
    NamedTerminal{"first", [](const auto& p, Calls& /*c*/) { ignore(p.first()); }},
    NamedTerminal{"last", [](const auto& p, Calls& /*c*/) { ignore(p.last()); }},
    NamedTerminal{"collect", [](const auto& p, Calls& /*c*/) { ignore(p.collect()); }},
    NamedTerminal{"collect into a vector",
                  [](const auto& p, Calls& /*c*/) { ignore(p.template collect<std::vector<Item>>()); }},
    NamedTerminal{"collect_into",
                  [](const auto& p, Calls& /*c*/) {
                    std::vector<Item> out;
                    for (int i = 0; i < kItems / 2; ++i) out.emplace_back(i);
                    ignore(p.collect_into(out));
                  }},
    NamedTerminal{"append_to",
                  [](const auto& p, Calls& /*c*/) {
                    std::vector<Item> out;
                    out.emplace_back(1);
                    p.append_to(out);
                  }},
    NamedTerminal{"partition", [](const auto& p, Calls& c) { ignore(p.partition(c.counted(kEven))); }},
    NamedTerminal{"partition_into",
                  [](const auto& p, Calls& c) {
                    std::vector<Item> even;
                    std::vector<Item> odd;
                    for (int i = 0; i < 3; ++i) {
                      even.emplace_back(i);
                      odd.emplace_back(i);
                    }
                    ignore(p.partition_into(even, odd, c.counted(kEven)));
                  }},
    NamedTerminal{"unzip", [](const auto& p, Calls& c) { ignore(p.map(c.counted(kPair)).unzip()); }},
    NamedTerminal{"unzip_into",
                  [](const auto& p, Calls& c) {
                    std::vector<int> firsts(kItems / 2);
                    std::vector<Copyable> seconds(kItems / 2, Copyable(Item(0)));
                    ignore(p.map(c.counted(kPair)).unzip_into(firsts, seconds));
                  }},
    NamedTerminal{
        "group_by",
        [](const auto& p, Calls& c) { ignore(p.group_by(c.counted([](const Item& x) { return x.value() % 3; }))); }},
    NamedTerminal{"try_for_each",
                  [](const auto& p, Calls& c) {
                    ignore(p.try_for_each(c.counted([](const Item&) { return std::optional<std::string>(); })));
                  }},
    NamedTerminal{"try_reduce",
                  [](const auto& p, Calls& c) {
                    const auto lesser = [](Copyable x, Copyable y) { return std::optional(std::min(x, y)); };
                    ignore(p.map([](Item&& x) {
                              return std::optional(kCopyable(std::move(x)));
                            }).try_reduce(Copyable(Item(0)), c.counted(lesser)));
                  }},
};

/// Calls `test(stage, terminal, options)` for all combinations, on pools of one thread and of several, of both backends.
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

/// Runs the terminal and checks that no item is visited twice. Position 0 represents items without a position.
void run(const NamedStage& stage, const NamedTerminal& terminal, const AlgorithmOptions& options,
         CallCounter& counter) {
  Calls calls{.counter = counter};
  const auto run_it = [&](const auto& pipeline) {
    if constexpr (std::same_as<decltype(pipeline), const Indexed&>) {
      terminal.run_indexed(pipeline, calls);
    } else {
      terminal.run(pipeline, calls);
    }
  };
  const auto check = [&] {
    for (std::size_t i = 1; i < calls.visits.size(); ++i) CHECK(calls.visits[i] <= 1);
  };
  try {
    std::visit([&](auto make) { run_it(make(calls).with(options)); }, stage.make);
  } catch (...) {
    check();
    throw;
  }
  check();
}

TEST_CASE("pipelines: visit no item twice and destroy all after an exception of each call") {
  for_each_pipeline([](const NamedStage& stage, const NamedTerminal& terminal, const AlgorithmOptions& options) {
    throw_at_each_call([&](CallCounter& counter) { run(stage, terminal, options, counter); },
                       [] { CHECK(items_alive == 0); });
    CHECK(items_alive == 0);
  });
}

TEST_CASE("pipelines: visit no item twice and destroy all after a stop request at each call") {
  for_each_pipeline([](const NamedStage& stage, const NamedTerminal& terminal, AlgorithmOptions options) {
    bool stopped = true;
    for (std::size_t at = 0; stopped; at = next_to_interrupt(at)) {
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

TEST_CASE("pipelines: work or throw bad_alloc and leak nothing when each allocation fails") {
  if (!allocations_can_fail()) {
    MESSAGE("skipped: operator new has been replaced");
    return;
  }
  for_each_pipeline([](const NamedStage& stage, const NamedTerminal& terminal, const AlgorithmOptions& options) {
    const std::size_t in_use = allocations_in_use();
    const std::size_t failures = fail_each(
        [&](std::size_t nth) {
          CallCounter counter;
          counter.never_throw();
          bool thrown = false;
          fail_allocation_after(nth);
          try {
            run(stage, terminal, options, counter);
          } catch (const std::bad_alloc&) {
            thrown = true;
          }
          const bool failed = stop_failing();
          CHECK(items_alive == 0);
          CHECK((failed || !thrown));
          return failed;
        },
        next_to_interrupt);
    // The pool keeps some memory for its jobs.
    CHECK(allocations_in_use() < in_use + 20 + failures / 2);
  });
}

constexpr int kBlock = 4096;  // the block size of a scan
constexpr int kMany = 2 * kBlock + kBlock / 2;

TEST_CASE("pipelines: scans destroy all items after an exception or a stop at the end of a block") {
  // A first pass over two blocks has 8190 calls. A second pass visits all blocks.
  const std::size_t borders[] = {0, 4094, 4095, 4096, 8189, 8190, 8191, 8192, 12'286, 12'287, 16'382, 18'430};
  const auto add = [](int x, const Copyable& y) { return Copyable(Item((x + y.value()) % kBlock)); };
  for (const std::size_t pool : {std::size_t{0}, std::size_t{2}}) {
    for (const std::size_t at : borders) {
      for (const bool exclusive : {false, true}) {
        CAPTURE(pool);
        CAPTURE(at);
        CAPTURE(exclusive);
        AlgorithmOptions options{.pool = pools()[pool]};
        CallCounter counter;
        const auto run = [&](const auto& take) {
          const auto op = counted(counter, [&add](Copyable x, const Copyable& y) { return add(x.value(), y); });
          const auto all = par(0, kMany).map([](int i) { return Copyable(Item(i)); }).with(options);
          if (exclusive) {
            take(all.exclusive_scan(Copyable(Item(1)), op));
          } else {
            take(all.scan(op));
          }
        };
        bool ended = false;
        counter.throw_at(at);
        try {
          run([](const auto& p) {
            const std::size_t count = p.count();  // Not within CHECK, which catches.
            CHECK(count == kMany);
          });
          ended = true;
        } catch (const Thrown&) {
        }
        CHECK(items_alive == 0);
        CHECK(ended == (counter.calls() <= at));
        options.stop = counter.stop_at(at);
        try {
          run([](const auto& p) { ignore(p.count()); });
        } catch (const blitz::Stopped&) {
          CHECK(options.stop.stop_requested());
        }
        CHECK(items_alive == 0);
        options.stop = counter.stop_at(at);
        try {
          run([](const auto& p) { ignore(p.collect()); });
        } catch (const blitz::Stopped&) {
          CHECK(options.stop.stop_requested());
        }
        CHECK(items_alive == 0);
      }
    }
  }
}

TEST_CASE("pipelines: destroy all items after an exception or a stop at each move of an item") {
  const auto is_odd = [](const Fragile& x) { return x.value() % 2 != 0; };
  for (const std::size_t pool : {std::size_t{0}, std::size_t{2}, std::size_t{4}}) {
    // With blocks that depend on the threads' speed, and with deterministic ones.
    for (const bool deterministic : {false, true}) {
      AlgorithmOptions options{.min_grain = 1, .deterministic = deterministic, .pool = pools()[pool]};
      const auto check = [&](const char* terminal, const auto& run) {
        CAPTURE(pool);
        CAPTURE(deterministic);
        CAPTURE(terminal);
        const auto run_with_options = [&] { run(par(0, kItems).map([](int i) { return Fragile(i); }).with(options)); };
        bool ended = false;
        for (std::size_t at = 0; !ended; at = next_to_interrupt(at)) {
          CAPTURE(at);
          Fragile::counter.throw_at(at);
          try {
            run_with_options();
            ended = true;
          } catch (const Thrown&) {
          }
          CHECK(items_alive == 0);
          CHECK(ended == (Fragile::counter.calls() <= at));
        }
        bool stopped = true;
        for (std::size_t at = 0; stopped; at = next_to_interrupt(at)) {
          CAPTURE(at);
          options.stop = Fragile::counter.stop_at(at);
          try {
            run_with_options();
          } catch (const blitz::Stopped&) {
            CHECK(options.stop.stop_requested());
          }
          CHECK(items_alive == 0);
          stopped = options.stop.stop_requested();
        }
        options.stop = {};
        Fragile::counter.never_throw();
      };
      check("collect", [](const auto& all) { ignore(all.collect()); });
      check("collect after a filter", [&](const auto& all) { ignore(all.filter(is_odd).collect()); });
      check("collect after flat_map", [](const auto& all) {
        ignore(all.flat_map([](const Fragile& x) { return std::vector<Fragile>(2, x); }).collect());
      });
      check("collect into a vector", [](const auto& all) { ignore(all.template collect<std::vector<Fragile>>()); });
      check("append_to", [&](const auto& all) {
        std::vector<Fragile> out(1, Fragile(1));
        all.filter(is_odd).append_to(out);
      });
      check("partition", [&](const auto& all) { ignore(all.partition(is_odd)); });
      check("unzip", [&](const auto& all) {
        ignore(all.filter(is_odd).map([](const Fragile& x) { return std::pair(x, x); }).unzip());
      });
      check("find_last", [&](const auto& all) { ignore(all.find_last(is_odd)); });
      check("reduce", [](const auto& all) { ignore(all.reduce([](Fragile x, const Fragile&) { return x; })); });
    }
  }
}

}  // namespace
}  // namespace blitz_test
