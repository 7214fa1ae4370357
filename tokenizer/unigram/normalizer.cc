#include "tokenizer/unigram/normalizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/try.h"
#include "tokenizer/unicode_class.h"
#include "tokenizer/unigram/grapheme_cluster.h"
#include "tokenizer/unigram/options.h"

namespace embd::unigram {
namespace {

Result<void> check_lengths(std::string_view strings, std::uint64_t begin) {
  std::size_t start = 0;
  while (start < strings.size()) {
    const std::size_t end = std::min(strings.find('\0', start), strings.size());
    if (end - start > CharacterMap::max_replacement) {
      return fail_at(begin + start, ErrorCode::bad_value,
                     "a character is replaced by a string of {} bytes, expected at most {}",
                     end - start, CharacterMap::max_replacement);
    }
    start = end + 1;
  }
  return {};
}

}  // namespace

Result<CharacterMap> CharacterMap::create(Bytes bytes) {
  ByteReader reader(bytes);
  const std::uint32_t units_bytes = EMBD_TRY(reader.u32("size of the character map's trie"));
  if (units_bytes % sizeof(std::uint32_t) != 0) {
    return fail_at(0, ErrorCode::bad_value,
                   "the trie of the character map has {} bytes, expected a multiple of 4",
                   units_bytes);
  }
  CharacterMap map;
  map.bytes_ = bytes;
  map.keys_ = DoubleArray(EMBD_TRY(reader.bytes(units_bytes, "trie of the character map")));
  const std::uint64_t strings_begin = reader.offset();
  map.strings_ = EMBD_TRY(reader.text(reader.remaining(), "strings of the character map"));
  EMBD_TRY(check_lengths(map.strings_, strings_begin));
  EMBD_TRY(map.check_numbers());
  return map;
}

/// Checks that the number of a key exists for every unit where a key ends, whether or not any key
/// leads to the unit. This is quick, and it is true of everything that darts-clone writes.
Result<void> CharacterMap::check_numbers() const {
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    const std::uint32_t unit = keys_.unit(i);
    if ((unit & DoubleArray::number_bit) != 0 || (unit & DoubleArray::ends_key_bit) == 0) continue;
    const std::size_t base = i ^ DoubleArray::offset_of(unit);
    const auto wrong = [&](std::string what) {
      return fail_at((i + 1) * sizeof(unit), ErrorCode::bad_value, std::move(what));
    };
    if (base >= keys_.size()) {
      return wrong(
          fmt::format("unit {} of the character map's trie refers to unit {}, but there are {} "
                      "units, counted from 0",
                      i, base, keys_.size()));
    }
    const std::size_t offset = keys_.unit(base) & ~DoubleArray::number_bit;
    const auto continues = [](char byte) {
      return (static_cast<std::uint8_t>(byte) & 0xc0) == 0x80;
    };
    if (offset >= strings_.size() || continues(strings_[offset])) {
      return wrong(
          fmt::format("unit {} of the character map's trie refers to byte {} of the {} bytes of "
                      "strings, where no character begins",
                      i, offset, strings_.size()));
    }
  }
  return {};
}

namespace {

/// Returns true for a class whose code points never share a cluster with each other.
bool keeps_apart(GraphemeClass c) noexcept {
  using enum GraphemeClass;
  return c == other || c == consonant || c == pictographic || c == hangul_lv || c == hangul_lvt;
}

/// The bytes of a code point below U+10000 in UTF-8.
class Utf8 {
 public:
  explicit Utf8(char32_t c) noexcept {
    if (c < 0x80) {
      append(c);
    } else if (c < 0x800) {
      append(0xc0 | c >> 6);
      append(0x80 | (c & 0x3f));
    } else {
      append(0xe0 | c >> 12);
      append(0x80 | (c >> 6 & 0x3f));
      append(0x80 | (c & 0x3f));
    }
  }
  std::string_view text() const noexcept { return {bytes_.data(), size_}; }

 private:
  void append(char32_t byte) noexcept { bytes_[size_++] = static_cast<char>(byte); }

  std::array<char, 3> bytes_{};
  std::size_t size_ = 0;
};

}  // namespace

Normalizer::Normalizer(const CharacterMap& map) : map_(map) {
  for (char32_t c = 0; c < num_known; ++c) {
    // U+FFFD may stand for a malformed part. Surrogates never occur.
    if (c == 0xfffd || (c >= 0xd800 && c < 0xe000)) continue;
    if (c == word_mark_code_point || is_white_space(c)) continue;
    const Utf8 utf8(c);
    kept_[c] = map.replacement(utf8.text()).value_or(utf8.text()) == utf8.text();
    plain_[c] = kept_[c] && keeps_apart(grapheme_class(c));
  }
}

}  // namespace embd::unigram
