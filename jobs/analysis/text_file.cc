#include "jobs/analysis/text_file.h"

#include <algorithm>
#include <array>

#include "base/try.h"
#include "formats/text/byte_stream.h"
#include "formats/text/open_records.h"
#include "jobs/outputs/streams.h"

namespace embd {

bool has_name_of_texts(const std::filesystem::path& path) {
  constexpr std::array<std::string_view, 5> extensions = {".txt", ".jsonl", ".ndjson", ".csv",
                                                          ".tsv"};
  return std::ranges::find(extensions, path.extension().native()) != extensions.end();
}

Result<TextFile> TextFile::open(const std::filesystem::path& path, const InputOptions& options,
                                const std::stop_token& stop) {
  TextFile file;
  file.name_ = path == "-" ? "standard input" : path.native();
  file.format_ = options.format.value_or(input_format_of(path));
  if (file.format_ == InputFormat::parquet)
    return fail_in(path, ErrorCode::unsupported,
                   "texts in a Parquet file cannot be kept byte for byte, expected texts in the "
                   "format txt, jsonl, csv or tsv, or a vector set");
  file.path_ = path;
  file.skip_empty_ = options.skip_empty;
  if (path == "-" || is_stream(path)) EMBD_TRY(file.spool_stream(path, stop));
  InputOptions of_all = options;
  of_all.format = file.format_;
  // next() needs the offsets of blank records, too, and skips them itself.
  of_all.skip_empty = false;
  auto reader = open_file(file.path_, of_all, stop);
  if (!reader) return std::unexpected(file.as_named(std::move(reader).error()));
  file.reader_ = std::move(*reader);
  file.file_ = EMBD_TRY(FileDescriptor::open(file.path_));
  file.header_end_ = file.reader_->bytes_read();
  return file;
}

Result<void> TextFile::spool_stream(const std::filesystem::path& path,
                                    const std::stop_token& stop) {
  ByteStream stream = EMBD_TRY(ByteStream::open(path, stop));
  spool_ = EMBD_TRY(Spool::create());
  OutputFile out = EMBD_TRY(OutputFile::create(spool_->path()));
  std::string line;
  while (EMBD_TRY(stream.append_line(line))) {
    EMBD_TRY(out.write(as_bytes(line)));
    line.clear();
  }
  EMBD_TRY(out.finish());
  path_ = spool_->path();
  return {};
}

/// Returns an error about the temporary file as an error about the stream whose texts it holds.
Error TextFile::as_named(Error error) const {
  if (!spool_) return error;
  Error named(error.code(), error.what());
  if (error.line()) named = std::move(named).at_line(*error.line());
  return std::move(named).in_file(name_);
}

Result<bool> TextFile::next(Record& record) {
  while (true) {
    const std::uint64_t begin = reader_->bytes_read();
    const Result<bool> more = reader_->next(record);
    if (!more) return std::unexpected(as_named(more.error()));
    if (!*more) return false;
    if (skip_empty_ && is_blank(record.text)) continue;
    records_.push_back({begin, reader_->bytes_read()});
    return true;
  }
}

Result<void> TextFile::copy(const std::vector<bool>& kept, OutputFile& out) const {
  Range waiting = {0, header_end_};
  const auto write = [&]() -> Result<void> {
    if (waiting.begin == waiting.end) return {};
    return out.append_from(file_, waiting.begin, waiting.end - waiting.begin);
  };
  for (std::size_t i = 0; i < records_.size(); ++i) {
    if (!kept[i]) continue;
    if (records_[i].begin != waiting.end) {
      EMBD_TRY(write());
      waiting.begin = records_[i].begin;
    }
    waiting.end = records_[i].end;
  }
  return write();
}

}  // namespace embd
