#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "embd/vectors.h"

// Vectors with one byte or one bit for each value, as the codes "int8" and "binary" of
// quantize_embeddings in sentence-transformers.
namespace embd {

/// The range of each component, [2, dim]: the least values in the first row, the greatest in the
/// second.
using Int8Ranges = Matrix;

/// Reads ranges from a file. Fails with bad_count unless it holds two rows of `dim` values.
Result<Int8Ranges> read_ranges(const std::filesystem::path& path, std::uint64_t dim);

/// Returns true if a Recipe::output_type is one of these codes.
inline bool are_codes(std::string_view output_type) noexcept {
  return output_type == "int8" || output_type == "binary";
}

/// Returns the int8 codes of rows [n, dim], as whole numbers from -128 to 127. The range of each
/// component is divided into 256 equal steps; a code is the number of the step that the value lies
/// in.
Matrix int8_codes(MatrixView rows, const Int8Ranges& ranges);

/// Returns the number of bytes of a binary code of `dim` values: one for every eight values, the
/// last one filled with zeros.
std::uint64_t binary_dim(std::uint64_t dim) noexcept;
/// Returns the binary codes of rows [n, dim], as [n, binary_dim(dim)] whole numbers. Each is a byte
/// of eight bits minus 128; the first component is the most significant bit, and a bit is 1 if the
/// value is above 0.
Matrix binary_codes(MatrixView rows);

/// Returns the bytes of binary codes, [n, binary_dim].
std::vector<std::byte> bits_of(MatrixView codes);
/// Returns rows [n, dim] of 1 and −1 that have these binary codes. The dimension of the codes must
/// be binary_dim(dim).
Matrix signs_of(MatrixView codes, std::size_t dim);

/// Makes a writer that converts rows to int8 codes and passes them on to `codes`, with their
/// ranges. Without `ranges`, the ranges of all rows are used: the rows then wait in a spill file
/// beside `path` until prepare(), and their ids in memory; prepare() fails with bad_count for a
/// single row.
std::unique_ptr<VectorWriter> int8_rows(std::unique_ptr<VectorWriter> codes, std::uint64_t dim,
                                        std::optional<Int8Ranges> ranges,
                                        const std::filesystem::path& path);
/// Makes a writer that converts rows of `dim` values to binary codes and passes them on to `codes`.
std::unique_ptr<VectorWriter> binary_rows(std::unique_ptr<VectorWriter> codes, std::uint64_t dim);

}  // namespace embd
