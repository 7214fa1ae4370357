#include "base/os/process.h"

#include "base/os/windows/windows.h"

// These need the header of Windows before them.
#include <malloc.h>
#include <ntsecapi.h>
#include <psapi.h>
#include <tlhelp32.h>

namespace embd::os {

std::int64_t process_number() noexcept {
  return ::GetCurrentProcessId();
}

std::uint32_t user_number() noexcept {
  return 0;  // Files tell no owner either (FileStatus).
}

bool is_forked() noexcept {
  return false;
}

bool is_memory_limited() noexcept {
  JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits = {};
  BOOL is_in_job = FALSE;
  if (::IsProcessInJob(::GetCurrentProcess(), nullptr, &is_in_job) == FALSE) return true;
  if (is_in_job == FALSE) return false;
  if (::QueryInformationJobObject(nullptr, JobObjectExtendedLimitInformation, &limits,
                                  sizeof limits, nullptr) == FALSE)
    return true;
  return (limits.BasicLimitInformation.LimitFlags &
          (JOB_OBJECT_LIMIT_PROCESS_MEMORY | JOB_OBJECT_LIMIT_JOB_MEMORY)) != 0;
}

std::size_t num_threads() noexcept {
  const HANDLE snapshot = ::CreateToolhelp32Snapshot(TH32CS_SNAPTHREAD, 0);
  if (snapshot == INVALID_HANDLE_VALUE) return 0;
  const Handle closed_behind(snapshot);
  std::size_t count = 0;
  THREADENTRY32 thread = {};
  thread.dwSize = sizeof thread;
  for (BOOL found = ::Thread32First(snapshot, &thread); found != FALSE;
       found = ::Thread32Next(snapshot, &thread))
    if (thread.th32OwnerProcessID == ::GetCurrentProcessId()) ++count;
  return count;
}

std::uint64_t resident_bytes() noexcept {
  PROCESS_MEMORY_COUNTERS counters = {};
  const BOOL known = ::K32GetProcessMemoryInfo(::GetCurrentProcess(), &counters, sizeof counters);
  return known == FALSE ? 0 : counters.WorkingSetSize;
}

void raise_file_limit() noexcept {}

std::uint64_t random_number() noexcept {
  std::uint64_t number = 0;
  if (::RtlGenRandom(&number, sizeof number) != FALSE) return number;
  return reinterpret_cast<std::uint64_t>(&random_number);
}

void* allocate_aligned(std::size_t alignment, std::size_t size) noexcept {
  return ::_aligned_malloc(size, alignment);
}

void free_aligned(void* memory) noexcept {
  ::_aligned_free(memory);
}

void prefer_huge_pages(void* /*memory*/, std::size_t /*size*/) noexcept {}

}  // namespace embd::os
