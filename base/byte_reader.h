#pragma once

#include <array>
#include <bit>
#include <cstring>
#include <string_view>

#include "base/bytes.h"
#include "embd/error.h"

namespace embd {

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

}  // namespace embd
