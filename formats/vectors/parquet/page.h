#pragma once

#include <vector>

#include "base/bytes.h"
#include "formats/vectors/parquet/parquet_layout.h"

namespace embd::parquet {

/// Rows of a page: as many as page_bytes hold, but at least one.
std::uint64_t rows_per_page(const Column& column) noexcept;

/// The levels in front of `num_rows` lists of `dim` values, none of which is missing: each kind
/// behind its length, as runs. Empty for a column that is no list.
std::vector<std::byte> levels(const Column& column, std::uint64_t num_rows);

/// Appends `values`, of `width` bytes each, as one stream of their first bytes, one of their second
/// bytes and so on; and back.
void append_streams(Bytes values, std::size_t width, std::vector<std::byte>& out);
std::vector<std::byte> join_streams(Bytes streams, std::size_t width);

/// Bytes of a value of the column as Parquet stores it; 0 for strings.
std::size_t value_bytes(const Column& column) noexcept;

}  // namespace embd::parquet
