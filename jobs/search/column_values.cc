#include "jobs/search/column_values.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "base/decimal.h"
#include "base/elements.h"
#include "base/json.h"
#include "base/json_text.h"
#include "base/try.h"

namespace embd {
namespace {

using Json = nlohmann::json;
using Rows = std::vector<std::uint64_t>;

constexpr std::uint64_t values_at_once = 8192;

/// A type that holds every whole number of 64 bits and every double, so that they are compared
/// exactly.
using Number = long double;
static_assert(std::numeric_limits<Number>::digits >= 64);

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

/// Returns the number that spelled() wrote.
Number number_in(const std::string& digits) {
  if (const auto whole = whole_number<std::int64_t>(digits)) return *whole;
  if (const auto whole = whole_number<std::uint64_t>(digits)) return *whole;
  return decimal_of<double>(digits).value_or(0);
}

/// Returns `number` as a column of this type holds it.
Number rounded(Number number, ElementType type) {
  std::vector<std::byte> element;
  const auto value = static_cast<float>(number);
  if (!std::isfinite(value) || !elements_from_floats(type, std::span(&value, 1), element))
    return number;
  return number_in(spelled(type, element));
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

bool is_of_order(Relation relation) noexcept {
  return relation != Relation::equal && relation != Relation::not_equal;
}

/// Returns the rows, of `count`, that are not in an ascending list.
Rows all_but(const Rows& rows, std::uint64_t count) {
  Rows others;
  auto next = rows.begin();
  for (std::uint64_t row = 0; row < count; ++row) {
    if (next != rows.end() && *next == row)
      ++next;
    else
      others.push_back(row);
  }
  return others;
}

}  // namespace

/// Reads the values of a column, set after set.
class ColumnBuilder {
 public:
  explicit ColumnBuilder(const std::string& name) : name_(name) {}
  Result<void> add_set(const VectorReader& set);
  ColumnValues finish() &&;

 private:
  enum class Kind : char { number = '0', text = '1', other = '2' };

  Result<void> add_numbers(const VectorReader& set, const NumberColumn& column);
  Result<void> add_texts(const VectorReader& set);
  void add_sections(const VectorReader& set);
  /// Returns the number of a value, and gives it the next one if it is new.
  std::uint32_t code_of(Kind kind, std::string_view value);
  std::uint32_t code_of_json(const Json& value);
  std::vector<std::uint32_t> sorted_codes() const;
  Kind kind_of(std::uint32_t code) const noexcept { return Kind{values_[code]->front()}; }

