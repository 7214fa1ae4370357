#pragma once

#include <cstdint>
#include <stop_token>

#include "embd/error.h"
#include "embd/matrix.h"

namespace embd {

/// Options for projecting rows onto a plane.
struct ProjectOptions {
  /// The number of nearest rows that each row is placed close to: at least 1, by default 15. A
  /// small number shows fine groups, a large number how groups lie relative to each other.
  std::uint32_t neighbours = 15;
  /// The number of steps in which points are moved: at least 1, by default 300.
  std::uint32_t epochs = 300;
  /// The number of threads; it changes no byte of the result. 0 means as many as the process's CPU
  /// affinity and cgroup allow.
  int threads = 0;
};

/// Projects rows [n, dim] onto a plane: returns a point for each row, [n, 2], such that rows with a
/// high cosine similarity are close to each other. Coordinates have no unit. The same rows and
/// options give the same bits on every machine. Fails with bad_value, naming the row, for a value
/// that is not finite; with invalid_argument for an option out of range; with cancelled after a
/// stop request; with out_of_memory.
Result<Matrix> project(MatrixView rows, const ProjectOptions& options = {},
                       std::stop_token stop = {});

}  // namespace embd
