#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "base/output_file.h"
#include "embd/error.h"

// Streams are outputs other than regular files: standard output, pipes and devices. They are
// written directly, not under a temporary name, and have no files beside them.
namespace embd {

/// Returns true for "-", and for a device that leads to the standard output that the program was
/// started with.
bool is_standard_output(const std::filesystem::path& path);
/// Returns true for standard output and everything else that is written in place: a named or
/// anonymous pipe, a device, or a file that another program opened for this one (/dev/fd/3).
bool is_stream(const std::filesystem::path& path);
/// Returns true if the path is standard output and that is a terminal.
bool is_terminal(const std::filesystem::path& path);
/// Returns "standard output", or the path.
std::string stream_name(const std::filesystem::path& path);
Result<OutputFile> open_stream(const std::filesystem::path& path);

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
