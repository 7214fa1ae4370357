#include "base/os/cpu.h"

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>
#if defined(__aarch64__)
#include <sys/auxv.h>
#endif

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <string>

#if defined(__x86_64__)
#include "base/tile_products.h"
#endif

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
  __builtin_cpu_init();
  features.pclmul = __builtin_cpu_supports("pclmul");
  features.avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                  __builtin_cpu_supports("f16c");
  const bool has_avx_vnni = features.avx2 && __builtin_cpu_supports("avxvnni");
  features.avx_vnni = has_avx_vnni && are_as_defined(avx_vnni_tile_products);
  features.wrong_avx_vnni = has_avx_vnni && !features.avx_vnni;
  features.avx512 = features.avx2 && __builtin_cpu_supports("avx512f") &&
                    __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
                    __builtin_cpu_supports("avx512vl");
  features.avx512_vnni = features.avx512 && __builtin_cpu_supports("avx512vnni");
  features.avx512_bf16 = features.avx512 && __builtin_cpu_supports("avx512bf16");
  features.slow_avx512_bf16 = __builtin_cpu_is("intel");
  const bool has_amx = features.avx512_vnni && features.avx512_bf16 &&
                       __builtin_cpu_supports("amx-tile") && __builtin_cpu_supports("amx-int8") &&
                       __builtin_cpu_supports("amx-bf16") && request_tiles();
  features.amx = has_amx && are_as_defined(amx_tile_products);
  features.wrong_amx = has_amx && !features.amx;
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

/// Returns the first number of OMP_NUM_THREADS; infinity if it has none.
double openmp_threads() noexcept {
  const char* wanted = std::getenv("OMP_NUM_THREADS");
  const double number = wanted == nullptr ? 0 : std::strtod(wanted, nullptr);
  return number >= 1 ? std::floor(number) : std::numeric_limits<double>::infinity();
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
  return std::max(1, static_cast<int>(std::min(
                         {static_cast<double>(processors), std::ceil(quota), openmp_threads()})));
}

}  // namespace embd
