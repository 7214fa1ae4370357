#include "formats/text/open_records.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <system_error>

#include "base/checksum.h"
#include "base/os/file_descriptor.h"
#include "base/os/file_status.h"
#include "base/path_text.h"
#include "base/system_error.h"
#include "base/try.h"

namespace embd {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 7> extensions = {".txt",    ".text", ".md", ".jsonl",
                                                        ".ndjson", ".csv",  ".tsv"};

bool is_hidden(const fs::path& path) {
  return text_of_path(path.filename()).starts_with('.');
}

bool has_text_name(const fs::path& path) {
  return std::ranges::find(extensions, text_of_path(path.extension())) != extensions.end();
}

/// Returns the text files in a folder and its subfolders.
Result<std::vector<fs::path>> text_files_in(const fs::path& folder) {
  auto files = EMBD_TRY(files_below(folder, has_text_name));
  if (files.empty()) {
    return fail_in(folder, ErrorCode::missing,
                   "the folder contains no file of texts, expected at least one file "
                   "whose name ends in {}",
                   fmt::join(extensions, ", "));
  }
  return files;
}

/// Computes the hash of several files: the SHA-256 of lines that each hold the SHA-256 of one file
/// in hex digits.
class HashOfFiles {
 public:
  void add(const std::string& sha256) { lines_.update(sha256 + "\n"); }
  std::string hex() const noexcept { return Sha256(lines_).hex(); }

 private:
  Sha256 lines_;
};

/// Reads the records of several files, one after the other. A file is opened when the file before
/// it has ended; it must then have the size that it had at the start.
class JoinedReader final : public RecordReader {
 public:
  /// Opens at least two files. Fails with not_found or io_failed, and with invalid_argument for a
  /// path that is no regular file. Errors in the content of a file appear when that file is read.
  static Result<std::unique_ptr<JoinedReader>> open(std::vector<std::filesystem::path> files,
                                                    const InputOptions& options,
                                                    std::stop_token stop);

  Result<bool> next(Record& record) override;
  Result<bool> skip() override;
  bool has_token_ids() const noexcept override { return !options_.token_ids_field.empty(); }
  const std::string& name() const noexcept override { return names_[at_]; }
  std::optional<std::uint64_t> file_bytes() const noexcept override { return all_bytes_; }
  std::uint64_t bytes_read() const noexcept override;
  std::string sha256() noexcept override;

 private:
  JoinedReader(const InputOptions& options, std::stop_token stop)
      : options_(options), stop_(std::move(stop)) {}
  /// Opens the current file, unless it is open.
  Result<void> begin_file();
  /// Moves on to the next file. Returns false after the last.
  bool end_file();
  /// Calls read(reader) for the current file and, as long as it has no more records, for the files
  /// that follow. Returns the first result that is not false, or false.
  template <class Read>
  Result<bool> from_next(const Read& read);

  std::vector<std::filesystem::path> files_;
  std::vector<std::string> names_;    // of each; records refer to them
  std::vector<std::uint64_t> bytes_;  // of each
  std::uint64_t all_bytes_ = 0;
  InputOptions options_;
  std::stop_token stop_;

