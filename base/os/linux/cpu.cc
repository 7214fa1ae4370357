#include "base/os/cpu.h"

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>
#if defined(__aarch64__)
#include <sys/auxv.h>
#endif

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <string>

#include "base/os/cpu_parts.h"

namespace embd {
namespace {

#if defined(__x86_64__)
/// Asks the system to let this process use AMX tiles; from then on, the system saves their
/// registers for each thread that uses them. Returns false if it refuses: because of an old kernel,
/// a filter of a container, or a thread whose stack for signals is too small for the registers.
bool request_tiles() noexcept {
  constexpr long request_permission = 0x1023;  // ARCH_REQ_XCOMP_PERM
  constexpr long tile_data = 18;
  return syscall(SYS_arch_prctl, request_permission, tile_data) == 0;
}
#endif

CpuFeatures detect() noexcept {
  CpuFeatures features;
#if defined(__x86_64__)
  features = os::x86_features(request_tiles);
#elif defined(__aarch64__)
  features.neon_dot = (getauxval(AT_HWCAP) & HWCAP_ASIMDDP) != 0;
  features.neon_i8mm = (getauxval(AT_HWCAP2) & HWCAP2_I8MM) != 0;
#endif
  return features;
}

/// Returns quota / period of one cgroup, or infinity.
double quota_of(const std::string& directory) {
  std::string quota;
  double period = 0;
  if (std::ifstream v2(directory + "/cpu.max"); v2 >> quota >> period) {
    return quota == "max" || period <= 0 ? std::numeric_limits<double>::infinity()
                                         : std::stod(quota) / period;
  }
  double v1_quota = -1;
  std::ifstream(directory + "/cpu.cfs_quota_us") >> v1_quota;
  std::ifstream(directory + "/cpu.cfs_period_us") >> period;
  return v1_quota <= 0 || period <= 0 ? std::numeric_limits<double>::infinity() : v1_quota / period;
}

/// Returns the smallest quota of this process's cgroup and the cgroups above it.
double cgroup_quota() {
  double tightest = std::numeric_limits<double>::infinity();
  std::ifstream membership("/proc/self/cgroup");
  for (std::string line; std::getline(membership, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const bool v2 = controllers.empty();
    if (!v2 && controllers.find("cpu") == std::string::npos) continue;
    const std::string root = v2 ? "/sys/fs/cgroup" : "/sys/fs/cgroup/" + controllers;
    for (std::string path = line.substr(second + 1);; path.resize(path.rfind('/'))) {
      tightest = std::min(tightest, quota_of(root + path));
      if (path.find('/') == std::string::npos) break;
    }
  }
  return tightest;
}

}  // namespace

const CpuFeatures& cpu_features() noexcept {
  static const CpuFeatures features = detect();
  return features;
}

int available_threads() noexcept {
  cpu_set_t mask;
  const int processors = sched_getaffinity(0, sizeof(mask), &mask) == 0 ? CPU_COUNT(&mask) : 1;
  double quota = std::numeric_limits<double>::infinity();
  try {
    quota = cgroup_quota();
  } catch (...) {  // An unreadable limit is no limit.
  }
  return std::max(1, static_cast<int>(std::min({static_cast<double>(processors), std::ceil(quota),
                                                os::openmp_threads()})));
}

}  // namespace embd
