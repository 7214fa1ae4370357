#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "embd/enum_names.h"

namespace embd::server {

/// The numbers in which a vector is answered, as Cohere, Voyage and Jina name them.
enum class ValueType : std::uint8_t {
  floats,
  int8,     ///< the direction at length 127, cut toward zero: what an index of int8 scalars holds
  uint8,    ///< int8, and 128
  binary,   ///< ubinary, minus 128
  ubinary,  ///< a bit a component, set where it is above 0, the first in the highest place
};
inline constexpr EnumNames<ValueType, 5> value_type_names = {{{"float", ValueType::floats},
                                                              {"int8", ValueType::int8},
                                                              {"uint8", ValueType::uint8},
                                                              {"binary", ValueType::binary},
                                                              {"ubinary", ValueType::ubinary}}};

/// That a vector of `dim` components takes in JSON, at most.
std::size_t json_bytes(ValueType type, std::size_t dim) noexcept;

/// [0.1,-0.2] or [12,-7]
void append_json_values(ValueType type, std::span<const float> vector, std::string& out);
/// The values' bytes in padded base64, those of floats from the least significant.
void append_base64_values(ValueType type, std::span<const float> vector, std::string& out);

}  // namespace embd::server
