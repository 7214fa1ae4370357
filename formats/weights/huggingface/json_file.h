#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "embd/error.h"

namespace embd::huggingface {

/// A JSON object of a model folder with typed access. An Error names the key and the file.
class JsonFile {
 public:
  /// Errors: bad_json with the offset, those of reading.
  static Result<JsonFile> read(const std::filesystem::path& path);
  /// The same, or nothing where there is no such file.
  static Result<std::optional<JsonFile>> read_if_there(const std::filesystem::path& path);

  const nlohmann::json& root() const noexcept { return root_; }
  const std::filesystem::path& path() const noexcept { return path_; }
  bool has(std::string_view key) const { return find(key) != nullptr; }

  /// A whole number from 1 to 2^32 − 1. Errors: missing, bad_value.
  Result<std::uint32_t> positive(std::string_view key) const;
  /// The value, or nothing if the key is absent or null. Error: bad_type.
  Result<std::optional<std::string>> text_if_there(std::string_view key) const;
  Result<std::optional<bool>> flag_if_there(std::string_view key) const;
  Result<std::optional<double>> number_if_there(std::string_view key) const;
  /// The value is absent, null, false or an empty object, array or string: nothing is asked for.
  /// Error: unsupported.
  Result<void> require_unset(std::string_view key) const;

  Error error(ErrorCode code, std::string_view key, std::string_view what) const;

 private:
  JsonFile(std::filesystem::path path, nlohmann::json root)
      : path_(std::move(path)), root_(std::move(root)) {}
  const nlohmann::json* find(std::string_view key) const;

  std::filesystem::path path_;
  nlohmann::json root_;
};

/// Parses `text`, an object; a key twice in one object is an error. `text_at`: its offset in its
/// file.
Result<nlohmann::json> parse_object(Bytes text, std::uint64_t text_at);

}  // namespace embd::huggingface
