#!/usr/bin/env python3
"""Checks the compiler's messages for wrong calls. Each wrong call must be refused with a message that names the violated
concept of blitz, and its correct twin must be accepted. For the most likely mistakes, the first line must give the correction.

    compile_fail_test.py INCLUDE_DIR COMPILER...
"""

import pathlib
import re
import subprocess
import sys
import tempfile

PREAMBLE = """
#include <functional>
#include <iterator>
#include <list>
#include <memory>
#include <ranges>
#include <string>
#include <vector>
#include <blitz/algorithm.hpp>
#include <blitz/blitz.hpp>
#include <blitz/pipeline.hpp>
struct NotAPolicy {};
struct NotAPart {
  struct Place {};
};
struct NoDefault {
  explicit NoDefault(int) {}
};
struct Person {
  std::string name;
  int age;
};
struct Place {
  int height;
};
struct Bits {
  static constexpr unsigned min() { return 0; }
  static constexpr unsigned max() { return 255; }
  unsigned operator()() { return 4; }
};
struct ExecutionPolicy {
} execution_par;  // std::execution::par needs oneTBB's headers
"""

# A compiler then gives "snippet_N" as the file in its messages about the snippet.
FUNCTION = """
void test_{index}() {{
  [[maybe_unused]] std::list<int> list(3);
  [[maybe_unused]] std::vector<int> vector(3);
  [[maybe_unused]] std::vector<int> output(6);
  [[maybe_unused]] std::stop_token token;
  [[maybe_unused]] auto a = [] {{ return 1; }};
  [[maybe_unused]] auto takes_int = [](int) {{}};
  [[maybe_unused]] auto small = [](auto x) {{ return int(x); }};
  [[maybe_unused]] auto takes_string = [](const std::string&) {{}};
#line 1 "snippet_{index}"
  {snippet}
#line 1 "between"
}}
"""

