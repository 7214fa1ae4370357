#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/output_file.h"
#include "embd/error.h"
#include "embd/vectors.h"

namespace embd {

/// The kinds of ids that a format stores in its own files.
enum class IdsInside { none, numbers, any };

/// The kinds of data that a format stores in its own files. Other data goes to files beside them.
struct Room {
  IdsInside ids = IdsInside::none;
  bool ids_first = false;  ///< True if create() itself uses WriteOptions::ids.
  bool recipe = false;
  bool sections = false;      ///< RowSectionSink::begin_section()
  bool chunks = false;        ///< RowSectionSink::begin_chunk()
  bool columns = false;       ///< TableSink::set_columns()
  bool text_columns = false;  ///< TableSink::set_text_columns()
  /// True if the format should get columns with the places of windows in their texts.
  bool places = false;
  bool texts = false;  ///< RowTextSink
};
/// The value of Format::room for a format with the same room in all files.
template <Room kRoom>
Room always(const std::filesystem::path&, const WriteOptions&) {
  return kRoom;
}

inline std::filesystem::path as_named(const std::filesystem::path& path, const WriteOptions&) {
  return path;
}
inline CheckReplaceable no_directory(const std::filesystem::path&, const WriteOptions&) {
  return nullptr;
}

inline ElementType as_asked(const WriteOptions& options) {
  return options.element_type;
}

inline bool is_one_file(const std::filesystem::path&, const WriteOptions&) {
  return false;
}
inline bool is_no_index(const std::filesystem::path&) {
  return false;
}

/// The way in which a format stores rows of codes (OutputType::int8, OutputType::binary), which are
/// computed as sentence-transformers does.
enum class CodeStorage : std::uint8_t {
  none,     ///< The format cannot store codes.
  bytes,    ///< As numbers of the type i8.
  numbers,  ///< As numbers of the only type of the format.
  own,      ///< In an encoding of the format, which it computes from the rows themselves.
};

/// The description of a format of vector sets: how a file is recognized, opened and created.
/// The folder of each
/// format defines one, which formats.h declares; jobs/sets/vectors.cc has the table of all formats.
struct Format {
  std::string_view name;  ///< The name that `--from`, `--to` and `inspect` use.
  /// The file extensions with the dot; the first one is the preferred one.
  std::span<const std::string_view> extensions;
  /// Returns true if the file at `path`, which begins with `head`, has the magic number of the
  /// format. For a directory, `head` is empty. nullptr for a format without a magic number; its
  /// files are recognized by their extension.
  bool (*has_magic)(const std::filesystem::path& path, Bytes head);
  Result<std::unique_ptr<VectorReader>> (*open)(const std::filesystem::path& path,
                                                const ReadOptions& options);
  /// Creates a file. nullptr if the format can only be read.
  Result<std::unique_ptr<VectorWriter>> (*create)(const std::filesystem::path& path,
                                                  std::uint64_t dim, const WriteOptions& options);
  Room (*room)(const std::filesystem::path& path, const WriteOptions& options) = always<Room{}>;
  /// Returns the main file, if `path` stands for several files. The files beside a vector set are
  /// named after it.
  std::filesystem::path (*output_path)(const std::filesystem::path& path,
                                       const WriteOptions& options) = as_named;
  /// Returns the check that decides if a new vector set may replace a directory at `path`; nullptr
  /// if none may be replaced.
  CheckReplaceable (*replaceable)(const std::filesystem::path& path,
                                  const WriteOptions& options) = no_directory;
  /// Returns the type of the stored values, before they are quantized.
  ElementType (*stored_type)(const WriteOptions& options) = as_asked;
  /// True if every row must have an id. If there are no other ids, rows have their number or their
  /// text.
  bool needs_ids = false;

