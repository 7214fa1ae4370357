#pragma once

#include <cstdint>

namespace embd {

/// The size of a model.
struct ModelSize {
  std::uint32_t layers = 0;
  std::uint32_t heads = 0;   ///< attention heads of each layer
  std::uint32_t hidden = 0;  ///< components of a token's row between layers
  /// The number of components between the two linear steps of a feed-forward block.
  std::uint32_t intermediate = 0;
  std::uint64_t parameters = 0;  ///< values of all tensors together
  /// The size in bytes of the weight file, or of the one that a model folder is converted to.
  std::uint64_t file_bytes = 0;

  /// Returns the number of multiplications in the layers' matrix products for one token. It allows
  /// a rough comparison of the time that two models take.
  std::uint64_t multiplications_a_token() const noexcept {
    const std::uint64_t width = hidden;
    return layers * (4 * width * width + 2 * width * intermediate);
  }
  bool operator==(const ModelSize&) const = default;
};

}  // namespace embd
