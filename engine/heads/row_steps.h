#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "embd/error.h"
#include "formats/weights/embd/embd_reader.h"
#include "formats/weights/model_tensors.h"

namespace embd {

/// A linear step W · x + b for a single row, with sums in double precision. It is for heads, which
/// have only one row for each text, so that kernels are not worthwhile. Immutable.
class Dense {
 public:
  /// Copies the weight and the bias of the module, if it has one. Fails with tensor_missing.
  static Result<Dense> load(const WeightFile& file, Module module) {
    return load(file, weight_name(module),
                has_bias(module, file.spec()) ? bias_name(module) : std::string());
  }
  /// Copies the tensors with these names. The bias is zeros if its name is empty. Fails with
  /// tensor_missing.
  static Result<Dense> load(const WeightFile& file, std::string_view weight, std::string_view bias);

  std::size_t out() const noexcept { return bias_.size(); }
  /// Computes y[out] = float(function(W · x + b)) for `x` [in]; `function` takes and returns a
  /// double. The sum of each element begins at 0, follows the order of x, and adds b last. The
  /// product of two floats is exact in double precision, so fused multiply-adds give the same
  /// bytes.
  void apply(std::span<const float> x, std::span<float> y,
             double (*function)(double)) const noexcept;

 private:
  /// The number of outputs whose sums are in registers at the same time.
  static constexpr std::size_t block = 16;

  std::size_t in_ = 0;
  std::vector<float> weight_;  // [blocks of outputs, in, block], zeros behind the last output
  std::vector<float> bias_;    // [out]
};

/// Computes y = (x − mean) ÷ √(variance + epsilon) · gamma + beta for a single row, with sums in
/// double precision and in the order of the components. All spans have the same size. `y` may be
/// `x`.
void layer_norm(std::span<const float> x, std::span<const float> gamma, std::span<const float> beta,
                double epsilon, std::span<float> y) noexcept;

}  // namespace embd
