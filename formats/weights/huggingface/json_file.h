#pragma once

#include <fmt/core.h>

#include <cstdint>
#include <expected>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "embd/error.h"

namespace embd::huggingface {

/// A file of a model folder with a JSON object, and typed access to its members. Errors name the
/// key and the file.
class JsonFile {
 public:
  /// Reads a file. Fails with bad_json and the offset, and with the errors of reading.
  static Result<JsonFile> read(const std::filesystem::path& path);
  /// Reads a file; returns nothing if it does not exist.
  static Result<std::optional<JsonFile>> read_if_there(const std::filesystem::path& path);

  const nlohmann::json& root() const noexcept { return root_; }
  const std::filesystem::path& path() const noexcept { return path_; }
  bool has(std::string_view key) const { return find(key) != nullptr; }

  /// Returns an integer from 1 to 2^32 − 1. Fails with missing or bad_value.
  Result<std::uint32_t> positive(std::string_view key) const;
  /// Return the value, or nothing if the key is absent or null. Fail with bad_type if the value has
  /// another type.
  Result<std::optional<std::string>> text_if_there(std::string_view key) const;
  Result<std::optional<bool>> flag_if_there(std::string_view key) const;
  Result<std::optional<double>> number_if_there(std::string_view key) const;
  /// Checks that a word is one of those that are allowed, or is not there. Fails with unsupported,
  /// and with bad_type.
  Result<void> require_word(std::string_view key, std::span<const std::string_view> allowed) const;
  /// Checks that a setting is not used: the value is absent, null, false, or an empty object, array
  /// or string. Fails with unsupported if it is used.
  Result<void> require_unset(std::string_view key) const;

  /// Makes the value to return from a function that fails because of the member `key`. With more
  /// arguments, `what` is formatted with them.
  std::unexpected<Error> fail(ErrorCode code, std::string_view key, std::string_view what) const;
  template <class First, class... Rest>
  std::unexpected<Error> fail(ErrorCode code, std::string_view key,
                              fmt::format_string<First, Rest...> what, First&& first,
                              Rest&&... rest) const {
    return fail(code, key, fmt::vformat(what, fmt::make_format_args(first, rest...)));
  }

 private:
  JsonFile(std::filesystem::path path, nlohmann::json root)
      : path_(std::move(path)), root_(std::move(root)) {}
  const nlohmann::json* find(std::string_view key) const;

  std::filesystem::path path_;
  nlohmann::json root_;
};

/// Parses `text`, which must be a JSON object. No object may have a key twice. `text_at` is the
/// place of the text in its file, for messages.
Result<nlohmann::json> parse_object(Bytes text, std::uint64_t text_at);

}  // namespace embd::huggingface
