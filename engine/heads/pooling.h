#pragma once

#include <span>
#include <vector>

#include "embd/recipe.h"
#include "engine/heads/head.h"
#include "engine/heads/vector_modules.h"

namespace embd {

/// Makes one row of the rows of a text, `rows` [seq_len, hidden]. Only the leading components are
/// used, as many as `out` has. Sums are in double precision and in the order of the tokens, so a
/// text has the same bytes everywhere. A text without tokens has zeros. `pooling` is one of those
/// that can be joined.
void pool(MatrixView rows, Pooling pooling, std::span<float> out) noexcept;

/// Divides values by their length (Euclidean norm), or by 1e-12 if the length is less.
void normalize(std::span<float> values) noexcept;

struct PoolingOptions {
  Pooling pooling = Pooling::mean;
  /// The poolings for Pooling::joined, in memory that outlives the options.
  std::span<const Pooling> joined = {};
  bool normalize = true;
  /// The steps behind pooling, which outlive the options; nullptr if there are none.
  const VectorModules* modules = nullptr;
  std::size_t dim = 0;  ///< components of a vector
  /// The number of components that are normalized; the first `dim` of them are the vector. It is
  /// larger than `dim` if the model's configuration cuts vectors after normalizing them.
  std::size_t pooled_dim = 0;
};

/// The head of a sentence embedding model: makes one vector of each text.
class PoolingHead final : public Head {
 public:
  explicit PoolingHead(const PoolingOptions& options) : options_(options) {}

  std::size_t width() const noexcept override { return options_.dim; }
  void apply(MatrixView rows, std::vector<float>& scratch, std::span<float> out) const override;

 private:
  /// Computes the leading components of the vector before it is normalized, as many as `out` has.
  void pool_rows(MatrixView rows, std::span<float> out) const noexcept;

  const PoolingOptions options_;
};

}  // namespace embd
