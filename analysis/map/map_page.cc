#include "analysis/map/map_parts.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>

#include "analysis/map/files.h"
#include "base/base64.h"
#include "base/bytes.h"
#include "base/json_text.h"
#include "base/try.h"
#include "base/utf8.h"

namespace embd {
namespace {

constexpr std::string_view replacement = "\uFFFD";

void append_escaped(char c, std::string& out) {
  switch (c) {
    case '&':
      out += "&amp;";
      return;
    case '<':
      out += "&lt;";
      return;
    case '>':
      out += "&gt;";
      return;
    case '"':
      out += "&quot;";
      return;
    default:
      break;
  }
  const auto byte = static_cast<unsigned char>(c);
  const bool is_control = (byte < 0x20 && c != '\n' && c != '\t') || byte == 0x7F;
  if (is_control) {
    out += replacement;
  } else {
    out += c;
  }
}

Result<void> check_size(std::string_view what, std::size_t found, std::size_t expected) {
  if (found == expected) return {};
  return fail(ErrorCode::invalid_argument, "the map has {} rows and {} {}, expected {}", expected,
              found, what, expected);
}

/// How places are rounded to 16 bits, with the same step along both axes.
struct Grid {
  float left;
  float bottom;
  float step;

  explicit Grid(const Box& box) : left(box.left), bottom(box.bottom) {
    const float side = std::max(box.right - box.left, box.top - box.bottom);
    step = side > 0 ? side / 65535 : 1;
  }
  std::uint16_t at(float value, float from) const noexcept {
    return static_cast<std::uint16_t>(
        std::clamp(std::round((value - from) / step), 0.0F, 65535.0F));
  }
};

void append_text(std::string_view name, std::string_view text, std::string& json) {
  json += fmt::format(",\"{}\":", name);
  append_json_string(text, json);
}

std::string head_of(const RowMap& map, const Grid& grid) {
  std::string json = fmt::format(
      R"({{"rows":{},"nearest":{},"texts":{},"ids":{},"scale":{},"left":{},"bottom":{},"step":{})",
      map.num_rows(), map.num_nearest, !map.texts.empty(), !map.ids.empty(), map.is_scale,
      grid.left, grid.bottom, grid.step);
  append_text("by", map.grouped_by, json);
  append_text("about", map.about, json);
  json += ",\"groups\":[";
  const std::vector<GroupMark> marks = mark_groups(map);
  for (std::size_t group = 0; group < marks.size(); ++group) {
    const GroupMark& mark = marks[group];
    json += fmt::format(R"({}{{"color":{},"x":{},"y":{})", group == 0 ? "" : ",", mark.color,
                        mark.x, mark.y);
    append_text("name", map.group_names[group], json);
    json += '}';
  }
  return json + "]}";
}

void append_strings(const std::vector<std::string>& strings, std::size_t max_bytes,
                    ByteWriter& out) {
  std::string bytes;
  for (const std::string& whole : strings) {
    const std::string_view shown = utf8_prefix(whole, max_bytes);
    const std::string text = std::string(shown) + (shown.size() < whole.size() ? "…" : "");
    out.u32(static_cast<std::uint32_t>(text.size()));
    bytes += text;
  }
  out.text(bytes);
}

Result<std::string> compressed(std::string_view bytes) {
  uLongf size = compressBound(bytes.size());
  std::string out(size, '\0');
  if (compress2(reinterpret_cast<Bytef*>(out.data()), &size,
                reinterpret_cast<const Bytef*>(bytes.data()), bytes.size(), 9) != Z_OK)
    return fail(ErrorCode::out_of_memory,
                "there is not enough memory to compress the data of the map");
  out.resize(size);
  return out;
}

}  // namespace

std::string escaped_markup(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t good = find_invalid_utf8(text).value_or(text.size());
    for (const char c : text.substr(0, good)) append_escaped(c, out);
    if (good == text.size()) break;
    out += replacement;
    text.remove_prefix(good + 1);
  }
  return out;
}

