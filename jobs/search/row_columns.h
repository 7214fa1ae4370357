#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "jobs/search/column_values.h"

namespace embd {

/// The columns of several sets, searched as one: those that every set with rows has. A column is
/// read when it is first asked for. Any number of threads may ask at once.
class RowColumns {
 public:
  explicit RowColumns(Readers sets);

  const std::vector<std::string>& names() const noexcept { return names_; }
  /// Error: invalid_argument for a column that is not there; those of reading.
  Result<const ColumnValues*> column(const std::string& name) const;
  /// Reads all columns now.
  Result<void> read_all() const;
  /// The values of a row, {"NAME":VALUE,…}; empty if there are no columns.
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
