#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "base/os/file_descriptor.h"
#include "base/os/file_status.h"
#include "base/output_file.h"
#include "embd/texts.h"
#include "jobs/outputs/streams.h"

namespace embd {

/// Returns true if the name has the extension of a text file: .txt, .jsonl, .ndjson, .csv or .tsv.
bool has_name_of_texts(const std::filesystem::path& path);

/// Files of texts that are read once, one after the other, and whose records can then be copied
/// byte for byte. For that, texts from standard input or a pipe are kept in a temporary file. It
/// can be moved, but not copied.
class TextFiles {
 public:
  /// Opens files, and folders as input_files() lists them. Fails with the errors of open_records().
  static Result<TextFiles> open(std::span<const std::filesystem::path> paths,
                                const InputOptions& options, const std::stop_token& stop);

  /// Reads the next record; blank texts are skipped if InputOptions::skip_empty is set. Returns
  /// false at the end. Fails with the errors of RecordReader::next().
  Result<bool> next(Record& record);
  /// Returns the number of records that next() has returned.
  std::uint64_t num_records() const noexcept { return records_.size(); }
  /// Returns the reader of the file that is read now, or was read last.
  RecordReader& reader() noexcept { return *reader_; }
  /// Returns the path of that file, or "standard input".
  const std::string& name() const noexcept { return current().name; }

  /// Appends the header of a table, and the records for which `kept` [records] is true, byte for
  /// byte; a last line without a line end gets one if another file's records follow. Allowed only
  /// after the last record was read. Fails with unsupported if files have different headers, and
  /// with io_failed if a file was changed since it was opened.
  Result<void> copy(const std::vector<bool>& kept, OutputFile& out) const;

 private:
  struct Range {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
  };
  struct File {
    std::string name;            // the path, or "standard input"
    std::filesystem::path path;  // of the file that is read: itself, or the spool
    InputFormat format = InputFormat::txt;
    std::optional<Spool> spool = {};
    FileStatus status = {};  // when it was opened
    std::uint64_t header_end = 0;
    std::size_t first_record = 0;
  };

  TextFiles() = default;
  File& current() noexcept { return files_[at_]; }
  const File& current() const noexcept { return files_[at_]; }
  Result<void> open_file_now();
  static Result<FileDescriptor> reopen(const File& file);
  Result<void> spool_stream(File& file) const;
  static Error as_named(const File& file, Error error);
  std::vector<Range> kept_ranges(std::size_t file, const std::vector<bool>& kept) const;

  std::vector<File> files_;
  std::size_t at_ = 0;
  InputOptions options_;
  std::stop_token stop_;
  std::unique_ptr<RecordReader> reader_;
  std::vector<Range> records_;
};

}  // namespace embd
