#pragma once

#include <cstdint>
#include <memory>

#include "embd/texts.h"

namespace embd {

/// The records of one part of a file, or of several files as one: those that begin in its share of
/// the bytes. Parts of
/// equal number hold every record once. The records before the part are passed over, not jumped
/// over, so that lines and records keep the numbers that they have in the whole.
class PartReader final : public RecordReader {
 public:
  /// Errors: those of open_records(); invalid_argument for a part that does not exist, and for an
  /// input that is no regular file with a name: it could not be told from another later.
  static Result<std::unique_ptr<PartReader>> open(std::span<const std::filesystem::path> files,
                                                  const InputOptions& options, InputPart part);

  static Result<std::unique_ptr<PartReader>> open(const std::filesystem::path& path,
                                                  const InputOptions& options, InputPart part) {
    return open(std::span(&path, 1), options, part);
  }

  Result<bool> next(Record& record) override;
  Result<bool> skip() override;
  bool has_token_ids() const noexcept override { return whole_->has_token_ids(); }
  const std::string& name() const noexcept override { return whole_->name(); }
  /// Bytes of the part.
  std::optional<std::uint64_t> file_bytes() const noexcept override { return end_ - begin_; }
  std::uint64_t bytes_read() const noexcept override { return whole_->bytes_read() - begin_; }

  std::uint64_t num_records_before() const noexcept { return num_before_; }
  /// SHA-256 of the whole file's bytes before the part's first record. It equals sha256_so_far() of
  /// the part before, at its end, exactly if both have read the same bytes up to here.
  const std::string& sha256_before() const noexcept { return sha256_before_; }
  /// SHA-256 of the whole file's bytes up to the end of the record that next() gave last.
  std::string sha256_so_far() noexcept { return whole_->sha256(); }
  std::uint64_t bytes_of_whole() const noexcept { return *whole_->file_bytes(); }

 private:
  explicit PartReader(std::unique_ptr<RecordReader> whole) : whole_(std::move(whole)) {}
  bool is_at_end() const noexcept;

  std::unique_ptr<RecordReader> whole_;
  std::uint64_t begin_ = 0;  // of its first record
  std::uint64_t end_ = 0;    // of its share
  bool is_last_ = false;
  std::uint64_t num_before_ = 0;
  std::string sha256_before_;
};

}  // namespace embd
