#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "jobs/search/column_values.h"

namespace embd {

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
