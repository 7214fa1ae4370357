#include "formats/vectors/column_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/try.h"
#include "base/utf8.h"

namespace embd {
namespace {

Result<void> check_count(std::size_t given, std::size_t expected, std::string_view what) {
  if (given == expected) return {};
  return fail(ErrorCode::invalid_argument,
              fmt::format("{} {} were given, expected {}", given, what, expected));
}

}  // namespace

Result<void> check_column_options(const WriteOptions& options,
                                  std::span<const std::string_view> taken, std::string_view file) {
  std::vector<std::string_view> names(taken.begin(), taken.end());
  const auto add = [&](std::string_view name) -> Result<void> {
    EMBD_TRY(require_utf8(name));
    if (std::ranges::find(names, name) != names.end())
      return fail(
          ErrorCode::invalid_argument,
          fmt::format("two columns are named {:?} in {}, expected a different name for each column",
                      name, file));
    names.push_back(name);
    return {};
  };
  for (const NumberColumn& column : options.columns) {
    EMBD_TRY(add(column.name));
    if (column.dim == 1) continue;
    return fail(ErrorCode::unsupported,
                fmt::format("column {:?} has {} values in each row, but in {}, a column beside the "
                            "vectors has one value in each row",
                            column.name, column.dim, file));
  }
  for (const std::string& name : options.text_columns) EMBD_TRY(add(name));
  return {};
}

Result<void> check_columns(std::span<const NumberColumn> columns, std::span<const Bytes> values,
                           std::uint64_t num_rows) {
  EMBD_TRY(check_count(values.size(), columns.size(), "columns"));
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::uint64_t wanted = num_rows * columns[i].dim * (element_bits(columns[i].type) / 8);
    if (values[i].size() == wanted) continue;
    return fail(ErrorCode::invalid_argument,
                fmt::format("column {:?} has {} bytes for {} rows, expected {} bytes",
                            columns[i].name, values[i].size(), num_rows, wanted));
  }
  return {};
}

Result<void> check_text_columns(std::span<const std::string> names,
                                std::span<const std::span<const std::string>> texts,
                                std::uint64_t num_rows) {
  EMBD_TRY(check_count(texts.size(), names.size(), "columns of texts"));
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string what = fmt::format("text of the column {:?}", names[i]);
    if (texts[i].size() != num_rows) {
      return fail(
          ErrorCode::invalid_argument,
          fmt::format("column {:?} has {} texts for {} rows, expected one text for each row",
                      names[i], texts[i].size(), num_rows));
    }
    EMBD_TRY(check_strings(what, texts[i]));
  }
  return {};
}

Result<void> check_strings(std::string_view what, std::span<const std::string> strings) {
  for (const std::string& string : strings)
    if (const auto bad = find_invalid_utf8(string))
      return fail(ErrorCode::invalid_utf8,
                  fmt::format("byte {} of the {} is not part of a character in UTF-8", *bad, what));
  return {};
}

}  // namespace embd