# name: (wrong, right, the concept that the message must name)
CASES = {
    "find in a list": (
        "(void)blitz::find(list, 1);",
        "(void)blitz::find(vector, 1);",
        "LoopRange",
    ),
    "find of what the items cannot be compared with": (
        "(void)blitz::find(vector, NoDefault(1));",
        "(void)blitz::find(vector, 1L);",
        "ComparableValue",
    ),
    "min_element by no comparison": (
        "(void)blitz::min_element(vector, takes_int);",
        "(void)blitz::min_element(vector, std::greater<>{});",
        "ComparesItems",
    ),
    "count_if by no predicate": (
        "(void)blitz::count_if(vector, takes_string);",
        "(void)blitz::count_if(vector, small);",
        "indirect_unary_predicate",
    ),
    "copy to items that items cannot be assigned to": (
        "std::vector<NoDefault> out(3, NoDefault(1)); blitz::copy(vector, out);",
        "std::vector<long> out(3); static_assert(requires { blitz::copy(vector, out); });",
        "Transferable",
    ),
    "histogram by fractions": (
        "(void)blitz::histogram(vector, 3, [](int x) { return x / 2.0; });",
        "static_assert(requires { blitz::histogram(vector, 3, small); });",
        "BinFunction",
    ),
    "group_by of keys that cannot be hashed": (
        "(void)blitz::group_by(vector, [](int) { return NoDefault(1); });",
        "static_assert(requires { blitz::group_by(vector, small); });",
        "GroupKeyFunction",
    ),
    "inclusive_scan by no operation": (
        "std::vector<int> out(3); blitz::inclusive_scan(vector, out, takes_int);",
        "std::vector<int> out(3); static_assert(requires { blitz::inclusive_scan(vector, out, std::plus<>{}); });",
        "ScanFunction",
    ),
    "reduce from a value of another type": (
        "(void)blitz::reduce(vector, std::string());",
        "static_assert(requires { blitz::reduce(vector, 0L); });",
        "BeginsWithItems",
    ),
    "transform_reduce by a transformation of something else": (
        "(void)blitz::transform_reduce(vector, 0, std::plus<>{}, takes_string);",
        "static_assert(requires { blitz::transform_reduce(vector, 0, std::plus<>{}, small); });",
        "TransformReduces",
    ),
    "sort_by_key with constant values": (
        "const std::vector<int> values(3); blitz::sort_by_key(vector, values);",
        "std::vector<int> values(3); static_assert(requires { blitz::sort_by_key(vector, values); });",
        "SortableByKey",
    ),
    "sort_by_cached_key of keys without an order": (
        "blitz::sort_by_cached_key(vector, [](int) { return NoDefault(1); });",
        "static_assert(requires { blitz::sort_by_cached_key(vector, small); });",
        "SortableByCachedKey",
    ),
    "shuffle by a number": (
        "blitz::shuffle(vector, 7);",
        "static_assert(requires { blitz::shuffle(vector, Bits()); });",
        "RandomBits",
    ),
    "iota from what no number can be added to": (
        "std::vector<std::string> v(3); blitz::iota(v, std::string());",
        "static_assert(requires { blitz::iota(vector, 1); });",
        "Countable",
    ),
    "sum of what is no number": (
        "(void)blitz::par(vector).map([](int) { return std::string(); }).sum();",
        "(void)blitz::par(vector).map([](int) { return std::string(); }).reduce(std::plus<>{});",
        "PipelineNumber",
    ),
    **{
        f"{call} of what is no number": (
            f"(void)blitz::par(vector).map([](int) {{ return std::string(); }}).{call}();",
            f"(void)blitz::par(vector).{call}();",
            "PipelineNumber",
        )
        for call in ["ordered_sum", "product"]
    },
    "a pipeline of a number": (
        "(void)blitz::par(42);",
        "(void)blitz::par(0, 42);",
        "LoopRange",
    ),
    "a pipeline that ends with no stage": (
        "blitz::Pipeline<int>* pipeline;",
        "decltype(blitz::par(vector))* pipeline;",
        "PipelineStage",
    ),
    "from of a number": (
        "(void)blitz::from(42);",
        "(void)blitz::from(list);",
        "input_range",
    ),
    "split by a callable that returns no parts": (
        "(void)blitz::split(1, small);",
        "(void)blitz::split(1, [](int n) { return std::pair(n, std::optional<int>()); });",
        "SplitFunction",
    ),
    "walk_tree by a callable that returns no children": (
        "(void)blitz::walk_tree(1, small);",
        "(void)blitz::walk_tree(1, [](int n) { return std::views::iota(n, n); });",
        "TreeFunction",
    ),
    "group_by, in a pipeline, of what cannot be hashed": (
        "(void)blitz::par(vector).group_by([](int) { return NoDefault(1); });",
        "(void)blitz::par(vector).group_by([](int x) { return x; });",
        "GroupKeyFunction",
    ),
    "unzip of what are no pairs": (
        "(void)blitz::par(vector).unzip();",
        "(void)blitz::par(vector, vector).unzip();",
        "tuple_size",
    ),
    "collect into constant items": (
        "const std::vector<int> out(3); (void)blitz::par(vector).collect_into(out);",
        "std::vector<int> out(3); (void)blitz::par(vector).collect_into(out);",
        "writable",
    ),
    "join of something not callable": (
        "blitz::join(a, 42);",
        "blitz::join(a, [] { return 42; });",
        "JoinFunction",
    ),
    "join of a callable that wants an argument": (
        "blitz::join(a, takes_int);",
        "blitz::join(a, [&] { takes_int(1); });",
        "JoinFunction",
    ),
    "join of three, one not callable": (
        "blitz::join(a, a, vector);",
        "blitz::join(a, a, a);",
        "JoinFunction",
    ),
    "join in a pool": (
        "blitz::ThreadPool pool; pool.join(42, a);",
        "blitz::ThreadPool pool; pool.join(a, a);",
        "JoinFunction",
    ),
    "join_context of a callable without an argument": (
        "blitz::join_context(a, a);",
        "blitz::join_context([](blitz::JoinContext) {}, [](auto) {});",
        "JoinContextFunction",
    ),
    "parallel_for over a list": (
        "blitz::parallel_for(list, takes_int);",
        "blitz::parallel_for(vector, takes_int);",
        "LoopRange",
    ),
    "parallel_for_blocks over a list": (
        "blitz::parallel_for_blocks(list, [](auto) {});",
        "blitz::parallel_for_blocks(vector, [](auto) {});",
        "LoopRange",
    ),
    "parallel_for over a list's iterators": (
        "blitz::parallel_for(list.begin(), list.end(), takes_int);",
        "blitz::parallel_for(vector.begin(), vector.end(), takes_int);",
        "LoopBounds",
    ),
    "parallel_for between floating-point bounds": (
        "blitz::parallel_for(0.0, 1.0, [](double) {});",
        "blitz::parallel_for(0, 1, [](double) {});",
        "LoopBounds",
    ),
    "parallel_for from a letter": (
        "blitz::parallel_for('a', 1.0, [](char) {});",
        "blitz::parallel_for('a', 'z', [](char) {});",
        "LoopBounds",
    ),
    "a body that takes the wrong type": (
        "blitz::parallel_for(vector, takes_string);",
        "blitz::parallel_for(std::vector<std::string>(3), takes_string);",
        "LoopFunction",
    ),
    "a body that takes the wrong type, over integers": (
        "blitz::parallel_for(0, 3, takes_string);",
        "blitz::parallel_for(0, 3, takes_int);",
        "LoopFunction",
    ),
    "a body that takes the wrong type, with a step": (
        "blitz::parallel_for(0, 3, 2, takes_string);",
        "blitz::parallel_for(0, 3, 2, takes_int);",
        "LoopFunction",
    ),
    "parallel_for with a fraction as its step": (
        "blitz::parallel_for(0, 3, 0.5, takes_int);",
        "blitz::parallel_for(0, 3, 1, takes_int);",
        "LoopInteger",
    ),
    "a body that takes no tile": (
        "blitz::parallel_for_tiles({3, 3}, takes_int);",
        "blitz::parallel_for_tiles({3, 3}, [](const blitz::Tile<2>&) {});",
        "LoopFunction",
    ),
    "parallel_for_each with a body that takes the wrong type": (
        "blitz::parallel_for_each(list, takes_string);",
        "blitz::parallel_for_each(list, takes_int);",
        "ForEachFunction",
    ),
    "parallel_for_each with a feeder of another type": (
        "blitz::parallel_for_each(list, [](int, blitz::Feeder<char>&) {});",
        "blitz::parallel_for_each(list, [](int, blitz::Feeder<int>&) {});",
        "ForEachFunction",
    ),
    "parallel_for over truth values": (
        "blitz::parallel_for(false, true, [](auto) {});",
        "blitz::parallel_for(0, 1, [](auto) {});",
        "LoopBounds",
    ),
    "parallel_reduce over truth values": (
        "blitz::parallel_reduce(false, true, 0, std::plus<>());",
        "blitz::parallel_reduce(0, 1, 0, std::plus<>());",
        "LoopBounds",
    ),
    "a body for items where blocks come": (
        "blitz::parallel_for_blocks(vector, takes_int);",
        "blitz::parallel_for_blocks(vector, [](auto block) { block.front() = 1; });",
        "LoopFunction",
    ),
    "a body that would change constant items": (
        "const std::vector<int> items(3); blitz::parallel_for(items, [](int& x) { ++x; });",
        "std::vector<int> items(3); blitz::parallel_for(items, [](int& x) { ++x; });",
        "LoopFunction",
    ),
    "parallel_reduce over a list": (
        "blitz::parallel_reduce(list, 0, std::plus<>());",
        "blitz::parallel_reduce(vector, 0, std::plus<>());",
        "LoopRange",
    ),
    "parallel_reduce over a list's iterators": (
        "blitz::parallel_reduce(list.begin(), list.end(), 0, std::plus<>());",
        "blitz::parallel_reduce(vector.begin(), vector.end(), 0, std::plus<>());",
        "LoopBounds",
    ),
    "parallel_reduce from an identity of another type": (
        "blitz::parallel_reduce(vector, std::string(), std::plus<>());",
        "blitz::parallel_reduce(std::vector<std::string>(3), std::string(), std::plus<>());",
        "ReduceFunction",
    ),
    "parallel_reduce of numbers with a fraction from an integer": (
        "blitz::parallel_reduce(std::vector<double>(3), 0, std::plus<>());",
        "blitz::parallel_reduce(std::vector<double>(3), 0.0, std::plus<>());",
        "ReducesTo",
    ),
    "parallel_reduce from an identity that can be neither copied nor called": (
        "blitz::parallel_reduce(vector, std::unique_ptr<int>(), [](auto x, const auto&) { return x; });",
        "blitz::parallel_reduce(vector, [] { return std::unique_ptr<int>(); }, [](auto x, const auto&) { return x; });",
        "ReduceIdentity",
    ),
    "parallel_reduce by something not callable": (
        "blitz::parallel_reduce(vector, 0, 42);",
        "blitz::parallel_reduce(vector, 0, [](int x, int y) { return x + y; });",
        "ReduceFunction",
    ),
    "parallel_reduce by an operation on items alone": (
        "blitz::parallel_reduce(vector, std::string(), [](std::string s, int) { return s; });",
        "blitz::parallel_reduce(vector, std::string(), [](std::string s, auto) { return s; });",
        "ReduceFunction",
    ),
    "parallel_reduce by an operation without a result": (
        "blitz::parallel_reduce(vector, 0, [](int, int) {});",
        "blitz::parallel_reduce(vector, 0, [](int x, int) { return x; });",
        "ReduceFunction",
    ),
    "parallel_reduce over integers by an operation on something else": (
        "blitz::parallel_reduce(0, 3, std::string(), std::plus<>());",
        "blitz::parallel_reduce(0, 3, 0, std::plus<>());",
        "ReduceFunction",
    ),
    "parallel_reduce with a fold of other items": (
        "blitz::parallel_reduce(vector, 0, [](int n, const std::string&) { return n; }, std::plus<>());",
        "blitz::parallel_reduce(vector, 0, [](int n, int) { return n; }, std::plus<>());",
        "ReduceFoldFunction",
    ),
    "parallel_reduce with a fold that returns nothing": (
        "blitz::parallel_reduce(0, 3, 0, [](int, int) {}, std::plus<>());",
        "blitz::parallel_reduce(0, 3, 0, [](int n, int) { return n; }, std::plus<>());",
        "ReduceFoldFunction",
    ),
    "parallel_reduce with a fold, and values that cannot be combined": (
        "blitz::parallel_reduce(vector, NoDefault(1), [](NoDefault n, int) { return n; }, std::plus<>());",
        "blitz::parallel_reduce(vector, NoDefault(1), [](NoDefault n, int) { return n; },"
        " [](NoDefault n, NoDefault) { return n; });",
        "ReduceCombineFunction",
    ),
    "parallel_reduce with a fold over a list": (
        "blitz::parallel_reduce(list, 0, std::plus<>(), std::plus<>());",
        "blitz::parallel_reduce(vector, 0, std::plus<>(), std::plus<>());",
        "LoopRange",
    ),
    "parallel_reduce_blocks with a fold of items": (
        "blitz::parallel_reduce_blocks(vector, 0, [](int n, int) { return n; }, std::plus<>());",
        "blitz::parallel_reduce_blocks(vector, 0, [](int n, auto block) { return n + block.front(); }, std::plus<>());",
        "ReduceBlockFunction",
    ),
    "parallel_reduce_blocks with values that cannot be combined": (
        "blitz::parallel_reduce_blocks(vector, 0, [](int n, auto) { return n; }, takes_int);",
        "blitz::parallel_reduce_blocks(vector, 0, [](int n, auto) { return n; }, std::plus<>());",
        "ReduceCombineFunction",
    ),
    "parallel_reduce_blocks over a list": (
        "blitz::parallel_reduce_blocks(list, 0, [](int n, auto) { return n; }, std::plus<>());",
        "blitz::parallel_reduce_blocks(vector, 0, [](int n, auto) { return n; }, std::plus<>());",
        "LoopRange",
    ),
    "parallel_transform_reduce with a transformation of something else": (
        "blitz::parallel_transform_reduce(vector, 0, std::plus<>(), [](const std::string&) { return 1; });",
        "blitz::parallel_transform_reduce(vector, 0, std::plus<>(), [](int) { return 1; });",
        "ReduceTransformFunction",
    ),
    "parallel_transform_reduce with a transformation without a result": (
        "blitz::parallel_transform_reduce(0, 3, 0, std::plus<>(), takes_int);",
        "blitz::parallel_transform_reduce(0, 3, 0, std::plus<>(), [](int x) { return x; });",
        "ReduceTransformFunction",
    ),
    "parallel_transform_reduce with a result that the operation does not take": (
        "blitz::parallel_transform_reduce(vector, 0, std::plus<>(), [](int) { return std::string(); });",
        "blitz::parallel_transform_reduce(vector, std::string(), std::plus<>(), [](int) { return std::string(); });",
        "ReduceFunction",
    ),
    "join_all of numbers": (
        "blitz::join_all(vector);",
        "blitz::join_all(std::vector<void (*)()>(3));",
        "JoinAllRange",
    ),
    "join_all of callables that return references": (
        "blitz::join_all(std::vector<int& (*)()>(3));",
        "blitz::join_all(std::vector<int (*)()>(3));",
        "JoinAllRange",
    ),
    "join_all in a pool": (
        "blitz::ThreadPool pool; pool.join_all(a);",
        "blitz::ThreadPool pool; pool.join_all(std::vector(3, a));",
        "JoinAllRange",
    ),
    "parallel_invoke of something not callable": (
        "blitz::parallel_invoke(a, a, 42);",
        "blitz::parallel_invoke(a, a, a);",
        "JoinFunction",
    ),
    "parallel_invoke in a pool": (
        "blitz::ThreadPool pool; pool.parallel_invoke(takes_int, a);",
        "blitz::ThreadPool pool; pool.parallel_invoke(a, a);",
        "JoinFunction",
    ),
    "a pool of something that is no policy": (
        "blitz::BasicThreadPool<NotAPolicy> pool;",
        "blitz::BasicThreadPool<blitz::ForkJoinPolicy> pool;",
        "Policy",
    ),
    **{
        f"a policy with a wrong {part}": (
            f"struct P : blitz::ForkJoinPolicy {{ using {part} = NotAPart; }}; blitz::BasicThreadPool<P>* pool;",
            f"struct P : blitz::ForkJoinPolicy {{ using {part} = {part}; }}; blitz::BasicThreadPool<P>* pool;",
            concept,
        )
        for part, concept in {
            "Injector": "JobInjector",
            "LocalQueue": "JobQueue",
            "Idle": "IdleProtocol",
            "Finder": "JobFinder",
        }.items()
    },
    "install of something not callable": (
        "blitz::ThreadPool pool; pool.install(42);",
        "blitz::ThreadPool pool; pool.install(a);",
        "invocable",
    ),
    "join of a null function": (
        "blitz::join(nullptr, a);",
        "blitz::join(a, a);",
        "JoinFunction",
    ),
    "parallel_for with a null function": (
        "blitz::parallel_for(0, 3, nullptr);",
        "blitz::parallel_for(0, 3, takes_int);",
        "LoopFunction",
    ),
    "parallel_invoke of a null function": (
        "blitz::parallel_invoke(a, nullptr);",
        "blitz::parallel_invoke(a, a);",
        "JoinFunction",
    ),
    "scope of a null function": (
        "blitz::scope(nullptr);",
        "blitz::scope([](blitz::Scope&) {});",
        "ScopeFunction",
    ),
    "scope of a body that takes something else": (
        "blitz::scope(takes_int);",
        "blitz::scope([](auto& scope) { scope.spawn([] {}); });",
        "ScopeFunction",
    ),
    "in_place_scope_fifo of a body that takes nothing": (
        "blitz::in_place_scope_fifo(a);",
        "blitz::in_place_scope_fifo([](blitz::ScopeFifo&) {});",
        "ScopeFunction",
    ),
    "spawn in a scope of a null function": (
        "blitz::scope([](blitz::Scope& scope) { scope.spawn(nullptr); });",
        "blitz::scope([](blitz::Scope& scope) { scope.spawn([] {}); });",
        "ScopeSpawnFunction",
    ),
    "spawn in a scope of a task that takes something else": (
        "blitz::scope([](blitz::Scope& scope) { scope.spawn([](int) {}); });",
        "blitz::scope([](blitz::Scope& scope) { scope.spawn([](blitz::Scope&) {}); });",
        "ScopeSpawnFunction",
    ),
    "spawn_broadcast in a scope of a task that takes nothing": (
        "blitz::scope([&](blitz::Scope& scope) { scope.spawn_broadcast(a); });",
        "blitz::scope([](blitz::Scope& scope) { scope.spawn_broadcast([](blitz::BroadcastContext) {}); });",
        "ScopeBroadcastFunction",
    ),
    "spawn of a null function": (
        "blitz::spawn(nullptr);",
        "blitz::spawn(a);",
        "SpawnFunction",
    ),
    "spawn_fifo of a callable that wants an argument": (
        "blitz::spawn_fifo(takes_int);",
        "blitz::spawn_fifo([] {});",
        "SpawnFunction",
    ),
    "spawn in a pool": (
        "blitz::ThreadPool pool; pool.spawn(nullptr);",
        "blitz::ThreadPool pool; pool.spawn(a);",
        "SpawnFunction",
    ),
    "spawn_broadcast of a callable that takes nothing": (
        "blitz::spawn_broadcast(a);",
        "blitz::spawn_broadcast([](blitz::BroadcastContext) {});",
        "SpawnBroadcastFunction",
    ),
    "broadcast of a null function": (
        "blitz::broadcast(nullptr);",
        "blitz::broadcast([](blitz::BroadcastContext c) { return c.index(); });",
        "BroadcastFunction",
    ),
    "async of a null function": (
        "blitz::async(static_cast<void (*)(int)>(nullptr));",
        "blitz::async(a).get();",
        "SpawnFunction",
    ),
    "a task group's run of a callable that wants an argument": (
        "blitz::TaskGroup group; group.run(takes_int);",
        "blitz::TaskGroup group; group.run(a);",
        "SpawnFunction",
    ),
    "a task group's run_and_wait of a null function": (
        "blitz::TaskGroup group; group.run_and_wait(nullptr);",
        "blitz::TaskGroup group; group.run_and_wait(a);",
        "JoinFunction",
    ),
    "isolate of a null function": (
        "blitz::isolate(nullptr);",
        "blitz::isolate(a);",
        "invocable",
    ),
    "install of a null function": (
        "blitz::ThreadPool pool; pool.install(nullptr);",
        "blitz::ThreadPool pool; pool.install(a);",
        "invocable",
    ),
    "install_blocking of a null function": (
        "blitz::ThreadPool pool; pool.install_blocking(nullptr);",
        "blitz::ThreadPool pool; pool.install_blocking(a);",
        "invocable",
    ),
    "a WorkerLocal of values that nothing makes": (
        "blitz::WorkerLocal<int> scratch(nullptr);",
        "blitz::WorkerLocal<int> scratch([] { return 1; });",
        "WorkerLocalFunction",
    ),
    "join_context in a pool": (
        "blitz::ThreadPool pool; pool.join_context(a, a);",
        "blitz::ThreadPool pool; pool.join_context([](blitz::JoinContext) {}, [](auto) {});",
        "JoinContextFunction",
    ),
    "scope in a pool": (
        "blitz::ThreadPool pool; pool.scope(a);",
        "blitz::ThreadPool pool; pool.scope([](blitz::Scope&) {});",
        "ScopeFunction",
    ),
    "in_place_scope in a pool": (
        "blitz::ThreadPool pool; pool.in_place_scope(nullptr);",
        "blitz::ThreadPool pool; pool.in_place_scope([](blitz::Scope&) {});",
        "ScopeFunction",
    ),
    "spawn_fifo in a scope of something not callable": (
        "blitz::scope([](blitz::Scope& scope) { scope.spawn_fifo(42); });",
        "blitz::scope([](blitz::Scope& scope) { scope.spawn_fifo([] {}); });",
        "ScopeSpawnFunction",
    ),
    "spawn_fifo in a pool": (
        "blitz::ThreadPool pool; pool.spawn_fifo(takes_int);",
        "blitz::ThreadPool pool; pool.spawn_fifo(a);",
        "SpawnFunction",
    ),
    "spawn_broadcast in a pool": (
        "blitz::ThreadPool pool; pool.spawn_broadcast(a);",
        "blitz::ThreadPool pool; pool.spawn_broadcast([](blitz::BroadcastContext) {});",
        "SpawnBroadcastFunction",
    ),
    "broadcast in a pool": (
        "blitz::ThreadPool pool; pool.broadcast(a);",
        "blitz::ThreadPool pool; pool.broadcast([](blitz::BroadcastContext) {});",
        "BroadcastFunction",
    ),
    "broadcast of a function whose results are references": (
        "blitz::broadcast([&](blitz::BroadcastContext) -> std::vector<int>& { return vector; });",
        "blitz::broadcast([&](blitz::BroadcastContext) -> std::vector<int>* { return &vector; });",
        "BroadcastFunction",
    ),
    "async in a pool": (
        "blitz::ThreadPool pool; static_cast<void>(pool.async(42));",
        "blitz::ThreadPool pool; pool.async(a).get();",
        "SpawnFunction",
    ),
    "isolate of a callable that wants an argument": (
        "blitz::isolate(takes_int);",
        "blitz::isolate([&] { takes_int(1); });",
        "invocable",
    ),
    "a WorkerLocal of values of another type": (
        "blitz::WorkerLocal<int> scratch([] { return std::string(); });",
        "blitz::WorkerLocal<int> scratch([] { return short(1); });",
        "WorkerLocalFunction",
    ),
    "a WorkerLocal of values that cannot be made from nothing": (
        "blitz::WorkerLocal<NoDefault> scratch;",
        "blitz::WorkerLocal<NoDefault> scratch([] { return NoDefault(1); });",
        "default_initializable",
    ),
    "worker_local::for_each with a function of something else": (
        "blitz::WorkerLocal<int> scratch; scratch.for_each(takes_string);",
        "blitz::WorkerLocal<int> scratch; scratch.for_each(takes_int);",
        "invocable",
    ),
    "worker_local::combine with a result of another type": (
        "blitz::WorkerLocal<int> scratch; (void)scratch.combine(0, [](int, int&) { return std::string(); });",
        "blitz::WorkerLocal<int> scratch; (void)scratch.combine(0, [](int x, int& y) { return x + y; });",
        "convertible_to",
    ),
    "a pool that is copied": (
        "blitz::ThreadPool pool; blitz::ThreadPool other(pool);",
        "blitz::ThreadPool pool; blitz::ThreadPool& other(pool); (void)other;",
        "deleted",
    ),
    "a scope that is copied": (
        "blitz::scope([](blitz::Scope& scope) { blitz::Scope other(scope); });",
        "blitz::scope([](blitz::Scope& scope) { blitz::Scope& other(scope); (void)other; });",
        "deleted",
    ),
    "a task group that is copied": (
        "blitz::TaskGroup group; blitz::TaskGroup other(group);",
        "blitz::TaskGroup group; blitz::TaskGroup& other(group); (void)other;",
        "deleted",
    ),
    "a handle that is copied": (
        "auto handle = blitz::async(a); auto other = handle;",
        "auto handle = blitz::async(a); auto other = std::move(handle); other.get();",
        "deleted",
    ),
}

