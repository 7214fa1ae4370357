#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace embd::os {

/// The system's conversion of text from another encoding to UTF-8. Not thread-safe.
class TextConversion {
 public:
  /// Makes a conversion. `encoding` is a name that iconv knows, with or without hyphens, such as
  /// "latin1" or "windows-1252". Returns nullopt for an unknown name.
  static std::optional<TextConversion> from(const std::string& encoding);

  /// Resets the shift state, if the encoding has one, as at the beginning of a text.
  void reset() noexcept;
  /// Appends `text`, converted to UTF-8, to `out`, up to the first byte that is not valid in the
  /// encoding. Returns the offset of that byte, or text.size() if all of it is valid.
  std::size_t convert(std::string_view text, std::string& out);

 private:
  struct Close {
    void operator()(void* conversion) const noexcept;
  };
  explicit TextConversion(void* conversion) : conversion_(conversion) {}

  std::unique_ptr<void, Close> conversion_;
};

}  // namespace embd::os
