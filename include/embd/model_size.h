#pragma once

#include <cstdint>

namespace embd {

/// How large a model is.
struct ModelSize {
  std::uint32_t layers = 0;
  std::uint32_t heads = 0;         ///< of a layer's attention
  std::uint32_t hidden = 0;        ///< values of a token's row
  std::uint32_t intermediate = 0;  ///< values between the two linear steps of a feed-forward
  std::uint64_t parameters = 0;    ///< values of all tensors
  std::uint64_t file_bytes = 0;

  /// Returns the multiplications of the layers' matrix products for one token, by which the time
  /// that two models take can be compared.
  std::uint64_t multiplications_a_token() const noexcept {
    const std::uint64_t width = hidden;
    return layers * (4 * width * width + 2 * width * intermediate);
  }
  bool operator==(const ModelSize&) const = default;
};

}  // namespace embd
