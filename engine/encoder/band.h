#pragma once

#include <cstdint>
#include <vector>

#include "engine/kernels/kernels.h"

namespace embd {

/// The attention of layers with a window: a query sees only the keys at most `window` places away.
/// A long text is computed in blocks of queries, each with the keys that they see, so that the time
/// grows with its length and not with the square of it. Immutable.
class Band {
 public:
  Band() = default;
  /// For texts of up to `most` tokens. `window` is at least 1. Throws std::bad_alloc.
  Band(std::uint32_t window, std::uint32_t most);

  /// Returns the number of blocks of a text of this length.
  std::int64_t num_blocks(std::int64_t seq_len) const noexcept;
  /// Computes `heads` of some blocks of one text, as Attention::compute() does with all queries.
  void compute(const kernels::Attention& attention, const float* qkv,
               const kernels::AttentionShape& shape, kernels::Range heads, kernels::Range blocks,
               float* scratch, float* context) const noexcept;

 private:
  std::int64_t window_ = 0;
  std::int64_t block_ = 0;    // the queries that are computed together
  std::int64_t longest_ = 0;  // the tokens of the longest text that is computed as a whole
  std::vector<float> mask_;   // what is added to the scores, for all distances up to longest_
};

}  // namespace embd
