#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "embd/vectors.h"

// Vectors in a byte or a bit a value, with the codes that sentence-transformers'
// quantize_embeddings gives them ("int8", "binary").
namespace embd {

/// Where each component begins and ends, [2, dim]: the least values, then the greatest.
using Int8Ranges = Matrix;

/// Reads them from a file. Error: bad_count unless it holds two rows of `dim` values.
Result<Int8Ranges> read_ranges(const std::filesystem::path& path, std::uint64_t dim);

/// True of the Recipe.output_type of such vectors.
inline bool are_codes(std::string_view output_type) noexcept {
  return output_type == "int8" || output_type == "binary";
}

/// Rows [n, dim] as whole numbers in [-128, 127]: which of the 256 equal steps of its component's
/// range a value lies in.
Matrix int8_codes(MatrixView rows, const Int8Ranges& ranges);

/// Values that binary_codes() makes of `dim`: one for every eight, the last filled up with zeros.
std::uint64_t binary_dim(std::uint64_t dim) noexcept;
/// Rows [n, dim] as [n, binary_dim(dim)] whole numbers: eight bits, the first component the most
/// significant, 1 for what is above 0, minus 128.
Matrix binary_codes(MatrixView rows);

/// The bits that such codes stand for, [n, binary_dim] bytes.
std::vector<std::byte> bits_of(MatrixView codes);
/// Rows [n, dim] of 1 and −1 that have these codes; binary_dim(dim) is the codes' dimension.
Matrix signs_of(MatrixView codes, std::size_t dim);

/// Passes on int8_codes() of its rows to `codes`, and their ranges. Without `ranges` they are those
/// of all rows, which wait in a spill file beside `path` for prepare(), their ids in memory;
/// prepare() then fails with bad_count for a single row.
std::unique_ptr<VectorWriter> int8_rows(std::unique_ptr<VectorWriter> codes, std::uint64_t dim,
                                        std::optional<Int8Ranges> ranges,
                                        const std::filesystem::path& path);
/// Passes on binary_codes() of its rows, of `dim` values, to `codes`.
std::unique_ptr<VectorWriter> binary_rows(std::unique_ptr<VectorWriter> codes, std::uint64_t dim);

}  // namespace embd
