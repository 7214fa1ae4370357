#pragma once

#include <cstdint>
#include <memory>

#include "formats/text/open_records.h"

namespace embd {

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