# Calls that need the positions of items.
POSITION_CALLS = [
    "enumerate()",
    "zip(blitz::par(vector))",
    "take(1)",
    "skip(1)",
    "step_by(2)",
    "rev()",
    "scan(std::plus<>{})",
    "exclusive_scan(0, std::plus<>{})",
    "position_first(small)",
]

# Right calls, each with a range.
CALLS = {
    "blitz::parallel_for": "{}, takes_int",
    "blitz::parallel_for_blocks": "{}, [](auto) {{}}",
    "blitz::parallel_for_each": "{}, takes_int",
    "blitz::parallel_reduce": "{}, 0, std::plus<>()",
    "blitz::parallel_reduce_blocks": "{}, 0, [](int x, auto) {{ return x; }}, std::plus<>()",
    "blitz::parallel_transform_reduce": "{}, 0, std::plus<>(), small",
    "blitz::adjacent_find": "{}",
    "blitz::all_of": "{}, small",
    "blitz::copy": "{}, vector",
    "blitz::copy_if": "{}, vector, small",
    "blitz::count": "{}, 1",
    "blitz::count_if": "{}, small",
    "blitz::equal": "{}, vector",
    "blitz::fill": "{}, 1",
    "blitz::find": "{}, 1",
    "blitz::find_if": "{}, small",
    "blitz::for_each": "{}, takes_int",
    "blitz::generate": "{}, a",
    "blitz::inclusive_scan": "{}, vector",
    "blitz::is_sorted": "{}",
    "blitz::max_element": "{}",
    "blitz::merge": "{}, vector, output",
    "blitz::partition": "{}, small",
    "blitz::reduce": "{}",
    "blitz::remove_if": "{}, small",
    "blitz::replace_if": "{}, small, 1",
    "blitz::reverse": "{}",
    "blitz::set_union": "{}, vector, output",
    "blitz::sort": "{}",
    "blitz::stable_sort": "{}",
    "blitz::transform": "{}, vector, small",
    "blitz::transform_reduce": "{}, 0, std::plus<>(), small",
    "blitz::unique": "{}",
}

