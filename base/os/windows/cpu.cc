#include "base/os/cpu.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "base/os/cpu_parts.h"
#include "base/os/windows/windows.h"

namespace embd {
namespace {

/// Windows grants AMX tiles to processes that ask for them, which nobody has tried here.
bool refuse_tiles() noexcept {
  return false;
}

/// Returns the processors that the job of this process may keep busy; infinity without a limit.
double job_quota(int processors) noexcept {
  JOBOBJECT_CPU_RATE_CONTROL_INFORMATION rate = {};
  constexpr DWORD is_hard_cap =
      JOB_OBJECT_CPU_RATE_CONTROL_ENABLE | JOB_OBJECT_CPU_RATE_CONTROL_HARD_CAP;
  if (::QueryInformationJobObject(nullptr, JobObjectCpuRateControlInformation, &rate, sizeof rate,
                                  nullptr) == FALSE ||
      (rate.ControlFlags & is_hard_cap) != is_hard_cap)
    return std::numeric_limits<double>::infinity();
  return std::ceil(rate.CpuRate / 10'000.0 * processors);  // hundredths of a per cent of all
}

}  // namespace

const CpuFeatures& cpu_features() noexcept {
  static const CpuFeatures features = os::x86_features(refuse_tiles);
  return features;
}

int available_threads() noexcept {
  DWORD_PTR mask = 0;
  DWORD_PTR all = 0;
  const BOOL known = ::GetProcessAffinityMask(::GetCurrentProcess(), &mask, &all);
  const int processors = known == FALSE ? 1 : std::popcount(std::uint64_t{mask});
  return std::max(1, static_cast<int>(std::min({static_cast<double>(processors),
                                                job_quota(std::popcount(std::uint64_t{all})),
                                                os::openmp_threads()})));
}

}  // namespace embd
