#pragma once

#include <span>
#include <vector>

#include "embd/error.h"
#include "formats/weights/embd/embd_reader.h"
#include "formats/weights/model_tensors.h"

namespace embd {

/// A linear step over one row, with sums in double: W · x + b. For heads, which have a row a text,
/// so that they need no kernels. Immutable.
class Dense {
 public:
  /// Copies the module's weight and bias. Errors: tensor_missing.
  static Result<Dense> load(const WeightFile& file, Module module);

  std::size_t out() const noexcept { return bias_.size(); }
  /// y[out] = float(function(W · x + b)). `x` [in]; `function` takes a double and returns one. The
  /// sum of an element begins at 0, runs in the order of x, and takes b last. A product of two
  /// floats is exact in double, so fused multiply-adds give the same bytes.
  void apply(std::span<const float> x, std::span<float> y,
             double (*function)(double)) const noexcept;

 private:
  /// Outputs whose sums are in registers together.
  static constexpr std::size_t block = 16;

  std::size_t in_ = 0;
  std::vector<float> weight_;  // [blocks of outputs, in, block], zeros behind the last output
  std::vector<float> bias_;    // [out]
};

}  // namespace embd