# The most likely mistakes of a newcomer. name: (wrong, right, the text required in the first line of the message)
MISTAKES = {
    "join_all of callables side by side": (
        "blitz::join_all(a, a);",
        "blitz::join_all(std::vector(2, a));",
        "blitz: join_all got callables instead of a range",
    ),
    "the extents of a grid without braces": (
        "blitz::parallel_for_tiles(3, 3, [](const blitz::Tile<2>&) {});",
        "blitz::parallel_for_tiles({3, 3}, [](const blitz::Tile<2>&) {});",
        "blitz: the extents of a grid are not in braces",
    ),
    "a loop over a list": (
        "blitz::parallel_for(list, [](int&) {});",
        "blitz::parallel_for_each(list, [](int&) {});",
        "for a list, a map or a set use blitz::parallel_for_each",
    ),
    "a loop over the iterators of a list": (
        "blitz::parallel_for(list.begin(), list.end(), [](int&) {});",
        "blitz::parallel_for_each(list, [](int&) {});",
        "for the items of a list use blitz::parallel_for_each",
    ),
    "a loop up to a number": (
        "blitz::parallel_for(9, [](int) {});",
        "blitz::parallel_for(0, 9, [](int) {});",
        "blitz::parallel_for(0, n, [&](int i) { ... })",
    ),
    "a loop between fractions": (
        "blitz::parallel_for(0.0, 1.0, [](double) {});",
        "blitz::parallel_for(0, 10, [](int i) { return i / 10.0; });",
        "compute a fraction in the body from an integer",
    ),
    "a body that ignores the index": (
        "blitz::parallel_for(0, 9, [] {});",
        "blitz::parallel_for(0, 9, [](int) {});",
        "cannot be called with one integer",
    ),
    "a body that expects an index where items come": (
        "std::vector<std::string> v(3); blitz::parallel_for(v, [](std::size_t) {});",
        "std::vector<std::string> v(3); blitz::parallel_for(0, v.size(), [](std::size_t) {});",
        "cannot be called with one item of the range",
    ),
    "a body that changes constant items": (
        "const std::vector<int> v(3); blitz::parallel_for(v, [](int& x) { ++x; });",
        "std::vector<int> v(3); blitz::parallel_for(v, [](int& x) { ++x; });",
        "the items of a constant range cannot be changed",
    ),
    "the options of a loop after its body": (
        "blitz::parallel_for(vector, [](int) {}, {.min_grain = 64, .stop = {}});",
        "blitz::parallel_for({.min_grain = 64, .stop = {}}, vector, [](int) {});",
        "the options come first: blitz::parallel_for({.stop = token}, range, f)",
    ),
    "a member of a pool in place of an option": (
        "blitz::ThreadPool pool; pool.parallel_for(vector, [](int) {});",
        "blitz::ThreadPool pool; blitz::parallel_for({.pool = &pool}, vector, [](int) {});",
        "loops are no members of a pool; pass the pool as an option: blitz::parallel_for({.pool = &pool}, ...)",
    ),
    "a member of a pool with options": (
        "blitz::ThreadPool pool; pool.parallel_reduce(vector, 0, std::plus<>{}, {.min_grain = 64});",
        "blitz::ThreadPool pool; (void)blitz::parallel_reduce({.min_grain = 64, .pool = &pool}, vector, 0, std::plus<>{});",
        "the options come first, and the pool is one of them: blitz::parallel_reduce({.pool = &pool}, ...)",
    ),
    "the options of a scope after its body": (
        "blitz::scope([](blitz::Scope&) {}, {.in_place = true});",
        "blitz::scope({.in_place = true}, [](blitz::Scope&) {});",
        "the options come first: blitz::scope({.stop = token}",
    ),
    "the options of a pipeline's source after its range": (
        "(void)blitz::from(list, {.batch = 3});",
        "(void)blitz::from({.batch = 3}, list);",
        "the options come first: blitz::from({.batch = 16}, range)",
    ),
    "the options of a scope with a name of its own": (
        "blitz::scope_fifo([](blitz::Scope&) {}, {.stop = {}});",
        "blitz::scope({.order = blitz::Order::kFifo, .stop = {}}, [](blitz::Scope&) {});",
        "scope_fifo has no options; use blitz::scope({.order = blitz::Order::kFifo",
    ),
    **{
        f"{old}, as it was called": (
            f"(void)blitz::{old};",
            f"(void)blitz::{new};",
            f"it is called blitz::{new}",
        )
        for old, new in {
            "Schedule::fixed": "Schedule::kFixed",
            "Schedule::adaptive": "Schedule::kAdaptive",
            "Flow::go_on": "Flow::kContinue",
            "Flow::stop": "Flow::kStop",
            "Affinity::none": "Affinity::kNone",
            "Affinity::one_per_worker": "Affinity::kOnePerWorker",
            "Yield::idle": "Yield::kIdle",
            "Yield::executed": "Yield::kExecuted",
        }.items()
    },
    "worker_local, as it was called": (
        "blitz::worker_local<int> scratch;",
        "blitz::WorkerLocal<int> scratch;",
        "it is called blitz::WorkerLocal",
    ),
    "a pool with an option that there is not": (
        "blitz::ThreadPool pool({.threads = 2});",
        "blitz::ThreadPool pool({.num_threads = 2});",
        "a pool has no such option; name the number of threads: blitz::ThreadPool pool({.num_threads = 8})",
    ),
    "the options of an algorithm behind its range": (
        "blitz::AlgorithmOptions options; blitz::sort(vector, options);",
        "blitz::AlgorithmOptions options; blitz::sort(options, vector);",
        "the options of an algorithm come first",
    ),
    "a grain as the last argument": (
        "blitz::parallel_for(0, 9, [](int) {}, 64);",
        "blitz::parallel_for({.min_grain = 64}, 0, 9, [](int) {});",
        "a grain is an option, and rarely needed",
    ),
    "a grain as the last argument, over a range": (
        "blitz::parallel_for(vector, [](int) {}, 64);",
        "blitz::parallel_for({.min_grain = 64}, vector, [](int) {});",
        "a grain is an option, and rarely needed",
    ),
    "join of one callable": (
        "blitz::join([] {});",
        "blitz::join([] {}, [] {});",
        "blitz: join got fewer than two functions",
    ),
    "join with names for the results": (
        "auto [x, y] = blitz::join(a, takes_int);",
        "auto [x, y] = blitz::join(a, a);",
        "blitz: join got an argument that is no callable without arguments",
    ),
    "join of results": (
        "blitz::join(small(1), small(2));",
        "blitz::join([&] { return small(1); }, [&] { return small(2); });",
        "such as the result of a call; use blitz::join([&] { return f(x); }, [&] { return g(y); })",
    ),
    "join of callables that want arguments": (
        "blitz::join([](int) {}, [](int) {});",
        "blitz::join([] {}, [] {});",
        "blitz: join got an argument that is no callable without arguments",
    ),
    "a reduction without an identity": (
        "(void)blitz::parallel_reduce(vector, std::plus<>{});",
        "(void)blitz::parallel_reduce(vector, 0, std::plus<>{});",
        "blitz::parallel_reduce(range, 0, std::plus<>{})",
    ),
    "a sum of doubles from 0": (
        "std::vector<double> v(3); (void)blitz::parallel_reduce(v, 0, std::plus<>{});",
        "std::vector<double> v(3); (void)blitz::parallel_reduce(v, 0.0, std::plus<>{});",
        "for doubles start from 0.0, not from 0",
    ),
    "a reduction to something else than an item": (
        "(void)blitz::parallel_reduce(vector, std::string(), [](std::string s, int x) { return s + char(x); });",
        "(void)blitz::parallel_reduce(vector, std::string(), [](std::string s, int x) { return s + char(x); },"
        " std::plus<>{});",
        "give a fold and a combine",
    ),
    "a sum of squares from 0": (
        "(void)blitz::parallel_transform_reduce(vector, 0, std::plus<>{}, [](int x) { return x / 2.0; });",
        "(void)blitz::parallel_transform_reduce(vector, 0.0, std::plus<>{}, [](int x) { return x / 2.0; });",
        "for doubles start from 0.0, not from 0",
    ),
    "sort with an execution policy": (
        "blitz::sort(execution_par, vector.begin(), vector.end());",
        "blitz::sort(vector.begin(), vector.end());",
        "no execution policy: blitz::sort(range)",
    ),
    "sort of a list": (
        "blitz::sort(list);",
        "list.sort();",
        "copy the items of a list into a vector",
    ),
    "sort of items without an order": (
        "std::vector<Person> v(3); blitz::sort(v);",
        "std::vector<Person> v(3); blitz::sort(v, std::less<>{}, &Person::age);",
        "these items have no order, which sorting needs; define an operator< of the items",
    ),
    "sort of constant items": (
        "const std::vector<int> v(3); blitz::sort(v);",
        "std::vector<int> v(3); blitz::sort(v);",
        "use items that are neither constant nor immovable",
    ),
    "sort by a projection of something else": (
        "std::vector<Person> v(3); blitz::stable_sort(v, std::less<>{}, &Place::height);",
        "std::vector<Person> v(3); blitz::stable_sort(v, std::less<>{}, &Person::age);",
        "blitz: the projection cannot be called with an item",
    ),
    **{
        f"{call.split('(')[0]} into an iterator": (
            f"std::vector<int> out(3); (void)blitz::{call.replace('OUT', iterator)};",
            f"std::vector<int> out(3); static_assert(requires {{ blitz::{call.replace('OUT', 'out')}; }});",
            "out.resize(n), and pass out",
        )
        for call, iterator in {
            "transform(vector, OUT, small)": "std::back_inserter(out)",
            "transform(vector, vector, OUT, std::plus<>{})": "std::back_inserter(out)",
            "copy(vector, OUT)": "std::back_inserter(out)",
            "move(vector, OUT)": "out.begin()",
            "reverse_copy(vector, OUT)": "out.begin()",
            "rotate_copy(vector, vector.begin(), OUT)": "out.begin()",
            "copy_if(vector, OUT, small)": "out.begin()",
            "remove_copy_if(vector, OUT, small)": "out.begin()",
            "remove_copy(vector, OUT, 1)": "out.begin()",
            "unique_copy(vector, OUT)": "out.begin()",
            "partition_copy(vector, OUT, OUT, small)": "out.begin()",
            "adjacent_difference(vector, OUT)": "out.begin()",
            "inclusive_scan(vector, OUT)": "out.begin()",
            "exclusive_scan(vector, OUT, 0)": "out.begin()",
            "transform_inclusive_scan(vector, OUT, std::plus<>{}, small)": "out.begin()",
            "transform_exclusive_scan(vector, OUT, 0, std::plus<>{}, small)": "out.begin()",
            "merge(vector, vector, OUT)": "std::back_inserter(out)",
            "set_union(vector, vector, OUT)": "std::back_inserter(out)",
        }.items()
    },
    "an output without its end, as of std::copy": (
        "std::vector<int> v(3); blitz::copy(vector.begin(), vector.end(), v.begin());",
        "std::vector<int> v(3);"
        " static_assert(requires { blitz::copy(vector.begin(), vector.end(), v.begin(), v.end()); });",
        "blitz: the output has no end; use (first, last, out, out_last)",
    ),
    "an output without its end, as of std::transform": (
        "std::vector<int> v(3); blitz::transform(vector.begin(), vector.end(), v.begin(), small);",
        "std::vector<int> v(3);"
        " static_assert(requires { blitz::transform(vector.begin(), vector.end(), v.begin(), v.end(), small); });",
        "blitz: the output has no end; use (first, last, out, out_last)",
    ),
    "a pipeline of a list": (
        "std::list<long> v(3); (void)blitz::par(v);",
        "std::list<long> v(3); (void)blitz::from(v);",
        "or blitz::from(range)",
    ),
    "a pipeline of a temporary": (
        "(void)blitz::par(std::vector<long>(3));",
        "const std::vector<long> v(3); (void)blitz::par(v);",
        "is a temporary; store it in a variable",
    ),
    **{
        f"{call} of a callable that does not take the item": (
            f"(void)blitz::par(vector).{call}(takes_string);",
            f"(void)blitz::par(vector).{call}({right});",
            "blitz: the callable of a stage cannot be called with one item of the previous stage",
        )
        for call, right in {
            "map": "small",
            "filter": "small",
            "filter_map": "[](int x) { return x > 0 ? &x : nullptr; }",
            "flat_map": "[](int x) { return std::views::iota(0, x); }",
            "inspect": "takes_int",
            "for_each": "takes_int",
            "any_of": "small",
            "all_of": "small",
            "none_of": "small",
            "find_first": "small",
            "find_any": "small",
            "find_last": "small",
            "partition": "small",
            "try_for_each": "[](int) { return std::optional<int>(); }",
        }.items()
    },
    "map of a mutable lambda": (
        "(void)blitz::par(vector).map([n = 0](int) mutable { return ++n; });",
        "(void)blitz::par(vector).map([n = 0](int) { return n; });",
        "do not use a mutable lambda",
    ),
    **{
        f"{call} of a predicate that returns nothing": (
            f"(void)blitz::par(vector).{call}(takes_int);",
            f"(void)blitz::par(vector).{call}(small);",
            "blitz: a predicate returns no bool",
        )
        for call in ["filter", "any_of", "all_of", "none_of"]
    },
    "filter_map of a callable that returns no optional": (
        "(void)blitz::par(vector).filter_map(small);",
        "(void)blitz::par(vector).map(small);",
        "the callable of filter_map returns neither a std::optional nor a pointer",
    ),
    "try_for_each of a callable that returns no optional": (
        "(void)blitz::par(vector).try_for_each(takes_int);",
        "(void)blitz::par(vector).try_for_each([](int) { return std::optional<int>(); });",
        "the callable of try_for_each returns no std::optional of an error",
    ),
    "flat_map of a callable that returns no range": (
        "(void)blitz::par(vector).flat_map(small);",
        "(void)blitz::par(vector).flat_map([](int x) { return std::views::single(x); });",
        "the callable of flat_map returns no range",
    ),
    **{
        f"a scan by {what}": (
            f"(void)blitz::par(vector).{wrong};",
            f"(void)blitz::par(vector).{right};",
            "blitz: the operation of a scan cannot combine a sum with an item and two sums",
        )
        for what, wrong, right in [
            ("an operation on one item", "scan(small)", "scan(std::plus<>{})"),
            (
                "an operation whose result is no item",
                "scan([](int, int) { return NoDefault(1); })",
                "scan([](int x, int) { return x; })",
            ),
            (
                "an operation on items alone",
                "exclusive_scan(NoDefault(0), [](int, int) { return NoDefault(1); })",
                "exclusive_scan(NoDefault(0), [](NoDefault n, auto) { return n; })",
            ),
            (
                "an operation that makes fractions of integers",
                "map([](int x) { return x / 2.0; }).exclusive_scan(0, std::plus<>{})",
                "map([](int x) { return x / 2.0; }).exclusive_scan(0.0, std::plus<>{})",
            ),
        ]
    },
    "reduce of items to something else": (
        "(void)blitz::par(vector).reduce([](const std::string& s, int) { return s; });",
        "(void)blitz::par(vector).reduce([](int x, int) { return x; });",
        "blitz: the operation of reduce(op) does not combine two items to one of their type",
    ),
    "reduce of doubles from 0": (
        "std::vector<double> v(3); (void)blitz::par(v).reduce(0, std::plus<>{});",
        "std::vector<double> v(3); (void)blitz::par(v).reduce(0.0, std::plus<>{});",
        "blitz: the operation of reduce(identity, op) does not combine a value with an item",
    ),
    "fold without a combine": (
        "(void)blitz::par(vector).fold(std::string(), [](std::string s, int x) { return s + char(x); }, takes_int);",
        "(void)blitz::par(vector).fold(std::string(), [](std::string s, int x) { return s + char(x); }, std::plus<>{});",
        "blitz: fold(identity, f, combine) cannot call f(value, item) and combine(value, value)",
    ),
    "fold by a mutable lambda": (
        "(void)blitz::par(vector).fold(0, [i = 0](int n, int) mutable { return n + ++i; }, std::plus<>{});",
        "(void)blitz::par(vector).fold(0, [i = 0](int n, int) { return n + i; }, std::plus<>{});",
        "do not use a mutable lambda",
    ),
    "fold whose result is dropped": (
        "(void)blitz::par(vector).fold(std::string(), [](std::string, int) { return NoDefault(1); }, std::plus<>{});",
        "(void)blitz::par(vector).fold(std::string(), [](std::string& s, int) { return s.size(); }, std::plus<>{});",
        "let each return the new value",
    ),
    **{
        f"{call} of items without an order": (
            f"std::vector<Person> v(3); (void)blitz::par(v).{call}();",
            f"std::vector<Person> v(3); (void)blitz::par(v).{call}([](auto& x, auto& y) {{ return x.age < y.age; }});",
            "blitz: the items have no order, which the least and the greatest need",
        )
        for call in ["min", "max", "minmax"]
    },
    "chain of other items": (
        "(void)blitz::par(vector).chain(blitz::par(0, 3));",
        "(void)blitz::par(1, 2).chain(blitz::par(0, 3));",
        "blitz: chain got two pipelines of different items",
    ),
    **{
        f"{call} with a range": (
            f"(void)blitz::par(vector).{call}(vector);",
            f"(void)blitz::par(vector).{call}(blitz::par(vector));",
            f"blitz: {call} got a range instead of a pipeline; use {call}(blitz::par(range))",
        )
        for call in ["zip", "chain"]
    },
    "a pipeline as the range of a view": (
        "(void)(blitz::par(vector) | std::views::reverse);",
        "(void)blitz::par(vector | std::views::reverse);",
        "blitz: p | f cannot call f with the pipeline p",
    ),
    **{
        f"{call} behind filter": (
            f"(void)blitz::par(vector).filter(small).{call};",
            f"(void)blitz::par(vector).{call};",
            "blitz: the position of an item is unknown after filter",
        )
        for call in POSITION_CALLS
    },
    **{
        f"positions behind {stage}": (
            f"(void){pipeline}.enumerate();",
            "(void)blitz::par(vector).enumerate();",
            "after filter, filter_map, flat_map and scan, and in from, lines, split_at, split and walk_tree",
        )
        for stage, pipeline in {
            "scan": "blitz::par(vector).scan(std::plus<>{})",
            "from": "blitz::from(list)",
            "lines": 'blitz::lines("a")',
        }.items()
    },
    "zip with what has no positions": (
        "(void)blitz::par(vector).zip(blitz::par(vector).filter(small));",
        "(void)blitz::par(vector).zip(blitz::par(vector).map(small));",
        "blitz: the position of an item is unknown after filter",
    ),
    **{
        f"{call} behind {stage}": (
            f"(void)blitz::par(vector).{stage}.{call};",
            f"(void)blitz::par(vector).skip(1).{call};",
            "blitz: chunks and windows have no neighbouring items",
        )
        for call in ["chunks(2)", "windows(2)"]
        for stage in ["map(small)", "step_by(2)"]
    },
    "the sum of strings": (
        "std::vector<std::string> v(3); (void)blitz::par(v).sum();",
        "std::vector<std::string> v(3); (void)blitz::par(v).reduce(std::string(), std::plus<>{});",
        "reduce(identity, std::plus<>{})",
    ),
    "a pool of a number": (
        "blitz::ThreadPool pool(8);",
        "blitz::ThreadPool pool({.num_threads = 8});",
        "blitz::ThreadPool pool({.num_threads = 8})",
    ),
    "async with arguments, as of std::async": (
        "blitz::async([](int) {}, 1);",
        "blitz::async([] {}).get();",
        "capture the arguments: blitz::spawn([x] { f(x); })",
    ),
    "spawn of a closure that cannot be copied": (
        "auto f = [p = std::make_unique<int>(1)] {}; blitz::spawn(f);",
        "auto f = [p = std::make_unique<int>(1)] {}; blitz::spawn(std::move(f));",
        "move it with std::move(f)",
    ),
    "a handle that is thrown away": (
        "blitz::async([] { return 1; });",
        "blitz::async([] { return 1; }).get();",
        "keep it and call get(), or use blitz::spawn",
    ),
    "the body of a scope without the scope": (
        "blitz::scope([] {});",
        "blitz::scope([](blitz::Scope& s) { s.spawn([] {}); });",
        "blitz::scope([&](blitz::Scope& s) { s.spawn(f); })",
    ),
    "a scope by value": (
        "blitz::scope([](blitz::Scope s) { s.spawn([] {}); });",
        "blitz::scope([](auto& s) { s.spawn([] {}); });",
        "does not take the scope by reference",
    ),
    "arguments of a scope's job": (
        "blitz::scope([](blitz::Scope& s) { s.spawn([](int) {}, 1); });",
        "blitz::scope([](blitz::Scope& s) { s.spawn([x = 1] { (void)x; }); });",
        "capture the arguments: s.spawn([x] { f(x); })",
    ),
    "a task group that runs a result": (
        "blitz::TaskGroup group; group.run(small(1));",
        "blitz::TaskGroup group; group.run([&] { small(1); });",
        "capture the arguments: group.run([x] { f(x); })",
    ),
    "a task group's job that cannot be copied": (
        "blitz::TaskGroup group; auto f = [p = std::make_unique<int>(1)] {}; group.run(f);",
        "blitz::TaskGroup group; auto f = [p = std::make_unique<int>(1)] {}; group.run(std::move(f));",
        "move a callable that cannot be copied: std::move(f)",
    ),
    "broadcast of a function without the context": (
        "blitz::broadcast([] {});",
        "blitz::broadcast([](blitz::BroadcastContext) {});",
        "cannot be called with the context",
    ),
    # Mistakes common to all calls with options.
    **{
        f"{name} {mistake}": (
            f"(void){name}({wrong.format(arguments.format('vector'))});".replace("vector", range_in_wrong),
            f"(void){name}({{}}, {arguments.format('vector')}); (void){name}({arguments.format('vector')});",
            expected,
        )
        for name, arguments in CALLS.items()
        for mistake, wrong, range_in_wrong, expected in [
            ("with options in braces at the end", "{}, {{.stop = token}}", "vector", "options"),
            ("with the pool in front", "blitz::global_pool(), {}", "vector", "{.pool = &pool}"),
            ("with an option of another library", "{{.grain = 64}}, {}", "vector", ".stop"),
            ("with such an option at the end", "{}, {{.grain = 64}}", "vector", ".stop"),
            ("with too many arguments", "{}, 1, 2, 3, 4, 5, 6, 7", "vector", "blitz: "),
            ("of a list", "{}", "list", "blitz: "),
            ("with an execution policy", "execution_par, {}", "vector", "blitz: "),
            ("with the options of another call", "blitz::ScopeOptions{{}}, {}", "vector", "options"),
        ]
        if not ("each" in name and mistake == "of a list") or name == "blitz::for_each"
    },
    **{
        f"{name} of a mutable lambda": (
            f"{call.format('[n = 0](auto&&...) mutable { ++n; }')};",
            f"{call.format('[](auto&&...) {}')};",
            "the body of a loop changes itself, but several threads call it concurrently; use no mutable lambda",
        )
        for name, call in {
            "parallel_for over a range": "blitz::parallel_for(vector, {})",
            "parallel_for over integers": "blitz::parallel_for(0, 3, {})",
            "parallel_for in steps": "blitz::parallel_for(0, 3, 2, {})",
            "parallel_for over iterators": "blitz::parallel_for(vector.begin(), vector.end(), {})",
            "parallel_for_blocks": "blitz::parallel_for_blocks(vector, {})",
            "parallel_for_tiles": "blitz::parallel_for_tiles({{3, 3}}, {})",
            "parallel_for_tiles by size": "blitz::parallel_for_tiles({{3, 3}}, {{1, 1}}, {})",
            "parallel_for_tiles in three dimensions": "blitz::parallel_for_tiles({{3, 3, 3}}, {})",
            "parallel_for_tiles in three dimensions by size": "blitz::parallel_for_tiles({{3, 3, 3}}, {{1, 1, 1}}, {})",
            "parallel_for_each over a list": "blitz::parallel_for_each(list, {})",
            "parallel_for_each over a vector": "blitz::parallel_for_each(vector, {})",
        }.items()
    },
    **{
        f"{name} of a mutable lambda": (
            f"(void){call.format('[n = 0]' + parameters + ' mutable { ++n; return ' + result + '; }')};",
            f"(void){call.format('[]' + parameters + ' { return ' + result + '; }')};",
            "of a reduction changes itself, but several threads call it concurrently; use no mutable lambda",
        )
        for name, parameters, result, call in [
            ("parallel_reduce", "(int x, int y)", "x + y", "blitz::parallel_reduce(vector, 0, {})"),
            ("parallel_reduce over integers", "(int x, int y)", "x + y", "blitz::parallel_reduce(0, 3, 0, {})"),
            ("parallel_reduce, the identity", "()", "0", "blitz::parallel_reduce(vector, {}, std::plus<>())"),
            ("parallel_reduce, the fold", "(int x, int y)", "x + y", "blitz::parallel_reduce(vector, 0, {}, std::plus<>())"),
            ("parallel_reduce, the combine", "(int x, int y)", "x + y", "blitz::parallel_reduce(vector, 0, std::plus<>(), {})"),
            ("parallel_reduce_blocks", "(int x, auto)", "x", "blitz::parallel_reduce_blocks(vector, 0, {}, std::plus<>())"),
            ("parallel_transform_reduce", "(int x)", "x", "blitz::parallel_transform_reduce(vector, 0, std::plus<>(), {})"),
        ]
    },
    **{
        f"{name} by a mutable lambda": (
            f"std::vector<int> out(3); (void){call.format('[n = 0](' + parameters + ') mutable { ++n; return false; }')};",
            f"std::vector<int> out(3); (void){call.format('[](' + parameters + ') { return false; }')};",
            "of an algorithm changes itself, but several threads call it concurrently; use no mutable lambda",
        )
        for name, parameters, call in [
            ("count_if", "int", "blitz::count_if(vector, {})"),
            ("find_if", "int", "blitz::find_if(vector, {})"),
            ("min_element", "int, int", "blitz::min_element(vector, {})"),
            ("equal", "int, int", "blitz::equal(vector, out, {})"),
            ("replace_if", "int", "blitz::replace_if(vector, {}, 3)"),
            ("sort", "int, int", "blitz::sort(vector, {})"),
            ("stable_sort", "int, int", "blitz::stable_sort(vector, {})"),
            ("for_each", "int", "(blitz::for_each(vector, {}), 0)"),
            ("transform", "int", "(blitz::transform(vector, out, {}), 0)"),
            ("generate", "", "(blitz::generate(vector, {}), 0)"),
            ("copy_if", "int", "(blitz::copy_if(vector, out, {}), 0)"),
            ("remove_if", "int", "(blitz::remove_if(vector, {}), 0)"),
            ("partition", "int", "(blitz::partition(vector, {}), 0)"),
            ("count_if, projected", "int", "blitz::count_if(vector, std::logical_not<>(), {})"),
            ("sort, projected", "int", "blitz::sort(vector, std::less<>(), {})"),
        ]
    },
    **{
        f"{name} of a vector<bool>": (
            f"std::vector<bool> flags(3); {call.format('flags')};",
            f"std::vector<char> chars(3); {call.format('chars')};",
            "vector<bool> share words, so several threads cannot change them",
        )
        for name, call in {
            "parallel_for that writes": "blitz::parallel_for({}, [](auto&& x) {{ x = true; }})",
            "parallel_for that takes references": "blitz::parallel_for({0}, [](decltype({0})::reference) {{}})",
            "parallel_for over iterators that writes": "blitz::parallel_for({0}.begin(), {0}.end(), [](auto&& x) {{ x = 1; }})",
            "parallel_for_each that takes references": "blitz::parallel_for_each({0}, [](decltype({0})::reference) {{}})",
            "parallel_for_blocks": "blitz::parallel_for_blocks({}, [](auto) {{}})",
            "for_each that takes references": "blitz::for_each({0}, [](decltype({0})::reference) {{}})",
            "fill": "blitz::fill({}, true)",
            "generate": "blitz::generate({}, [] {{ return true; }})",
            "sort": "blitz::sort({})",
            "copy to the items": "blitz::copy(vector, {})",
            "copy_if to the items": "(void)blitz::copy_if(vector, {}, [](int) {{ return true; }})",
            "transform to the items": "blitz::transform(vector, {}, [](int) {{ return true; }})",
        }.items()
    },
}

