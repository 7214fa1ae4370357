#include "jobs/embed/record_stream.h"

#include <algorithm>

#include "base/try.h"

namespace embd {

Result<bool> RecordStream::next(std::string& text) {
  if (put_back_) {
    text = put_back_->text;
    record_.line = put_back_->line;
    record_.file = put_back_->file;
    const std::lock_guard lock(mutex_);
    rows_.push_back(std::move(*put_back_));
    put_back_.reset();
    return true;
  }
  std::swap(text, record_.text);
  record_.text.clear();
  if (!EMBD_TRY(reader_.next(record_))) return false;
  std::swap(text, record_.text);
  Row row = {.id = record_.id,
             .line = record_.line,
             .file = record_.file,
             .text = keep_texts_ ? text : std::string(),
             .fields = record_.fields,
             .end_byte = reader_.bytes_read(),
             .is_blank = is_blank(text)};
  const std::lock_guard lock(mutex_);
  rows_.push_back(std::move(row));
  return true;
}

RecordStream::Row RecordStream::take() {
  const std::lock_guard lock(mutex_);
  Row row = std::move(rows_.front());
  rows_.pop_front();
  return row;
}

Result<bool> RecordStream::skip(Row& row) {
  if (!EMBD_TRY(reader_.next(record_))) return false;
  row = {.id = record_.id,
         .line = record_.line,
         .file = record_.file,
         .text = record_.text,
         .fields = record_.fields,
         .end_byte = reader_.bytes_read(),
         .is_blank = is_blank(record_.text)};
  return true;
}

std::optional<double> RecordStream::share_at(const Row& row) const {
  const auto file_bytes = reader_.file_bytes();
  if (!file_bytes || *file_bytes == 0) return std::nullopt;
  return std::min(1.0, static_cast<double>(row.end_byte) / static_cast<double>(*file_bytes));
}

}  // namespace embd
