/// The functions of <memory> for objects in raw memory: construct_at, destroy, uninitialized_move, to_address and others. Every
/// container needs them, so <vector> includes them. With the shared pointers of <memory>, clang would take longer to compile
/// these algorithms than those in the standard library.
#pragma once

#include <vector>
