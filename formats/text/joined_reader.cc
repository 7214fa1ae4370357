#include "formats/text/joined_reader.h"

#include <fmt/format.h>

#include <system_error>
#include <utility>

#include "base/try.h"
#include "formats/text/open_records.h"

namespace embd {
namespace {

namespace fs = std::filesystem;

Result<std::uint64_t> size_of(const fs::path& file) {
  std::error_code error;
  const fs::file_status status = fs::status(file, error);
  if (status.type() == fs::file_type::not_found && file != "-")
    return fail_in(file, ErrorCode::not_found, "no file or folder has this path");
  if (!fs::is_regular_file(status)) {
    return fail_in(file, ErrorCode::invalid_argument,
                   "the path does not name a regular file: read a pipe or standard input alone, "
                   "without other inputs");
  }
  const std::uint64_t size = fs::file_size(file, error);
  if (error) return fail_in(file, ErrorCode::io_failed, error.message());
  return size;
}

}  // namespace

Result<std::unique_ptr<JoinedReader>> JoinedReader::open(std::vector<fs::path> files,
                                                         const InputOptions& options,
                                                         std::stop_token stop) {
  std::unique_ptr<JoinedReader> reader(new JoinedReader(options, std::move(stop)));
  for (const fs::path& file : files) {
    reader->bytes_.push_back(EMBD_TRY(size_of(file)));
    reader->all_bytes_ += reader->bytes_.back();
  }
  reader->files_ = std::move(files);
  // Options that do not fit the format of the first file are refused at once.
  EMBD_TRY(reader->begin_file());
  return reader;
}

Result<void> JoinedReader::begin_file() {
  if (reader_ != nullptr) return {};
  reader_ = EMBD_TRY(in_file(files_[at_], open_file(files_[at_], options_, stop_)));
  if (reader_->file_bytes() == bytes_[at_]) return {};
  return fail_in(
      files_[at_], ErrorCode::io_failed,
      fmt::format(
          "the file has {} bytes now, but it had {} at the start: it was changed while it was read",
          reader_->file_bytes().value_or(0), bytes_[at_]));
}

bool JoinedReader::end_file() {
  hash_.add(reader_->sha256());
  bytes_before_ += bytes_[at_];
  reader_.reset();
  is_at_end_ = at_ + 1 == files_.size();
  if (!is_at_end_) ++at_;
  return !is_at_end_;
}

template <class Read>
Result<bool> JoinedReader::from_next(const Read& read) {
  if (is_at_end_) return false;
  do {
    EMBD_TRY(begin_file());
    if (EMBD_TRY(read(*reader_))) return true;
  } while (end_file());
  return false;
}

Result<bool> JoinedReader::next(Record& record) {
  const bool more = EMBD_TRY(from_next([&](RecordReader& reader) { return reader.next(record); }));
  if (more) record.file = files_[at_].native();
  return more;
}

Result<bool> JoinedReader::skip() {
  return from_next([](RecordReader& reader) { return reader.skip(); });
}

std::uint64_t JoinedReader::bytes_read() const noexcept {
  return bytes_before_ + (reader_ != nullptr ? reader_->bytes_read() : 0);
}

std::string JoinedReader::sha256() noexcept {
  HashOfFiles hash = hash_;
  if (reader_ != nullptr) hash.add(reader_->sha256());
  return hash.hex();
}

}  // namespace embd
