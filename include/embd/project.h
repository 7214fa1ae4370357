#pragma once

#include <cstdint>
#include <stop_token>

#include "embd/error.h"
#include "embd/matrix.h"

namespace embd {

struct ProjectOptions {
  /// Nearest rows of a row that its place is to be near. Fewer show finer groups, more show how
  /// groups lie to each other.
  std::uint32_t neighbours = 15;
  /// Steps in which the places move, at least 1.
  std::uint32_t epochs = 300;
  /// Threads; 0: what affinity and the cgroup allow. Changes no byte of the result.
  int threads = 0;
};

/// Returns a place on a plane for each of `rows` [n, dim], as [n, 2], so that rows of a great
/// cosine are near each other: a map of the rows. Places have no unit. Equal rows and options give
/// equal bits on every machine. Errors: bad_value for a row with a value that is not finite, whose
/// number the message has; invalid_argument for options out of range; cancelled; out_of_memory.
Result<Matrix> project(MatrixView rows, const ProjectOptions& options = {},
                       std::stop_token stop = {});

}  // namespace embd
