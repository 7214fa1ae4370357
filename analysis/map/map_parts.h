#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "embd/map.h"

namespace embd {

/// The colors of a map; analysis/map/map.js has the same. The eight colors of groups can be told
/// apart by people who cannot see red, green or blue (OKLab distances of at least 0.08 in Machado's
/// simulation).
struct Palette {
  std::array<std::string_view, 8> colors;
  std::array<std::string_view, 7> steps;  ///< from low to high
  std::string_view none;                  ///< for rows in no group
  std::string_view ink;
  std::string_view paper;
};

inline constexpr Palette light_palette = {
    .colors = {"#2078e5", "#c37520", "#1f7448", "#b9378a", "#5627cc", "#b1ab06", "#19b2cb",
               "#7d1535"},
    .steps = {"#d6b53c", "#9fb23f", "#5aa65b", "#2f9078", "#2c7585", "#36577f", "#3b2f6b"},
    .none = "#9a958c",
    .ink = "#1c1b19",
    .paper = "#ffffff"};

inline constexpr Palette dark_palette = {
    .colors = {"#467dfe", "#ff8635", "#0ec880", "#f8a2cb", "#b191fa", "#ffd45e", "#a6eaff",
               "#dc495c"},
    .steps = {"#5a4fa3", "#4a72b0", "#3f93ad", "#45b09a", "#73c979", "#b3da5c", "#f5e663"},
    .none = "#7d7a74",
    .ink = "#f2efe9",
    .paper = "#111315"};

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

/// Returns the data of a map in the form that its page reads (file.js): base64 of a zlib stream
/// with
///
///     u32                   bytes of the head
///     head                  a JSON object, see below
///     u16 [rows]            x, as (x − left) / step
///     u16 [rows]            y, as (y − bottom) / step
///     i16 [rows]            groups, −1 for none
///     u32 [rows, nearest]   nearest rows
///     u8 [rows, nearest]    their cosine similarities, 0 to 1 as 0 to 255
///     u32 [rows], bytes     sizes of the texts, then the texts, if there are texts
///     u32 [rows], bytes     sizes of the ids, then the ids, if there are ids
///
/// Numbers are little-endian. The head has the members rows and nearest (numbers), texts, ids and
/// scale (booleans), left, bottom and step (numbers), groups [{name, color, x, y}], by, and about.
/// No character of base64 has a meaning in HTML. Fails as map_page() does.
Result<std::string> map_payload(const RowMap& map, const MapPageOptions& options);

/// Returns a text escaped for use in HTML, XML or an attribute in double quotes. Control characters
/// and bytes that are not UTF-8, which XML cannot contain, become U+FFFD.
std::string escaped_markup(std::string_view text);

/// Fails with invalid_argument if members of a map do not fit each other.
Result<void> check_map(const RowMap& map);

}  // namespace embd
