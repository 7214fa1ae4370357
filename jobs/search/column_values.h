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

/// The names of the columns of a set with one value a row: numbers, texts, and what is said of its
/// sections.
std::vector<std::string> names_of_columns(const VectorReader& set);

/// The values of all rows in one column, each value kept once, with the rows that have it. Takes 8
/// to 12 bytes a row beside the values. Immutable: any number of threads may ask at once.
class ColumnValues {
 public:
  /// Reads the column of that name, which is one of names_of_columns() of every set with rows.
  static Result<ColumnValues> read(const Readers& sets, const std::string& name);

  /// The value of a row as JSON: a string, a number, true, false, null, or what else a section's
  /// metadata says.
  std::string_view json(std::uint64_t row) const noexcept { return values_[codes_[row]]; }
  /// The rows whose value is one of `wanted`; ascending, each once. A value is meant by the text
  /// that it is, or by what it is in JSON; numbers are compared as numbers, rounded as the column's
  /// are.
  std::vector<std::uint64_t> rows_of(std::span<const std::string> wanted) const;

 private:
  Result<void> add_set(const VectorReader& set, const std::string& name);
  Result<void> add_numbers(const VectorReader& set, const NumberColumn& column);
  Result<void> add_texts(const VectorReader& set, const std::string& name);
  void add_sections(const VectorReader& set, const std::string& name);
  /// The place of a value in values_, where it is put if it is new.
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
