#include "jobs/outputs/row_fields.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "base/bytes.h"
#include "base/elements.h"
#include "base/json.h"
#include "base/try.h"
#include "formats/vectors/cvc/cvc_header.h"

namespace embd {
namespace {

using Json = nlohmann::ordered_json;

/// The end of the name of a column of texts.
constexpr std::string_view text_suffix = ":text";

/// Reads "NAME:TYPE" if TYPE is a type of CVC; otherwise the whole text is the name.
NumberColumn parse_column(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  if (colon != std::string::npos)
    if (const auto type = value_named(std::string_view(text).substr(colon + 1), cvc::dtype_names))
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

/// Appends a number to `out` as a value of `type`. Returns false and appends nothing if it is not a
/// number or does not fit.
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
  for (const std::string& text : columns) {
    if (text.ends_with(text_suffix)) {
      fields.text_columns_.push_back(text.substr(0, text.size() - text_suffix.size()));
    } else {
      fields.columns_.push_back(parse_column(text));
    }
  }
  std::vector<std::string> names = fields.field_names();
  for (const NumberColumn& column : fields.columns_) names.push_back(column.name);
  std::ranges::sort(names);
  const auto twice = std::ranges::adjacent_find(names);
  if (twice == names.end()) return fields;
  return fail(ErrorCode::invalid_argument, "field {:?} was named twice, expected once", *twice);
}

std::vector<std::string> RowFields::field_names() const {
  std::vector<std::string> names = section_fields_;
  names.insert(names.end(), text_columns_.begin(), text_columns_.end());
  return names;
}

std::vector<std::string> RowFields::number_names() const {
  std::vector<std::string> names;
  for (const NumberColumn& column : columns_) names.push_back(column.name);
  return names;
}

Result<void> RowFields::check(std::string_view values) const {
  if (columns_.empty() && text_columns_.empty()) return {};
  Piece unused;
  unused.columns.resize(columns_.size());
  unused.texts.resize(text_columns_.size());
  return append_columns(EMBD_TRY(parse_ordered_json(values)), unused);
}

std::string RowFields::section_of(const Json& values) const {
  const std::size_t num_texts = sections_have_texts_ ? text_columns_.size() : 0;
  if (section_fields_.empty() && num_texts == 0) return {};
  Json metadata = Json::object();
  for (std::size_t i = 0; i < section_fields_.size(); ++i) metadata[section_fields_[i]] = values[i];
  for (std::size_t i = 0; i < num_texts; ++i)
    metadata[text_columns_[i]] = values[section_fields_.size() + i];
  return metadata.dump();
}

Result<void> RowFields::append_columns(const Json& values, Piece& piece) const {
  const std::size_t first_text = section_fields_.size();
  for (std::size_t i = 0; i < text_columns_.size(); ++i) {
    const Json& value = values[first_text + i];
    if (value.is_string()) {
      piece.texts[i].push_back(value.get<std::string>());
      continue;
    }
    return fail(ErrorCode::bad_type, "field {:?} is {}, expected a string", text_columns_[i],
                value.dump());
  }
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const Json& value = values[first_text + text_columns_.size() + i];
    const auto& [name, type, dim, compression] = columns_[i];
    if (append_number(value, type, piece.columns[i])) continue;
    return fail(value.is_number() ? ErrorCode::bad_value : ErrorCode::bad_type,
                "field {:?} is {}, expected a number of type {}: choose another type with "
                "NAME:TYPE, or a column of texts with NAME:text",
                name, value.dump(), name_of(type, cvc::dtype_names));
  }
  return {};
}

Result<std::vector<RowFields::Piece>> RowFields::pieces(
    const std::vector<std::string>& values) const {
  std::vector<Piece> pieces;
  for (std::size_t row = 0; row < values.size(); ++row) {
    const Json of_row = EMBD_TRY(parse_ordered_json(values[row]));
    std::string section = section_of(of_row);
    if (pieces.empty() || pieces.back().section != section) {
      pieces.push_back({.first = row, .count = 0, .section = std::move(section)});
      pieces.back().columns.resize(columns_.size());
      pieces.back().texts.resize(text_columns_.size());
    }
    ++pieces.back().count;
    EMBD_TRY(append_columns(of_row, pieces.back()));
  }
  return pieces;
}

}  // namespace embd
