/// @file
/// The version of these headers.
#pragma once

/// The first number of the version.
#define BLITZ_VERSION_MAJOR 0
/// The second number of the version.
#define BLITZ_VERSION_MINOR 2
/// The third number of the version.
#define BLITZ_VERSION_PATCH 0
/// The version as text.
#define BLITZ_VERSION_STRING "0.2.0"

/// One number that grows with the version, for comparisons by the preprocessor: 1.2.3 is 10203.
#define BLITZ_VERSION (BLITZ_VERSION_MAJOR * 10000 + BLITZ_VERSION_MINOR * 100 + BLITZ_VERSION_PATCH)
