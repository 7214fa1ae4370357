#include "jobs/analysis/text_file.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/path_text.h"
#include "base/system_error.h"
#include "base/try.h"
#include "formats/text/line_stream.h"
#include "formats/text/open_records.h"

namespace embd {

bool has_name_of_texts(const std::filesystem::path& path) {
  constexpr std::array<std::string_view, 5> extensions = {".txt", ".jsonl", ".ndjson", ".csv",
                                                          ".tsv"};
  return std::ranges::find(extensions, text_of_path(path.extension())) != extensions.end();
}

namespace {

bool is_table(InputFormat format) noexcept {
  return format == InputFormat::csv || format == InputFormat::tsv;
}

/// Returns some bytes of a file.
Result<std::vector<std::byte>> bytes_of(const FileDescriptor& file, std::uint64_t begin,
                                        std::uint64_t end, const std::filesystem::path& path) {
  std::vector<std::byte> bytes(end - begin);
  EMBD_TRY(file.read_at(begin, bytes, path));
  return bytes;
}

}  // namespace

Result<TextFiles> TextFiles::open(std::span<const std::filesystem::path> paths,
                                  const InputOptions& options, const std::stop_token& stop) {
  TextFiles texts;
  texts.options_ = options;
  texts.stop_ = stop;
  for (const std::filesystem::path& path : EMBD_TRY(input_files(paths))) {
    texts.files_.push_back(
        {.name = path == "-" ? std::string("standard input") : text_of_path(path),
         .path = path,
         .format = options.format.value_or(input_format_of(path))});
    if (texts.files_.back().format == InputFormat::parquet)
      return fail_in(path, ErrorCode::unsupported,
                     "texts in a Parquet file cannot be kept byte for byte, expected texts in the "
                     "format txt, jsonl, csv or tsv, or a vector set");
  }
  EMBD_TRY(texts.open_file_now());
  return texts;
}

Result<void> TextFiles::open_file_now() {
  File& now = current();
  now.first_record = records_.size();
  InputOptions of_all = options_;
  of_all.format = now.format;
  // next() needs the offsets of blank records, too, and skips them itself.
  of_all.skip_empty = false;
  if (now.path == "-" || is_stream(now.path)) EMBD_TRY(spool_stream(now));
  auto reader = open_file(now.path, of_all, stop_);
  if (!reader) return std::unexpected(as_named(now, std::move(reader).error()));
  reader_ = std::move(*reader);
  now.status = EMBD_TRY(result_of("stat", now.path, os::status_of(now.path)));
  now.header_end = reader_->bytes_read();
  return {};
}

Result<void> TextFiles::spool_stream(File& file) const {
  ByteStream stream = EMBD_TRY(ByteStream::open(file.path, options_.max_text_bytes, stop_));
  file.spool = EMBD_TRY(Spool::create());
  OutputFile out = EMBD_TRY(OutputFile::create(file.spool->path()));
  std::string line;
  while (EMBD_TRY(stream.append_line(line))) {
    EMBD_TRY(out.write(as_bytes(line)));
    line.clear();
  }
  EMBD_TRY(out.finish());
  file.path = file.spool->path();
  return {};
}

/// Returns an error about the temporary file as an error about the stream whose texts it holds.
Error TextFiles::as_named(const File& file, Error error) {
  if (!file.spool) return error;
  Error named(error.code(), error.what());
  if (error.line()) named = std::move(named).at_line(*error.line());
  return std::move(named).in_file(file.name);
}

Result<bool> TextFiles::next(Record& record) {
  while (true) {
    const std::uint64_t begin = reader_->bytes_read();
    const Result<bool> more = reader_->next(record);
    if (!more) return std::unexpected(as_named(current(), more.error()));
    if (*more) {
      if (options_.skip_empty && is_blank(record.text)) continue;
      records_.push_back({begin, reader_->bytes_read()});
      return true;
    }
    if (at_ + 1 == files_.size()) return false;
    ++at_;
    EMBD_TRY(open_file_now());
  }
}

/// Returns the bytes of a file that are kept, as few ranges as possible.
std::vector<TextFiles::Range> TextFiles::kept_ranges(std::size_t file,
                                                     const std::vector<bool>& kept) const {
  const std::size_t end =
      file + 1 < files_.size() ? files_[file + 1].first_record : records_.size();
  std::vector<Range> ranges;
  for (std::size_t i = files_[file].first_record; i < end; ++i) {
    if (!kept[i]) continue;
    if (ranges.empty() || ranges.back().end != records_[i].begin)
      ranges.push_back(records_[i]);
    else
      ranges.back().end = records_[i].end;
  }
  return ranges;
}

/// Opens a file again. Fails with io_failed if it is not the file that was read.
Result<FileDescriptor> TextFiles::reopen(const File& file) {
  FileDescriptor opened = EMBD_TRY(FileDescriptor::open(file.path));
  const FileStatus now = EMBD_TRY(result_of("stat", file.path, os::status_of(opened)));
  const FileStatus& before = file.status;
  if (now.identity == before.identity && now.size == before.size && now.modified == before.modified)
    return opened;
  return fail_in(path_of_text(file.name), ErrorCode::io_failed,
                 "the file was changed while it was read");
}

Result<void> TextFiles::copy(const std::vector<bool>& kept, OutputFile& out) const {
  std::vector<std::byte> header;
  bool is_line_open = false;
  for (std::size_t i = 0; i < files_.size(); ++i) {
    const FileDescriptor from = EMBD_TRY(reopen(files_[i]));
    auto own_header = EMBD_TRY(bytes_of(from, 0, files_[i].header_end, files_[i].path));
    if (i == 0) {
      header = std::move(own_header);
      EMBD_TRY(out.write(header));
    } else if (own_header != header && is_table(files_[i].format)) {
      return fail_in(path_of_text(files_[i].name), ErrorCode::unsupported,
                     "the header is another than that of {}, expected tables with the same fields, "
                     "because they are kept in one file",
                     files_[0].name);
    }
    for (const Range& range : kept_ranges(i, kept)) {
      if (range.begin == range.end) continue;
      if (std::exchange(is_line_open, false)) EMBD_TRY(out.write(as_bytes("\n")));
      EMBD_TRY(out.append_from(from, range.begin, range.end - range.begin));
      const auto last = EMBD_TRY(bytes_of(from, range.end - 1, range.end, files_[i].path));
      is_line_open = last.front() != std::byte{'\n'};
    }
  }
  return {};
}

}  // namespace embd
