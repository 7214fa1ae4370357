#pragma once

#include <filesystem>
#include <memory>

#include "base/output_file.h"
#include "embd/error.h"

namespace embd {

/// A file that waits, whole, until it is copied into a stream (standard output, a pipe, a device):
/// most formats need to go back to their header, which a stream cannot. It lies in a new directory
/// below the system's temporary one, whose name nobody can guess and into which nobody else can
/// write, and is removed with this. Moved, not copied.
class Spool {
 public:
  static Result<Spool> create();

  /// Where to write the file.
  std::filesystem::path path() const;
  /// Appends the whole file to `out`.
  Result<void> copy_to(OutputFile& out) const;

 private:
  struct Directory;
  explicit Spool(std::shared_ptr<const Directory> directory) : directory_(std::move(directory)) {}

  std::shared_ptr<const Directory> directory_;
};

}  // namespace embd
