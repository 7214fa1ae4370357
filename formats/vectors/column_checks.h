#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "embd/error.h"
#include "embd/vectors.h"

namespace embd {

/// Checks the columns that a file is to have beside its rows: UTF-8 names, each once and none of
/// `taken`, and one value a row. `file`: what messages call it, such as "a Parquet file". Errors:
/// invalid_argument, unsupported.
Result<void> check_column_options(const WriteOptions& options,
                                  std::span<const std::string_view> taken, std::string_view file);

/// Checks that `values` are those of `columns` for so many rows, as TableSink::set_columns() takes
/// them. Error: invalid_argument.
Result<void> check_columns(std::span<const NumberColumn> columns, std::span<const Bytes> values,
                           std::uint64_t num_rows);
/// Checks that `texts` are those of the columns `names` for so many rows, as
/// TableSink::set_text_columns() takes them. Errors: invalid_argument, invalid_utf8.
Result<void> check_text_columns(std::span<const std::string> names,
                                std::span<const std::span<const std::string>> texts,
                                std::uint64_t num_rows);
/// Checks that strings are UTF-8. `what`: the word for them in the message. Error: invalid_utf8.
Result<void> check_strings(std::string_view what, std::span<const std::string> strings);

}  // namespace embd
