#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "embd/error.h"
#include "embd/recipe.h"

namespace embd::svs {

/// One table of a parsed TOML file with typed, strict access: a key that is absent (missing) or of
/// another type (bad_type) is an Error that names the key, its line and the file. An integer is no
/// float, as in the library. Cheap to copy; keeps the document alive.
class TomlTable {
 public:
  /// Parses a whole file. Errors: bad_toml with the line; those of reading.
  static Result<TomlTable> read(const std::filesystem::path& path);

  bool has(std::string_view key) const;
  Result<std::string> string(std::string_view key) const;
  Result<double> floating(std::string_view key) const;
  Result<bool> boolean(std::string_view key) const;
  /// An integer ≥ 0.
  Result<std::uint64_t> count(std::string_view key) const;
  Result<std::vector<float>> floats(std::string_view key) const;
  Result<TomlTable> table(std::string_view key) const;
  /// An array of tables.
  Result<std::vector<TomlTable>> tables(std::string_view key) const;

  /// The table of this name at the root of the document; nullopt without one.
  std::optional<TomlTable> root_table(std::string_view key) const;

  /// The recipe in the document this table is of. Error: bad_value.
  Result<std::optional<Recipe>> recipe() const;

  /// An Error about the value of `key`, or about the table itself if there is no such key.
  Error error(ErrorCode code, std::string_view key, std::string what) const;

 private:
  struct Document;
  TomlTable(std::shared_ptr<const Document> document, const void* node)
      : document_(std::move(document)), node_(node) {}

  std::shared_ptr<const Document> document_;
  const void* node_;  // a toml::table inside document_
};

}  // namespace embd::svs
