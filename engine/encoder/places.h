#pragma once

#include <cstdint>
#include <vector>

#include "engine/kernels/kernels.h"
#include "formats/weights/embd/embd_reader.h"

namespace embd {

/// The cosines and sines by which a model rotates queries and keys for their places. Component j of
/// the first half of a head and component j of its second half are the two coordinates of a point,
/// which is rotated by place · theta^(−2j / D), where D is the number of components of a head. The
/// frequencies and the angles are rounded to float32, as in transformers; docs/arithmetic.md has
/// the rounding. Immutable.
class Rotation {
 public:
  Rotation() = default;
  /// Makes the numbers for places from 0 to `places` − 1. `head_dim` must be even, and theta and
  /// the factor (Architecture::ntk_factor) at least 1. Throws std::bad_alloc.
  Rotation(std::uint32_t places, std::uint32_t head_dim, double theta, double ntk_factor = 1);

  /// Rotates `heads` in the rows of one text, qkv [seq_len, qkv_width]: those of queries, and
  /// behind them those of keys.
  void apply(float* qkv, const kernels::AttentionShape& shape, kernels::Range heads) const noexcept;

 private:
  std::int64_t half_ = 0;
  std::vector<float> cosines_;  // [places, half]
  std::vector<float> sines_;    // [places, half]
};

/// Returns the bucket of a distance, key − query, in models of the families T5 and MPNet: 0 to 15
/// for keys up to the query, 16 to 31 for keys behind it.
std::uint32_t bucket_of(std::int64_t distance) noexcept;

/// The numbers that a model adds to the scores of attention because of the distance between a key
/// and a query, for all distances that its texts can have. They are the same in all layers.
/// Immutable.
class DistanceBiasTable {
 public:
  /// Makes the numbers, or none if the model has no such bias. Fails with the errors of reading the
  /// table of buckets.
  static Result<DistanceBiasTable> load(const WeightFile& file);

  kernels::DistanceBias view() const noexcept {
    if (values_.empty()) return {};
    return {values_.data(), stride_, reach_};
  }

 private:
  std::vector<float> values_;  // [num_heads, stride], in powers of two
  std::int64_t stride_ = 0;
  std::int64_t reach_ = 0;
};

/// The attention of layers in which a query does not see all keys: only those at most `window`
/// places away, or only its own and earlier ones. A long text is computed in blocks of queries,
/// each with the keys that they see. So with a window, the time grows with the length of a text and
/// not with the square of it, and without later keys it is about half. Immutable.
class Band {
 public:
  Band() = default;
  /// For texts of up to `most` tokens. `window` is at least 1. Throws std::bad_alloc.
  Band(std::uint32_t window, std::uint32_t most);
  /// Returns the attention without later keys. Throws std::bad_alloc.
  static Band causal(std::uint32_t most);

  /// Returns the number of blocks of a text of this length.
  std::int64_t num_blocks(std::int64_t seq_len) const noexcept;
  /// Computes `heads` of some blocks of one text, as Attention::compute() does with all queries.
  void compute(const kernels::Attention& attention, const float* qkv,
               const kernels::AttentionShape& shape, kernels::Range heads, kernels::Range blocks,
               float* scratch, float* context) const noexcept;

 private:
  void make_mask();

  std::int64_t before_ = 0;   // the most places to a key that a query sees before it
  std::int64_t after_ = 0;    // and behind it
  std::int64_t block_ = 0;    // the queries that are computed together
  std::int64_t longest_ = 0;  // the tokens of the longest text that is computed as a whole
  std::int64_t reach_ = 0;    // the greatest distance of a key that is passed to the kernels
  std::vector<float> mask_;   // what is added to the scores, for all distances up to reach_
};

}  // namespace embd
