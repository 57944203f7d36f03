// A stage of pipelines with its type erased, so that tests with many chains compile each stage only once.
#pragma once

#include <memory>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include <blitz/pipeline.hpp>

#include "blitz/detail/base/function_ref.hpp"

namespace blitz_test {

/// Any stage of Items. `kPositions`: the stage has one item at each position.
template <class Item, bool kPositions>
class AnyStage {
 public:
  using LoopIndex = blitz::detail::LoopIndex;
  using Items = blitz::detail::Pack<Item>;
  static constexpr bool kIndexed = kPositions;
  static constexpr bool kTwoPasses = !kPositions;

  template <class S>
  explicit AnyStage(const S& stage) : stage_(std::make_shared<Of<S>>(stage)) {}

  [[nodiscard]] LoopIndex positions() const { return stage_->positions(); }
  void first_pass(const blitz::AlgorithmOptions& options) { stage_ = stage_->ready(options); }
  void end_early() const noexcept { stage_->end_early(); }
  template <class Sink>
  bool for_each(LoopIndex first, LoopIndex last, const Sink& sink) const {
    return stage_->for_each(first, last, [&sink](Item& item) -> bool { return sink(std::move(item)); });
  }
  template <class Sink>
  decltype(auto) at(LoopIndex i, const Sink& sink) const
    requires kPositions
  {
    return sink(stage_->at(i));
  }

 private:
  using ItemSink = blitz::detail::FunctionRef<bool(Item&)>;

  struct Stage {
    virtual ~Stage() = default;
    [[nodiscard]] virtual LoopIndex positions() const = 0;
    [[nodiscard]] virtual std::shared_ptr<const Stage> ready(const blitz::AlgorithmOptions& options) const = 0;
    virtual void end_early() const noexcept = 0;
    virtual bool for_each(LoopIndex first, LoopIndex last, ItemSink sink) const = 0;
    [[nodiscard]] virtual Item at(LoopIndex i) const = 0;
  };

  template <class S>
  struct Of final : Stage {
    explicit Of(const S& the_stage) : stage(the_stage) {}
    [[nodiscard]] LoopIndex positions() const override { return stage.positions(); }
    [[nodiscard]] std::shared_ptr<const Stage> ready(const blitz::AlgorithmOptions& options) const override {
      auto copy = std::make_shared<Of>(stage);
      if constexpr (S::kTwoPasses) copy->stage.first_pass(options);
      return copy;
    }
    void end_early() const noexcept override {
      if constexpr (S::kTwoPasses) stage.end_early();
    }
    bool for_each(LoopIndex first, LoopIndex last, ItemSink sink) const override {
      return stage.for_each(first, last, [&sink](auto&& item) {
        if constexpr (std::is_const_v<std::remove_reference_t<decltype(item)>>) {
          Item copy(item);
          return sink(copy);
        } else {
          return sink(item);
        }
      });
    }
    [[nodiscard]] Item at(LoopIndex i) const override {
      if constexpr (kPositions) {
        return stage.at(i, [](auto&& item) { return Item(std::move(item)); });
      } else {
        throw std::logic_error("no item has a position");
      }
    }
    S stage;
  };

  std::shared_ptr<const Stage> stage_;
};

}  // namespace blitz_test
