#include "jobs/search/column_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "base/elements.h"
#include "base/json.h"
#include "base/json_text.h"
#include "base/try.h"

namespace embd {
namespace {

using Json = nlohmann::json;

constexpr std::uint64_t values_at_once = 8192;

std::string json_string(std::string_view text) {
  std::string json;
  append_json_string(text, json);
  return json;
}

/// Returns a number in the spelling that all equal numbers have. Whole numbers are written in
/// digits only.
template <class Float>
std::string spelled(Float number) {
  constexpr Float first_beyond = 0x1p63;  // of 64 bits with their sign
  if (!std::isfinite(number)) return "null";
  if (number == std::trunc(number) && std::abs(number) < first_beyond)
    return fmt::to_string(static_cast<std::int64_t>(number));
  return fmt::to_string(number);
}

std::string spelled(ElementType type, Bytes element) {
  std::string json;
  if (type == ElementType::f32 || type == ElementType::f16) {
    float value = 0;
    floats_from_elements(type, element, std::span(&value, 1));
    return spelled(value);
  }
  append_json_number(type, element, json);
  return json;
}

std::string spelled(const Json& value) {
  if (value.is_number_float()) return spelled(value.get<double>());
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// Returns `number` as a column of this type holds it.
std::string rounded(double number, ElementType type) {
  std::vector<std::byte> element;
  const auto value = static_cast<float>(number);
  if (!elements_from_floats(type, std::span(&value, 1), element)) return spelled(number);
  return spelled(type, element);
}

const NumberColumn* number_column(const std::vector<NumberColumn>& columns,
                                  const std::string& name) {
  const auto found = std::ranges::find_if(
      columns, [&](const NumberColumn& column) { return column.name == name && column.dim == 1; });
  return found == columns.end() ? nullptr : &*found;
}

/// Returns the metadata of a section, by name.
Json members_of(const RowSection& section) {
  auto object = parse_json(section.metadata);
  if (!object || !object->is_object()) return Json::object();
  return std::move(*object);
}

/// Calls `use(first, count)` for all rows, some at a time.
Result<void> for_some_rows(std::uint64_t num_rows, auto use) {
  for (std::uint64_t first = 0; first < num_rows; first += values_at_once)
    EMBD_TRY(use(first, std::min(values_at_once, num_rows - first)));
  return {};
}

}  // namespace

std::vector<std::string> names_of_columns(const VectorReader& set) {
  std::vector<std::string> names;
  const auto add = [&](const std::string& name) {
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  };
  if (const RowSectionSource* rows = set.row_sections())
    for (const RowSection& section : rows->sections()) {
      const Json members = members_of(section);
      for (const auto& [name, value] : members.items()) add(name);
    }
  if (const TableSource* table = set.table()) {
    for (const std::string& name : table->text_columns()) add(name);
    for (const NumberColumn& column : table->columns())
      if (column.dim == 1) add(column.name);
  }
  return names;
}

Result<ColumnValues> ColumnValues::read(const Readers& sets, const std::string& name) {
  ColumnValues column;
  for (const OpenSet& set : sets) EMBD_TRY(in_file(set.path, column.add_set(*set, name)));
  column.group_rows();
  return column;
}

Result<void> ColumnValues::add_set(const VectorReader& set, const std::string& name) {
  if (const TableSource* table = set.table()) {
    const std::vector<NumberColumn> columns = table->columns();
    if (const NumberColumn* column = number_column(columns, name)) return add_numbers(set, *column);
    const std::vector<std::string> texts = table->text_columns();
    if (std::ranges::find(texts, name) != texts.end()) return add_texts(set, name);
  }
  add_sections(set, name);
  return {};
}

Result<void> ColumnValues::add_numbers(const VectorReader& set, const NumberColumn& column) {
  if (column.type == ElementType::f32 || column.type == ElementType::f16) rounded_to_ = column.type;
  const std::size_t width = element_bits(column.type) / 8;
  std::vector<std::byte> elements;
  return for_some_rows(set.info().num_rows,
                       [&](std::uint64_t first, std::uint64_t count) -> Result<void> {
                         EMBD_TRY(set.table()->read_column(column.name, first, count, elements));
                         for (std::uint64_t i = 0; i < count; ++i)
                           add(spelled(column.type, Bytes(elements).subspan(i * width, width)));
                         return {};
                       });
}

Result<void> ColumnValues::add_texts(const VectorReader& set, const std::string& name) {
  return for_some_rows(
      set.info().num_rows, [&](std::uint64_t first, std::uint64_t count) -> Result<void> {
        for (const std::string& text : EMBD_TRY(set.table()->read_text_column(name, first, count)))
          add(json_string(text));
        return {};
      });
}

void ColumnValues::add_sections(const VectorReader& set, const std::string& name) {
  const std::size_t first = codes_.size();
  codes_.resize(first + set.info().num_rows, code_of("null"));
  const RowSectionSource* rows = set.row_sections();
  if (rows == nullptr) return;
  for (const RowSection& section : rows->sections()) {
    const Json members = members_of(section);
    if (!members.contains(name)) continue;
    const auto begin = codes_.begin() + static_cast<std::ptrdiff_t>(first);
    std::fill(begin + static_cast<std::ptrdiff_t>(section.rows.first),
              begin + static_cast<std::ptrdiff_t>(section.rows.end),
              code_of(spelled(members[name])));
  }
}

std::uint32_t ColumnValues::code_of(std::string json) {
  const auto next = static_cast<std::uint32_t>(values_.size());
  const auto [found, is_new] = code_of_value_.try_emplace(json, next);
  if (is_new) values_.push_back(std::move(json));
  return found->second;
}

void ColumnValues::group_rows() {
  std::vector<std::uint64_t> nexts(values_.size() + 1);
  for (const std::uint32_t code : codes_) ++nexts[code + 1];
  std::partial_sum(nexts.begin(), nexts.end(), nexts.begin());
  rows_.resize(codes_.size());
  for (std::uint64_t row = 0; row < codes_.size(); ++row) rows_[nexts[codes_[row]]++] = row;
  nexts.pop_back();
  ends_ = std::move(nexts);
}

std::optional<std::uint32_t> ColumnValues::find(const std::string& json) const {
  const auto found = code_of_value_.find(json);
  if (found == code_of_value_.end()) return std::nullopt;
  return found->second;
}

std::vector<std::uint64_t> ColumnValues::rows_of(std::span<const std::string> wanted) const {
  std::vector<std::uint64_t> rows;
  const auto add_rows = [&](const std::string& json) {
    const auto code = find(json);
    if (!code) return;
    const std::uint64_t begin = *code == 0 ? 0 : ends_[*code - 1];
    rows.insert(rows.end(), rows_.begin() + static_cast<std::ptrdiff_t>(begin),
                rows_.begin() + static_cast<std::ptrdiff_t>(ends_[*code]));
  };
  for (const std::string& text : wanted) {
    add_rows(json_string(text));
    const auto value = parse_json(text);
    if (!value || value->is_string()) continue;
    add_rows(spelled(*value));
    if (value->is_number() && rounded_to_) add_rows(rounded(value->get<double>(), *rounded_to_));
  }
  std::ranges::sort(rows);
  const auto repeated = std::ranges::unique(rows);
  rows.erase(repeated.begin(), repeated.end());
  return rows;
}

}  // namespace embd
