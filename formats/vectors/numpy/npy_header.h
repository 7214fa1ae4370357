#pragma once

#include <cstdint>
#include <string>

#include "embd/vectors.h"

// The .npy file of NumPy (docs/formats/npy.md): magic, version, header length, a header that is the
// text of a Python dictionary, the elements.
namespace embd::numpy {

inline constexpr std::string_view magic = "\x93NUMPY";
/// NumPy aligns the elements to this.
inline constexpr std::size_t alignment = 64;
/// NumPy refuses longer headers as well.
inline constexpr std::uint32_t max_header_bytes = 10000;
/// NumPy leaves room for the number of rows to grow to this many digits.
inline constexpr std::size_t max_row_digits = 21;

struct Header {
  ElementType type = ElementType::f32;
  bool is_bool = false;  ///< "|b1", bytes of 0 and 1: type is u8
  bool big_endian = false;
  bool fortran_order = false;
  std::uint64_t rows = 0;
  std::uint64_t dim = 0;
};

/// The dictionary's text, `offset` bytes into its file. Errors: bad_value, unsupported, bad_type,
/// duplicate, missing, with the offset.
Result<Header> parse_header(std::string_view text, std::uint64_t offset);

/// Everything before the elements, as NumPy 2 writes it for a little-endian array in C order
/// [rows, dim]; its length does not depend on `rows`. `type` is one that type_descr() knows.
std::string format_header(ElementType type, std::uint64_t rows, std::uint64_t dim);

/// "<f4"; empty for a type that NumPy lacks.
std::string_view type_descr(ElementType type) noexcept;

}  // namespace embd::numpy
