/// What <memory> declares for objects in raw memory: construct_at, destroy, uninitialized_move and their like, and
/// to_address. Every container is made of them, so <vector> brings them along; with the shared pointers of <memory> clang
/// would take longer for the algorithms than for those of the standard library.
#pragma once

#include <vector>
