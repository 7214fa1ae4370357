#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "analysis/centers.h"
#include "analysis/map/map_parts.h"
#include "base/try.h"
#include "base/utf8.h"
#include "embd/map.h"

namespace embd {
namespace {

constexpr double margin = 28;
constexpr double title_height = 44;
constexpr double legend_width = 230;
constexpr double legend_line = 22;
/// The mean width of a letter of a bold sans-serif font, as a share of the font size.
constexpr double letter_width = 0.6;

struct Point {
  double x = 0;
  double y = 0;
};

/// A rectangle, given by its center and half of its sides.
struct Area {
  Point middle;
  double w = 0;
  double h = 0;
  bool meets(const Area& other) const noexcept {
    return std::abs(middle.x - other.middle.x) < w + other.w &&
           std::abs(middle.y - other.middle.y) < h + other.h;
  }
};

/// Writes a map as SVG, element by element.
class Picture {
 public:
  Picture(const RowMap& map, const MapPictureOptions& options)
      : map_(map),
        options_(options),
        palette_(options.dark ? dark_palette : light_palette),
        marks_(mark_groups(map)),
        members_(members_of(std::span(map.groups), marks_.size())),
        box_(box_of(map.places)) {
    const double right = marks_.empty() ? margin : legend_width;
    const double width = options.width - margin - right;
    const double height = options.height - title_height - margin;
    const double across = std::max<double>(box_.right - box_.left, 1e-6);
    const double upright = std::max<double>(box_.top - box_.bottom, 1e-6);
    scale_ = std::min(width / across, height / upright);
    middle_ = {margin + width / 2, title_height + height / 2};
    size_ = std::clamp(
        std::sqrt(width * height / std::max<double>(1, static_cast<double>(map.num_rows()))) * 0.42,
        1.8, 9.0);
  }

  std::string drawn() {
    begin();
    draw_rest();
    for (std::size_t group = 0; group < marks_.size(); ++group)
      draw_points(members_.of(group), color(group), 0.82);
    if (!map_.is_scale) draw_names();
    draw_legend();
    return std::move(out_) + "</svg>\n";
  }

 private:
  std::string_view color(std::size_t group) const {
    return map_.is_scale ? palette_.steps[marks_[group].color]
                         : palette_.colors[marks_[group].color];
  }
  Point place(double x, double y) const {
    const double center_x = (static_cast<double>(box_.left) + box_.right) / 2;
    const double center_y = (static_cast<double>(box_.bottom) + box_.top) / 2;
    return {middle_.x + (x - center_x) * scale_, middle_.y - (y - center_y) * scale_};
  }

  void begin() {
    const std::string title = escaped_markup(map_.title.empty() ? "Map" : map_.title);
    out_ += fmt::format(
        R"(<svg xmlns="http://www.w3.org/2000/svg" width="{0}" height="{1}" viewBox="0 0 {0} {1}" role="img")"
        R"( font-family="system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif" fill="{2}"><title>{3}</title>)"
        "\n"
        R"(<rect width="100%" height="100%" fill="{4}"/>)"
        "\n"
        R"(<text x="{5}" y="30" font-size="18" font-weight="650">{3}</text>)"
        "\n",
        options_.width, options_.height, palette_.ink, title, palette_.paper, margin);
  }

  /// Draws the rows in no group.
  void draw_rest() {
    std::vector<std::uint32_t> rest;
    for (std::size_t row = 0; row < map_.num_rows(); ++row)
      if (map_.groups.empty() || map_.groups[row] < 0)
        rest.push_back(static_cast<std::uint32_t>(row));
    draw_points(rest, map_.groups.empty() ? palette_.colors[0] : palette_.none, 0.6);
  }

