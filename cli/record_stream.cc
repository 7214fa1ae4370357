#include "cli/record_stream.h"

#include "base/try.h"

namespace embd::cli {

Result<bool> RecordStream::next(std::string& text) {
  std::swap(text, record_.text);
  record_.text.clear();
  if (!EMBD_TRY(reader_->next(record_))) return false;
  std::swap(text, record_.text);
  const std::lock_guard lock(mutex_);
  bytes_read_ = reader_->bytes_read();
  rows_.push_back({record_.id, record_.line, keep_texts_ ? text : std::string()});
  return true;
}

std::vector<RecordStream::Row> RecordStream::take(std::size_t count) {
  const std::lock_guard lock(mutex_);
  std::vector<Row> rows;
  rows.reserve(count);
  for (; count > 0 && !rows_.empty(); --count) {
    rows.push_back(std::move(rows_.front()));
    rows_.pop_front();
  }
  return rows;
}

std::optional<double> RecordStream::share_read() {
  const auto file_bytes = reader_->file_bytes();
  if (!file_bytes || *file_bytes == 0) return std::nullopt;
  const std::lock_guard lock(mutex_);
  return static_cast<double>(bytes_read_) / static_cast<double>(*file_bytes);
}

Ids ids_of(const std::vector<RecordStream::Row>& rows) {
  if (rows.empty() || std::holds_alternative<std::monostate>(rows.front().id)) return Ids{};
  if (std::holds_alternative<std::uint64_t>(rows.front().id)) {
    std::vector<std::uint64_t> numbers;
    for (const auto& row : rows) numbers.push_back(std::get<std::uint64_t>(row.id));
    return numbers;
  }
  std::vector<std::string> strings;
  for (const auto& row : rows) strings.push_back(std::get<std::string>(row.id));
  return strings;
}

}  // namespace embd::cli
