#pragma once

#include <functional>
#include <span>
#include <vector>

#include "embd/error.h"
#include "formats/weights/embd/embd_reader.h"

namespace embd {

/// The steps of a sentence embedding model between pooling and the vector: dense steps, LayerNorms
/// and scaling to length 1, in any order. All sums are in double precision and in the order of the
/// components (docs/arithmetic.md). Immutable: any number of threads may use it.
class VectorModules {
 public:
  /// Makes a list without steps.
  VectorModules() = default;
  /// Loads the steps that the spec of a file lists. Fails with tensor_missing.
  static Result<VectorModules> load(const WeightFile& file);

  bool empty() const noexcept { return steps_.empty(); }
  /// Returns the number of components that the first step takes.
  std::size_t in() const noexcept { return in_; }
  /// Returns the greatest number of components before, between and after the steps.
  std::size_t widest() const noexcept { return widest_; }
  /// Takes the in() values at the front of `values` through all steps and returns the result, which
  /// lies at the front of `values` or of `other`. Both have widest() floats.
  std::span<float> apply(std::span<float> values, std::span<float> other) const;

 private:
  /// A step: computes y of x. Both may be the same memory if the step is not dense.
  struct Step {
    std::size_t out = 0;
    bool is_in_place = false;
    std::function<void(std::span<const float> x, std::span<float> y)> compute;
  };

  std::vector<Step> steps_;
  std::size_t in_ = 0;
  std::size_t widest_ = 0;
};

}  // namespace embd
