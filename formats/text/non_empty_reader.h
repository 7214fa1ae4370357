#pragma once

#include <memory>

#include "embd/texts.h"

namespace embd {

/// Reads the records of another reader and skips those whose texts are blank.
class NonEmptyReader final : public RecordReader {
 public:
  explicit NonEmptyReader(std::unique_ptr<RecordReader> all) : all_(std::move(all)) {}

  Result<bool> next(Record& record) override;
  bool has_token_ids() const noexcept override { return all_->has_token_ids(); }
  const std::string& name() const noexcept override { return all_->name(); }
  std::optional<std::uint64_t> file_bytes() const noexcept override { return all_->file_bytes(); }
  std::uint64_t bytes_read() const noexcept override { return all_->bytes_read(); }
  std::string sha256() noexcept override { return all_->sha256(); }

 private:
  std::unique_ptr<RecordReader> all_;
};

}  // namespace embd
