#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/os/file_descriptor.h"
#include "base/output_file.h"
#include "embd/texts.h"
#include "jobs/outputs/spool.h"

namespace embd {

/// Returns true if the name has the extension of a text file: .txt, .jsonl, .ndjson, .csv or .tsv.
bool has_name_of_texts(const std::filesystem::path& path);

/// A file of texts that is read once, and whose records can then be copied byte for byte. For that,
/// texts from standard input or a pipe are kept in a temporary file. It can be moved, but not
/// copied.
class TextFile {
 public:
  /// Opens a file. Fails with the errors of open_records().
  static Result<TextFile> open(const std::filesystem::path& path, const InputOptions& options,
                               const std::stop_token& stop);

  /// Reads the next record; blank texts are skipped if InputOptions::skip_empty is set. Returns
  /// false at the end. Fails with the errors of RecordReader::next().
  Result<bool> next(Record& record);
  /// Returns the number of records that next() has returned.
  std::uint64_t num_records() const noexcept { return records_.size(); }
  RecordReader& reader() noexcept { return *reader_; }
  InputFormat format() const noexcept { return format_; }
  /// Returns the path, or "standard input".
  const std::string& name() const noexcept { return name_; }

  /// Appends the header of a table, and the records for which `kept` [records] is true, byte for
  /// byte. Allowed only after the last record was read.
  Result<void> copy(const std::vector<bool>& kept, OutputFile& out) const;

 private:
  struct Range {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
  };

  TextFile() = default;
  Result<void> spool_stream(const std::filesystem::path& path, const std::stop_token& stop);
  Error as_named(Error error) const;

  std::string name_;
  InputFormat format_ = InputFormat::txt;
  bool skip_empty_ = false;
  std::optional<Spool> spool_;
  std::unique_ptr<RecordReader> reader_;
  FileDescriptor file_;
  std::filesystem::path path_;  // of file_
  std::uint64_t header_end_ = 0;
  std::vector<Range> records_;
};

}  // namespace embd
