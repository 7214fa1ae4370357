#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "base/os/text_conversion.h"
#include "embd/error.h"
#include "embd/texts.h"

namespace embd {

/// Converts text to UTF-8; iconv does it for encodings other than UTF-8. Not thread-safe.
class Utf8Converter {
 public:
  /// Makes a converter. `encoding` is a name that iconv knows, such as "latin1" or "windows-1252";
  /// empty stands for UTF-8. Fails with invalid_argument for a name that iconv does not know, and
  /// for an encoding whose letters and line ends have other bytes than in ASCII, such as UTF-16,
  /// because lines could not be found.
  static Result<Utf8Converter> create(const std::string& encoding, InvalidText invalid);

  /// Converts the bytes of `text` from `first` on, in place. Fails with invalid_utf8 for bytes that
  /// are not valid in the encoding, unless they are to be replaced, and with unsupported for a NUL
  /// byte. Both errors give the offset of the byte in `text`.
  Result<void> convert(std::string& text, std::size_t first);

 private:
  Utf8Converter(std::string encoding, InvalidText invalid)
      : encoding_(std::move(encoding)), invalid_(invalid) {}
  Result<void> convert_utf8(std::string& text, std::size_t first);
  Result<void> convert_foreign(std::string& text, std::size_t first);
  std::unexpected<Error> invalid_byte(const std::string& text, std::size_t at) const;

  std::string encoding_;  // empty: UTF-8
  InvalidText invalid_;
  std::optional<os::TextConversion> conversion_;
  std::string converted_;
};

}  // namespace embd
