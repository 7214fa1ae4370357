#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "embd/matrix.h"

namespace embd {

/// Makes what is asked for of a text's rows as the last layer leaves them: a vector, scores.
/// Immutable: any number of threads may use it.
class Head {
 public:
  virtual ~Head() = default;
  /// Floats that it makes of a text.
  virtual std::size_t width() const noexcept = 0;
  /// Writes them to `out` [width]. `rows` [seq_len, hidden]; `scratch` is the thread's own, for
  /// whatever the head needs, and keeps its memory from text to text. Throws std::bad_alloc.
  virtual void apply(MatrixView rows, std::vector<float>& scratch, std::span<float> out) const = 0;
};

}  // namespace embd
