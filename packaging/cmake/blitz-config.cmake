# find_package(blitz): the targets blitz::blitz (shared or static, as it was built), blitz::static (if it was built), and one for
# each adaptor: see blitz-adaptors.cmake.
include(CMakeFindDependencyMacro)
find_dependency(Threads)
include("${CMAKE_CURRENT_LIST_DIR}/blitz-targets.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/blitz-adaptors.cmake")
