/// @file
/// The version of oneTBB that these headers implement, and its namespaces. Each of the headers includes this one.
#pragma once

// BLITZ_TBB tells a program that these headers are blitz's. The other macros are those of the version with this interface.
#define BLITZ_TBB 1
#define TBB_VERSION_MAJOR 2021
#define TBB_VERSION_MINOR 8
#define TBB_VERSION_PATCH 0
#define TBB_VERSION_STRING "2021.8.0 (blitz)"
#define TBB_INTERFACE_VERSION 12080
#define TBB_INTERFACE_VERSION_MAJOR 12
#define TBB_INTERFACE_VERSION_MINOR 8

extern "C" inline const char* TBB_runtime_version() { return TBB_VERSION_STRING; }
extern "C" inline int TBB_runtime_interface_version() { return TBB_INTERFACE_VERSION; }

/// oneTBB's assertion macros, which some programs use. They check nothing.
#ifndef __TBB_ASSERT
#define __TBB_ASSERT(predicate, comment) (static_cast<void>(0))
#endif
#ifndef __TBB_ASSERT_EX
#define __TBB_ASSERT_EX(predicate, comment) (static_cast<void>(1 && (predicate)))
#endif

/// oneTBB's names.
namespace tbb {
namespace detail {
/// Some programs use oneTBB's internal namespaces.
namespace d1 {
using namespace ::tbb;
}
namespace d2 {
using namespace ::tbb;
}
}  // namespace detail
}  // namespace tbb

/// oneTBB's names, in its other namespace.
namespace oneapi {
namespace tbb = ::tbb;
}
