#pragma once

#include <cstdint>
#include <stop_token>
#include <vector>

#include "analysis/edge_lists.h"
#include "embd/error.h"

namespace embd {

/// Points on a plane: a pair of coordinates for each row.
struct Places {
  std::vector<float> x;
  std::vector<float> y;
};

struct LayoutOptions {
  std::uint32_t epochs = 300;
  int threads = 1;
};

/// Moves points until rows that have an edge are close to each other and other rows are not.
///
/// The forces are those of UMAP with a = b = 1. An edge of weight w pulls its ends together by 2w ·
/// d / (1 + |d|²). Every row pushes every other row away by 2 · d / ((0.1 + |d|²)(1 + |d|²)); in
/// each epoch, 128 randomly drawn rows stand for all rows that push. All rows of an epoch move at
/// the same time, from the positions before it (Jacobi), by steps of Adam that shrink to 0. So any
/// thread can move any row, and sums have a fixed order. Only additions, multiplications, divisions
/// and square roots are used, which give the same bits on every machine.
///
/// Fails with cancelled.
Result<void> lay_out(const EdgeLists& edges, const LayoutOptions& options,
                     const std::stop_token& stop, Places& places);

}  // namespace embd
