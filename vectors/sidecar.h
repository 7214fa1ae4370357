#pragma once

#include <filesystem>
#include <memory>

#include "embd/vectors.h"
#include "formats/format.h"

// Files beside a vector set for what its format has no room for: OUT.ids.jsonl, one JSON string or
// number a line, OUT.recipe.json, and OUT.ranges.npy, the ranges of int8 codes.
namespace embd {

std::filesystem::path ids_path(const std::filesystem::path& vectors);
std::filesystem::path recipe_path(const std::filesystem::path& vectors);
std::filesystem::path ranges_path(const std::filesystem::path& vectors);

/// `reader` with the ids and the recipe of the files beside `path`, where there are such files and
/// it has none itself; a recipe inside gets the input's hash from the one beside. They are read
/// when asked for. Errors then: bad_json, bad_type, bad_count.
std::unique_ptr<VectorReader> with_sidecar(std::unique_ptr<VectorReader> reader,
                                           const std::filesystem::path& path);

/// A writer of a vector set with the files beside it.
class VectorSetWriter : public VectorWriter {
 public:
  /// SHA-256 of the texts, where it becomes known only when all rows were made; before prepare().
  /// It goes where that of the recipe would have gone.
  virtual void set_input_sha256(const std::string& hash) = 0;
};

/// `writer`, whose files have that `room`; the rest goes to files beside `path`, which appear just
/// before the vectors do. Files left from other vectors of that name are replaced or removed, and
/// stay as they were if writing fails. `recipe`: of the file beside, which has the whole of it.
/// `ids`: for rows that are appended without; or none.
std::unique_ptr<VectorSetWriter> with_sidecar(std::unique_ptr<VectorWriter> writer, Room room,
                                              const std::filesystem::path& path,
                                              const std::optional<Recipe>& recipe, const Ids& ids);

}  // namespace embd
