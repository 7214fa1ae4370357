#pragma once

#include <cstdint>
#include <vector>

#include "embd/map.h"

namespace embd {

/// The look of a group on a map.
struct GroupMark {
  std::uint64_t size = 0;  ///< number of rows
  /// The number of its color in the palette or, if the groups are a scale, of its step.
  std::uint32_t color = 0;
  float x = 0;  ///< place of its name, in the middle of its densest part
  float y = 0;
};

/// Chooses the look of the groups of a map. Groups get the colors of the palette in order. If there
/// are more groups than colors, each further group gets the color whose groups are farthest away.
std::vector<GroupMark> mark_groups(const RowMap& map);

/// The bounding box of the points of a map.
struct Box {
  float left = 0;
  float right = 0;
  float bottom = 0;
  float top = 0;
};
Box box_of(const Matrix& places);

}  // namespace embd
