#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace embd::bpe {

/// The letters that stand for bytes in the tokens of byte-level BPE. Printable characters of
/// Latin-1 stand for themselves, and the other 68 bytes are U+0100 to U+0143, in order. So a space
/// is "Ġ", U+0120.
class ByteLetters {
 public:
  /// Returns the letter of a byte in UTF-8, two bytes at most.
  static std::string_view letter(char byte) noexcept {
    const Letter& found = letters()[static_cast<std::uint8_t>(byte)];
    return {found.utf8.data(), found.size};
  }
  /// Returns the letters of bytes.
  static std::string spell(std::string_view bytes) {
    std::string text;
    for (const char byte : bytes) text += letter(byte);
    return text;
  }
  /// Appends the bytes that letters stand for. Returns false, and appends nothing, if the text has
  /// other characters.
  static bool read(std::string_view text, std::string& bytes);

 private:
  struct Letter {
    std::array<char, 2> utf8;
    std::uint8_t size;
  };
  using Letters = std::array<Letter, 256>;

  static constexpr bool is_plain(unsigned byte) noexcept {
    return (byte > ' ' && byte < 0x7f) || (byte > 0xa0 && byte != 0xad);
  }
  static constexpr Letters make_letters() noexcept {
    Letters made{};
    unsigned next = 0x100;
    for (unsigned byte = 0; byte < made.size(); ++byte) {
      const unsigned c = is_plain(byte) ? byte : next++;
      made[byte] =
          c < 0x80
              ? Letter{{static_cast<char>(c), 0}, 1}
              : Letter{{static_cast<char>(0xc0 | c >> 6), static_cast<char>(0x80 | (c & 0x3f))}, 2};
    }
    return made;
  }
  static const Letters& letters() noexcept {
    static constexpr Letters all = make_letters();
    return all;
  }
};

}  // namespace embd::bpe
