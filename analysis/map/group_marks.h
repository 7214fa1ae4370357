#pragma once

#include <cstdint>
#include <vector>

#include "embd/map.h"

namespace embd {

/// How a group is shown on a map.
struct GroupMark {
  std::uint64_t size = 0;  ///< rows
  std::uint32_t color =
      0;        ///< of the palette: a color, or a step where the map's groups are a scale
  float x = 0;  ///< where its name stands: in the midst of its densest part
  float y = 0;
};

/// Marks the groups of a map. Groups in their order get the colors in their order; where there are
/// more groups than colors, each next one gets the color whose groups so far are farthest away.
std::vector<GroupMark> mark_groups(const RowMap& map);

/// The box around the places of a map.
struct Box {
  float left = 0;
  float right = 0;
  float bottom = 0;
  float top = 0;
};
Box box_of(const Matrix& places);

}  // namespace embd
