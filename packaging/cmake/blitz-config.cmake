# find_package(blitz): the targets blitz::blitz (shared or static, as it was built) blitz::static (if it was built),
# blitz::pstl, for programs with std::execution::par, and blitz::tbb, for programs of oneTBB.
include(CMakeFindDependencyMacro)
find_dependency(Threads)
include("${CMAKE_CURRENT_LIST_DIR}/blitz-targets.cmake")
