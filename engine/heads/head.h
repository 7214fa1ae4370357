#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "embd/matrix.h"

namespace embd {

/// The last step of a model: makes the result for a text, such as a vector or scores, from the rows
/// of the encoder's last layer. Immutable: any number of threads may use it.
class Head {
 public:
  virtual ~Head() = default;
  /// Returns the number of floats of a result.
  virtual std::size_t width() const noexcept = 0;
  /// Computes the result for `rows` [seq_len, hidden] into `out` [width]. `scratch` is memory of
  /// the calling thread that the head may use; it is kept from text to text. Throws std::bad_alloc.
  virtual void apply(MatrixView rows, std::vector<float>& scratch, std::span<float> out) const = 0;
};

}  // namespace embd
