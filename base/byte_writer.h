#pragma once

#include <cstring>
#include <string_view>
#include <vector>

#include "base/bytes.h"

namespace embd {

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
