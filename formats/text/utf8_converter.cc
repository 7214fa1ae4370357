#include "formats/text/utf8_converter.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/try.h"
#include "base/utf8.h"
#include "tokenizer/utf8_decode.h"

namespace embd {
namespace {

constexpr std::string_view replacement_character = "\xEF\xBF\xBD";

}  // namespace

Result<Utf8Converter> Utf8Converter::create(const std::string& encoding, InvalidText invalid) {
  Utf8Converter converter(encoding, invalid);
  if (encoding.empty()) return converter;
  converter.conversion_ = os::TextConversion::from(encoding);
  if (!converter.conversion_) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("iconv does not know the encoding {:?}, expected a name such as "
                            "latin-1 or windows-1252",
                            encoding));
  }
  // Not all of ASCII: Shift JIS has a yen sign in place of the backslash.
  constexpr std::string_view plain =
      "\t\n\r 0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  std::string converted(plain);
  if (!converter.convert_foreign(converted, 0) || converted != plain) {
    return fail(
        ErrorCode::invalid_argument,
        fmt::format(
            "the encoding {:?} stores line ends or letters as other bytes than ASCII and cannot be "
            "read directly: convert the file to UTF-8 first",
            encoding));
  }
  return converter;
}

Result<void> Utf8Converter::convert(std::string& text, std::size_t first) {
  if (const std::size_t nul = text.find('\0', first); nul != std::string::npos) {
    return fail(ErrorCode::unsupported,
                fmt::format("byte {} is NUL, which no text contains: remove such bytes, or convert "
                            "the file to UTF-8 first, if a program of Windows wrote it as UTF-16",
                            nul));
  }
  return conversion_ ? convert_foreign(text, first) : convert_utf8(text, first);
}

std::unexpected<Error> Utf8Converter::invalid_byte(const std::string& text, std::size_t at) const {
  return fail(ErrorCode::invalid_utf8,
              fmt::format("byte {} is {:#04x}, which is not part of a character in {}", at,
                          static_cast<unsigned>(static_cast<unsigned char>(text[at])),
                          encoding_.empty() ? "UTF-8" : encoding_));
}

Result<void> Utf8Converter::convert_utf8(std::string& text, std::size_t first) {
  auto offset = find_invalid_utf8(std::string_view(text).substr(first));
  if (!offset) return {};
  if (invalid_ == InvalidText::refuse) return invalid_byte(text, first + *offset);
  converted_.clear();
  std::size_t at = first;
  for (; offset; offset = find_invalid_utf8(std::string_view(text).substr(at))) {
    converted_.append(text, at, *offset).append(replacement_character);
    at += *offset;
    at += decode_utf8(text.data() + at, text.data() + text.size()).size;
  }
  converted_.append(text, at);
  text.replace(first, std::string::npos, converted_);
  return {};
}

Result<void> Utf8Converter::convert_foreign(std::string& text, std::size_t first) {
  conversion_->reset();  // No shift lasts beyond a line.
  converted_.clear();
  for (std::size_t at = first; at < text.size(); ++at) {
    at += conversion_->convert(std::string_view(text).substr(at), converted_);
    if (at == text.size()) break;
    if (invalid_ == InvalidText::refuse) return invalid_byte(text, at);
    converted_ += replacement_character;
  }
  text.replace(first, std::string::npos, converted_);
  return {};
}

}  // namespace embd
