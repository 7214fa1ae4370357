#pragma once

#include <span>
#include <vector>

#include "embd/recipe.h"
#include "engine/heads/head.h"

namespace embd {

/// Makes one row of a text's rows: their mean, the first, or the largest value of each component.
/// `rows` [seq_len, hidden]; the leading components of the same number as `out` has. Sums in
/// double, in the order of the tokens, so a text has the same bytes everywhere.
void pool(MatrixView rows, Pooling pooling, std::span<float> out) noexcept;

/// Divides by the length, or by 1e-12 where it is less.
void normalize(std::span<float> values) noexcept;

struct PoolingOptions {
  Pooling pooling = Pooling::mean;
  bool normalize = true;
  std::size_t dim = 0;  ///< of a vector
  /// Components that are pooled and normalized, of which the leading `dim` are the vector: more
  /// where the model's own configuration cuts vectors, after it has normalized them.
  std::size_t pooled_dim = 0;
};

/// The head of a sentence embedding model: a vector of each text.
class PoolingHead final : public Head {
 public:
  explicit PoolingHead(const PoolingOptions& options) : options_(options) {}

  std::size_t width() const noexcept override { return options_.dim; }
  void apply(MatrixView rows, std::vector<float>& scratch, std::span<float> out) const override;

 private:
  const PoolingOptions options_;
};

}  // namespace embd
