#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "embd/enum_names.h"

namespace embd::server {

/// The largest number of characters that a component of a vector of length 1 takes in JSON, with
/// its comma: "-0.123456789,".
constexpr std::size_t json_float_bytes = 13;

/// Appends a JSON array such as [0.1,-0.2]. Each number has the fewest decimal digits that read
/// back as the same float32. `values` must be finite, because JSON has no other numbers.
void append_json_floats(std::span<const float> values, std::string& out);
/// Appends a JSON array such as [1,2].
void append_json_numbers(std::span<const std::uint32_t> values, std::string& out);

/// The type of the numbers in which the answer gives a vector. The APIs of Cohere, Voyage and Jina
/// have these names.
enum class ValueType : std::uint8_t {
  floats,
  int8,     ///< the vector scaled to length 127, each component rounded toward zero
  uint8,    ///< the values of int8 plus 128
  binary,   ///< the bytes of ubinary minus 128
  ubinary,  ///< bytes of eight bits: 1 for a component above 0, the first in the highest bit
};
inline constexpr EnumNames<ValueType, 5> value_type_names = {{{"float", ValueType::floats},
                                                              {"int8", ValueType::int8},
                                                              {"uint8", ValueType::uint8},
                                                              {"binary", ValueType::binary},
                                                              {"ubinary", ValueType::ubinary}}};

/// Returns the largest number of bytes that a vector of `dim` components takes in JSON.
std::size_t json_bytes(ValueType type, std::size_t dim) noexcept;

/// Appends a vector as a JSON array, such as [0.1,-0.2] or [12,-7].
void append_json_values(ValueType type, std::span<const float> vector, std::string& out);
/// Appends the bytes of a vector in padded base64, without quotes. Floats are little-endian.
void append_base64_values(ValueType type, std::span<const float> vector, std::string& out);

}  // namespace embd::server
