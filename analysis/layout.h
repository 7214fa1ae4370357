#pragma once

#include <cstdint>
#include <stop_token>
#include <vector>

#include "analysis/edge_lists.h"
#include "embd/error.h"

namespace embd {

/// Places on a plane, a value a row.
struct Places {
  std::vector<float> x;
  std::vector<float> y;
};

struct LayoutOptions {
  std::uint32_t epochs = 300;
  int threads = 1;
};

/// Moves places until rows with an edge are near each other and others are not.
///
/// The forces are UMAP's with a = b = 1: an edge of weight w draws its ends together by
/// 2w · d / (1 + |d|²), and every row pushes every other away by 2 · d / ((0.1 + |d|²)(1 + |d|²)).
/// In each epoch 128 rows that are drawn anew stand for all in pushing. The rows of an epoch move
/// at once, from where all of them were before it (Jacobi), by steps of Adam that shrink to
/// nothing; so each row can be moved by any thread, and its sums have one order. Only additions,
/// multiplications, divisions and square roots are used, which give the same bits on every machine.
///
/// Error: cancelled.
Result<void> lay_out(const EdgeLists& edges, const LayoutOptions& options,
                     const std::stop_token& stop, Places& places);

}  // namespace embd
