#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/output_set.h"
#include "embd/vectors.h"
#include "formats/vectors/format.h"

namespace embd {

/// A writer of a vector set and the files beside it.
class VectorSetWriter : public VectorWriter {
 public:
  using VectorWriter::VectorWriter;
  /// Sets the SHA-256 of the texts, if it becomes known only after all rows were made. It replaces
  /// the hash in the recipe. To be called before prepare().
  virtual void set_input_sha256(const std::string& hash) = 0;
  /// Sets the digest of the rows before they were stored, as Digest::to_json() writes it; it is
  /// written beside the vectors. To be called before prepare().
  virtual void set_digest(const std::string& digest) = 0;
};

/// The content of the files beside a vector set, as far as the format has no place for it.
struct SetParts {
  Room room;
  std::optional<Recipe> recipe;  ///< the recipe for the file beside the set, which holds all of it
  /// The ids of all rows, for rows that are appended without ids; or none.
  Ids ids;
};

/// A function that makes the writer of the vectors alone, for the given path.
using MakeWriter =
    std::function<Result<std::unique_ptr<VectorWriter>>(const std::filesystem::path& path)>;

/// Makes a writer of vectors and the files beside them, which appear together, as one set. Files
/// that belong to older vectors of this name are replaced or removed. Vectors that are written in
/// place, to a device or a pipe, have no files beside them. `check` decides whether a directory in
/// the place of the vectors may be replaced.
Result<std::unique_ptr<VectorSetWriter>> create_set(const std::filesystem::path& path,
                                                    CheckReplaceable check, SetParts parts,
                                                    const MakeWriter& make);

/// Adds the ids, the ranges and the recipe in the files beside `path` to `reader`, if there are
/// such files and the vectors have none themselves. A recipe in the vectors gets the hash of the
/// input from the recipe beside them. The files are opened here and read when they are needed.
/// Fails with checksum_mismatch if the files belong to other vectors; reading them fails with
/// bad_json, bad_type, bad_count or checksum_mismatch.
Result<std::unique_ptr<VectorReader>> with_sidecar(std::unique_ptr<VectorReader> reader,
                                                   const std::filesystem::path& path);

}  // namespace embd
