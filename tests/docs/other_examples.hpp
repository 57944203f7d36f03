// Like examples.hpp, for the headers that need another library: the names for the libraries that have been included. (A
// namespace called asio would hide the library's.)
#pragma once

#include <memory>

#include <blitz/fork_join.hpp>

namespace examples {

extern blitz::ThreadPool pool;
extern int n;

namespace of_asio_context {
void answer();
}
namespace of_stdexec {
void work_on(int item);
}
#if defined(ASIO_VERSION)
namespace of_asio {
asio::awaitable<void> serve();
}
#endif
#if defined(BOOST_ASIO_VERSION)
namespace of_boost_asio {
boost::asio::awaitable<void> serve();
}
#endif
#if defined(EIGEN_WORLD_VERSION)
namespace of_eigen {
extern Eigen::Tensor<float, 2> a, b, c;
extern Eigen::array<Eigen::IndexPair<int>, 1> dims;
}  // namespace of_eigen
#endif

}  // namespace examples
