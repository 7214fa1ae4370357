#pragma once

#include <algorithm>
#include <cstddef>

#include "base/parallel.h"

namespace embd {

/// A range of rows: from number `first` up to, but not including, number `end`.
struct Block {
  std::size_t first = 0;
  std::size_t end = 0;
  std::size_t size() const noexcept { return end - first; }
};

/// Calls function(block) for blocks of `rows_of_block` rows (the last may have fewer), which
/// together cover all rows once. Up to `threads` calls run at the same time. The blocks do not
/// depend on the number of threads.
template <class Function>
Result<void> for_blocks(std::size_t num_rows, int threads, Function&& function,
                        std::size_t rows_of_block = 1024) {
  const std::size_t num_blocks = (num_rows + rows_of_block - 1) / rows_of_block;
  return parallel_for(num_blocks, threads, [&](std::size_t i) -> Result<void> {
    const std::size_t first = i * rows_of_block;
    return function(Block{first, std::min(num_rows, first + rows_of_block)});
  });
}

}  // namespace embd
