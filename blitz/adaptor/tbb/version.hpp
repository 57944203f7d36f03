/// @file
/// The version of oneTBB that the stand-ins speak for.
#pragma once

// A program may ask for BLITZ_TBB. The others are of the version whose interface is taken over.
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
