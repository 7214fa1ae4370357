#include "jobs/outputs/row_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/byte_writer.h"
#include "base/elements.h"
#include "base/try.h"
#include "formats/vectors/cvc/cvc_layout.h"

namespace embd {
namespace {

using Json = nlohmann::ordered_json;

/// "NAME:TYPE" where TYPE is one of CVC's, else a name.
NumberColumn parse_column(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  if (colon != std::string::npos)
    if (const auto type = cvc::dtype_named(std::string_view(text).substr(colon + 1)))
      return {.name = text.substr(0, colon), .type = *type};
  return {.name = text};
}

template <class Integer>
bool fits(const Json& value) {
  if (value.is_number_unsigned())
    return value.get<std::uint64_t>() <= std::uint64_t(std::numeric_limits<Integer>::max());
  return value.is_number_integer() &&
         value.get<std::int64_t>() >= std::int64_t{std::numeric_limits<Integer>::min()};
}

/// True if `value` is a number of this type, as which it was appended to `out`.
bool append_number(const Json& value, ElementType type, std::vector<std::byte>& out) {
  const auto append_integer = [&]<class Integer>(Integer) {
    if (!fits<Integer>(value)) return false;
    const auto bytes = std::bit_cast<std::array<std::byte, sizeof(Integer)>>(value.get<Integer>());
    out.insert(out.end(), bytes.begin(), bytes.end());
    return true;
  };
  switch (type) {
    case ElementType::i32:
      return append_integer(std::int32_t{});
    case ElementType::i64:
      return append_integer(std::int64_t{});
    case ElementType::i8:
      return append_integer(std::int8_t{});
    case ElementType::u8:
      return append_integer(std::uint8_t{});
    default:
      break;
  }
  if (!value.is_number()) return false;
  const auto number = static_cast<float>(value.get<double>());
  const double largest = type == ElementType::f16 ? 65504 : std::numeric_limits<float>::max();
  return std::abs(number) <= largest &&
         elements_from_floats(type, std::span(&number, 1), out).has_value();
}

}  // namespace

Result<RowFields> RowFields::create(const std::vector<std::string>& sections,
                                    const std::vector<std::string>& columns) {
  RowFields fields;
  fields.section_fields_ = sections;
  for (const std::string& text : columns) fields.columns_.push_back(parse_column(text));
  std::vector<std::string> names = fields.column_names();
  names.insert(names.end(), sections.begin(), sections.end());
  std::ranges::sort(names);
  const auto twice = std::ranges::adjacent_find(names);
  if (twice == names.end()) return fields;
  return fail(ErrorCode::invalid_argument, fmt::format("field {:?} is named twice", *twice));
}

std::vector<std::string> RowFields::column_names() const {
  std::vector<std::string> names;
  for (const NumberColumn& column : columns_) names.push_back(column.name);
  return names;
}

Result<void> RowFields::check(std::string_view values) const {
  std::vector<std::vector<std::byte>> unused(columns_.size());
  return append_numbers(values, unused);
}

std::string RowFields::section_of(std::string_view values) const {
  if (section_fields_.empty()) return {};
  const Json array = Json::parse(values);
  Json metadata = Json::object();
  for (std::size_t i = 0; i < section_fields_.size(); ++i) metadata[section_fields_[i]] = array[i];
  return metadata.dump();
}

Result<void> RowFields::append_numbers(std::string_view values,
                                       std::vector<std::vector<std::byte>>& out) const {
  if (columns_.empty()) return {};
  const Json array = Json::parse(values);
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const Json& value = array[section_fields_.size() + i];
    const auto& [name, type, dim, compression] = columns_[i];
    if (append_number(value, type, out[i])) continue;
    return fail(value.is_number() ? ErrorCode::bad_value : ErrorCode::bad_type,
                fmt::format("field {:?} is {}, expected a number of type {}; NAME:TYPE chooses "
                            "another",
                            name, value.dump(), cvc::dtype_name(type)));
  }
  return {};
}

Result<std::vector<RowFields::Piece>> RowFields::pieces(
    const std::vector<std::string>& values) const {
  std::vector<Piece> pieces;
  for (std::size_t row = 0; row < values.size(); ++row) {
    std::string section = section_of(values[row]);
    if (pieces.empty() || pieces.back().section != section) {
      pieces.push_back({.first = row, .count = 0, .section = std::move(section)});
      pieces.back().columns.resize(columns_.size());
    }
    ++pieces.back().count;
    EMBD_TRY(append_numbers(values[row], pieces.back().columns));
  }
  return pieces;
}

}  // namespace embd
