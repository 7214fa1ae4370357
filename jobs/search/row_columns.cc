#include "jobs/search/row_columns.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/json_text.h"
#include "base/try.h"

namespace embd {

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
    return fail_in(sets_.front().path, ErrorCode::invalid_argument,
                   fmt::format("no column is named {:?}: {}", name, there));
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

}  // namespace embd
