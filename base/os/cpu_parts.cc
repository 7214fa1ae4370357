#include "base/os/cpu_parts.h"

#include <cmath>
#include <cstdlib>
#include <limits>

#if defined(__x86_64__)
#include "base/tile_products.h"
#endif

namespace embd::os {

#if defined(__x86_64__)
CpuFeatures x86_features(bool (*request_tiles)() noexcept) noexcept {
  CpuFeatures features;
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
  return features;
}
#endif

double openmp_threads() noexcept {
  const char* wanted = std::getenv("OMP_NUM_THREADS");
  const double number = wanted == nullptr ? 0 : std::strtod(wanted, nullptr);
  return number >= 1 ? std::floor(number) : std::numeric_limits<double>::infinity();
}

}  // namespace embd::os
