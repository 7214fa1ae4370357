#pragma once

#include <cstdint>
#include <string>

#include "embd/vectors.h"

// The .npy file of NumPy (docs/formats/npy.md): magic, version, header length, a header with the
// text of a Python dictionary, and the elements.
namespace embd::numpy {

inline constexpr std::string_view magic = "\x93NUMPY";
/// The alignment of the elements in bytes, as in NumPy.
inline constexpr std::size_t alignment = 64;
/// The greatest length of a header. NumPy refuses longer headers, too.
inline constexpr std::uint32_t max_header_bytes = 10000;
/// The number of digits up to which the number of rows can grow in place, as in NumPy.
inline constexpr std::size_t max_row_digits = 21;

struct Header {
  ElementType type = ElementType::f32;
  bool is_bool = false;  ///< True for "|b1", bytes of 0 and 1; `type` is then u8.
  bool big_endian = false;
  bool fortran_order = false;
  std::uint64_t rows = 0;
  std::uint64_t dim = 0;
};

/// Parses the text of the dictionary, which begins at `offset` of its file. Fails with bad_value,
/// unsupported, bad_type, duplicate or missing; the error has the offset.
Result<Header> parse_header(std::string_view text, std::uint64_t offset);

/// Returns everything before the elements, as NumPy 2 writes it for a little-endian array [rows,
/// dim] in C order. The length does not depend on `rows`. type_descr() must know `type`.
std::string format_header(ElementType type, std::uint64_t rows, std::uint64_t dim);

/// Returns everything before the elements of an array of one dimension, as format_header() does.
std::string format_header(ElementType type, std::uint64_t size);

/// Returns NumPy's description of a type, such as "<f4"; empty for a type that NumPy does not have.
std::string_view type_descr(ElementType type) noexcept;

}  // namespace embd::numpy
