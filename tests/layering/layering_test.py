#!/usr/bin/env python3
"""Shows that each check of layering.py notices its violations and accepts correct code."""

import pathlib
import tempfile
import unittest

import layering


class Tree(unittest.TestCase):
    """An artificial repository, at first without violations."""

    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="blitz-layering-")
        self.addCleanup(directory.cleanup)
        self.root = pathlib.Path(directory.name)
        self.write(".gitignore", "/build*/\n")
        self.header("detail/base/compiler.hpp")
        self.header("detail/base/atomic.hpp", "#include <atomic>\n#include <sys/types.h>\nusing A = std::atomic<int>;")
        self.header("detail/job/job.hpp", '#include "blitz/detail/base/atomic.hpp"')
        self.header("options.hpp")
        self.header("version.hpp", '#define BLITZ_VERSION_STRING "1.2.3"')
        self.write("meson.build", "project('blitz', 'cpp',\n  version: '1.2.3',\n)\n")
        self.header("policy.hpp", '#include "blitz/detail/base/atomic.hpp"')
        self.header("detail/worker/worker.hpp", '#include "blitz/policy.hpp"\n#include "blitz/options.hpp"')
        self.header("detail/fork_join/deque.hpp", '#include "blitz/detail/base/atomic.hpp"\n#include "blitz/policy.hpp"')
        self.header("detail/async/ring.hpp", '#include "blitz/detail/base/atomic.hpp"')
        self.header("join.hpp", '#include "blitz/detail/worker/worker.hpp"\n#include "blitz/detail/fork_join/deque.hpp"')

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def header(self, name, body=""):
        """A header of the library that blitz/meson.build lists."""
        if "/" not in name and name != "version.hpp":
            body = f'#include "blitz/detail/base/compiler.hpp"\n{body}'
        page = "" if name.startswith("detail/") else "/// @file\n/// A header.\n"
        self.write(f"blitz/{name}", f"{page}#pragma once\n{body}\n")
        build = self.root / "blitz/meson.build"
        listed = build.read_text() if build.exists() else ""
        build.write_text(f"{listed}'{name}'\n")

    def assert_sound(self):
        self.assertEqual(list(layering.complaints(self.root)), [])

    def assert_complaint(self, *words):
        found = list(layering.complaints(self.root))
        self.assertEqual(len(found), 1, found)
        for word in words:
            self.assertIn(word, found[0])


