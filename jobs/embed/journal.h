#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <vector>

#include "base/bytes.h"
#include "base/os/file_descriptor.h"
#include "embd/error.h"
#include "jobs/embed/conditions.h"
#include "jobs/outputs/row_batch.h"

namespace embd {

using TextsHash = std::array<std::byte, 32>;

/// The path of the journal of a run whose first output is `output`, beside it.
std::filesystem::path journal_path(const std::filesystem::path& output);

/// The rows that a run of `embed --resume` has finished, kept in a file until the outputs are
/// there: a header with the run's conditions, then blocks, each with its checksum. A process may be
/// killed at any time: what lies behind the last whole block is cut off when the journal is opened
/// again. docs/decisions/030-resume.md says why this is all there is. Locked while it is open.
class Journal {
 public:
  /// The records that a block of rows was made of.
  struct Source {
    std::uint64_t num_records = 0;  ///< those whose first row is in this block
    TextsHash hash = {};            ///< hash of these records and all before them
  };

  /// Opens the journal at `path` or begins one, also in the place of one that ends inside its
  /// header and therefore holds no row. Errors: recipe_mismatch if it was begun under other
  /// conditions, which it names, unless `force` begins anew; io_failed if another process has it.
  static Result<Journal> open(const std::filesystem::path& path, const Conditions& conditions,
                              std::uint64_t dim, bool force);
  const std::filesystem::path& path() const noexcept { return path_; }
  /// The sources of the blocks of rows, in order.
  const std::vector<Source>& sources() const noexcept { return sources_; }
  std::uint64_t num_rows() const noexcept { return num_rows_; }
  /// Windows of the last text that have rows, if some have not; otherwise 0.
  std::uint32_t windows_of_unfinished_text() const noexcept;

  /// Appends a block. The rows go from the batch's memory to the file.
  Result<void> append(const RowBatch& batch, const Source& source);
  /// All blocks of rows, in order.
  Result<void> for_each(const std::function<Result<void>(const RowBatch&)>& use);
  /// Deletes the file.
  Result<void> remove();

 private:
  Journal(std::filesystem::path path, FileDescriptor file, std::uint64_t dim)
      : path_(std::move(path)), file_(std::move(file)), dim_(dim) {}
  /// Makes the file an empty journal.
  Result<void> begin(const Conditions& conditions);
  /// True if the file was cut off while its header was written, before any row.
  Result<bool> ends_in_header() const;
  Result<void> check_header(const Conditions& conditions) const;
  /// Counts what the blocks hold and cuts off what is behind the last whole one.
  Result<void> take_stock();
  /// Calls `use` with each whole block's payload; returns where the last one ends.
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
