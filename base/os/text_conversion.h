#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace embd::os {

/// The system's conversion of text from an encoding to UTF-8. Not thread-safe.
class TextConversion {
 public:
  /// `encoding`: a name that iconv knows, with or without hyphens ("latin1", "windows-1252");
  /// nullopt if there is no such.
  static std::optional<TextConversion> from(const std::string& encoding);

  /// Forgets the shift that bytes before have set, where the encoding has shifts.
  void reset() noexcept;
  /// Appends `text` in UTF-8 to `out`, up to the first byte that is not part of the encoding.
  /// Returns that byte's place, or text.size().
  std::size_t convert(std::string_view text, std::string& out);

 private:
  struct Close {
    void operator()(void* conversion) const noexcept;
  };
  explicit TextConversion(void* conversion) : conversion_(conversion) {}

  std::unique_ptr<void, Close> conversion_;
};

}  // namespace embd::os
