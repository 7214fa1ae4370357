#pragma once

#include <filesystem>
#include <memory>

#include "base/output_file.h"
#include "embd/error.h"

namespace embd {

/// A file that waits, complete, to be copied into a stream (standard output, a pipe, a device),
/// because most formats need to go back to their header, which is impossible in a stream. It is in
/// a new temporary directory, whose name nobody can guess and which only this user can write to,
/// and is deleted with this object. It can be moved, but not copied.
class Spool {
 public:
  static Result<Spool> create();

  /// Returns the path to write the file to.
  std::filesystem::path path() const;
  /// Appends the whole file to `out`.
  Result<void> copy_to(OutputFile& out) const;

 private:
  struct Directory;
  explicit Spool(std::shared_ptr<const Directory> directory) : directory_(std::move(directory)) {}

  std::shared_ptr<const Directory> directory_;
};

}  // namespace embd
