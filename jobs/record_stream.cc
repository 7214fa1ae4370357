#include "jobs/record_stream.h"

#include "base/try.h"

namespace embd {

Result<bool> RecordStream::next(std::string& text) {
  if (put_back_) {
    text = put_back_->text;
    const std::lock_guard lock(mutex_);
    rows_.push_back(std::move(*put_back_));
    put_back_.reset();
    return true;
  }
  std::swap(text, record_.text);
  record_.text.clear();
  if (!EMBD_TRY(reader_->next(record_))) return false;
  std::swap(text, record_.text);
  const std::lock_guard lock(mutex_);
  bytes_read_ = reader_->bytes_read();
  rows_.push_back({record_.id, record_.line, keep_texts_ ? text : std::string(), record_.fields});
  return true;
}

RecordStream::Row RecordStream::take() {
  const std::lock_guard lock(mutex_);
  Row row = std::move(rows_.front());
  rows_.pop_front();
  return row;
}

Result<bool> RecordStream::skip(Row& row) {
  if (!EMBD_TRY(reader_->next(record_))) return false;
  row = {record_.id, record_.line, record_.text, record_.fields};
  return true;
}

std::optional<double> RecordStream::share_read() {
  const auto file_bytes = reader_->file_bytes();
  if (!file_bytes || *file_bytes == 0) return std::nullopt;
  const std::lock_guard lock(mutex_);
  return static_cast<double>(bytes_read_) / static_cast<double>(*file_bytes);
}

}  // namespace embd
