// MinGW's fmaf() rounds twice. The kernels of the table `reference` call it, and tests compare with
// it, so this one is linked instead.
#include <cstdint>

namespace {
#include "base/fused.inc"
}  // namespace

extern "C" float fmaf(float a, float b, float c);

extern "C" float fmaf(float a, float b, float c) {
  return static_cast<float>(fused_to_odd(a, b, c));
}
