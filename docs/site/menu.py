"""The sidebar of the web site, and the order of its pages."""

# The sidebar, and the order of the pages: group, pages, with their titles; a group is folded unless it is in OPEN or has the page.
MENU = {
    "Start": ["index", "start"],
    "Learn": [
        "guide", "cookbook", "faq", "debugging",
        "migrating", "performance",
    ],
    "Reference": [
        "calls", "reference", "algorithms", "pipelines",
        "coroutines", "c_h", "guarantees",
        "custom_policy",
    ],
    "Use beneath other libraries": [
        "std_execution", "tbb", "asio", "eigen",
        "opencv", "parlaylib", "senders", "c", "mpi",
    ],
    "Look inside": [
        "inside", "blitz", "blitz_detail_worker",
        "blitz_detail_fork_join", "blitz_detail_async",
        "blitz_detail_wake", "blitz_detail_algorithm_sort",
        "tests", "tests_interleave",
        "tests_model", "tests_mutants", "bench",
        "bench_simulation", "packaging", "CHANGELOG",
        "CONTRIBUTING", "SECURITY",
    ],
    "Performance": [
        "performance_sixteen", "performance_algorithms",
        "performance_pipelines", "performance_cadence", "performance_prices",
        "performance_instructions",
    ],
    "Decisions": [
        "performance_decisions", "performance_decisions_join",
        "performance_decisions_joins_on_two_threads", "performance_decisions_wake_up",
        "performance_decisions_loop_of_1000",
        "performance_decisions_loops_of_microseconds",
        "performance_decisions_many_processors", "performance_decisions_spawns",
        "performance_decisions_bursts",
        "performance_decisions_busy_program", "performance_decisions_gaps",
        "performance_decisions_arrays", "performance_decisions_filters",
        "performance_decisions_sorts", "performance_decisions_pipelines",
        "performance_decisions_large_results", "performance_decisions_compile_time",
    ],
}
OPEN = ("Start", "Learn", "Reference")
# Pages about the code and its history.
INSIDE = ("Performance", "Look inside", "Decisions")
