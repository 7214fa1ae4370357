#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "formats/weights/model_tensors.h"

namespace embd {

/// The factors by which the columns of matrices are multiplied before they are rounded to int8. The
/// inputs are divided by them, so that columns of large inputs leave more steps for the others.
struct SmoothingFactors {
  struct Layer {
    std::vector<float> attention;     ///< [hidden]; of the matrices of query, key and value
    std::vector<float> feed_forward;  ///< [hidden]; of the first step of the feed-forward network
  };
  std::vector<Layer> layers;

  /// Returns the factors of the columns of a module's matrix; empty if it is not smoothed.
  std::span<const float> of(Module module, std::uint32_t layer) const noexcept {
    if (layer >= layers.size()) return {};
    switch (module) {
      case Module::query:
      case Module::key:
      case Module::value:
        return layers[layer].attention;
      case Module::gate:
      case Module::up:
        return layers[layer].feed_forward;
      default:
        return {};
    }
  }
};

}  // namespace embd
