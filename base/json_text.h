#pragma once

#include <fmt/core.h>

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "embd/element_type.h"
#include "embd/error.h"

namespace embd {

/// Appends `text` as a JSON string in quotes. Bytes that are not UTF-8 are replaced by U+FFFD,
/// because JSON cannot hold them.
void append_json_string(std::string_view text, std::string& out);
/// Returns `text` as such a string.
std::string json_string(std::string_view text);
/// Appends an array of such strings.
void append_json_strings(std::span<const std::string> texts, std::string& out);

/// Appends the shortest decimal number that reads back as `value`; null for a value that is not
/// finite, because JSON has no number for it.
void append_json_float(float value, std::string& out);

/// Appends a stored number of a plain type. A floating-point number gets a fraction or an exponent,
/// such as 1.0, so that readers recognize its type; a number that is not finite becomes null.
void append_json_number(ElementType type, Bytes element, std::string& out);

/// Takes the parts of a JSON text in their order, so that no tree is built. Each function returns
/// false to stop the reading; one that a class does not override passes its part over. Strings and
/// names may be moved out.
class JsonHandler {
 public:
  virtual ~JsonHandler() = default;
  virtual bool null() { return true; }
  virtual bool boolean(bool /*value*/) { return true; }
  /// Takes a whole number with a sign that 64 bits hold. "-0" comes here, too, as 0.
  virtual bool number_integer(std::int64_t /*value*/) { return true; }
  virtual bool number_unsigned(std::uint64_t /*value*/) { return true; }
  /// Takes any other number. `digits` is the number as the text has it.
  virtual bool number_float(double /*value*/, const std::string& /*digits*/) { return true; }
  virtual bool string(std::string& /*value*/) { return true; }
  virtual bool start_object() { return true; }
  virtual bool key(std::string& /*name*/) { return true; }
  virtual bool end_object() { return true; }
  virtual bool start_array() { return true; }
  virtual bool end_array() { return true; }

 protected:
  /// Returns the number of arrays and objects around the part that is taken. The start and the end
  /// of an array or object are not inside it.
  std::size_t depth() const noexcept { return depth_; }
  /// Stops the reading with an error, which read_json_line() returns.
  template <class... Parts>
  bool stop(ErrorCode code, fmt::format_string<Parts...> what, Parts&&... parts) {
    error_.emplace(code, fmt::vformat(what, fmt::make_format_args(parts...)));
    return false;
  }

 private:
  friend class JsonEvents;
  friend Result<void> read_json_line(std::string_view line, JsonHandler& handler);

  std::size_t depth_ = 0;
  std::optional<Error> error_;
};

/// Why a text is not JSON that embd reads. `what` never repeats the text, which may be long and
/// may contain any bytes.
struct JsonFault {
  ErrorCode code = ErrorCode::bad_json;  ///< or invalid_utf8, for half a surrogate pair
  std::string what;                      ///< in words, without the place
  std::size_t at = 0;                    ///< the byte of the text, from 0; its size for its end
  bool is_syntax = false;                ///< true if `what` is in the words of nlohmann-json
};

/// The greatest depth of arrays and objects, deeper than any file needs.
inline constexpr int max_json_depth = 256;

/// Reads `text`, which must be one JSON value, and hands its parts to `handler`. Every JSON text
/// that embd reads passes this function. Returns true at the end, and false if `handler` stopped.
/// Fails for text that is not JSON; for a NUL byte anywhere, which nlohmann-json takes for the end;
/// for "\ud800" and the like, half a surrogate pair; and for arrays and objects that are nested
/// deeper than `max_depth`.
std::expected<bool, JsonFault> read_json(std::string_view text, JsonHandler& handler,
                                         int max_depth = max_json_depth);

/// Reads one line of JSON Lines as read_json() does. The error gives the byte of the line, from 1.
/// Also fails with the error with which `handler` stopped.
Result<void> read_json_line(std::string_view line, JsonHandler& handler);

/// Replaces each half of a surrogate pair in JSON text, such as "\ud800", by "\ufffd".
void replace_half_surrogates(std::string& text);

}  // namespace embd
