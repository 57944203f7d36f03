#include "support/policies.hpp"

#include "support/reference_policy.hpp"

namespace blitz::detail {

template <>
Shared<PoolBase> start_pool<blitz_test::AnyPolicy>(ThreadPoolOptions options) {
  using blitz_test::TestedPolicy;
  switch (blitz_test::tested_policy) {
    case TestedPolicy::kForkJoin:
      return start_pool<ForkJoinPolicy>(std::move(options));
    case TestedPolicy::kAsync:
      return start_pool<AsyncPolicy>(std::move(options));
    case TestedPolicy::kReference:
      return start_pool<blitz_test::ReferencePolicy>(std::move(options));
    case TestedPolicy::kUnhelped:
      break;
  }
  return start_pool<blitz_test::UnhelpedPolicy>(std::move(options));
}

}  // namespace blitz::detail
