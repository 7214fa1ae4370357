#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace embd {

/// Returns bytes as padded base64 (RFC 4648).
std::string encode_base64(std::string_view bytes);
/// Returns the bytes of padded base64 (RFC 4648), or nothing if `text` is none: it must be whole
/// groups of four of its digits, and nothing else.
std::optional<std::string> decode_base64(std::string_view text);

}  // namespace embd
