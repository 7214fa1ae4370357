#pragma once

#include <fmt/format.h>

#include <memory>

#include "base/try.h"
#include "embd/texts.h"

namespace embd {

/// Reads the records of a file and gives each an id made of the file's name and the record's line
/// (IdSource::file).
class FileIdReader final : public RecordReader {
 public:
  explicit FileIdReader(std::unique_ptr<RecordReader> file) : file_(std::move(file)) {}

  Result<bool> next(Record& record) override {
    if (!EMBD_TRY(file_->next(record))) return false;
    record.id = fmt::format("{}:{}", file_->name(), record.line);
    return true;
  }
  Result<bool> skip() override { return file_->skip(); }
  bool has_token_ids() const noexcept override { return file_->has_token_ids(); }
  const std::string& name() const noexcept override { return file_->name(); }
  std::optional<std::uint64_t> file_bytes() const noexcept override { return file_->file_bytes(); }
  std::uint64_t bytes_read() const noexcept override { return file_->bytes_read(); }
  std::string sha256() noexcept override { return file_->sha256(); }

 private:
  std::unique_ptr<RecordReader> file_;
};

}  // namespace embd
