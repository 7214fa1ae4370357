#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "embd/enum_names.h"

namespace embd::server {

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
