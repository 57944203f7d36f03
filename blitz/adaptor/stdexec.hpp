/// @file
/// StdexecScheduler: a pool as a scheduler of stdexec, the reference implementation of C++26's senders. Like the headers of
/// stdexec, this file calls its namespace STDEXEC: a program may choose a name other than `stdexec` by STDEXEC_NAMESPACE.
#pragma once

#include "blitz/detail/base/compiler.hpp"

#if !__has_include(<stdexec/execution.hpp>)
#error "blitz: <blitz/adaptor/stdexec.hpp> needs stdexec, https://github.com/NVIDIA/stdexec"
#endif
#include <concepts>
#include <exception>
#include <type_traits>
#include <utility>

#include <stdexec/execution.hpp>

#include "blitz/adaptor/sender.hpp"

/// @cond
#if !defined(STDEXEC)
#define STDEXEC stdexec  // Versions before January 2026 do not define it. They are rejected below.
#endif
/// @endcond
namespace STDEXEC {
struct sender_tag;  // Stays incomplete with a version of stdexec that does not define it.
}  // namespace STDEXEC

namespace blitz {

namespace detail {

template <class T>
concept Complete = requires { sizeof(T); };
static_assert(Complete<::STDEXEC::sender_tag>,
              "blitz: <blitz/adaptor/stdexec.hpp> needs stdexec of April 2026 or later");

struct Stdexec;

/// Replaces each form of `bulk` by a BulkSender, unless its policy allows only one thread.
struct StdexecDomain : ::STDEXEC::default_domain {
  template <class S, class Env>
    requires std::same_as<::STDEXEC::tag_of_t<S>, ::STDEXEC::bulk_chunked_t>
  static auto transform_sender(::STDEXEC::set_value_t, S&& sender, const Env& /*env*/) {
    return parallel(std::forward<S>(sender), []<class F>(F&& f) { return std::forward<F>(f); });
  }
  template <class S, class Env>
    requires std::same_as<::STDEXEC::tag_of_t<S>, ::STDEXEC::bulk_unchunked_t>
  static auto transform_sender(::STDEXEC::set_value_t, S&& sender, const Env& /*env*/) {
    return parallel(std::forward<S>(sender),
                    []<class F>(F&& f) { return ForEachOfBlock<std::decay_t<F>>{std::forward<F>(f)}; });
  }

 private:
  /// A reference to a part, with the value category of the whole, S.
  template <class S, class Part>
  using Like = std::conditional_t<std::is_lvalue_reference_v<S>, std::remove_reference_t<Part>&,
                                  std::remove_reference_t<Part>&&>;

  template <class S, class ToBody>
  static auto parallel(S&& sender, const ToBody& to_body) {
    auto& [tag, data, child] = sender;
    auto& [policy, shape, f] = data;
    using Policy = std::remove_cvref_t<decltype(policy.__get())>;
    if constexpr (std::same_as<Policy, std::remove_cvref_t<decltype(::STDEXEC::par)>> ||
                  std::same_as<Policy, std::remove_cvref_t<decltype(::STDEXEC::par_unseq)>>) {
      auto body = to_body(static_cast<Like<S, decltype(f)>>(f));
      return BulkSender<Stdexec, std::decay_t<decltype(child)>, std::decay_t<decltype(shape)>, decltype(body)>(
          static_cast<Like<S, decltype(child)>>(child), shape, std::move(body));
    } else {
      return std::forward<S>(sender);
    }
  }
};

/// The vocabulary of stdexec.
struct Stdexec {
  using SenderTag = ::STDEXEC::sender_tag;
  using ReceiverTag = ::STDEXEC::receiver_tag;
  using OperationStateTag = ::STDEXEC::operation_state_tag;
  using SchedulerTag = ::STDEXEC::scheduler_tag;

  template <class Scheduler>
  struct Attributes {
    template <class Completion>
    [[nodiscard]] Scheduler query(::STDEXEC::get_completion_scheduler_t<Completion>) const noexcept {
      return scheduler;
    }
    template <class Completion>
    [[nodiscard]] StdexecDomain query(::STDEXEC::get_completion_domain_t<Completion>) const noexcept {
      return {};
    }
    Scheduler scheduler;
  };
  template <class Scheduler>
  struct SchedulerQueries {
    [[nodiscard]] static constexpr auto query(::STDEXEC::get_forward_progress_guarantee_t) noexcept {
      return ::STDEXEC::forward_progress_guarantee::parallel;
    }
    [[nodiscard]] Scheduler query(::STDEXEC::get_completion_scheduler_t<::STDEXEC::set_value_t>) const noexcept {
      return static_cast<const Scheduler&>(*this);
    }
    [[nodiscard]] StdexecDomain query(::STDEXEC::get_completion_domain_t<::STDEXEC::set_value_t>) const noexcept {
      return {};
    }
  };

  struct ScheduleCompletes {
    using completion_signatures =
        ::STDEXEC::completion_signatures<::STDEXEC::set_value_t(), ::STDEXEC::set_error_t(std::exception_ptr),
                                         ::STDEXEC::set_stopped_t()>;
  };
  /// The completions of the sender before it, an exception of the body, and stopped.
  template <class Child>
  struct BulkCompletes {
    template <class Self, class... Env>
    [[nodiscard]] static consteval auto get_completion_signatures() {
      return with<::STDEXEC::set_stopped_t()>(
          with<::STDEXEC::set_error_t(std::exception_ptr)>(::STDEXEC::get_completion_signatures<Child, Env...>()));
    }

   private:
    template <class Added, class... Known>
    [[nodiscard]] static consteval auto with(::STDEXEC::completion_signatures<Known...> known) {
      if constexpr ((std::same_as<Added, Known> || ...)) {
        return known;
      } else {
        return ::STDEXEC::completion_signatures<Known..., Added>();
      }
    }
  };

  template <class S, class R>
  [[nodiscard]] static auto connect(S&& sender, R receiver) {
    return ::STDEXEC::connect(std::forward<S>(sender), std::move(receiver));
  }
  template <class R>
  [[nodiscard]] static auto stop_token(const R& receiver) noexcept {
    return ::STDEXEC::get_stop_token(::STDEXEC::get_env(receiver));
  }
  template <class S>
  [[nodiscard]] static decltype(auto) env_of(const S& object) noexcept {
    return ::STDEXEC::get_env(object);
  }
};

}  // namespace detail

/// @brief A pool as a scheduler of stdexec; see BasicPoolScheduler.
/// @code
///   blitz::StdexecScheduler scheduler(pool);
///   stdexec::sync_wait(stdexec::schedule(scheduler) |
///                      stdexec::bulk(stdexec::par, n, work_on));
/// @endcode
using StdexecScheduler = BasicPoolScheduler<detail::Stdexec>;

}  // namespace blitz
