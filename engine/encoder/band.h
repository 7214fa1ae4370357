#pragma once

#include <cstdint>
#include <vector>

#include "engine/kernels/kernels.h"

namespace embd {

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
