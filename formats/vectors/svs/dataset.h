#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "embd/matrix.h"
#include "embd/vectors.h"
#include "formats/vectors/svs/binary_file.h"
#include "formats/vectors/svs/toml_table.h"

namespace embd::svs {

/// The rows of a stored data set in any encoding. Immutable.
class Dataset {
 public:
  virtual ~Dataset() = default;
  virtual std::uint64_t rows() const noexcept = 0;
  virtual std::uint64_t dim() const noexcept = 0;
  virtual ElementType element_type() const noexcept = 0;
  /// Returns the name of the encoding, such as "f32" or "lvq4x8".
  virtual std::string encoding() const = 0;
  /// Decodes rows [first, first + count), which must exist, to float32. `out` has count × dim
  /// values.
  virtual void decode(std::uint64_t first, std::uint64_t count,
                      std::span<float> out) const noexcept = 0;
  /// Returns the bytes of all rows as stored, if they are plain elements.
  virtual std::optional<Bytes> raw() const noexcept { return std::nullopt; }
};

/// Return the SVS library's name of an element type, such as "float32", and the type of a name.
/// Fails with bad_type for an unknown name.
std::string_view library_name(ElementType type) noexcept;
Result<ElementType> element_from_library_name(std::string_view name);

/// Makes a data set of a plain array. `binary` must hold exactly its rows × columns elements of
/// `type`.
Result<std::unique_ptr<Dataset>> make_uncompressed(BinaryFile binary, ElementType type);

/// Opens the data set that `object` describes: the [object] table of the configuration in
/// `directory`, or a table inside it. It may be uncompressed, LVQ of one or two levels, scalar
/// quantized, or LeanVec.
Result<std::unique_ptr<Dataset>> open_dataset(const TomlTable& object,
                                              const std::filesystem::path& directory);

/// Reads `directory`/svs_config.toml, checks the version of the file, and returns its [object]
/// table.
Result<TomlTable> open_object(const std::filesystem::path& directory);

/// Returns the schema and the version of an object as "schema version". An older object without
/// __schema__ is recognized by its name.
Result<std::string> schema_of(const TomlTable& object);

}  // namespace embd::svs
