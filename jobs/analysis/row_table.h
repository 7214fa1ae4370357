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

/// A column of a table and its values for some rows: whole numbers, real ones (NaN: there is none)
/// or strings.
struct TableColumn {
  std::string name;
  std::variant<std::vector<std::int64_t>, std::vector<float>, std::vector<std::string>> values;
};

/// A file of rows of numbers and strings, which appears whole at finish(). Not thread-safe.
class RowTable {
 public:
  /// Rows that are best appended at a time, at most.
  static constexpr std::uint64_t rows_at_once = 65'536;

  virtual ~RowTable() = default;
  /// Appends rows; the columns have the same names and types in every call.
  virtual Result<void> append(const std::vector<TableColumn>& columns) = 0;
  /// Does everything that could keep finish() from putting the file in place.
  virtual Result<void> prepare() = 0;
  virtual Result<void> finish() = 0;
};

/// Creates a table as its name says: Parquet (.parquet), csv (.csv) or else JSON Lines; "-" is
/// standard output. `columns`: those of every append(), whose values do not matter.
Result<std::unique_ptr<RowTable>> create_table(const std::filesystem::path& path,
                                               const std::vector<TableColumn>& columns);

/// True if some id is no number of a column, which are signed.
inline bool has_large_ids(const Ids& ids) {
  const auto* numbers = std::get_if<std::vector<std::uint64_t>>(&ids);
  return numbers != nullptr && std::ranges::any_of(*numbers, [](std::uint64_t id) {
           return !std::in_range<std::int64_t>(id);
         });
}

/// The ids of some rows, each once, as a column; their numbers where there are no ids. Where one is
/// larger than numbers of a column are, all are strings.
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
