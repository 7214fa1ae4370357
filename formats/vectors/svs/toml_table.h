#pragma once

#include <fmt/core.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "embd/error.h"
#include "embd/recipe.h"

namespace embd::svs {

/// A table of a parsed TOML file with typed, strict access. Fails with missing if a key is absent
/// and with bad_type if it has another type; the error names the key, its line and the file. As in
/// the SVS library, an integer is not accepted as a float. Cheap to copy; keeps the document alive.
class TomlTable {
 public:
  /// Parses a file and returns its root table. Fails with bad_toml and the line, and with the
  /// errors of reading.
  static Result<TomlTable> read(const std::filesystem::path& path);

  bool has(std::string_view key) const;
  Result<std::string> string(std::string_view key) const;
  Result<double> floating(std::string_view key) const;
  Result<bool> boolean(std::string_view key) const;
  /// Returns an integer ≥ 0.
  Result<std::uint64_t> count(std::string_view key) const;
  Result<std::vector<float>> floats(std::string_view key) const;
  Result<TomlTable> table(std::string_view key) const;
  /// Returns the tables of an array.
  Result<std::vector<TomlTable>> tables(std::string_view key) const;

  /// Returns the table `key` at the root of the document; nullopt if there is none.
  std::optional<TomlTable> root_table(std::string_view key) const;

  /// Reads the recipe from the document of this table. Fails with bad_value.
  Result<std::optional<Recipe>> recipe() const;

  /// Makes the value to return for an error about the value of `key`, or about the table itself if
  /// there is no such key.
  std::unexpected<Error> fail(ErrorCode code, std::string_view key, std::string_view what) const;
  template <class First, class... Rest>
  std::unexpected<Error> fail(ErrorCode code, std::string_view key,
                              fmt::format_string<First, Rest...> what, First&& first,
                              Rest&&... rest) const {
    return fail(code, key,
                std::string_view(fmt::vformat(what, fmt::make_format_args(first, rest...))));
  }

 private:
  struct Document;
  TomlTable(std::shared_ptr<const Document> document, const void* node)
      : document_(std::move(document)), node_(node) {}

  std::shared_ptr<const Document> document_;
  const void* node_;  // A toml::table inside document_.
};

}  // namespace embd::svs