  const std::string& name_;
  ColumnValues column_;
  std::unordered_map<std::string, std::uint32_t> code_of_value_;  // by a Kind and the value
  std::vector<const std::string*> values_;                        // its keys, by their codes
};

Result<void> ColumnBuilder::add_set(const VectorReader& set) {
  if (const TableSource* table = set.table()) {
    const std::vector<NumberColumn> columns = table->columns();
    if (const NumberColumn* column = number_column(columns, name_))
      return add_numbers(set, *column);
    const std::vector<std::string> texts = table->text_columns();
    if (std::ranges::find(texts, name_) != texts.end()) return add_texts(set);
  }
  add_sections(set);
  return {};
}

Result<void> ColumnBuilder::add_numbers(const VectorReader& set, const NumberColumn& column) {
  if (column.type == ElementType::f32 || column.type == ElementType::f16)
    column_.rounded_to_ = column.type;
  const std::size_t width = element_bits(column.type) / 8;
  std::vector<std::byte> elements;
  return for_some_rows(
      set.info().num_rows, [&](std::uint64_t first, std::uint64_t count) -> Result<void> {
        EMBD_TRY(set.table()->read_column(column.name, first, count, elements));
        for (std::uint64_t i = 0; i < count; ++i) {
          const std::string value = spelled(column.type, Bytes(elements).subspan(i * width, width));
          column_.codes_.push_back(code_of(value == "null" ? Kind::other : Kind::number, value));
        }
        return {};
      });
}

Result<void> ColumnBuilder::add_texts(const VectorReader& set) {
  return for_some_rows(
      set.info().num_rows, [&](std::uint64_t first, std::uint64_t count) -> Result<void> {
        for (const std::string& text : EMBD_TRY(set.table()->read_text_column(name_, first, count)))
          column_.codes_.push_back(code_of(Kind::text, text));
        return {};
      });
}

void ColumnBuilder::add_sections(const VectorReader& set) {
  const std::size_t first = column_.codes_.size();
  column_.codes_.resize(first + set.info().num_rows, code_of(Kind::other, "null"));
  const RowSectionSource* rows = set.row_sections();
  if (rows == nullptr) return;
  for (const RowSection& section : rows->sections()) {
    const Json members = members_of(section);
    if (!members.contains(name_)) continue;
    const auto begin = column_.codes_.begin() + static_cast<std::ptrdiff_t>(first);
    std::fill(begin + static_cast<std::ptrdiff_t>(section.rows.first),
              begin + static_cast<std::ptrdiff_t>(section.rows.end), code_of_json(members[name_]));
  }
}

std::uint32_t ColumnBuilder::code_of(Kind kind, std::string_view value) {
  std::string key(1, static_cast<char>(kind));
  key += value;
  const auto next = static_cast<std::uint32_t>(values_.size());
  const auto [found, is_new] = code_of_value_.try_emplace(std::move(key), next);
  if (is_new) values_.push_back(&found->first);
  return found->second;
}

std::uint32_t ColumnBuilder::code_of_json(const Json& value) {
  if (value.is_string()) return code_of(Kind::text, value.get_ref<const std::string&>());
  return code_of(value.is_number() ? Kind::number : Kind::other, spelled(value));
}

/// Returns the codes in the order in which ColumnValues keeps values.
std::vector<std::uint32_t> ColumnBuilder::sorted_codes() const {
  std::vector<Number> numbers(values_.size());
  for (std::uint32_t code = 0; code < values_.size(); ++code)
    if (kind_of(code) == Kind::number) numbers[code] = number_in(values_[code]->substr(1));
  std::vector<std::uint32_t> codes(values_.size());
  std::iota(codes.begin(), codes.end(), 0U);
  std::ranges::sort(codes, [&](std::uint32_t a, std::uint32_t b) {
    const bool are_numbers = kind_of(a) == Kind::number && kind_of(b) == Kind::number;
    if (are_numbers && numbers[a] != numbers[b]) return numbers[a] < numbers[b];
    return *values_[a] < *values_[b];
  });
  return codes;
}

ColumnValues ColumnBuilder::finish() && {
  std::vector<std::uint32_t> places(values_.size());
  for (const std::uint32_t code : sorted_codes()) {
    places[code] = static_cast<std::uint32_t>(column_.values_.size());
    column_.values_.push_back(values_[code]->substr(1));
    if (kind_of(code) == Kind::number) ++column_.first_text_;
    if (kind_of(code) != Kind::other) ++column_.first_other_;
  }
  std::vector<std::uint64_t> nexts(values_.size() + 1);
  for (std::uint32_t& code : column_.codes_) {
    code = places[code];
    ++nexts[code + 1];
  }
  std::partial_sum(nexts.begin(), nexts.end(), nexts.begin());
  column_.rows_.resize(column_.codes_.size());
  for (std::uint64_t row = 0; row < column_.codes_.size(); ++row)
    column_.rows_[nexts[column_.codes_[row]]++] = row;
  nexts.pop_back();
  column_.ends_ = std::move(nexts);
  return std::move(column_);
}

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
  ColumnBuilder builder(name);
  for (const OpenSet& set : sets) EMBD_TRY(in_file(set.path, builder.add_set(*set)));
  return std::move(builder).finish();
}

std::string ColumnValues::json(std::uint64_t row) const {
  const std::uint32_t code = codes_[row];
  const bool is_text = code >= first_text_ && code < first_other_;
  return is_text ? json_string(values_[code]) : values_[code];
}

/// Returns the numbers that equal `number`, before or after it is rounded to the column's type.
ColumnValues::Codes ColumnValues::equal_numbers(Number number) const {
  const Number other = rounded_to_ ? rounded(number, *rounded_to_) : number;
  const auto begin = values_.begin();
  const auto end = begin + first_text_;
  const auto first = std::ranges::lower_bound(begin, end, std::min(number, other), {}, number_in);
  const auto last = std::ranges::upper_bound(first, end, std::max(number, other), {}, number_in);
  return {static_cast<std::uint32_t>(first - begin), static_cast<std::uint32_t>(last - begin)};
}

ColumnValues::Codes ColumnValues::equal_strings(Codes among, std::string_view value) const {
  const auto begin = values_.begin();
  const auto found =
      std::ranges::equal_range(begin + among.first, begin + among.end, value, std::ranges::less());
  return {static_cast<std::uint32_t>(found.begin() - begin),
          static_cast<std::uint32_t>(found.end() - begin)};
}

/// Returns the values, of those of one kind, that have a relation to the value that `equal` equal.
ColumnValues::Codes ColumnValues::in_relation(Relation relation, Codes equal, Codes among) {
  switch (relation) {
    case Relation::equal:
    case Relation::not_equal:  // of which rows_of() returns all other rows
      return equal;
    case Relation::less:
      return {among.first, equal.first};
    case Relation::less_equal:
      return {among.first, equal.end};
    case Relation::greater:
      return {equal.end, among.end};
    case Relation::greater_equal:
      return {equal.first, among.end};
  }
  std::unreachable();
}

void ColumnValues::add_rows(Codes codes, Rows& rows) const {
  if (codes.first == codes.end) return;
  const std::uint64_t first = codes.first == 0 ? 0 : ends_[codes.first - 1];
  rows.insert(rows.end(), rows_.begin() + static_cast<std::ptrdiff_t>(first),
              rows_.begin() + static_cast<std::ptrdiff_t>(ends_[codes.end - 1]));
}

Result<Rows> ColumnValues::rows_of(const ColumnCondition& condition) const {
  const bool is_order = is_of_order(condition.relation);
  if (is_order && condition.values.size() != 1)
    return fail(ErrorCode::invalid_argument, "the condition {:?} {} has {} values, expected one",
                condition.column, name_of(condition.relation, relation_symbols),
                condition.values.size());
  Rows rows;
  for (const std::string& wanted : condition.values) {
    add_rows(in_relation(condition.relation, equal_strings(texts(), wanted), texts()), rows);
    const auto value = parse_json(wanted);
    if (value && value->is_number()) {
      add_rows(
          in_relation(condition.relation, equal_numbers(number_in(spelled(*value))), numbers()),
          rows);
    } else if (is_order && first_text_ > 0 && first_other_ == first_text_) {
      return fail(
          ErrorCode::invalid_argument,
          "the column {:?} holds numbers, but {:?} is none, expected a number to compare with",
          condition.column, wanted);
    } else if (!is_order && value && !value->is_string()) {
      add_rows(equal_strings(others(), spelled(*value)), rows);
    }
  }
  std::ranges::sort(rows);
  const auto repeated = std::ranges::unique(rows);
  rows.erase(repeated.begin(), repeated.end());
  return condition.relation == Relation::not_equal ? all_but(rows, codes_.size()) : rows;
}

RowColumns::RowColumns(Readers sets) : sets_(std::move(sets)) {
  bool is_first = true;
  for (const OpenSet& set : sets_) {
    if (set->info().num_rows == 0) continue;
    const std::vector<std::string> own = names_of_columns(*set);
    if (is_first) names_ = own;
    std::erase_if(
        names_, [&](const std::string& name) { return std::ranges::find(own, name) == own.end(); });
    is_first = false;
  }
  columns_.resize(names_.size());
}

Result<const ColumnValues*> RowColumns::column(const std::string& name) const {
  const auto found = std::ranges::find(names_, name);
  if (found == names_.end()) {
    const std::string there =
        names_.empty()
            ? std::string("the rows have no columns, which CVC, Parquet and JSON Lines files keep")
            : fmt::format("there are {}", fmt::join(names_, ", "));
    return fail_in(sets_.front().path, ErrorCode::invalid_argument, "no column is named {:?}: {}",
                   name, there);
  }
  Column& column = columns_[static_cast<std::size_t>(found - names_.begin())];
  std::call_once(column.once, [&] { column.values.emplace(ColumnValues::read(sets_, name)); });
  if (!*column.values) return std::unexpected(column.values->error());
  return &**column.values;
}

Result<void> RowColumns::read_all() const {
  for (const std::string& name : names_) EMBD_TRY(column(name));
  return {};
}

Result<std::string> RowColumns::json(std::uint64_t row) const {
  if (names_.empty()) return std::string();
  std::string json;
  for (const std::string& name : names_) {
    json += json.empty() ? '{' : ',';
    append_json_string(name, json);
    json += ':';
    json += EMBD_TRY(column(name))->json(row);
  }
  return json + "}";
}

Result<ColumnCondition> parse_condition(std::string_view text) {
  // The name ends where the first symbol begins; "<=" is no "<", so the longest that stands there.
  std::size_t at = text.size();
  std::string_view symbol;
  Relation relation = Relation::equal;
  for (const auto& [name, named] : relation_symbols) {
    const std::size_t found = text.find(name);
    if (found > at || (found == at && name.size() < symbol.size())) continue;
    at = found;
    symbol = name;
    relation = named;
  }
  if (symbol.empty() || at == 0)
    return fail(ErrorCode::invalid_argument,
                "the condition is {:?}, expected NAME=VALUE or another relation (!=, <, <=, >, "
                ">=), such as level=ERROR or year>=2020",
                text);
  return ColumnCondition{.column = std::string(text.substr(0, at)),
                         .values = {std::string(text.substr(at + symbol.size()))},
                         .relation = relation};
}

void RowConditions::add(ColumnCondition condition) {
  const auto same = std::ranges::find_if(columns, [&](const ColumnCondition& other) {
    return other.column == condition.column && other.relation == Relation::equal &&
           condition.relation == Relation::equal;
  });
  if (same == columns.end()) {
    columns.push_back(std::move(condition));
  } else {
    std::ranges::move(condition.values, std::back_inserter(same->values));
  }
}

}  // namespace embd
