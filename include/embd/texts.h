#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
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

/// The format of a file of texts.
enum class InputFormat {
  txt,    ///< each line is a text
  jsonl,  ///< JSON Lines: each line is a JSON object, whose members are the fields of a record
  csv,    ///< a table whose fields are separated by InputOptions::delimiter
  /// A table whose fields are separated by tabs. There is no quoting: a double quote is a character
  /// of its field. Only around a field with a tab or with doubled quotes, which no other reading
  /// explains, are quotes taken off.
  tsv,
  /// A Parquet file, whose columns are the fields of records. It must be a regular file, because it
  /// is not read from its beginning to its end.
  parquet,
};
/// The source of the ids of texts.
enum class IdSource {
  /// Ids are the values of the field that InputOptions::id_field names. If it names none, there are
  /// no ids.
  field,
  /// Ids are the name of the file, as it was given, and the line where the text begins, such as
  /// "a.txt:12".
  file,
};
/// The words for the sources of ids in options.
inline constexpr EnumNames<IdSource, 2> id_source_names = {
    {{"field", IdSource::field}, {"file", IdSource::file}}};
/// The type of ids that are read from CSV and TSV.
enum class IdType {
  automatic,  ///< the type of the first id
  number,     ///< whole numbers below 2^64 without leading zeros; any other id is an error
  string,     ///< strings, even if they look like numbers
};
/// The treatment of bytes that are not valid in the input's encoding: an error, or replacement by
/// U+FFFD. As in Python, an incomplete character becomes one U+FFFD, and so does every other
/// invalid byte.
enum class InvalidText { refuse, replace };
/// The words for the treatments of invalid bytes in options.
inline constexpr EnumNames<InvalidText, 2> invalid_text_names = {
    {{"error", InvalidText::refuse}, {"replace", InvalidText::replace}}};
/// Options for reading texts.
struct InputOptions {
  /// The format of the file. If it is unset, the extension of the path decides; an unknown
  /// extension stands for txt.
  std::optional<InputFormat> format = {};
  /// The field that holds the text. If it is empty, the field is "text", or the first field of a
  /// table without a header.
  std::string text_field = {};
  /// The field with ids. If it is empty, texts have no ids, unless `id_from` gives them some.
  std::string id_field = {};
  /// The source of the ids. IdSource::file cannot be combined with id_field, nor with standard
  /// input.
  IdSource id_from = IdSource::field;
  /// The field of JSON Lines records that holds an array of token ids, as Model::tokenize() returns
  /// them, including special tokens such as [CLS] and [SEP]. The ids are embedded instead of a
  /// text. Cannot be combined with text_field. If it is empty, records hold texts.
  std::string token_ids_field = {};
  /// Further fields to read. Their values may be strings, numbers, true, false or null. In CSV and
  /// TSV, every value is a string, even if it looks like a number.
  std::vector<std::string> fields = {};
  /// Further fields to read whose values are numbers. In CSV and TSV, a value that is a
  /// decimal number becomes that number.
  std::vector<std::string> number_fields = {};
  /// True, the default, if the first row of a CSV or TSV table holds the names of the fields. If
  /// false, the first row is data, and the fields are named by their numbers, from 1.
  bool has_header = true;
  /// The type of ids in CSV and TSV. IdType::automatic takes them as numbers if the first id is a
  /// whole number without leading zeros.
  IdType id_type = IdType::automatic;
  /// The encoding of the file, by a name that iconv knows, such as "latin-1" or "windows-1252". Its
  /// letters and line ends must have the same bytes as in ASCII. An empty string stands for UTF-8.
  std::string encoding = {};
  InvalidText invalid_text = InvalidText::refuse;
  /// The character between the fields of a CSV row, by default a comma: one ASCII character that is
  /// no quote, letter, digit or line end.
  char delimiter = ',';
  /// Skip texts that are empty or only white space (see is_blank()). By default such a text gets a
  /// row, too.
  bool skip_empty = false;
  /// The greatest size, in bytes, of a line of the file, and of a CSV field that spans lines. A
  /// greater one is an error, so that a line without an end does not fill the memory. The default
  /// is 1 GiB.
  std::uint64_t max_text_bytes = std::uint64_t{1} << 30;
  /// Called with a sentence that names the file and the line, if a field of a TSV file is in double
  /// quotes and may not be read as it was meant; at most once for each file, on the thread that
  /// reads. May be empty.
  std::function<void(std::string_view)> on_warning = {};
};

