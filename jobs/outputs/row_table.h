#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "embd/error.h"
#include "embd/searcher.h"
#include "embd/vectors.h"

namespace embd {

/// A column of a table with its values for some rows: whole numbers, real numbers (NaN for no
/// value) or strings.
struct TableColumn {
  std::string name;
  std::variant<std::vector<std::int64_t>, std::vector<float>, std::vector<std::string>> values;
};

/// A file with a table of numbers and strings, which appears, complete, at finish(). Not
/// thread-safe.
class RowTable {
 public:
  /// The number of rows that should be appended at a time, at most.
  static constexpr std::uint64_t rows_at_once = 65'536;

  virtual ~RowTable() = default;
  /// Appends rows. The columns must have the same names and types in every call.
  virtual Result<void> append(const std::vector<TableColumn>& columns) = 0;
  /// Does everything that could make finish() fail.
  virtual Result<void> prepare() = 0;
  /// Puts the file in place under its name.
  virtual Result<void> finish() = 0;
};

/// Creates a table in the format of its name: Parquet (.parquet), CSV (.csv) or otherwise JSON
/// Lines; "-" is standard output. `columns` are the columns of every append(); their values do not
/// matter.
Result<std::unique_ptr<RowTable>> create_table(const std::filesystem::path& path,
                                               const std::vector<TableColumn>& columns);

/// Returns true if an id is too large for a column of numbers, which are signed.
inline bool has_large_ids(const Ids& ids) {
  const auto* numbers = std::get_if<std::vector<std::uint64_t>>(&ids);
  return numbers != nullptr && std::ranges::any_of(*numbers, [](std::uint64_t id) {
           return !std::in_range<std::int64_t>(id);
         });
}

/// Makes a column of the ids of some rows; without ids, of their numbers. If an id is too large for
/// a column of numbers, all ids become strings.
template <class Row>
TableColumn id_column(std::string name, const Ids& ids, const std::vector<Row>& rows) {
  if (std::holds_alternative<std::vector<std::string>>(ids) || has_large_ids(ids)) {
    std::vector<std::string> values;
    for (const Row row : rows) values.push_back(id_text(ids, static_cast<std::uint64_t>(row)));
    return {std::move(name), std::move(values)};
  }
  const auto* numbers = std::get_if<std::vector<std::uint64_t>>(&ids);
  std::vector<std::int64_t> values;
  for (const Row row : rows)
    values.push_back(numbers == nullptr
                         ? static_cast<std::int64_t>(row)
                         : static_cast<std::int64_t>((*numbers)[static_cast<std::size_t>(row)]));
  return {std::move(name), std::move(values)};
}

}  // namespace embd
