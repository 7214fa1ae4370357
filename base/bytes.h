#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "embd/error.h"

namespace embd {

/// A view of bytes, usually of a file, that somebody else owns.
using Bytes = std::span<const std::byte>;

inline Bytes as_bytes(std::string_view text) noexcept {
  return std::as_bytes(std::span(text.data(), text.size()));
}

inline std::string_view as_text(Bytes bytes) noexcept {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Returns bytes as lower-case hex digits, two for each byte.
inline std::string to_hex(Bytes bytes) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (const std::byte b : bytes) {
    text += digits[std::to_integer<unsigned>(b >> 4)];
    text += digits[std::to_integer<unsigned>(b & std::byte{15})];
  }
  return text;
}

static_assert(std::endian::native == std::endian::little,
              "vectors are mapped as they lie in the files, which are little-endian");

/// Reads numbers, bytes and text from the bytes of a file, one after the other. Only this class
/// turns bytes of files into numbers, so every read is checked against the bytes that remain. A
/// read that fails does not move the position; its error names the field and the offset in the
/// file. Views that it returns are valid as long as the bytes it reads.
class ByteReader {
 public:
  /// `base_offset` is the offset of `bytes` in its file, for error messages.
  explicit ByteReader(Bytes bytes, std::uint64_t base_offset = 0)
      : bytes_(bytes), base_offset_(base_offset) {}

  /// Returns the offset in the file of the next byte.
  std::uint64_t offset() const noexcept { return base_offset_ + position_; }
  std::size_t remaining() const noexcept { return bytes_.size() - position_; }

  Result<std::uint8_t> u8(std::string_view field) { return number<std::uint8_t>(field); }
  Result<std::uint16_t> u16(std::string_view field) { return number<std::uint16_t>(field); }
  Result<std::int16_t> i16(std::string_view field) { return number<std::int16_t>(field); }
  Result<std::uint32_t> u32(std::string_view field) { return number<std::uint32_t>(field); }
  Result<std::uint64_t> u64(std::string_view field) { return number<std::uint64_t>(field); }
  Result<float> f32(std::string_view field) { return number<float>(field); }

  /// Reads the next `size` bytes.
  Result<Bytes> bytes(std::uint64_t size, std::string_view field);
  /// Reads the next `size` bytes. Fails with invalid_utf8 if they are not UTF-8.
  Result<std::string_view> text(std::uint64_t size, std::string_view field);
  /// Reads the next `count` × `element_size` bytes. The product cannot overflow, because it is
  /// computed only after it is known to fit.
  Result<Bytes> array(std::uint64_t count, std::uint64_t element_size, std::string_view field);
  Result<void> skip(std::uint64_t size, std::string_view field);

 private:
  template <class T>
  Result<T> number(std::string_view field) {
    if (remaining() < sizeof(T)) return std::unexpected(too_short(sizeof(T), field));
    T value;
    std::memcpy(&value, bytes_.data() + position_, sizeof(T));
    position_ += sizeof(T);
    return value;
  }
  Error too_short(std::uint64_t size, std::string_view field) const;

  Bytes bytes_;
  std::uint64_t base_offset_;
  std::size_t position_ = 0;
};

/// Reads a number at the beginning of bytes whose bounds were checked before:
/// `load<float>(row.subspan(4 * i))`.
template <class T>
T load(Bytes bytes) noexcept {
  T value;
  std::memcpy(&value, bytes.data(), sizeof(T));
  return value;
}

/// Collects little-endian numbers and bytes in memory: headers, indexes and small sections of
/// files. Large data is written to an OutputFile directly.
class ByteWriter {
 public:
  template <class T>
  void number(T value) {
    const auto* first = reinterpret_cast<const std::byte*>(&value);
    bytes_.insert(bytes_.end(), first, first + sizeof(T));
  }
  void u8(std::uint8_t value) { number(value); }
  void u16(std::uint16_t value) { number(value); }
  void i16(std::int16_t value) { number(value); }
  void u32(std::uint32_t value) { number(value); }
  void u64(std::uint64_t value) { number(value); }
  void f32(float value) { number(value); }
  void bytes(Bytes value) { bytes_.insert(bytes_.end(), value.begin(), value.end()); }
  void text(std::string_view value) { bytes(as_bytes(value)); }
  void zeros(std::size_t count) { bytes_.resize(bytes_.size() + count); }

  std::size_t size() const noexcept { return bytes_.size(); }
  Bytes view() const noexcept { return bytes_; }
  void clear() noexcept { bytes_.clear(); }

 private:
  std::vector<std::byte> bytes_;
};

}  // namespace embd
