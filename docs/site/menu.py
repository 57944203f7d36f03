"""The sidebar of the web site, and the order of its pages."""

# The sidebar, and the order of the pages: group, (page, title); a group is folded unless it is in OPEN or has the page.
MENU = {
    "Start": [("index", "blitz"), ("start", "A faster loop in five minutes")],
    "Learn": [
        ("guide", "Guide"), ("cookbook", "Cookbook"), ("faq", "Questions and answers"), ("debugging", "Debugging and profiling"),
        ("migrating", "From other libraries"), ("performance", "Performance"),
    ],
    "Reference": [
        ("calls", "All calls"), ("reference", "All names"), ("algorithms", "Algorithms"), ("pipelines", "Pipelines"),
        ("coroutines", "Coroutines"), ("c_h", "C functions"), ("guarantees", "Guarantees and limits"),
        ("custom_policy", "Custom schedulers"),
    ],
    "Use beneath other libraries": [
        ("std_execution", "std::execution::par"), ("tbb", "oneTBB's names"), ("asio", "Asio"), ("eigen", "Eigen"),
        ("opencv", "OpenCV"), ("parlaylib", "parlaylib"), ("senders", "Senders"), ("c", "C and other languages"), ("mpi", "MPI"),
    ],
    "Look inside": [
        ("inside", "How it works"), ("blitz", "How to read the code"), ("blitz_detail_worker", "Waiting and ending"),
        ("blitz_detail_fork_join", "The default scheduler"), ("blitz_detail_async", "The other scheduler"),
        ("blitz_detail_wake", "When a wake-up pays"), ("blitz_detail_algorithm_sort", "Sorting"),
        ("tests", "Tests"), ("tests_interleave", "Interleaving tests"),
        ("tests_model", "Models"), ("tests_mutants", "Mutants"), ("bench", "Benchmarks"),
        ("bench_simulation", "Many processors, simulated"), ("packaging", "Packages"), ("CHANGELOG", "Changes"),
        ("CONTRIBUTING", "Contributing"), ("SECURITY", "Security"),
    ],
    "Performance": [
        ("performance_sixteen", "On sixteen processors"), ("performance_algorithms", "Algorithms"),
        ("performance_pipelines", "Pipelines"), ("performance_cadence", "Cadence"), ("performance_prices", "Prices"),
        ("performance_instructions", "Instructions a call"),
    ],
    "Decisions": [
        ("performance_decisions", "Overview"), ("performance_decisions_join", "A join"),
        ("performance_decisions_joins_on_two_threads", "Joins on two threads"), ("performance_decisions_wake_up", "A wake-up"),
        ("performance_decisions_loop_of_1000", "The loop of 1000"),
        ("performance_decisions_loops_of_microseconds", "Loops of tens of microseconds"),
        ("performance_decisions_many_processors", "Loops on many processors"), ("performance_decisions_spawns", "A million spawns"),
        ("performance_decisions_bursts", "Bursts"), ("performance_decisions_gaps", "Short calls with gaps"),
        ("performance_decisions_arrays", "Loops over arrays"), ("performance_decisions_filters", "Filters"),
        ("performance_decisions_sorts", "Sorts, merges and groups"), ("performance_decisions_pipelines", "Pipelines"),
        ("performance_decisions_large_results", "Large results"), ("performance_decisions_compile_time", "Compile time"),
    ],
}
OPEN = ("Start", "Learn", "Reference")
# Pages about the code and its history.
INSIDE = ("Performance", "Look inside", "Decisions")
