// Windows: WaitOnAddress, its threads, process groups and jobs.
#include "blitz/detail/sys/system.hpp"

#if defined(BLITZ_WINDOWS)

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <iterator>
#include <limits>
#include <memory>
#include <vector>

#include <process.h>

#include "blitz/detail/sys/cpu_count.hpp"
#include "blitz/detail/sys/fork.hpp"
#include "blitz/detail/sys/futex.hpp"
#include "blitz/detail/sys/thread.hpp"
#include "blitz/detail/sys/thread_start.hpp"
#include "blitz/detail/sys/windows.hpp"

namespace blitz::detail {

// --- futex.hpp ---

static_assert(sizeof(Atomic<std::uint32_t>) == sizeof(std::uint32_t), "the system reads the bare word");

void futex_wait(const Atomic<std::uint32_t>& word, std::uint32_t expected) noexcept {
  // volatile is in the system's declaration; it does not write.
  auto* const address = const_cast<Atomic<std::uint32_t>*>(&word);
  if (!::WaitOnAddress(address, &expected, sizeof expected, INFINITE)) yield_thread();
}

void futex_wake_one(const Atomic<std::uint32_t>* word) noexcept {
  ::WakeByAddressSingle(const_cast<Atomic<std::uint32_t>*>(word));
}

// --- thread.hpp ---

namespace {

/// Since Windows 10 1607. The name is in UTF-8, as on Linux.
void set_own_name(const std::string& name) {
  static auto* const set = system_function<HRESULT WINAPI(HANDLE, PCWSTR)>(L"kernel32.dll", "SetThreadDescription");
  if (set == nullptr) return;
  wchar_t wide[64] = {};  // a longer name is truncated
  const int longest = static_cast<int>(std::size(wide)) - 1;
  if (::MultiByteToWideChar(CP_UTF8, 0, name.data(), static_cast<int>(name.size()), wide, longest) > 0) {
    static_cast<void>(set(::GetCurrentThread(), wide));
  }
}

unsigned __stdcall thread_main(void* raw) {
  run_thread(raw, set_own_name);
  return 0;
}

/// Processors are numbered through all groups, 64 to a group: see allowed_processors().
bool set_processor(HANDLE thread, unsigned processor) noexcept {
  constexpr unsigned kGroup = MAXIMUM_PROC_PER_GROUP;
  GROUP_AFFINITY affinity{};
  if (processor / kGroup > std::numeric_limits<WORD>::max()) return false;
  affinity.Group = static_cast<WORD>(processor / kGroup);
  affinity.Mask = KAFFINITY{1} << processor % kGroup;
  return ::SetThreadGroupAffinity(thread, &affinity, nullptr) != 0;
}

}  // namespace

ThreadHandle start_thread(ThreadEntry entry, void* argument, const ThreadOptions& options) {
  if (options.stack_size > std::numeric_limits<unsigned>::max()) {
    refuse_thread(EINVAL,
                  "a stack_size of " + std::to_string(options.stack_size) + " bytes is refused; the most is 4 GiB");
  }
  auto start = std::make_unique<ThreadStart>(ThreadStart{entry, argument, options.name});
  const auto thread = ::_beginthreadex(nullptr, static_cast<unsigned>(options.stack_size), thread_main, start.get(),
                                       CREATE_SUSPENDED | STACK_SIZE_PARAM_IS_A_RESERVATION, nullptr);
  if (thread == 0) {
    refuse_thread(errno, "there are too many threads, or there is no room for a stack_size of " +
                             std::to_string(options.stack_size) + " bytes");
  }
  auto* const handle = reinterpret_cast<HANDLE>(thread);
  const bool placed = !options.processor || set_processor(handle, *options.processor);
  if (!placed) *start = ThreadStart{[](void*) {}, nullptr, {}};  // The thread cannot be ended before it has run.
  ::ResumeThread(handle);
  static_cast<void>(start.release());
  if (!placed) {
    join_thread(reinterpret_cast<ThreadHandle>(handle));
    refuse_thread(EINVAL, "affinity to processor " + std::to_string(*options.processor) +
                              " is refused: it must exist and be allowed to this process");
  }
  return reinterpret_cast<ThreadHandle>(handle);
}

void join_thread(ThreadHandle handle) noexcept {
  [[maybe_unused]] const DWORD ended = ::WaitForSingleObject(reinterpret_cast<HANDLE>(handle), INFINITE);
  assert(ended == WAIT_OBJECT_0);
  forget_thread(handle);
}

void forget_thread(ThreadHandle handle) noexcept { ::CloseHandle(reinterpret_cast<HANDLE>(handle)); }

std::size_t default_stack_size() noexcept { return 0; }

// --- fork.hpp ---

bool at_fork(const ForkHandlers& /*handlers*/) noexcept { return false; }

// --- system.hpp ---

void ask_for_huge_pages(void* /*memory*/, std::size_t /*size*/) noexcept {}
void let_go(void* /*memory*/, std::size_t /*size*/) noexcept {}

/// In Wine (8.0) the call does nothing.
bool have_process_fence() noexcept {
  return system_function<const char*()>(L"ntdll.dll", "wine_get_version") == nullptr;
}

void process_fence() noexcept { ::FlushProcessWriteBuffers(); }

// --- cpu_count.hpp ---

namespace {

void append(std::vector<unsigned>& processors, unsigned group, KAFFINITY mask) {
  for (unsigned n = 0; n < MAXIMUM_PROC_PER_GROUP; ++n) {
    if ((mask >> n & 1) != 0) processors.push_back(group * MAXIMUM_PROC_PER_GROUP + n);
  }
}

}  // namespace

Processors allowed_processors() {
  std::vector<unsigned> allowed;
  DWORD_PTR mask = 0;
  DWORD_PTR of_system = 0;
  USHORT groups[64] = {};
  USHORT count = static_cast<USHORT>(std::size(groups));
  if (!::GetProcessGroupAffinity(::GetCurrentProcess(), &count, groups)) count = 1;  // Wine (8.0) has only group 0.
  if (count == 1 && ::GetProcessAffinityMask(::GetCurrentProcess(), &mask, &of_system)) {
    append(allowed, groups[0], mask);
  } else {
    // The mask of a process in several groups is useless: its threads run in all of them.
    std::sort(groups, groups + count);
    for (USHORT i = 0; i < count; ++i) {
      append(allowed, groups[i], ~KAFFINITY{0} >> (MAXIMUM_PROC_PER_GROUP - ::GetActiveProcessorCount(groups[i])));
    }
  }
  return processors_of(allowed.data(), allowed.size());
}

std::optional<double> cpu_limit() noexcept {
  JOBOBJECT_CPU_RATE_CONTROL_INFORMATION job{};
  // The limit of the job that contains this process; the enclosing jobs cannot be queried.
  if (!::QueryInformationJobObject(nullptr, JobObjectCpuRateControlInformation, &job, sizeof job, nullptr)) return {};
  return job_cpu_limit(job.ControlFlags, job.CpuRate, ::GetActiveProcessorCount(ALL_PROCESSOR_GROUPS));
}

std::optional<double> job_cpu_limit(std::uint32_t flags, std::uint32_t rate, unsigned processors) noexcept {
  constexpr std::uint32_t kMinMaxRate = 0x10;  // JOB_OBJECT_CPU_RATE_CONTROL_MIN_MAX_RATE, which some headers lack
  if ((flags & JOB_OBJECT_CPU_RATE_CONTROL_ENABLE) == 0) return std::nullopt;
  // In hundredths of a percent of all processors. The minimum is the lower half, the maximum the upper half.
  const bool least_and_most = (flags & kMinMaxRate) != 0;
  if (!least_and_most && (flags & JOB_OBJECT_CPU_RATE_CONTROL_HARD_CAP) == 0) return std::nullopt;
  return (least_and_most ? rate >> 16 : rate) / 10'000.0 * processors;
}

}  // namespace blitz::detail

#endif
