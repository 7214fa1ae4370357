#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace embd::server {

/// The largest number of characters that a component of a vector of length 1 takes in JSON, with
/// its comma: "-0.123456789,".
constexpr std::size_t json_float_bytes = 13;

/// Appends a JSON array such as [0.1,-0.2]. Each number has the fewest decimal digits that read
/// back as the same float32. `values` must be finite, because JSON has no other numbers.
void append_json_floats(std::span<const float> values, std::string& out);
/// Appends the bytes in padded base64, without quotes, such as zczMPQ==.
void append_base64(std::span<const std::byte> bytes, std::string& out);
/// Appends a JSON array such as [1,2].
void append_json_numbers(std::span<const std::uint32_t> values, std::string& out);
/// Returns a text as a JSON string, in quotes and with escapes.
std::string json_string(std::string_view text);

}  // namespace embd::server
