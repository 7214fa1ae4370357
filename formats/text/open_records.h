#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "embd/texts.h"

namespace embd {

/// A reader that reads from another one, and changes what its derived class overrides.
class WrappedReader : public RecordReader {
 public:
  explicit WrappedReader(std::unique_ptr<RecordReader> inner) : inner_(std::move(inner)) {}

  Result<bool> next(Record& record) override { return inner_->next(record); }
  Result<bool> skip() override { return inner_->skip(); }
  bool has_token_ids() const noexcept override { return inner_->has_token_ids(); }
  const std::string& name() const noexcept override { return inner_->name(); }
  std::optional<std::uint64_t> file_bytes() const noexcept override { return inner_->file_bytes(); }
  std::uint64_t bytes_read() const noexcept override { return inner_->bytes_read(); }
  std::string sha256() noexcept override { return inner_->sha256(); }

 protected:
  RecordReader& inner() const noexcept { return *inner_; }

 private:
  std::unique_ptr<RecordReader> inner_;
};

/// Returns the format that a file's extension stands for; txt if the extension is unknown.
InputFormat input_format_of(const std::filesystem::path& path);

/// Opens the records of a path that is no folder, as open_records() does.
Result<std::unique_ptr<RecordReader>> open_file(const std::filesystem::path& path,
                                                const InputOptions& options, std::stop_token stop);

/// Open records as the functions in embd/texts.h do. A stop request ends waiting for a pipe or a
/// terminal; opening and reading then fail with cancelled.
Result<std::unique_ptr<RecordReader>> open_records(const std::filesystem::path& path,
                                                   const InputOptions& options,
                                                   std::stop_token stop);
Result<std::unique_ptr<RecordReader>> open_records(std::span<const std::filesystem::path> paths,
                                                   const InputOptions& options,
                                                   std::stop_token stop);

/// Returns the files in a folder and its subfolders whose paths `is_wanted` accepts, sorted by
/// path, byte by byte. Names that begin with a dot are left out, and so are folders behind symbolic
/// links, because they may lead back. Fails with not_found for a link that leads nowhere, and
/// io_failed.
Result<std::vector<std::filesystem::path>> files_below(
    const std::filesystem::path& folder,
    const std::function<bool(const std::filesystem::path&)>& is_wanted);

/// Returns the hash that a reader of these files has at its end (RecordReader::sha256()); empty for
/// an input that can be read only once. Fails with the errors of opening and reading.
Result<std::string> hash_of_inputs(std::span<const std::filesystem::path> files);

/// Reads the records of one part of an input, which is a file or several files as one: the records
/// that begin in the part's share of the bytes. The parts of an input together hold every record
/// exactly once. The records before the part are skipped by reading them, so that lines and records
/// have the same numbers as in the whole input.
class PartReader final : public WrappedReader {
 public:
  /// Opens a part. Fails with the errors of open_records(), and with invalid_argument for a part
  /// that does not exist and for an input that is no regular file with a name, because it could not
  /// be recognized later.
  static Result<std::unique_ptr<PartReader>> open(std::span<const std::filesystem::path> files,
                                                  const InputOptions& options, InputPart part);

  static Result<std::unique_ptr<PartReader>> open(const std::filesystem::path& path,
                                                  const InputOptions& options, InputPart part) {
    return open(std::span(&path, 1), options, part);
  }

  Result<bool> next(Record& record) override;
  Result<bool> skip() override;
  /// Returns the number of bytes of the part.
  std::optional<std::uint64_t> file_bytes() const noexcept override { return end_ - begin_; }
  std::uint64_t bytes_read() const noexcept override { return inner().bytes_read() - begin_; }
  /// Returns nothing: see sha256_before() and sha256_so_far().
  std::string sha256() noexcept override { return {}; }

  std::uint64_t num_records_before() const noexcept { return num_before_; }
  /// Returns the SHA-256 of the bytes of the whole input before the part's first record. It equals
  /// sha256_so_far() at the end of the part before if both have read the same bytes up to here, and
  /// only then.
  const std::string& sha256_before() const noexcept { return sha256_before_; }
  /// Returns the SHA-256 of the bytes of the whole input up to the end of the record that next()
  /// returned last.
  std::string sha256_so_far() noexcept { return inner().sha256(); }
  std::uint64_t bytes_of_whole() const noexcept { return *inner().file_bytes(); }

 private:
  using WrappedReader::WrappedReader;

  bool is_at_end() const noexcept;

  std::uint64_t begin_ = 0;  // of its first record
  std::uint64_t end_ = 0;    // of its share
  bool is_last_ = false;
  std::uint64_t num_before_ = 0;
  std::string sha256_before_;
};

}  // namespace embd
