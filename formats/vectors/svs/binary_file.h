#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/checksum.h"
#include "base/os/mapped_file.h"
#include "base/output_file.h"
#include "embd/error.h"
#include "formats/vectors/svs/toml_table.h"

namespace embd::svs {

// Constants of SVS files, with the names of docs/formats/svs.md.

// The binary file: magic, UUID (reversed), rows, columns, zeros up to the size of the header, then
// the rows.
inline constexpr std::uint64_t v1_magic = 0xcad4a6b2579980fe;
inline constexpr std::uint64_t v1_header_bytes = 1024;
inline constexpr std::uint64_t vtest_magic = 0xf83ad4901d434f04;
inline constexpr std::uint64_t vtest_header_bytes = 64;
inline constexpr std::uint64_t database_magic = 0x26b0644ab838c3a3;
inline constexpr std::uint64_t stream_magic = 0x5356535f5354524d;  // A whole index in one stream.
inline constexpr std::uint64_t uuid_offset = 8;   // Where the UUID is in a V1 header.
inline constexpr std::uint64_t rows_offset = 24;  // Where the number of rows is in a V1 header.
// Where the number of columns is in a V1 header.
inline constexpr std::uint64_t columns_offset = 32;

// The TOML file of a directory.
inline constexpr std::string_view config_name = "svs_config.toml";
// As the SVS library numbers its files.
inline constexpr std::string_view data_name = "data_0.svs";
inline constexpr std::string_view envelope_version = "v0.0.2";
inline constexpr std::string_view legacy_envelope_version =
    "v0.0.1";  // As the current version, but without __schema__.

// A table that embd adds to config/svs_config.toml and the SVS library ignores. It has the metric
// that an index was built for.
inline constexpr std::string_view embd_table = "embd";
inline constexpr std::string_view metric_key = "metric";

/// A UUID: its 16 bytes in the order of its text. A binary file stores them reversed.
struct Uuid {
  std::array<std::uint8_t, 16> bytes = {};

  bool operator==(const Uuid&) const = default;

  /// Parses 8-4-4-4-12 hexadecimal digits, in upper or lower case. Fails with bad_value.
  static Result<Uuid> parse(std::string_view text);
  static Uuid from_stored(Bytes sixteen) noexcept;
  /// Makes a UUID of version 4 from a hash of the named content, so that equal content gives equal
  /// files.
  static Uuid from_digest(std::span<const std::byte, 32> sha256) noexcept;

  std::array<std::uint8_t, 16> stored() const noexcept;
  std::string text() const;
};

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

/// Writes a binary file of version 1. Rows are written as they come, and the header at the end,
/// when their number and hash are known. The UUID is made from the element type, the shape and the
/// rows, so equal rows give equal files.
class BinaryWriter {
 public:
  static Result<BinaryWriter> create(const std::filesystem::path& path);

  Result<void> append(Bytes rows);
  /// Completes the file and returns its UUID. `kind`, such as "float32", makes the UUIDs of arrays
  /// differ that have the same bytes.
  Result<Uuid> finish(std::string_view kind, std::uint64_t rows, std::uint64_t columns);

 private:
  explicit BinaryWriter(OutputFile file) : file_(std::move(file)) {}

  OutputFile file_;
  Sha256 hash_;
};

}  // namespace embd::svs
