#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "embd/element_type.h"
#include "embd/error.h"
#include "embd/searcher.h"
#include "jobs/joined_sets.h"

namespace embd {

/// Returns the names of the columns of a set that have one value for each row: numbers, texts, and
/// the metadata of sections.
std::vector<std::string> names_of_columns(const VectorReader& set);

/// The values of all rows in one column. Each different value is stored once, with the rows that
/// have it: numbers first, in ascending order, then texts in the order of their bytes, then other
/// values (true, false, null, …). Takes 8 to 12 bytes for each row beside the values. Immutable:
/// any number of threads may use it at the same time.
class ColumnValues {
 public:
  /// Reads the column with this name, which every set with rows must have (names_of_columns()).
  static Result<ColumnValues> read(const Readers& sets, const std::string& name);

  /// Returns the value of a row as JSON: a string, a number, true, false, null, or whatever the
  /// metadata of a section has.
  std::string json(std::uint64_t row) const;
  /// Returns the rows that meet a condition on this column, ascending and without repeats. Fails
  /// with invalid_argument for a condition that ColumnCondition does not allow.
  Result<std::vector<std::uint64_t>> rows_of(const ColumnCondition& condition) const;

 private:
  friend class ColumnBuilder;
  /// A range of values_.
  struct Codes {
    std::uint32_t first;
    std::uint32_t end;
  };

  Codes numbers() const noexcept { return {0, first_text_}; }
  Codes texts() const noexcept { return {first_text_, first_other_}; }
  Codes others() const noexcept {
    return {first_other_, static_cast<std::uint32_t>(values_.size())};
  }
  Codes equal_numbers(long double number) const;
  Codes equal_strings(Codes among, std::string_view value) const;
  static Codes in_relation(Relation relation, Codes equal, Codes among);
  void add_rows(Codes codes, std::vector<std::uint64_t>& rows) const;

  std::optional<ElementType> rounded_to_;  // f32 or f16, where one set has such numbers
  std::vector<std::string> values_;        // numbers and other values as JSON, texts as they are
  std::uint32_t first_text_ = 0;
  std::uint32_t first_other_ = 0;
  std::vector<std::uint32_t> codes_;  // [rows], places in values_
  std::vector<std::uint64_t> rows_;   // [rows], those of value 0, of value 1, …, ascending in each
  std::vector<std::uint64_t> ends_;   // of each value's, in rows_
};

/// The columns that all sets with rows have, when several sets are searched as one. A column is
/// read when it is first needed. Any number of threads may use it at the same time.
class RowColumns {
 public:
  explicit RowColumns(Readers sets);

  const std::vector<std::string>& names() const noexcept { return names_; }
  /// Returns a column. Fails with invalid_argument if there is no such column, and with the errors
  /// of reading it.
  Result<const ColumnValues*> column(const std::string& name) const;
  /// Reads all columns now.
  Result<void> read_all() const;
  /// Returns the values of a row as a JSON object, {"NAME":VALUE,…}; empty if there are no columns.
  Result<std::string> json(std::uint64_t row) const;

 private:
  struct Column {
    std::once_flag once;
    std::optional<Result<ColumnValues>> values;
  };

  Readers sets_;
  std::vector<std::string> names_;
  mutable std::deque<Column> columns_;  // one a name
};

}  // namespace embd