  std::size_t at_ = 0;                    // the file at hand
  std::unique_ptr<RecordReader> reader_;  // of it; null before it is begun, and behind the last
  std::uint64_t bytes_before_ = 0;        // of the files that have ended
  HashOfFiles hash_;                      // of these
  bool is_at_end_ = false;
};

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

Result<std::unique_ptr<JoinedReader>> JoinedReader::open(std::vector<fs::path> files,
                                                         const InputOptions& options,
                                                         std::stop_token stop) {
  std::unique_ptr<JoinedReader> reader(new JoinedReader(options, std::move(stop)));
  for (const fs::path& file : files) {
    reader->bytes_.push_back(EMBD_TRY(size_of(file)));
    reader->all_bytes_ += reader->bytes_.back();
    reader->names_.push_back(generic_text_of_path(file));
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
      "the file has {} bytes now, but it had {} at the start: it was changed while it was read",
      reader_->file_bytes().value_or(0), bytes_[at_]);
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
  if (more) record.file = names_[at_];
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

/// Returns the SHA-256 of a regular file; empty for any other input, which can be read only once.
Result<std::string> hash_of_file(const std::filesystem::path& path) {
  if (path == "-" || !os::is_file(path)) return "";
  const FileDescriptor file = EMBD_TRY(FileDescriptor::open(path));
  const FileStatus status = EMBD_TRY(result_of("stat", path, os::status_of(file)));
  std::vector<std::byte> piece;
  Sha256 hash;
  for (std::uint64_t at = 0; at < status.size; at += piece.size()) {
    piece.resize(std::min(status.size - at, std::uint64_t{1} << 20));
    EMBD_TRY(file.read_at(at, piece, path));
    hash.update(piece);
  }
  return hash.hex();
}

}  // namespace

Result<std::vector<fs::path>> files_below(const fs::path& folder,
                                          const std::function<bool(const fs::path&)>& is_wanted) {
  std::vector<fs::path> files;
  std::error_code error;
  fs::recursive_directory_iterator entry(folder, error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    if (is_hidden(entry->path())) {
      entry.disable_recursion_pending();
    } else if (is_wanted(entry->path())) {
      std::error_code unused;
      const fs::file_type type = entry->status(unused).type();
      if (type == fs::file_type::not_found)
        return fail_in(entry->path(), ErrorCode::not_found,
                       "the symbolic link leads to no file: repair the link, or remove it");
      if (type == fs::file_type::regular) files.push_back(entry->path());
    }
  }
  if (error) return fail_in(folder, ErrorCode::io_failed, error.message());
  std::ranges::sort(files, {}, generic_text_of_path);
  return files;
}

Result<std::vector<fs::path>> input_files(std::span<const fs::path> paths) {
  std::vector<fs::path> files;
  for (const fs::path& path : paths) {
    std::error_code error;
    if (!fs::is_directory(path, error)) {
      files.push_back(path);
      continue;
    }
    auto inside = EMBD_TRY(text_files_in(path));
    std::ranges::move(inside, std::back_inserter(files));
  }
  return files;
}

Result<std::unique_ptr<RecordReader>> open_records(const std::filesystem::path& path,
                                                   const InputOptions& options) {
  return open_records(path, options, {});
}

Result<std::unique_ptr<RecordReader>> open_records(const std::filesystem::path& path,
                                                   const InputOptions& options,
                                                   std::stop_token stop) {
  return open_records(std::span(&path, 1), options, std::move(stop));
}

Result<std::unique_ptr<RecordReader>> open_records(std::span<const std::filesystem::path> paths,
                                                   const InputOptions& options) {
  return open_records(paths, options, {});
}

Result<std::unique_ptr<RecordReader>> open_records(std::span<const std::filesystem::path> paths,
                                                   const InputOptions& options,
                                                   std::stop_token stop) {
  auto files = EMBD_TRY(input_files(paths));
  if (files.empty())
    return fail(ErrorCode::invalid_argument, "no file of texts was given, expected at least one");
  if (files.size() == 1) return open_file(files.front(), options, std::move(stop));
  return EMBD_TRY(JoinedReader::open(std::move(files), options, std::move(stop)));
}

Result<std::string> hash_of_inputs(std::span<const std::filesystem::path> files) {
  if (files.size() == 1) return hash_of_file(files.front());
  HashOfFiles hash;
  for (const std::filesystem::path& file : files) hash.add(EMBD_TRY(hash_of_file(file)));
  return hash.hex();
}

namespace {

/// Returns the offset where the share of part `index` of `count` begins.
std::uint64_t share_begin(std::uint64_t bytes, std::uint64_t index, std::uint64_t count) {
  const std::uint64_t each = bytes / count;
  const std::uint64_t rest = bytes % count;  // a byte more for the first parts
  return each * index + std::min(rest, index);
}

}  // namespace

Result<std::unique_ptr<PartReader>> PartReader::open(std::span<const std::filesystem::path> files,
                                                     const InputOptions& options, InputPart part) {
  if (part.index >= part.count) {
    return fail(ErrorCode::invalid_argument,
                "part {} of {} was asked for, expected a part number from 0 that is "
                "less than the number of parts",
                part.index, part.count);
  }
  auto whole = EMBD_TRY(open_records(files, options));
  if (!whole->file_bytes() || whole->sha256().empty()) {
    return fail(ErrorCode::invalid_argument,
                "a part of {} was asked for, but only files that have a name and a "
                "size can be divided into parts",
                whole->name());
  }
  const std::uint64_t bytes = *whole->file_bytes();
  std::unique_ptr<PartReader> reader(new PartReader(std::move(whole)));
  reader->is_last_ = part.index + 1 == part.count;
  reader->end_ = share_begin(bytes, part.index + 1, part.count);
  const std::uint64_t begin = share_begin(bytes, part.index, part.count);
  // The first part begins where the first record begins, whatever stands before it.
  if (part.index > 0)
    while (reader->inner().bytes_read() < begin && EMBD_TRY(reader->inner().skip()))
      ++reader->num_before_;
  reader->begin_ = reader->inner().bytes_read();
  reader->sha256_before_ = reader->inner().sha256();
  reader->end_ = std::max(reader->end_, reader->begin_);
  return reader;
}

bool PartReader::is_at_end() const noexcept {
  // The last one reads to the end of the file, where a change of the file is noticed.
  return !is_last_ && inner().bytes_read() >= end_;
}

Result<bool> PartReader::next(Record& record) {
  if (is_at_end()) return false;
  return inner().next(record);
}

Result<bool> PartReader::skip() {
  if (is_at_end()) return false;
  return inner().skip();
}

}  // namespace embd
