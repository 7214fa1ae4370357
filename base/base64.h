#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.h"

namespace embd {

/// Appends bytes as padded base64 (RFC 4648), such as zczMPQ==.
void append_base64(Bytes bytes, std::string& out);
/// Returns bytes as padded base64.
std::string encode_base64(std::string_view bytes);
/// Returns the bytes that padded base64 (RFC 4648) stands for; nothing if `text` has a character
/// that is no digit of base64, or if its length is not a multiple of four.
std::optional<std::string> decode_base64(std::string_view text);

}  // namespace embd