  CodeStorage codes = CodeStorage::bytes;
  /// True if codes that are read from another file are stored with one byte each, unless another
  /// type is requested.
  bool keeps_codes = false;
  /// Returns `rows` as they are read back from a file whose elements have the type `type`; nullptr
  /// unless `codes` is CodeStorage::own.
  Matrix (*as_stored)(MatrixView rows, ElementType type) = nullptr;
  /// Makes a writer to a stream, which is written from its first byte to its last; nullptr for a
  /// format that must go back to its header.
  Result<std::unique_ptr<VectorWriter>> (*write_stream)(OutputFile stream, std::uint64_t dim,
                                                        const WriteOptions& options) = nullptr;
  /// Returns true if an output is a directory or several files.
  bool (*is_several_files)(const std::filesystem::path& path,
                           const WriteOptions& options) = is_one_file;
  /// The kind of index that files of the format can hold; nullopt for rows alone.
  std::optional<IndexKind> index = {};
  /// Returns true if a file or directory of this format holds an index.
  bool (*is_index)(const std::filesystem::path& path) = is_no_index;
  /// True if CvcOptions::compression says how rows are encoded. VectorSetInfo::encoding then has
  /// the name of the compression.
  bool is_compressed = false;
  /// True if each row belongs to a word and is looked up by it. FinalfusionOptions have the options
  /// for such files.
  bool has_words = false;
  /// True if rows may be scores (RowKind), which the format stores under their own names.
  bool has_scores = false;
};

/// Checks that rows [first, first + count) exist among `num_rows` rows. Fails with invalid_argument
/// if not.
Result<void> check_rows(std::uint64_t first, std::uint64_t count, std::uint64_t num_rows);

/// Checks the columns that a file is to have beside its vectors. Names must be UTF-8, distinct, and
/// none of `taken`; each column must have one value per row. `file` is what messages call the file,
/// such as "a Parquet file". Fails with invalid_argument or unsupported.
Result<void> check_column_options(const WriteOptions& options,
                                  std::span<const std::string_view> taken, std::string_view file);

/// Checks that `values` has the values of all `columns` for `num_rows` rows, in the form that
/// TableSink::set_columns() takes. Fails with invalid_argument.
Result<void> check_columns(std::span<const NumberColumn> columns, std::span<const Bytes> values,
                           std::uint64_t num_rows);
/// Checks that `texts` has a text of each of the columns `names` for each of `num_rows` rows, in
/// the form that TableSink::set_text_columns() takes. Fails with invalid_argument or invalid_utf8.
Result<void> check_text_columns(std::span<const std::string> names,
                                std::span<const std::span<const std::string>> texts,
                                std::uint64_t num_rows);
/// Keeps the columns of the next rows, for writers that check and write them together with the
/// rows.
class NextColumns : public TableSink {
 public:
  Result<void> set_columns(std::span<const Bytes> columns) override;
  Result<void> set_text_columns(std::span<const std::span<const std::string>> columns) override;

 protected:
  ~NextColumns() = default;
  void clear_columns() noexcept;

  std::vector<Bytes> next_columns_;
  std::vector<std::span<const std::string>> next_text_columns_;
};

/// Checks that all strings are UTF-8. `what` is the word for them in the message. Fails with
/// invalid_utf8.
Result<void> check_strings(std::string_view what, std::span<const std::string> strings);

/// Rows of plain elements at equal distances in memory. Simple formats share this code. The bytes
/// are not owned. Whoever fills the structure has checked that all rows are inside `bytes`; rows
/// that are passed to read() must exist.
struct PlainRows {
  Bytes bytes = {};  ///< The bytes from the first element of the first row on.
  std::uint64_t num_rows = 0;
  std::uint64_t dim = 0;
  ElementType type = ElementType::f32;  ///< A plain element type.
  std::uint64_t stride = 0;  ///< The distance between the beginnings of two rows in bytes.

  std::uint64_t row_bytes() const noexcept { return dim * (element_bits(type) / 8); }
  Bytes row(std::uint64_t i) const noexcept { return bytes.subspan(i * stride, row_bytes()); }

  /// Decodes rows as VectorReader::read() does.
  void read(std::uint64_t first, std::uint64_t count, std::span<float> out) const;
  /// read_stored() and view() do what the members of PlainRowSource with these names do.
  Result<void> read_stored(std::uint64_t first, std::uint64_t count,
                           std::vector<std::byte>& out) const;
  std::optional<MatrixView> view() const noexcept;
};

}  // namespace embd