Result<void> check_map(const RowMap& map) {
  const std::size_t num_rows = map.num_rows();
  if (num_rows > 0 && map.places.cols() != 2) {
    return fail(ErrorCode::invalid_argument, "each place on the map has {} coordinates, expected 2",
                map.places.cols());
  }
  EMBD_TRY(check_size("nearest rows", map.nearest.size(), num_rows * map.num_nearest));
  EMBD_TRY(check_size("similarities", map.similarities.size(), num_rows * map.num_nearest));
  if (!map.texts.empty()) EMBD_TRY(check_size("texts", map.texts.size(), num_rows));
  if (!map.ids.empty()) EMBD_TRY(check_size("ids", map.ids.size(), num_rows));
  if (!map.groups.empty()) EMBD_TRY(check_size("groups", map.groups.size(), num_rows));
  for (const float value : map.places.values()) {
    if (!std::isfinite(value))
      return fail(ErrorCode::bad_value,
                  "a coordinate of a place on the map is infinite or not a number, expected a "
                  "finite number");
  }
  for (const std::uint32_t row : map.nearest) {
    if (row >= num_rows)
      return fail(ErrorCode::invalid_argument,
                  "a list of nearest rows contains row {}, but the map has {} rows, counted from 0",
                  row, num_rows);
  }
  const std::size_t num_groups = map.group_names.size();
  for (const std::int32_t group : map.groups) {
    if (group < -1 || (group >= 0 && static_cast<std::size_t>(group) >= num_groups))
      return fail(ErrorCode::invalid_argument,
                  "a row of the map belongs to group {}, but there are {} groups, counted from 0",
                  group, num_groups);
  }
  if (num_groups > INT16_MAX) {
    return fail(ErrorCode::invalid_argument, "the map has {} groups, expected at most {}",
                num_groups, INT16_MAX);
  }
  return {};
}

Result<std::string> map_payload(const RowMap& map, const MapPageOptions& options) {
  EMBD_TRY(check_map(map));
  const Grid grid(box_of(map.places));
  const std::string head = head_of(map, grid);
  ByteWriter out;
  out.u32(static_cast<std::uint32_t>(head.size()));
  out.text(head);
  for (std::size_t row = 0; row < map.num_rows(); ++row)
    out.u16(grid.at(map.places.row(row)[0], grid.left));
  for (std::size_t row = 0; row < map.num_rows(); ++row)
    out.u16(grid.at(map.places.row(row)[1], grid.bottom));
  for (std::size_t row = 0; row < map.num_rows(); ++row)
    out.i16(static_cast<std::int16_t>(map.groups.empty() ? -1 : map.groups[row]));
  for (const std::uint32_t row : map.nearest) out.u32(row);
  for (const float cosine : map.similarities)
    out.u8(static_cast<std::uint8_t>(std::lround(std::clamp(cosine, 0.0F, 1.0F) * 255)));
  append_strings(map.texts, options.text_bytes, out);
  append_strings(map.ids, options.text_bytes, out);
  return encode_base64(EMBD_TRY(compressed(as_text(out.view()))));
}

namespace {

using Part = std::pair<std::string_view, std::string>;

/// Replaces each mark by its part, in one pass, so that marks inside a part are not replaced.
std::string filled(std::string_view page, std::span<const Part> parts) {
  std::string out;
  while (true) {
    std::size_t at = std::string_view::npos;
    const Part* next = nullptr;
    for (const Part& part : parts) {
      if (const std::size_t found = page.find(part.first); found < at) {
        at = found;
        next = &part;
      }
    }
    out += page.substr(0, at);
    if (next == nullptr) return out;
    out += next->second;
    page.remove_prefix(at + next->first.size());
  }
}

}  // namespace

Result<std::string> map_page(const RowMap& map, const MapPageOptions& options) {
  return guarded([&]() -> Result<std::string> {
    const std::string_view page = map_file_html();
    const std::string data = EMBD_TRY(map_payload(map, options));
    const std::array parts = {
        Part("@TITLE@", escaped_markup(map.title.empty() ? "Map" : map.title)),
        Part("@POLICY@", fmt::format("default-src 'none'; {}; connect-src 'none'; base-uri 'none'; "
                                     "form-action 'none'",
                                     own_sources(page))),
        Part("@DATA@", data)};
    return filled(page, parts);
  });
}

}  // namespace embd