class Includes(Tree):
    def test_a_sound_tree_has_no_complaint(self):
        self.assert_sound()

    def test_the_system_must_not_include_a_worker(self):
        self.header("detail/sys/futex.hpp", '#include "blitz/detail/worker/worker.hpp"')
        self.assert_complaint("blitz/detail/sys/futex.hpp:2", "sys must not include worker")

    def test_a_worker_must_not_include_a_backend(self):
        self.header("detail/worker/confinement.hpp", '#include <vector>\n#include "blitz/detail/fork_join/deque.hpp"')
        self.assert_complaint("blitz/detail/worker/confinement.hpp:3", "worker must not include fork_join")

    def test_a_pool_must_not_include_a_public_header(self):
        self.header("detail/pool/registry.hpp", '#include "blitz/join.hpp"')
        self.assert_complaint("pool must not include public")

    def test_backends_must_not_include_each_other(self):
        self.header("detail/fork_join/fork_join_policy.hpp", '#include "blitz/detail/async/ring.hpp"')
        self.assert_complaint("fork_join must not include async")
        self.header("detail/fork_join/fork_join_policy.hpp")
        self.header("detail/async/async_policy.hpp", '#  include "blitz/detail/fork_join/deque.hpp"')
        self.assert_complaint("async must not include fork_join")

    def test_a_backend_must_not_include_a_worker(self):
        self.header("detail/fork_join/fork_join_policy.hpp", '#include "blitz/detail/worker/worker.hpp"')
        self.assert_complaint("fork_join must not include worker")

    def test_the_concepts_must_not_include_a_worker(self):
        self.header("policy.hpp", '#include "blitz/detail/worker/worker.hpp"')
        found = list(layering.check_includes(self.root))
        self.assertEqual(len(found), 1)
        self.assertIn("concepts must not include worker", found[0])

    def test_a_public_header_must_not_include_the_other_backend(self):
        self.header("detail/async/async_policy.hpp")
        self.header("detail/pool/global_pool.cpp", '#include "blitz/detail/async/async_policy.hpp"')
        self.assert_sound()
        self.header("current_pool.hpp", '#include "blitz/detail/async/async_policy.hpp"')
        self.assert_complaint("blitz/current_pool.hpp", "public must not include async")

    def test_a_source_must_not_include_a_higher_layer(self):
        self.header("detail/worker/registry.cpp", '#include "blitz/detail/async/ring.hpp"')
        self.assert_complaint("blitz/detail/worker/registry.cpp:2", "worker must not include async")

    def test_algorithms_must_not_include_pipelines(self):
        self.header("algorithm/a.hpp", '#include "blitz/detail/algorithm/b.hpp"')
        self.header("detail/algorithm/b.hpp")
        self.header("pipeline/p.hpp", '#include "blitz/algorithm/a.hpp"')
        self.assert_sound()
        self.header("pipeline/other.hpp")
        self.header("detail/algorithm/b.hpp", '#include "blitz/pipeline/other.hpp"')
        self.assert_complaint("algorithm must not include pipeline")

    def test_a_folder_must_be_a_layer(self):
        self.header("utils/misc.hpp")
        self.assert_complaint("utils is no layer")

    def test_an_include_must_be_quoted_and_start_at_the_root(self):
        self.header("detail/pool/registry.hpp", "#include <blitz/policy.hpp>")
        self.assert_complaint("quoted")
        self.header("detail/pool/registry.hpp", '#include "worker.hpp"')
        self.assert_complaint("not written from the root")
        self.header("detail/pool/registry.hpp", '#include "blitz/detail/job/latch.hpp"')
        self.assert_complaint("does not exist")

    def test_only_the_adaptor_of_a_library_may_include_it(self):
        self.header("detail/sys/futex.hpp", "#include <tbb/tbb.h>")
        self.assert_complaint("tbb/tbb.h")
        self.header("detail/sys/futex.hpp")
        self.header("adaptor/boost_asio.hpp", "#include <boost/asio/execution.hpp>")
        self.assert_sound()
        self.header("adaptor/asio.hpp", "#include <boost/asio/execution.hpp>")
        self.assert_complaint("boost/asio/execution.hpp")

    def test_includes_must_not_form_a_cycle(self):
        self.header("detail/worker/a.hpp", '#include "blitz/detail/worker/b.hpp"')
        self.header("detail/worker/b.hpp", '#include "blitz/detail/worker/a.hpp"')
        self.assert_complaint("cycle", "detail/worker/a.hpp -> detail/worker/b.hpp -> detail/worker/a.hpp")


    def test_other_headers_must_not_include_code_for_custom_policies(self):
        self.header("detail/pool/worker_impl.hpp", '#include "blitz/detail/worker/worker.hpp"')
        self.header("detail/pool/registry_impl.hpp", '#include "blitz/detail/pool/worker_impl.hpp"')
        self.header("custom_policy.hpp", '#include "blitz/detail/pool/registry_impl.hpp"')
        self.header("detail/pool/global_pool.cpp", '#include "blitz/detail/pool/registry_impl.hpp"')
        self.assert_sound()
        for header in ("detail/pool/worker_impl.hpp", "detail/pool/registry_impl.hpp", "custom_policy.hpp"):
            with self.subTest(header):
                self.header("join.hpp", f'#include "blitz/{header}"')
                self.assert_complaint("blitz/join.hpp", header, "not for every program")


