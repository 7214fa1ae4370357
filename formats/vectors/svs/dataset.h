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

/// The rows of one stored data set, however they are encoded. Immutable.
class Dataset {
 public:
  virtual ~Dataset() = default;
  virtual std::uint64_t rows() const noexcept = 0;
  virtual std::uint64_t dim() const noexcept = 0;
  virtual ElementType element_type() const noexcept = 0;
  /// "f32", "lvq4x8", …
  virtual std::string encoding() const = 0;
  /// Rows [first, first + count) as float32; the range is inside the data set, `out` holds count ×
  /// dim.
  virtual void decode(std::uint64_t first, std::uint64_t count,
                      std::span<float> out) const noexcept = 0;
  /// All rows as stored, where they are plain elements.
  virtual std::optional<Bytes> raw() const noexcept { return std::nullopt; }
};

/// The library's name of an element type ("float32") and back. Error: bad_type.
std::string_view library_name(ElementType type) noexcept;
Result<ElementType> element_from_library_name(std::string_view name);

/// A plain array: `binary` holds exactly its rows × columns elements of `type`.
Result<std::unique_ptr<Dataset>> make_uncompressed(BinaryFile binary, ElementType type);

/// The data set that `object`, the [object] table of `directory`'s configuration or a table inside
/// it, describes: uncompressed, LVQ of one or two levels, scalar quantized or LeanVec.
Result<std::unique_ptr<Dataset>> open_dataset(const TomlTable& object,
                                              const std::filesystem::path& directory);

/// The [object] table of `directory`/svs_config.toml behind its envelope, whose version must be
/// known.
Result<TomlTable> open_object(const std::filesystem::path& directory);

/// "schema version" of an object; a legacy object without __schema__ is told by its name.
Result<std::string> schema_of(const TomlTable& object);

}  // namespace embd::svs
