#pragma once

#include <filesystem>

#include "base/os/mapped_file.h"
#include "formats/vectors/svs/toml_table.h"
#include "formats/vectors/svs/uuid.h"

namespace embd::svs {

/// A 2-D array in the library's native file, mapped. The element type is not in the file: the
/// caller knows it and checks the extent with expect_elements().
struct BinaryFile {
  MappedFile file;
  Uuid uuid;
  std::uint64_t rows = 0;
  std::uint64_t columns = 0;
  std::uint64_t data_offset = 0;

  const std::filesystem::path& path() const noexcept { return file.path(); }
  Bytes data() const noexcept { return file.bytes().subspan(data_offset); }
  /// The header's shape is what its configuration says. Error: bad_count at the header's field.
  Result<void> expect_shape(std::uint64_t expected_rows, std::uint64_t expected_columns) const;
  /// Exactly rows × columns elements follow the header. Errors: file_too_short, trailing_bytes.
  Result<void> expect_elements(std::uint64_t element_bytes) const;
};

/// Errors: file_too_short, bad_magic, unsupported for files of other kinds; those of MappedFile.
Result<BinaryFile> open_binary(const std::filesystem::path& path);

/// The UUID under `key`. Error: bad_value at the key, besides those of TomlTable.
Result<Uuid> uuid_in(const TomlTable& table, std::string_view key);

/// The regular file in `directory` whose header carries the UUID under `key`, whatever the file's
/// name. If several do, `preferred_name` decides. Errors: missing or duplicate at the key; what is
/// wrong with the file of the preferred name, if that is the reason why none was found.
Result<BinaryFile> find_binary(const TomlTable& table, std::string_view key,
                               const std::filesystem::path& directory,
                               std::string_view preferred_name);

}  // namespace embd::svs
