#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/checksum.h"
#include "tokenizer/special_tokens.h"

namespace embd {

/// Computes the SHA-256 of fields, which are written so that different lists of fields give
/// different bytes. Fields are collected in a buffer, because a vocabulary has hundreds of
/// thousands.
class FieldHash {
 public:
  void u8(std::uint8_t value) { bytes(std::as_bytes(std::span(&value, 1))); }
  void u32(std::uint32_t value) { bytes(std::as_bytes(std::span(&value, 1))); }
  void bytes(Bytes value) {
    if (value.size() > fields_.size() - size_) {
      flush();
      if (value.size() > fields_.size()) return hash_.update(value);
    }
    std::ranges::copy(value, fields_.begin() + static_cast<std::ptrdiff_t>(size_));
    size_ += value.size();
  }
  void text(std::string_view value) { bytes(as_bytes(value)); }
  /// Adds a value after its size.
  void sized(std::string_view value) {
    u32(static_cast<std::uint32_t>(value.size()));
    text(value);
  }
  /// Returns the hash as hex digits. Must be called only once.
  std::string hex() {
    flush();
    return hash_.hex();
  }

 private:
  void flush() {
    hash_.update(std::span(fields_).first(size_));
    size_ = 0;
  }

  std::array<std::byte, 16384> fields_;
  std::size_t size_ = 0;
  Sha256 hash_;
};

/// Returns the rules of an added token as bits, for the hash of a tokenizer.
constexpr std::uint8_t rule_bits(const AddedToken& token) noexcept {
  return static_cast<std::uint8_t>((token.lstrip ? 1 : 0) | (token.normalized ? 2 : 0) |
                                   (token.rstrip ? 4 : 0) | (token.single_word ? 8 : 0) |
                                   (token.only_added ? 16 : 0));
}

}  // namespace embd