# Cases with the compiler's extensions, which make __int128 an integer.
GNU_CASES = {
    "parallel_for of integers of 128 bits": (
        "blitz::parallel_for(__int128(0), __int128(3), [](auto) {});",
        "blitz::parallel_for(0L, 3L, [](auto) {});",
        "LoopBounds",
    ),
    "parallel_for to an integer of 128 bits": (
        "blitz::parallel_for(0, __int128(3), [](auto) {});",
        "blitz::parallel_for(0, 3L, [](auto) {});",
        "LoopBounds",
    ),
    "parallel_for over a range of integers of 128 bits": (
        "blitz::parallel_for(std::views::iota(__int128(0), __int128(3)), [](auto) {});",
        "blitz::parallel_for(std::views::iota(0L, 3L), [](auto) {});",
        "LoopRange",
    ),
    "parallel_for_blocks over a range of integers of 128 bits": (
        "blitz::parallel_for_blocks(std::views::iota(__int128(0), __int128(3)), [](auto) {});",
        "blitz::parallel_for_blocks(std::views::iota(0L, 3L), [](auto) {});",
        "LoopRange",
    ),
    "parallel_for over a view whose size is of 128 bits": (
        "blitz::parallel_for(std::views::iota(__int128(0), __int128(3)) | std::views::transform(small), [](int) {});",
        "blitz::parallel_for(std::views::iota(0L, 3L) | std::views::transform(small), [](int) {});",
        "LoopRange",
    ),
    "parallel_reduce of integers of 128 bits": (
        "blitz::parallel_reduce(__int128(0), __int128(3), 0L, std::plus<>());",
        "blitz::parallel_reduce(0L, 3L, 0L, std::plus<>());",
        "LoopBounds",
    ),
    "parallel_reduce over a range of integers of 128 bits": (
        "blitz::parallel_reduce(std::views::iota(__int128(0), __int128(3)), 0L, std::plus<>());",
        "blitz::parallel_reduce(std::views::iota(0L, 3L), __int128(0), std::plus<>());",
        "LoopRange",
    ),
}


