#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "embd/element_type.h"
#include "embd/error.h"
#include "jobs/joined_sets.h"

namespace embd {

/// Returns the names of the columns of a set that have one value for each row: numbers, texts, and
/// the metadata of sections.
std::vector<std::string> names_of_columns(const VectorReader& set);

/// The values of all rows in one column. Each different value is stored once, with the rows that
/// have it. Takes 8 to 12 bytes for each row beside the values. Immutable: any number of threads
/// may use it at the same time.
class ColumnValues {
 public:
  /// Reads the column with this name, which every set with rows must have (names_of_columns()).
  static Result<ColumnValues> read(const Readers& sets, const std::string& name);

  /// Returns the value of a row as JSON: a string, a number, true, false, null, or whatever the
  /// metadata of a section has.
  std::string_view json(std::uint64_t row) const noexcept { return values_[codes_[row]]; }
  /// Returns the rows whose value is one of `wanted`, ascending and without repeats. A wanted
  /// string matches the text with the same bytes and, if it is JSON, also the JSON value. Numbers
  /// are compared by value, after rounding to the type of the column.
  std::vector<std::uint64_t> rows_of(std::span<const std::string> wanted) const;

 private:
  Result<void> add_set(const VectorReader& set, const std::string& name);
  Result<void> add_numbers(const VectorReader& set, const NumberColumn& column);
  Result<void> add_texts(const VectorReader& set, const std::string& name);
  void add_sections(const VectorReader& set, const std::string& name);
  /// Returns the place of a value in values_, and adds it if it is new.
  std::uint32_t code_of(std::string json);
  void add(std::string json) { codes_.push_back(code_of(std::move(json))); }
  void group_rows();
  std::optional<std::uint32_t> find(const std::string& json) const;

  std::optional<ElementType> rounded_to_;  // f32 or f16, where one set has such numbers
  std::vector<std::string> values_;        // as JSON in one spelling, each once
  std::unordered_map<std::string, std::uint32_t> code_of_value_;
  std::vector<std::uint32_t> codes_;  // [rows], places in values_
  std::vector<std::uint64_t> rows_;   // [rows], those of value 0, of value 1, …, ascending in each
  std::vector<std::uint64_t> ends_;   // of each value's, in rows_
};

}  // namespace embd
