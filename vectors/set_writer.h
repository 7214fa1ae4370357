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

/// A writer of a vector set with the files beside it.
class VectorSetWriter : public VectorWriter {
 public:
  using VectorWriter::VectorWriter;
  /// SHA-256 of the texts, where it becomes known only when all rows were made; before prepare().
  /// It goes where that of the recipe would have gone.
  virtual void set_input_sha256(const std::string& hash) = 0;
  /// Digest::to_json() of the rows before they were stored; before prepare(). It goes beside the
  /// vectors.
  virtual void set_digest(const std::string& digest) = 0;
};

/// The files beside a vector set, as far as its format has no place for their content.
struct SetParts {
  Room room;
  std::optional<Recipe> recipe;  ///< of the file beside, which has the whole of it
  Ids ids;                       ///< of all rows, for rows that are appended without; or none
};

/// Makes the writer of the vectors alone, which are to be written to `path`.
using MakeWriter =
    std::function<Result<std::unique_ptr<VectorWriter>>(const std::filesystem::path& path)>;

/// A writer of vectors and of the files beside them, which appear together, as one set. Files left
/// from other vectors of that name are replaced or removed. Vectors that are written in place, to a
/// device or a pipe, have no files beside them. `check`: of a directory in the place of the
/// vectors.
Result<std::unique_ptr<VectorSetWriter>> create_set(const std::filesystem::path& path,
                                                    CheckReplaceable check, SetParts parts,
                                                    const MakeWriter& make);

}  // namespace embd
