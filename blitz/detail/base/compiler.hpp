/// The requirements of blitz on the compiler and its standard library. Every public header includes this one first, so that an
/// unsuitable build fails with one message instead of pages.
#pragma once

#if !defined(__cplusplus) || __cplusplus < 202002L
#define BLITZ_UNFIT_COMPILER
#error "blitz needs C++20: compile with -std=c++20 or later, with g++ 11, clang 16 or a newer compiler"
#elif !defined(__cpp_exceptions)
#define BLITZ_UNFIT_COMPILER
#error "blitz needs exceptions: compile without -fno-exceptions"
#else
#include <version>
#if !defined(__cpp_concepts) || !defined(__cpp_lib_concepts) || !defined(__cpp_lib_ranges) || \
    !defined(__cpp_lib_jthread) || !defined(__cpp_lib_integer_comparison_functions)
#define BLITZ_UNFIT_COMPILER
#error "blitz needs a standard library with concepts, ranges and std::stop_token, such as that of g++ 11"
#endif
#endif

#if defined(BLITZ_UNFIT_COMPILER)
#include <the_error_above_says_what_blitz_needs>  // There is no such file: the compiler stops here.
#endif