class Users(Tree):
    def test_a_program_may_include_public_headers(self):
        includes = '#include <vector>\n#include <blitz/join.hpp>\n#include "support/options.hpp"\n'
        self.write("examples/sort/sort.cpp", includes + "int details; // detail")
        self.write("tests/support/other.hpp", "#include <blitz/detail/job/job.hpp>\nusing namespace blitz::detail;")
        self.assert_sound()

    def test_a_program_must_not_include_a_private_header(self):
        for place in ("examples/sort/sort.cpp", "tests/packaging/consumer.cpp", "tests/support/reference_policy.hpp"):
            with self.subTest(place):
                self.write(place, "\n#include <blitz/detail/worker/worker.hpp>")
                self.assert_complaint(f"{place}:2", "names detail")
                self.write(place, '#include "blitz/join.hpp"')
                self.assert_complaint(f"{place}:1", "blitz/join.hpp is no public header, written in <>")
                self.write(place, "#include <blitz/adaptor/tbb/context.hpp>")
                self.assert_complaint(f"{place}:1", "blitz/adaptor/tbb/context.hpp is no public header")
                self.write(place, "")

    def test_a_program_must_not_name_detail(self):
        self.write("examples/sort/sort.hpp", "\nusing blitz::detail::Job;")
        self.assert_complaint("examples/sort/sort.hpp:2", "names detail")

    def test_a_page_must_not_name_a_private_file(self):
        self.write("docs/inside.md", "The proof is in `blitz/detail/fork_join/README.md`.\n")
        self.assert_sound()
        self.write("docs/inside.md", "\nSee `blitz/detail/worker/worker.hpp`.\n")
        self.assert_complaint("docs/inside.md:2", "detail/worker/worker.hpp is private")

    def test_a_snippet_must_be_part_of_a_program(self):
        self.write("examples/sort/sort.cpp", "int f() {\n  return 1;\n}\nint g();\n")
        self.write("docs/page.md", "# Page\n```cpp\n  return 1;\n}\nint g();\n```\nand\n```sh\nls\n```\n")
        self.assert_sound()
        self.write("docs/page.md", "```cpp\nint g();\n```\n# Page\n```cpp\nint f() {\n  return 2;\n```\n")
        self.assert_complaint("docs/page.md:5", "not part of a program")

    def test_snippets_of_c(self):
        self.write("tests/adaptor/c.c", "int f() {\n  g();\n  return 1;\n}\n")
        self.write("docs/page.md", "```c\nint f() {\n  ...\n  return 1;\n```\n```c\nint main(void) {}\n```\n")
        self.assert_sound()
        self.write("docs/page.md", "```c\nint f() {\n  ...\n  return 2;\n```\n")
        self.assert_complaint("docs/page.md:1", "not part of a program")

    def test_snippets_of_the_first_page(self):
        self.write("examples/guide/readme.cpp", "// The program.\n\n#include <blitz/blitz.hpp>\n\nint main() {}\n")
        self.write("README.md", "```cpp\n#include <blitz/blitz.hpp>\n\nint main() {}\n```\n")
        self.assert_sound()
        self.write("README.md", "```cpp\nint main() {}\n```\n")
        self.assert_complaint("README.md:1", "not a whole program")


class MemoryOrders(Tree):
    def test_calls_with_an_order_are_accepted(self):
        self.header(
            "detail/job/latch.hpp",
            """
            Atomic<int> state_{0};
            int get(std::memory_order order) { return state_.load(order); }
            void set() {
              state_.store(f(1, 2),
                           std::memory_order_release);  // not state_.store(1)
              log("state_.store(1)"); char c = '"'; state_.load(std::memory_order_relaxed);
              if (state_.load(std::memory_order_acquire) == 3) other.state_ = 1;
            }""",
        )
        self.assert_sound()

    def test_a_call_must_name_its_order(self):
        declarations = (
            "Atomic<int> state_{0};",
            "std::array<Atomic<int>, 3> states_;",
            "std::unique_ptr<Atomic<int>[]> more_;",
            "Atomic<T*>& slot(int i);",
            "void f(const Atomic<int>& word);",
        )
        self.header("detail/worker/atoms.hpp", "\n".join(declarations))
        for call in (
            "state_.load()",
            "p->states_[i + 1].load()",
            "more_[0].exchange(2)",
            "buffer->slot(index).store(p)",
            "word.load()",
            "anything.fetch_or(1)",
            "state_.store(1)",
            "p->state_.fetch_add(g(1), h(2))",
            "state_.compare_exchange_weak(a,\n b)",
            "f(state_.load(), std::memory_order_relaxed)",
        ):
            with self.subTest(call):
                self.header("detail/job/latch.hpp", f"int x = {call};")
                self.assert_complaint("blitz/detail/job/latch.hpp:2", "without a memory order")

    def test_a_load_of_another_class_needs_no_order(self):
        body = "Atomic<int> state_;\nint x = counters_.load() + buffer_.load(relaxed_order)->load(3);"
        self.header("detail/job/latch.hpp", body)
        self.assert_sound()

    def test_an_operator_must_not_change_an_atomic(self):
        for change in ("++count_;", "count_++;", "count_ += 2;", "count_ = 3;", "count_ |= 4;"):
            with self.subTest(change):
                self.header("detail/job/latch.hpp", f"Atomic<int> count_{{0}};\nvoid f() {{ {change} }}")
                self.assert_complaint("blitz/detail/job/latch.hpp:3", "count_ is atomic")

    def test_a_pointer_to_atomics_may_be_changed(self):
        declarations = "std::unique_ptr<Atomic<T*>[]> owned_; Atomic<T*>* slots_;"
        self.header("detail/job/latch.hpp", declarations + "void f() { owned_ = nullptr; slots_ = owned_.get(); ++slots_; }")
        self.assert_sound()
        self.header("detail/job/latch.hpp", "Atomic<std::pair<A, B>> pair_;\nvoid f() { pair_ = other; }")
        self.assert_complaint("blitz/detail/job/latch.hpp:3", "pair_ is atomic")

    def test_an_operator_may_compare_an_atomic(self):
        self.header("detail/job/latch.hpp", "Atomic<int> count_;\nbool f() { return count_ == 3; }")
        self.assert_sound()


