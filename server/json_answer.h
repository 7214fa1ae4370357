#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace embd::server {

/// That a float and its comma take at most, of a vector of length 1: "-0.123456789,".
constexpr std::size_t json_float_bytes = 13;

/// [0.1,-0.2]: the shortest decimals that read back to the same float32.
void append_json_floats(std::span<const float> values, std::string& out);
/// "zcz…": padded base64.
void append_base64(std::span<const std::byte> bytes, std::string& out);
/// [1,2]
void append_json_numbers(std::span<const std::uint32_t> values, std::string& out);
/// The text in quotes.
std::string json_string(std::string_view text);

}  // namespace embd::server