/// Returns true if texts that are read with these options get ids.
inline bool has_ids(const InputOptions& options) noexcept {
  return !options.id_field.empty() || options.id_from == IdSource::file;
}

/// Returns true if a text is empty or only ASCII white space.
bool is_blank(std::string_view text) noexcept;

/// One of `count` parts that an input is divided into, each with about the same number of bytes.
struct InputPart {
  std::uint64_t index = 0;  ///< the number of the part, from 0
  std::uint64_t count = 1;  ///< the number of all parts

  bool operator==(const InputPart&) const = default;
};

/// The id of a record: none, a number or a string.
using RecordId = std::variant<std::monostate, std::uint64_t, std::string>;

/// A text that was read from an input, with its id and fields.
struct Record {
  /// The text. If InputOptions::token_ids_field is set, it is the list of token ids instead, as
  /// JSON without spaces.
  std::string text;
  RecordId id;  ///< monostate if the record has no id
  /// The values of the fields in InputOptions::fields, then of the fields in
  /// InputOptions::number_fields, as a JSON array; empty if no fields were asked for.
  std::string fields;
  std::uint64_t line = 0;  ///< the line where the record begins, from 1
  /// The name of the file that the record is from; empty if the reader reads a single file. The
  /// name is valid as long as the reader.
  std::string_view file = {};
};

/// A stream of texts with their ids. It needs memory for the longest record only. Not thread-safe.
class RecordReader {
 public:
  virtual ~RecordReader() = default;
  /// Reads the next record into `record`, whose memory is reused. Returns false at the end. Fails
  /// with bad_json, bad_csv, missing, bad_type or bad_value for a malformed record, with
  /// invalid_utf8 for bytes that are not valid in the encoding, with unsupported for a NUL byte,
  /// and with io_failed. Errors name the file and the line.
  virtual Result<bool> next(Record& record) = 0;

  /// Skips the next record, checking as little of it as possible. Returns false at the end of the
  /// input. Fails as next() does.
  virtual Result<bool> skip() {
    Record unused;
    return next(unused);
  }

  /// Returns true if the texts are token ids (InputOptions::token_ids_field).
  virtual bool has_token_ids() const noexcept { return false; }

  /// Returns the name of the source for messages: the path, or "standard input". For several files,
  /// it is the name of the file read last.
  virtual const std::string& name() const noexcept = 0;
  /// Returns the size of the input in bytes; unset if it is not known beforehand, as for standard
  /// input.
  virtual std::optional<std::uint64_t> file_bytes() const noexcept { return std::nullopt; }
  /// Returns the number of bytes of the records that next() has returned so far.
  virtual std::uint64_t bytes_read() const noexcept { return 0; }
  /// Returns the SHA-256 of the first bytes_read() bytes of a regular file, in hex digits; at the
  /// end, of the whole file. In a Parquet file, rows are not stored one after the other, so before
  /// its end the result is a hash of the whole file's hash and the number of rows read. For several
  /// files, it is the SHA-256 of lines that each hold the SHA-256 of one file, as far as it was
  /// read. The result is empty for any other input.
  virtual std::string sha256() noexcept { return {}; }
};

/// Opens the records of a file, or of all text files in a folder, as input_files() lists them; "-"
/// is standard input. Fails with not_found or io_failed; with invalid_argument for fields that the
/// format cannot have and for an unknown encoding; with unsupported for a file that is no text,
/// such as a compressed file, an image or a database.
Result<std::unique_ptr<RecordReader>> open_records(const std::filesystem::path& path,
                                                   const InputOptions& options = {});
/// Opens the records of several files or folders, one after the other. Each file is read in its own
/// format, unless InputOptions::format is set. Also fails with invalid_argument if there is no
/// path, and if standard input or a pipe is one of several.
Result<std::unique_ptr<RecordReader>> open_records(std::span<const std::filesystem::path> paths,
                                                   const InputOptions& options = {});

/// Returns the files that paths stand for, in order. A folder stands for the files in it and in its
/// subfolders whose names end in .txt, .text, .md, .jsonl, .ndjson, .csv or .tsv and do not begin
/// with a dot, sorted by path, byte by byte. Any other path stands for itself. Fails with missing
/// for a folder without such files, not_found for a link in it that leads nowhere, and io_failed.
Result<std::vector<std::filesystem::path>> input_files(
    std::span<const std::filesystem::path> paths);

}  // namespace embd
