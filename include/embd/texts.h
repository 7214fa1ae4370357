#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "embd/enum_names.h"
#include "embd/error.h"

namespace embd {

enum class InputFormat {
  txt,
  jsonl,
  csv,
  tsv,
  parquet,  ///< columns are its fields; a regular file, as parts of it are read at any place
};
/// Where the ids of texts come from.
enum class IdSource {
  field,  ///< InputOptions.id_field, if it is set
  file,   ///< the name of the file, as it was given, and the line where the text begins: "a.txt:12"
};
inline constexpr EnumNames<IdSource, 2> id_source_names = {
    {{"field", IdSource::field}, {"file", IdSource::file}}};
enum class IdType { automatic, number, string };
/// Whether bytes that are not of the input's encoding are an error or become U+FFFD: one for each
/// part that could begin a character, and for every other such byte, as in Python.
enum class InvalidText { refuse, replace };
inline constexpr EnumNames<InvalidText, 2> invalid_text_names = {
    {{"error", InvalidText::refuse}, {"replace", InvalidText::replace}}};

struct InputOptions {
  /// Nothing: by the path's extension, txt where it tells nothing.
  std::optional<InputFormat> format = {};
  /// Empty: "text", or the first field of a table without a header.
  std::string text_field = {};
  std::string id_field = {};           ///< empty: no ids, unless id_from says otherwise
  IdSource id_from = IdSource::field;  ///< file: not together with id_field, nor with "-"
  /// JSON Lines: a field that holds the token ids of a text, an array as Model::tokenize() gives
  /// them, [CLS] and [SEP] included. They are embedded instead of a text. Not together with
  /// text_field; empty: there are texts.
  std::string token_ids_field = {};
  /// Further fields to read, whose values are strings, numbers, true, false or null. A cell of a
  /// table is a string, whatever it looks like.
  std::vector<std::string> fields = {};
  /// The same, of numbers: a cell that is a number in JSON is that number.
  std::vector<std::string> number_fields = {};
  /// csv, tsv: false for a table whose first row is data; fields are then numbers from 1.
  bool has_header = true;
  /// Of csv and tsv ids. automatic: numbers if the first one is a whole number without leading
  /// zeros.
  IdType id_type = IdType::automatic;
  /// The encoding of the file, by a name that iconv knows, such as "latin-1" or "windows-1252";
  /// empty: UTF-8. Its line ends and letters must be ASCII's bytes.
  std::string encoding = {};
  InvalidText invalid_text = InvalidText::refuse;
  /// csv: between the fields of a row; one ASCII character that is no quote, letter, digit or line
  /// end.
  char delimiter = ',';
  /// Leaves out texts that are empty or only white space (is_blank()): the next text has their row.
  bool skip_empty = false;
};

/// Returns true if texts that are read with these options have ids.
inline bool has_ids(const InputOptions& options) noexcept {
  return !options.id_field.empty() || options.id_from == IdSource::file;
}

/// Returns whether a text is empty or only white space (ASCII's).
bool is_blank(std::string_view text) noexcept;

/// One of `count` parts of an input, which hold about as many bytes each.
struct InputPart {
  std::uint64_t index = 0;  ///< from 0
  std::uint64_t count = 1;

  bool operator==(const InputPart&) const = default;
};

using RecordId = std::variant<std::monostate, std::uint64_t, std::string>;

struct Record {
  std::string text;  ///< or its token ids, as JSON without spaces: InputOptions.token_ids_field
  RecordId id;       ///< monostate if it has none
  /// Values of InputOptions.fields, then of number_fields, as a JSON array; empty for no fields.
  std::string fields;
  std::uint64_t line = 0;  ///< where it begins, from 1
  /// Which of several files it is of, as RecordReader::name(), as long as the reader lives; empty
  /// where there is one.
  std::string_view file = {};
};

/// Texts with their ids, in constant memory beside the longest record. Not thread-safe.
class RecordReader {
 public:
  virtual ~RecordReader() = default;
  /// Reads the next record into `record`, reusing its memory; false at the end. Errors: bad_json,
  /// bad_csv, missing, bad_type, bad_value, invalid_utf8 for bytes that are not of the encoding,
  /// unsupported for a NUL byte, io_failed, each with file and line.
  virtual Result<bool> next(Record& record) = 0;

  /// Passes over the next record and looks into it no more than it must; false at the end.
  virtual Result<bool> skip() {
    Record unused;
    return next(unused);
  }

  /// True if the texts are token ids: InputOptions.token_ids_field.
  virtual bool has_token_ids() const noexcept { return false; }

  /// The name of the source in messages: the path, or "standard input"; of several files the one
  /// that was read last.
  virtual const std::string& name() const noexcept = 0;
  /// Bytes of a regular file; nothing where the size is not known beforehand.
  virtual std::optional<std::uint64_t> file_bytes() const noexcept { return std::nullopt; }
  /// Bytes of the records that next() has given.
  virtual std::uint64_t bytes_read() const noexcept { return 0; }
  /// SHA-256 of the first bytes_read() bytes of a regular file, so of the whole file at its end.
  /// The rows of a Parquet file are not one behind the other: until its end there is a hash of the
  /// whole file's hash and of the number of rows that were read.
  /// Of several files it is the SHA-256 of lines, each the SHA-256 of one of them in hex, as far as
  /// they were read. Empty for anything else.
  virtual std::string sha256() noexcept { return {}; }
};

/// The records of a file, or of the files of a folder as input_files() lists them; "-" is standard
/// input. Errors: not_found, io_failed; invalid_argument for fields that the format cannot have and
/// for unknown encodings; unsupported for a file that is no text (compressed, an image, a database,
/// …).
Result<std::unique_ptr<RecordReader>> open_records(const std::filesystem::path& path,
                                                   const InputOptions& options = {});
/// The records of several files or folders, one after the other, each read in its own format unless
/// InputOptions.format says one. Errors: likewise; invalid_argument for no path, and for standard
/// input or a pipe among several.
Result<std::unique_ptr<RecordReader>> open_records(std::span<const std::filesystem::path> paths,
                                                   const InputOptions& options = {});

/// The files that paths stand for, in order: a path that is no folder for itself; a folder for the
/// files in it and in its subfolders whose names end in .txt, .text, .md, .jsonl, .ndjson, .csv or
/// .tsv, sorted by their paths byte by byte, without names that begin with a dot. Errors: missing
/// for a folder without such files; io_failed.
Result<std::vector<std::filesystem::path>> input_files(
    std::span<const std::filesystem::path> paths);

}  // namespace embd