# The lines of g++ before an error that tell its location.
CONTEXT = re.compile(r"^In file included|^ +from |: In |:   (?:recursively )?required |^cc1plus:")


def blocks_of(output):
    """Returns the compiler's messages for each error, including the preceding lines that tell its location."""
    blocks, context = [], []
    for line in output.splitlines():
        if re.search(r":\d+:\d+: (?:fatal )?error:", line):
            blocks.append([*context, line])
            context = []
        elif CONTEXT.search(line):
            context.append(line)
        elif blocks:
            blocks[-1] += [*context, line]
            context = []
    return blocks


def compile_all(compiler, standard, include_dir, snippets):
    """Compiles the snippets together, each in its own function. Returns the error messages of each, with notes; "" if there are
    none. Messages of unknown origin are returned under None."""
    code = [PREAMBLE]
    for index, snippet in enumerate(snippets):
        code.append(FUNCTION.format(index=index, snippet=snippet))
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "snippets.cpp"
        source.write_text("".join(code))
        options = ["-fsyntax-only", "-Werror=unused-result"]
        options += ["-ferror-limit=0"] if any("clang" in word for word in compiler) else []
        command = [*compiler, f"-std={standard}", *options, f"-I{include_dir}", str(source)]
        result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    messages = {index: "" for index in range(len(snippets))}
    messages[None] = ""
    if result.returncode != 0:
        for block in blocks_of(result.stdout):
            snippet = re.search(r"\bsnippet_(\d+):", "\n".join(block))
            messages[int(snippet.group(1)) if snippet else None] += "\n".join(block) + "\n"
    return messages


