#pragma once

#include <vector>

#include "base/bytes.h"
#include "formats/vectors/parquet/parquet_layout.h"

namespace embd::parquet {

/// Returns the number of rows of a page: as many as fit into page_bytes, but at least one.
std::uint64_t rows_per_page(const Column& column) noexcept;

/// Returns the levels that stand before `num_rows` lists of `dim` values, none of which is null:
/// repetition levels, then definition levels, each as runs after their length. Empty for a column
/// that is not a list.
std::vector<std::byte> levels(const Column& column, std::uint64_t num_rows);

/// append_streams() appends `values` of `width` bytes each to `out` as streams: the first bytes of
/// all values, then all second bytes, and so on (byte stream split). join_streams() turns such
/// streams into values again.
void append_streams(Bytes values, std::size_t width, std::vector<std::byte>& out);
std::vector<std::byte> join_streams(Bytes streams, std::size_t width);

/// Returns the number of bytes of a value of the column in Parquet; 0 for strings.
std::size_t value_bytes(const Column& column) noexcept;

}  // namespace embd::parquet
