#include "formats/vectors/parquet/foreign_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/quoted_names.h"
#include "base/try.h"

namespace embd::parquet {
namespace {

bool has_known_type(const ForeignColumn& column) noexcept {
  switch (column.type) {
    case PhysicalType::int32:
    case PhysicalType::int64:
    case PhysicalType::float32:
    case PhysicalType::float64:
    case PhysicalType::byte_array:
      return true;
    case PhysicalType::boolean:
    case PhysicalType::int96:
    case PhysicalType::fixed_bytes:
      return false;
  }
  return false;
}

std::vector<std::string> names_of(const std::vector<ForeignColumn>& columns) {
  std::vector<std::string> names;
  for (const ForeignColumn& column : columns)
    if (names.empty() || names.back() != column.name) names.push_back(column.name);
  return names;
}

}  // namespace

Result<ForeignTable> ForeignTable::open(ParquetFile file) {
  ForeignFooter footer =
      EMBD_TRY(in_file(file.file.path(), foreign_footer(std::move(file.metadata))));
  return ForeignTable(std::move(file.file), file.data_end, std::move(footer));
}

Result<std::size_t> ForeignTable::leaf_of(std::string_view name) const {
  const auto& columns = footer_.columns;
  const auto found = std::ranges::find(columns, name, &ForeignColumn::name);
  if (found == columns.end())
    return fail(ErrorCode::missing, fmt::format("no column is named {:?}, expected one of {}", name,
                                                quoted_names(names_of(columns))));
  const auto num_leaves = std::ranges::count(columns, name, &ForeignColumn::name);
  if (static_cast<std::size_t>(num_leaves) > found->leaves)
    return fail(
        ErrorCode::duplicate,
        fmt::format("two columns are named {:?}, expected a different name for each column", name));
  if (!found->has_single_values() || !has_known_type(*found))
    return fail(
        ErrorCode::bad_type,
        fmt::format(
            "column {:?} does not hold one text or one number in each row, expected such a column",
            name));
  return static_cast<std::size_t>(found - columns.begin());
}

Result<std::unique_ptr<ForeignColumnReader>> ForeignTable::open_column(
    std::string_view name) const {
  const auto open = [&]() -> Result<std::unique_ptr<ForeignColumnReader>> {
    return ForeignColumnReader::open(bytes(), data_end_, footer_, EMBD_TRY(leaf_of(name)), 1);
  };
  return in_file(file_.path(), open());
}

}  // namespace embd::parquet
