#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <vector>

#include "base/bytes.h"
#include "base/os/file_descriptor.h"
#include "embd/error.h"
#include "jobs/embed/conditions.h"
#include "jobs/outputs/row_fields.h"

namespace embd {

using TextsHash = std::array<std::byte, 32>;

/// Returns the path of the journal of a run whose first output is `output`; it is beside the
/// output.
std::filesystem::path journal_path(const std::filesystem::path& output);

/// The finished rows of a run of `embed --resume`, in a file that is kept until the outputs are
/// there. It has a header with the run's conditions, then blocks with a checksum each. The process
/// may be killed at any time: when the journal is opened again, everything after the last complete
/// block is cut off. docs/decisions/030-resume.md explains the design. The file is locked while it
/// is open.
class Journal {
 public:
  /// The records that a block of rows was made of. A resumed run checks that its input still has
  /// them.
  struct Source {
    /// The number of records whose first row is in this block.
    std::uint64_t num_records = 0;
    TextsHash hash = {};  ///< the hash of these records and of all records before them
  };

  /// Opens the journal at `path`, or begins one if there is none or if it ends inside its header
  /// and so has no rows. Fails with recipe_mismatch, naming the conditions, if it was begun under
  /// other conditions, unless `force` is true, which begins it anew; with io_failed if another
  /// process uses it.
  static Result<Journal> open(const std::filesystem::path& path, const Conditions& conditions,
                              std::uint64_t dim, bool force);
  const std::filesystem::path& path() const noexcept { return path_; }
  /// Returns the sources of the blocks of rows, in order.
  const std::vector<Source>& sources() const noexcept { return sources_; }
  std::uint64_t num_rows() const noexcept { return num_rows_; }
  /// Returns the number of windows of the last text that have rows, if others do not have rows yet;
  /// otherwise 0.
  std::uint32_t windows_of_unfinished_text() const noexcept;

  /// Appends a block, directly from the memory of the batch.
  Result<void> append(const RowBatch& batch, const Source& source);
  /// Calls `use` for all blocks of rows, in order.
  Result<void> for_each(const std::function<Result<void>(const RowBatch&)>& use);
  /// Deletes the file.
  Result<void> remove();

 private:
  Journal(std::filesystem::path path, FileDescriptor file, std::uint64_t dim)
      : path_(std::move(path)), file_(std::move(file)), dim_(dim) {}
  /// Empties the file and writes the header of a new journal.
  Result<void> begin(const Conditions& conditions);
  /// Returns true if the file ends inside its header, before any row.
  Result<bool> ends_in_header() const;
  Result<void> check_header(const Conditions& conditions) const;
  /// Counts the content of the blocks, and cuts off what is behind the last complete block.
  Result<void> take_stock();
  /// Calls `use` with the content of each complete block. Returns the offset of the end of the last
  /// one.
  Result<std::uint64_t> scan(const std::function<Result<void>(Bytes)>& use) const;
  Result<RowBatch> parse(Bytes payload, Source& source) const;

  std::filesystem::path path_;
  FileDescriptor file_;
  std::uint64_t dim_ = 0;
  std::uint64_t first_block_ = 0;
  std::uint64_t end_ = 0;
  std::vector<Source> sources_;
  std::uint64_t num_rows_ = 0;
  RowNote last_;
};

}  // namespace embd