class Places(Tree):
    def test_only_some_folders_may_synchronise(self):
        for code in ("std::atomic_thread_fence(order);", "syscall(p);", "f(SYS_futex);", "sched_yield();"):
            with self.subTest(code):
                self.header("detail/job/latch.hpp", code)
                self.assert_complaint("blitz/detail/job/latch.hpp:2", "belongs in blitz/detail/")

    def test_private_headers_must_not_use_containers_of_a_debug_mode(self):
        for code in ("std::vector<int> v;", "std::deque<int>* d;", "std::unordered_multimap<int, int> f();"):
            with self.subTest(code):
                self.header("detail/job/latch.hpp", f"#include <vector>\n{code}")
                self.assert_complaint("blitz/detail/job/latch.hpp:3", "_GLIBCXX_DEBUG")
        self.header("detail/job/latch.hpp", "// std::vector\n")
        self.header("stats.hpp", "std::vector<int> v;")
        self.write("blitz/detail/worker/latch.cpp", "std::vector<int> v;")
        self.write("blitz/meson.build", (self.root / "blitz/meson.build").read_text() + "'detail/worker/latch.cpp'\n")
        self.assert_sound()

    def test_a_header_must_be_listed_in_meson_build(self):
        self.write("blitz/meson.build", (self.root / "blitz/meson.build").read_text() + "subdirs: '.'\n")
        self.write("blitz/detail/worker/forgotten.hpp", "#pragma once\n")
        self.assert_complaint("blitz/detail/worker/forgotten.hpp", "not named in blitz/meson.build")

    def test_a_header_must_be_in_its_folder_of_the_map(self):
        self.header("algorithm/sort.hpp")
        self.header("algorithm.hpp", '#include "blitz/algorithm/sort.hpp"')
        tree = """
options.hpp version.hpp policy.hpp
                   words about them, such as worker.hpp
join.hpp           words
algorithm.hpp
algorithm/         a folder
detail/
  base/            another
    compiler.hpp atomic.hpp
  job/
    job.hpp        words
  worker/
    worker.hpp
"""
        self.write("blitz/README.md", f"```{tree}```\n")
        self.assert_sound()
        self.header("detail/job/latch.hpp")
        self.write("blitz/README.md", f"```{tree}```\nlatch.hpp\n")
        self.assert_complaint("blitz/detail/job/latch.hpp", "not in the map")
        self.write("blitz/README.md", f"```{tree}    latch.hpp\n```\n")
        self.assertEqual(len(list(layering.complaints(self.root))), 2)  # It is in the map, but in another folder.
        self.write("blitz/README.md", f"```{tree}  job/\n    latch.hpp\n```\n")
        self.assert_sound()

    def test_the_page_of_a_folder_must_name_its_files(self):
        page = "Its `deque.hpp`, `../base/atomic.hpp`, `detail/job/job.hpp`, `tests/a/b.cpp` and `version.hpp`.\n"
        self.write("tests/a/b.cpp", "")
        self.write("blitz/detail/fork_join/README.md", page)
        self.assert_sound()
        self.write("blitz/detail/fork_join/README.md", page + "And `../job/deque.hpp`.")
        self.assert_complaint("blitz/detail/fork_join/README.md", "../job/deque.hpp, which does not exist")
        self.write("blitz/detail/fork_join/README.md", page)
        self.header("detail/fork_join/sleep.hpp")
        self.assert_complaint("blitz/detail/fork_join/README.md", "does not name sleep.hpp")

    def test_cmake_must_read_every_source(self):
        self.write("CMakeLists.txt", "project(blitz VERSION 1.2.3)\n"
                   "file(STRINGS blitz/meson.build sources REGEX \"^  '.*[.]cpp',$\")\n")
        build = (self.root / "blitz/meson.build").read_text()
        self.write("blitz/detail/worker/latch.cpp", "")
        self.write("blitz/meson.build", f"{build}  'detail/worker/latch.cpp',\n")
        self.assert_sound()
        self.write("blitz/meson.build", f"{build}  'detail/worker/latch.cpp'\n")
        self.assert_complaint("blitz/detail/worker/latch.cpp", "CMakeLists.txt")
        self.write("blitz/meson.build", f"{build}  'detail/worker/latch.cpp',\n  'detail/worker/gone.cpp',\n")
        self.assert_complaint("blitz/detail/worker/gone.cpp", "CMakeLists.txt")

    def test_two_headers_must_not_share_a_name(self):
        self.header("algorithm/reduce.hpp")
        self.header("adaptor/tbb/oneapi/tbb/version.h", "#pragma once")
        self.assert_sound()
        self.header("detail/loop/reduce.hpp")
        self.assert_complaint("blitz/detail/loop/reduce.hpp", "has the name of blitz/algorithm/reduce.hpp")

    def test_a_header_must_have_pragma_once(self):
        self.header("detail/job/latch.hpp")
        self.write("blitz/detail/job/latch.hpp", "// #pragma once\n")
        self.assert_complaint("blitz/detail/job/latch.hpp", "pragma once")

    def test_a_public_header_must_check_the_compiler_first(self):
        for includes in ("", "#include <ranges>\n#include \"blitz/detail/base/compiler.hpp\"\n"):
            with self.subTest(includes):
                self.header("join.hpp")
                self.write("blitz/join.hpp", f"/// @file\n/// join.\n#pragma once\n{includes}")
                self.assert_complaint("blitz/join.hpp", "blitz/detail/base/compiler.hpp", "before all others")

    def test_a_public_header_must_have_a_page(self):
        text = (self.root / "blitz/join.hpp").read_text()
        for begin in ["", "/// join.\n", "/// @file\n"]:
            with self.subTest(begin):
                self.write("blitz/join.hpp", text.replace("/// @file\n/// A header.\n", begin))
                self.assert_complaint("blitz/join.hpp", "/// @file")

    def test_headers_of_every_program_must_not_include_an_expensive_one(self):
        self.header("fork_join.hpp", '#include "blitz/join.hpp"')
        self.header("detail/worker/pool.hpp", "#include <memory>")
        self.assert_sound()
        self.header("detail/fork_join/deque.hpp", "#include <memory>")
        self.assert_complaint("blitz/detail/fork_join/deque.hpp", "<memory>")
        self.header("detail/fork_join/deque.hpp", "#include <functional>")
        self.assert_complaint("blitz/detail/fork_join/deque.hpp", "join.hpp", "<functional>")

    def test_a_join_must_not_include_too_many_headers(self):
        most = layering.MOST_OF_JOIN
        self.header("join.hpp", "\n".join(f'#include "blitz/detail/base/part_{i}.hpp"' for i in range(most - 2)))
        for i in range(most - 2):
            self.header(f"detail/base/part_{i}.hpp")
        self.assert_sound()
        self.header("detail/base/part_0.hpp", '#include "blitz/detail/base/atomic.hpp"')
        self.assert_complaint("blitz/join.hpp", f"{most + 1} headers")

    def test_all_versions_must_be_equal(self):
        self.header("version.hpp", '#define BLITZ_VERSION_STRING "1.2.4"')
        self.assert_complaint("meson.build", "1.2.3", "1.2.4")

    def test_meson_build_must_have_a_version(self):
        self.write("meson.build", "project('blitz', 'cpp')\n")
        self.assert_complaint("meson.build", "None")

    def test_a_picture_must_suit_dark_pages(self):
        self.write("docs/way.svg", "<svg><style>@media (prefers-color-scheme: dark) { svg { fill: white } }</style></svg>")
        self.assert_sound()
        self.write("docs/performance/times.svg", "<svg></svg>")
        self.assert_complaint("docs/performance/times.svg", "prefers-color-scheme")

    def test_a_unit_test_must_be_in_the_folder_of_its_part(self):
        self.write("tests/unit/job/job_test.cpp", '#include "blitz/detail/job/job.hpp"\n#include "blitz/detail/base/atomic.hpp"\n')
        self.write("tests/unit/public/policy_test.cpp", '#include "blitz/policy.hpp"\n#include "blitz/detail/job/job.hpp"\n')
        self.write("tests/unit/fork_join/call_test.cpp", "#include <blitz/join.hpp>\n")
        self.assert_sound()
        self.write("tests/unit/base/latch_test.cpp", '#include "blitz/detail/job/latch.hpp"\n')
        self.assert_complaint("tests/unit/base/latch_test.cpp", "tests/unit/job")

    def test_a_folder_of_unit_tests_must_mirror_a_folder(self):
        self.write("tests/unit/core/call_test.cpp", "#include <blitz/join.hpp>\n")
        self.assert_complaint("tests/unit/core/call_test.cpp", "blitz/detail/core")

    def test_the_top_level_must_have_no_other_files(self):
        for allowed in (".github/x", "build-debug/x", "README.md", "LICENSE", "tests/x", "docs/x"):
            self.write(allowed, "")
        self.assert_sound()
        self.write("notes.txt", "")
        self.assert_complaint("notes.txt")


if __name__ == "__main__":
    unittest.main()
