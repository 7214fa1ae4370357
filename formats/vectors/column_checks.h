#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "embd/error.h"
#include "embd/vectors.h"

namespace embd {

/// Checks the columns that a file is to have beside its vectors. Names must be UTF-8, distinct, and
/// none of `taken`; each column must have one value per row. `file` is what messages call the file,
/// such as "a Parquet file". Fails with invalid_argument or unsupported.
Result<void> check_column_options(const WriteOptions& options,
                                  std::span<const std::string_view> taken, std::string_view file);

/// Checks that `values` has the values of all `columns` for `num_rows` rows, in the form that
/// TableSink::set_columns() takes. Fails with invalid_argument.
Result<void> check_columns(std::span<const NumberColumn> columns, std::span<const Bytes> values,
                           std::uint64_t num_rows);
/// Checks that `texts` has a text of each of the columns `names` for each of `num_rows` rows, in
/// the form that TableSink::set_text_columns() takes. Fails with invalid_argument or invalid_utf8.
Result<void> check_text_columns(std::span<const std::string> names,
                                std::span<const std::span<const std::string>> texts,
                                std::uint64_t num_rows);
/// Checks that all strings are UTF-8. `what` is the word for them in the message. Fails with
/// invalid_utf8.
Result<void> check_strings(std::string_view what, std::span<const std::string> strings);

}  // namespace embd
