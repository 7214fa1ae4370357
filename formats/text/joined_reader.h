#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "base/checksum.h"
#include "embd/texts.h"

namespace embd {

/// Computes the hash of several files: the SHA-256 of lines that each hold the SHA-256 of one file
/// in hex digits.
class HashOfFiles {
 public:
  void add(const std::string& sha256) { lines_.update(sha256 + "\n"); }
  std::string hex() const noexcept { return Sha256(lines_).hex(); }

 private:
  Sha256 lines_;
};

/// Reads the records of several files, one after the other. A file is opened when the file before
/// it has ended; it must then have the size that it had at the start.
class JoinedReader final : public RecordReader {
 public:
  /// Opens at least two files. Fails with not_found or io_failed, and with invalid_argument for a
  /// path that is no regular file. Errors in the content of a file appear when that file is read.
  static Result<std::unique_ptr<JoinedReader>> open(std::vector<std::filesystem::path> files,
                                                    const InputOptions& options,
                                                    std::stop_token stop);

  Result<bool> next(Record& record) override;
  Result<bool> skip() override;
  bool has_token_ids() const noexcept override { return !options_.token_ids_field.empty(); }
  const std::string& name() const noexcept override { return files_[at_].native(); }
  std::optional<std::uint64_t> file_bytes() const noexcept override { return all_bytes_; }
  std::uint64_t bytes_read() const noexcept override;
  std::string sha256() noexcept override;

 private:
  JoinedReader(const InputOptions& options, std::stop_token stop)
      : options_(options), stop_(std::move(stop)) {}
  /// Opens the current file, unless it is open.
  Result<void> begin_file();
  /// Moves on to the next file. Returns false after the last.
  bool end_file();
  /// Calls read(reader) for the current file and, as long as it has no more records, for the files
  /// that follow. Returns the first result that is not false, or false.
  template <class Read>
  Result<bool> from_next(const Read& read);

  std::vector<std::filesystem::path> files_;
  std::vector<std::uint64_t> bytes_;  // of each
  std::uint64_t all_bytes_ = 0;
  InputOptions options_;
  std::stop_token stop_;

  std::size_t at_ = 0;                    // the file at hand
  std::unique_ptr<RecordReader> reader_;  // of it; null before it is begun, and behind the last
  std::uint64_t bytes_before_ = 0;        // of the files that have ended
  HashOfFiles hash_;                      // of these
  bool is_at_end_ = false;
};

}  // namespace embd