MOST_LINES = 20


def first_line(message):
    return next((line for line in message.splitlines() if "error:" in line), "")


def complaints_about(compiler, standard, include_dir, cases, mistakes):
    cases = {**cases, **mistakes}
    rights = compile_all(compiler, standard, include_dir, [right for _, right, _ in cases.values()])
    wrongs = compile_all(compiler, standard, include_dir, [wrong for wrong, _, _ in cases.values()])
    complaints = []
    for origin in (rights, wrongs):
        if origin[None]:
            complaints.append(f"errors outside the snippets\n{origin[None]}")
    for index, (name, (_, _, expected)) in enumerate(cases.items()):
        message = first_line(wrongs[index]) if name in mistakes else wrongs[index]
        if rights[index]:
            complaints.append(f"{name}: the right one is refused\n{rights[index]}")
        if not wrongs[index]:
            complaints.append(f"{name}: the wrong one is accepted")
        elif expected not in message and (name in mistakes or "blitz: " not in first_line(message)):
            complaints.append(f"{name}: the message does not name {expected}\n{wrongs[index]}")
        if name in mistakes and len(wrongs[index].splitlines()) > MOST_LINES:
            complaints.append(f"{name}: the message has more than {MOST_LINES} lines\n{wrongs[index]}")
    return complaints


def main():
    include_dir, *compiler = sys.argv[1:]
    complaints = complaints_about(compiler, "c++20", include_dir, CASES, MISTAKES)
    complaints += complaints_about(compiler, "gnu++20", include_dir, GNU_CASES, {})
    print("\n".join(complaints))
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
