#include "analysis/map/map_parts.h"

#include <algorithm>
#include <limits>
#include <span>

#include "analysis/centers.h"

namespace embd {
namespace {

/// The number of cells along a side of the box, in which the rows of a group are counted.
constexpr std::size_t num_cells = 32;

struct Cell {
  std::size_t x = 0;
  std::size_t y = 0;
};

bool are_near(Cell a, Cell b) {
  const auto apart = [](std::size_t u, std::size_t v) { return u > v ? u - v : v - u; };
  return apart(a.x, b.x) <= 1 && apart(a.y, b.y) <= 1;
}

/// The numbers of rows in the cells of the box of all rows.
class CellCounts {
 public:
  explicit CellCounts(const Box& box) : box_(box) {}

  Cell cell_of(std::span<const float> place) const noexcept {
    return {cell(place[0], box_.left, box_.right), cell(place[1], box_.bottom, box_.top)};
  }
  void add(Cell cell) noexcept { ++counts_[cell.y][cell.x]; }

  /// Returns the cell with the most rows in itself and the eight cells around it; of equal ones,
  /// the first.
  Cell densest() const noexcept {
    Cell best;
    std::uint64_t most = 0;
    for (std::size_t y = 0; y < num_cells; ++y) {
      for (std::size_t x = 0; x < num_cells; ++x) {
        if (const std::uint64_t sum = sum_around({x, y}); sum > most) {
          best = {x, y};
          most = sum;
        }
      }
    }
    return best;
  }

 private:
  static std::size_t cell(float value, float least, float greatest) noexcept {
    const float width = (greatest - least) / num_cells;
    if (!(width > 0)) return 0;
    return std::min(static_cast<std::size_t>((value - least) / width), num_cells - 1);
  }
  std::uint64_t sum_around(Cell cell) const noexcept {
    std::uint64_t sum = 0;
    for (std::size_t y = cell.y == 0 ? 0 : cell.y - 1; y <= std::min(cell.y + 1, num_cells - 1);
         ++y)
      for (std::size_t x = cell.x == 0 ? 0 : cell.x - 1; x <= std::min(cell.x + 1, num_cells - 1);
           ++x)
        sum += counts_[y][x];
    return sum;
  }

  Box box_;
  std::array<std::array<std::uint64_t, num_cells>, num_cells> counts_ = {};
};

void place_name(const Matrix& places, const Box& box, std::span<const std::uint32_t> rows,
                GroupMark& mark) {
  if (rows.empty()) return;
  CellCounts counts(box);
  for (const std::uint32_t row : rows) counts.add(counts.cell_of(places.row(row)));
  const Cell densest = counts.densest();
  double x = 0;
  double y = 0;
  double count = 0;
  for (const std::uint32_t row : rows) {
    if (!are_near(counts.cell_of(places.row(row)), densest)) continue;
    x += places.row(row)[0];
    y += places.row(row)[1];
    ++count;
  }
  mark.x = static_cast<float>(x / count);
  mark.y = static_cast<float>(y / count);
}

/// Returns the color whose groups among `before` are farthest from `mark`. A color without groups
/// counts as the farthest.
std::uint32_t farthest_color(std::span<const GroupMark> before, const GroupMark& mark) {
  std::array<float, light_palette.colors.size()> nearest;
  nearest.fill(std::numeric_limits<float>::infinity());
  for (const GroupMark& other : before) {
    const float dx = other.x - mark.x;
    const float dy = other.y - mark.y;
    nearest[other.color] = std::min(nearest[other.color], dx * dx + dy * dy);
  }
  return static_cast<std::uint32_t>(std::ranges::max_element(nearest) - nearest.begin());
}

std::uint32_t step_of(std::size_t group, std::size_t num_groups) {
  const std::size_t last = light_palette.steps.size() - 1;
  return static_cast<std::uint32_t>(num_groups < 2 ? last : group * last / (num_groups - 1));
}

}  // namespace

Box box_of(const Matrix& places) {
  if (places.rows() == 0) return {};
  Box box = {places.row(0)[0], places.row(0)[0], places.row(0)[1], places.row(0)[1]};
  for (std::size_t row = 1; row < places.rows(); ++row) {
    box.left = std::min(box.left, places.row(row)[0]);
    box.right = std::max(box.right, places.row(row)[0]);
    box.bottom = std::min(box.bottom, places.row(row)[1]);
    box.top = std::max(box.top, places.row(row)[1]);
  }
  return box;
}

std::vector<GroupMark> mark_groups(const RowMap& map) {
  const Box box = box_of(map.places);
  std::vector<GroupMark> marks(map.group_names.size());
  const Members members = members_of(std::span(map.groups), marks.size());
  for (std::size_t group = 0; group < marks.size(); ++group) {
    GroupMark& mark = marks[group];
    mark.size = members.of(group).size();
    place_name(map.places, box, members.of(group), mark);
    mark.color = map.is_scale ? step_of(group, marks.size())
                              : farthest_color(std::span(marks).first(group), mark);
  }
  return marks;
}

}  // namespace embd
