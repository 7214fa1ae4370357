#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "base/os/text_conversion.h"
#include "embd/error.h"
#include "embd/texts.h"

namespace embd {

/// Converts text to UTF-8, by iconv where it is of another encoding. Not thread-safe.
class Utf8Converter {
 public:
  /// Makes a converter from `encoding`, a name that iconv knows ("latin1", "windows-1252"); empty
  /// is UTF-8. Errors: invalid_argument for a name that iconv does not know, and for an encoding
  /// whose line ends and letters are not ASCII's bytes (UTF-16): its lines cannot be found.
  static Result<Utf8Converter> create(const std::string& encoding, InvalidText invalid);

  /// Converts the bytes of `text` from `first` on, in place. Errors: invalid_utf8 for bytes that
  /// are none of the encoding, unless they are to be replaced; unsupported for a NUL byte, which no
  /// text has. Both say which byte of `text` it is, from 0.
  Result<void> convert(std::string& text, std::size_t first);

 private:
  Utf8Converter(std::string encoding, InvalidText invalid)
      : encoding_(std::move(encoding)), invalid_(invalid) {}
  Result<void> convert_utf8(std::string& text, std::size_t first) const;
  Result<void> convert_foreign(std::string& text, std::size_t first);
  std::unexpected<Error> invalid_byte(const std::string& text, std::size_t at) const;

  std::string encoding_;  // empty: UTF-8
  InvalidText invalid_;
  std::optional<os::TextConversion> conversion_;
  std::string converted_;
};

}  // namespace embd
