#pragma once

#include <filesystem>

#include "base/os/mapped_file.h"
#include "formats/vectors/svs/toml_table.h"
#include "formats/vectors/svs/uuid.h"

namespace embd::svs {

/// A mapped binary file of the SVS library with a two-dimensional array. The file does not state
/// its element type. The caller must know it and check the size with expect_elements().
struct BinaryFile {
  MappedFile file;
  Uuid uuid;
  std::uint64_t rows = 0;
  std::uint64_t columns = 0;
  std::uint64_t data_offset = 0;

  const std::filesystem::path& path() const noexcept { return file.path(); }
  Bytes data() const noexcept { return file.bytes().subspan(data_offset); }
  /// Checks that the shape in the header is the expected one. Fails with bad_count at the field of
  /// the header.
  Result<void> expect_shape(std::uint64_t expected_rows, std::uint64_t expected_columns) const;
  /// Checks that exactly rows × columns elements follow the header. Fails with file_too_short or
  /// trailing_bytes.
  Result<void> expect_elements(std::uint64_t element_bytes) const;
};

/// Opens a binary file. Fails with file_too_short, with bad_magic, with unsupported for files of
/// other kinds, and with the errors of MappedFile.
Result<BinaryFile> open_binary(const std::filesystem::path& path);

/// Reads the UUID under `key`. Fails with bad_value if it is malformed, and with the errors of
/// TomlTable.
Result<Uuid> uuid_in(const TomlTable& table, std::string_view key);

/// Finds the file in `directory` whose header has the UUID under `key`, whatever the name of the
/// file. If several files have it, the one named `preferred_name` is taken. Fails with missing or
/// duplicate. If no file has the UUID, but there is a file with the preferred name, the error says
/// what is wrong with it.
Result<BinaryFile> find_binary(const TomlTable& table, std::string_view key,
                               const std::filesystem::path& directory,
                               std::string_view preferred_name);

}  // namespace embd::svs
