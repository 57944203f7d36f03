# find_package(blitz): the targets blitz::blitz (shared or static, as it was built) and blitz::static (if it was built).
include(CMakeFindDependencyMacro)
find_dependency(Threads)
include("${CMAKE_CURRENT_LIST_DIR}/blitz-targets.cmake")