  /// Draws points as lines of length zero with round ends, which take a few bytes each.
  void draw_points(std::span<const std::uint32_t> rows, std::string_view ink, double opacity) {
    if (rows.empty()) return;
    out_ += fmt::format(
        R"(<path stroke="{}" stroke-width="{:.1f}" stroke-linecap="round" stroke-opacity="{}" fill="none" d=")",
        ink, size_, opacity);
    for (const std::uint32_t row : rows) {
      const Point point = place(map_.places.row(row)[0], map_.places.row(row)[1]);
      out_ += fmt::format("M{:.1f} {:.1f}h0", point.x, point.y);
    }
    out_ += "\"/>\n";
  }

  /// Draws the names of groups, large groups first. A name that would overlap another one is only
  /// in the legend.
  void draw_names() {
    std::vector<Area> taken;
    std::uint64_t largest = 1;
    for (const GroupMark& mark : marks_) largest = std::max(largest, mark.size);
    for (const std::size_t group : by_size()) {
      const std::string name = shortened(map_.group_names[group], 36);
      if (marks_[group].size == 0 || name.empty()) continue;
      const double size = 12 + 5 * std::sqrt(static_cast<double>(marks_[group].size) /
                                             static_cast<double>(largest));
      Area area = {place(marks_[group].x, marks_[group].y),
                   static_cast<double>(count_characters(name)) * size * letter_width / 2 + 4,
                   size * 0.75};
      area.middle.x = std::clamp(area.middle.x, std::min(area.w, options_.width / 2.0),
                                 std::max(options_.width - area.w, options_.width / 2.0));
      if (std::ranges::any_of(taken, [&](const Area& other) { return other.meets(area); }))
        continue;
      taken.push_back(area);
      out_ += fmt::format(
          R"(<text x="{:.1f}" y="{:.1f}" font-size="{:.1f}" font-weight="650" text-anchor="middle")"
          R"( paint-order="stroke" stroke="{}" stroke-width="4" stroke-linejoin="round">{}</text>)"
          "\n",
          area.middle.x, area.middle.y + size * 0.35, size, palette_.paper, escaped_markup(name));
    }
  }

  std::vector<std::size_t> by_size() const {
    std::vector<std::size_t> groups(marks_.size());
    for (std::size_t group = 0; group < groups.size(); ++group) groups[group] = group;
    std::ranges::stable_sort(groups, std::ranges::greater(),
                             [this](std::size_t group) { return marks_[group].size; });
    return groups;
  }

  void draw_legend() {
    const double left = options_.width - legend_width + margin / 2;
    double y = title_height + 10;
    const auto room = static_cast<std::size_t>((options_.height - y - margin) / legend_line);
    for (std::size_t group = 0; group < marks_.size(); ++group, y += legend_line) {
      if (group + 1 > room || (group + 1 == room && marks_.size() > room)) {
        out_ += fmt::format(R"(<text x="{:.1f}" y="{:.1f}" font-size="13">and {} more</text>)"
                            "\n",
                            left, y + 5, marks_.size() - group);
        return;
      }
      out_ += fmt::format(
          R"(<circle cx="{:.1f}" cy="{:.1f}" r="6" fill="{}"/>)"
          R"(<text x="{:.1f}" y="{:.1f}" font-size="13">{} <tspan opacity=".6">{}</tspan></text>)"
          "\n",
          left + 6, y, color(group), left + 20, y + 5,
          escaped_markup(shortened(map_.group_names[group], 22)), marks_[group].size);
    }
  }

  const RowMap& map_;
  MapPictureOptions options_;
  const Palette& palette_;
  std::vector<GroupMark> marks_;
  Members members_;
  Box box_;
  double scale_ = 1;
  Point middle_;
  double size_ = 1;
  std::string out_;
};

}  // namespace

Result<std::string> map_picture(const RowMap& map, const MapPictureOptions& options) {
  return guarded([&]() -> Result<std::string> {
    EMBD_TRY(check_map(map));
    for (const std::uint32_t side : {options.width, options.height}) {
      if (side >= 200 && side <= 20'000) continue;
      return fail(ErrorCode::invalid_argument,
                  "the width or the height of the picture is {} pixels, expected 200 to 20,000",
                  side);
    }
    return Picture(map, options).drawn();
  });
}

}  // namespace embd
