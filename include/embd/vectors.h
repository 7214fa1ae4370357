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

#include "embd/element_type.h"
#include "embd/error.h"
#include "embd/format_options.h"
#include "embd/index_options.h"
#include "embd/matrix.h"
#include "embd/recipe.h"

namespace embd {

/// The ids of rows: none, numbers or strings. Without ids, row numbers from 0 stand for them.
using Ids = std::variant<std::monostate, std::vector<std::uint64_t>, std::vector<std::string>>;

/// The meaning of the values in a row.
enum class RowKind : std::uint8_t {
  vector,  ///< a row is the vector of a text
  /// A row holds the scores of a pair of texts: the score for each label of a cross-encoder, then
  /// the logit of each label.
  scores,
};

/// A description of a vector set.
struct VectorSetInfo {
  /// The name of the file format, such as "cvc", "finalfusion", "svs", "usearch" or "npy".
  std::string format;
  /// The way in which rows are stored: "f32", "fp16", "int8", "lossless", "pq", "lvq8", …
  std::string encoding;
  std::uint64_t num_rows = 0;
  /// The number of values in a row. It is 0 for a JSON Lines or text file without rows, because
  /// such a file does not say the number.
  std::uint64_t dim = 0;
  /// The type of the stored values, before any quantization.
  ElementType element_type = ElementType::f32;
  /// The name of the column that the rows are taken from, in a CVC file of version 2; otherwise
  /// empty.
  std::string column;
  RowKind kind = RowKind::vector;
};

/// A range of rows: from number `first` up to, but not including, number `end`.
struct RowRange {
  std::uint64_t first = 0;
  std::uint64_t end = 0;
};

/// A selection of the rows of a file: the number of all its rows, and the ranges that are selected.
struct RowSelection {
  std::uint64_t num_file_rows = 0;
  std::vector<RowRange> ranges;
};

/// A run of rows, with metadata that its author gave it: a section or a chunk of a CVC file.
struct RowSection {
  RowRange rows;
  /// The metadata of these rows, a JSON object; empty for a chunk without metadata.
  std::string metadata;
};

/// A column of numbers beside the vectors.
struct NumberColumn {
  std::string name;
  ElementType type = ElementType::i32;  ///< f32, f16, i32, i64, i8 or u8
  std::uint64_t dim = 1;                ///< the number of values in each row
  /// The compression of this column in a CVC file. Columns of numbers cannot have the compression
  /// lossless.
  CvcOptions::Compression cvc_compression = CvcOptions::Compression::automatic;

  bool operator==(const NumberColumn&) const = default;
};

/// Rows in memory, in their order: one block after the other.
struct RowBlocks {
  std::vector<MatrixView> blocks = {};
  std::vector<Matrix> copies = {};  ///< of the blocks that are not in a mapped file
};

/// Direct access to rows that a file stores as plain values. See VectorReader::plain_rows().
class PlainRowSource {
 public:
  /// Returns all rows without copying them, if they are stored as aligned float32 in a mapped file;
  /// otherwise nullopt. The view is valid as long as the reader.
  virtual std::optional<MatrixView> view() const noexcept = 0;
  /// Returns all rows in blocks, nearly all without copying them, if they are stored as float32 in
  /// several places of a mapped file, or view(); otherwise nullopt. The blocks are valid as long as
  /// the reader. Fails with the errors of reading rows.
  virtual Result<std::optional<RowBlocks>> blocks() const;
  /// Reads rows [first, first + count) in their stored type, VectorSetInfo::element_type, without
  /// gaps. `out` is resized.
  virtual Result<void> read_stored(std::uint64_t first, std::uint64_t count,
                                   std::vector<std::byte>& out) const = 0;

 protected:
  ~PlainRowSource() = default;
};

/// The data of a file of word embeddings besides its words and rows. See
/// VectorReader::word_embeddings().
class WordEmbeddingSource {
 public:
  /// Returns the lengths that the rows had before they were normalized. If the file has n-gram
  /// rows, only the lengths of its word rows are returned. The result is empty if the file has no
  /// lengths.
  virtual Result<std::vector<float>> norms() const = 0;
  /// Returns how n-grams are mapped to the rows of n-grams, which follow the rows of words. Returns
  /// nullopt if the reader has no such rows. To write them to another file, set
  /// FinalfusionOptions::subwords to the result.
  virtual Result<std::optional<Subwords>> subwords() const = 0;
  /// Returns the file's own metadata as TOML text; empty if it has none.
  virtual Result<std::string> metadata() const = 0;

 protected:
  ~WordEmbeddingSource() = default;
};

/// The columns of numbers and texts beside the vectors. See VectorReader::table().
class TableSource {
 public:
  /// Returns the columns of numbers, unless ReadOptions::column chose a single one. Columns that
  /// are stored as codes (fp16, int8) are decoded to f32, or to f16 if that was their type.
  virtual std::vector<NumberColumn> columns() const = 0;
  /// Reads rows [first, first + count) of a column of numbers, in its type, without gaps, as
  /// [count, dim]. `name` must be one of columns(). `out` is resized.
  virtual Result<void> read_column(std::string_view name, std::uint64_t first, std::uint64_t count,
                                   std::vector<std::byte>& out) const = 0;
  /// Returns the names of the columns of texts. The texts that the rows were made of are not among
  /// them; row_texts() has those.
  virtual std::vector<std::string> text_columns() const { return {}; }
  /// Reads rows [first, first + count) of a column of texts. `name` must be one of text_columns().
  virtual Result<std::vector<std::string>> read_text_column(std::string_view name,
                                                            std::uint64_t first,
                                                            std::uint64_t count) const;

 protected:
  ~TableSource() = default;
};

/// The texts that the rows were made of. See VectorReader::row_texts().
class RowTextSource {
 public:
  /// Returns the texts of rows [first, first + count), which must exist.
  virtual Result<std::vector<std::string>> texts(std::uint64_t first,
                                                 std::uint64_t count) const = 0;

 protected:
  ~RowTextSource() = default;
};

/// The metadata of runs of rows. See VectorReader::row_sections().
class RowSectionSource {
 public:
  /// Returns which rows of the file the reader gives, in order, if ReadOptions::section selected
  /// some; nullopt if it gives all.
  virtual std::optional<RowSelection> selection() const = 0;
  /// Returns the sections of the file in order; empty if it has none. Rows are numbered as the
  /// reader gives them.
  virtual std::vector<RowSection> sections() const = 0;
  /// Returns the chunks of the file in order, with their metadata; empty if no chunk has metadata.
  /// Rows are numbered as the reader gives them.
  virtual std::vector<RowSection> chunks() const = 0;

 protected:
  ~RowSectionSource() = default;
};

/// The ranges that int8 codes stand for. See VectorReader::codes().
class CodeSource {
 public:
  /// Returns the range of each component, [2, dim]: the least values in the first row, the greatest
  /// in the second.
  virtual Result<Matrix> ranges() const = 0;

 protected:
  ~CodeSource() = default;
};

/// A vector file or directory that is open for reading: its rows, their ids and their recipe.
/// Opening checks the structure, so reading rows fails only if the data itself is damaged. Any
/// number of threads may read at the same time.
class VectorReader {
 public:
  virtual ~VectorReader() = default;

  virtual const VectorSetInfo& info() const noexcept = 0;
  /// Reads rows [first, first + count), decoded to float32, into `out` [count, dim]. Fails with
  /// invalid_argument for rows that do not exist and for an `out` of another size.
  Result<void> read(std::uint64_t first, std::uint64_t count, std::span<float> out) const;
  /// Reads the ids, from the file or from a file beside it. Returns none if neither has ids.
  virtual Result<Ids> ids() const { return Ids{}; }
  /// Reads the recipe, from the file or from a file beside it. Returns nullopt if neither has one.
  virtual Result<std::optional<Recipe>> recipe() const { return std::nullopt; }
  /// Reads the digest that was recorded beside the file when the rows were made, as
  /// Digest::to_json() writes it; empty if there is none. It covers the float32 rows before they
  /// were stored.
  virtual Result<std::string> digest() const { return std::string(); }
  /// Reads the certificate of an index, which IndexFileOptions::certify records beside it, as a
  /// JSON object of numbers; empty if there is none for this index.
  virtual Result<std::string> certificate() const { return std::string(); }
  /// Returns every header field and a summary of the content as a JSON object.
  virtual std::string describe() const = 0;
  /// Reads the whole file and checks everything that was not checked when it was opened, such as
  /// checksums, codes, graphs and vocabularies. Fails with the first fault found.
  virtual Result<void> verify() const = 0;

  // Capabilities that only some files have. Each is null for the others and lives as long as the
  // reader.
  virtual const PlainRowSource* plain_rows() const noexcept { return nullptr; }
  virtual const WordEmbeddingSource* word_embeddings() const noexcept { return nullptr; }
  virtual const TableSource* table() const noexcept { return nullptr; }
  virtual const RowTextSource* row_texts() const noexcept { return nullptr; }
  virtual const RowSectionSource* row_sections() const noexcept { return nullptr; }
  virtual const CodeSource* codes() const noexcept { return nullptr; }

 private:
  /// Reads rows that exist into an `out` of the right size; read() checks both.
  virtual Result<void> read_rows(std::uint64_t first, std::uint64_t count,
                                 std::span<float> out) const = 0;
};

/// The error that quantization made: the mean, over all rows, of the difference between a row and
/// its decoded codes.
struct QuantizationLoss {
  double cosine = 0;     ///< 1 − cosine similarity
  double euclidean = 0;  ///< the length of the difference
};

/// Writes columns of numbers and texts beside the vectors. See VectorWriter::table().
class TableSink {
 public:
  /// Sets the values of WriteOptions::columns for the rows of the next append(): for each column
  /// its values [rows, dim], in the type of the column. The memory must stay valid until append()
  /// returns.
  virtual Result<void> set_columns(std::span<const std::span<const std::byte>> columns) = 0;
  /// Sets the values of WriteOptions::text_columns for the rows of the next append(): for each
  /// column, a text for each row. The memory must stay valid until append() returns. Fails with
  /// invalid_argument if the format has no text columns and some are given.
  virtual Result<void> set_text_columns(std::span<const std::span<const std::string>> columns);

 protected:
  ~TableSink() = default;
};

/// Writes the texts that the rows were made of. See VectorWriter::row_texts().
class RowTextSink {
 public:
  /// Sets the texts of the rows of the next append(). The memory must stay valid until append()
  /// returns.
  virtual Result<void> set_texts(std::span<const std::string> texts) = 0;

 protected:
  ~RowTextSink() = default;
};

/// Writes metadata of runs of rows. See VectorWriter::row_sections().
class RowSectionSink {
 public:
  /// Begins a section, which consists of the rows appended until the next call. `metadata` is a
  /// JSON object. Either all rows are in sections, or none.
  virtual Result<void> begin_section(std::string_view metadata) = 0;
  /// Begins a chunk, which consists of the rows appended until the next call. `metadata` is a JSON
  /// object or empty. Either all rows are in chunks, or none.
  virtual Result<void> begin_chunk(std::string_view metadata) = 0;

 protected:
  ~RowSectionSink() = default;
};

/// Writes the ranges that int8 codes stand for. See VectorWriter::codes().
class CodeSink {
 public:
  /// Sets the range of each component, [2, dim]: the least values in the first row, the greatest in
  /// the second. finish() writes them to OUT.ranges.npy beside the rows.
  virtual Result<void> set_ranges(MatrixView ranges) = 0;

 protected:
  ~CodeSink() = default;
};

/// Appends rows to a new vector file, which appears, complete, at finish(). A writer that is
/// destroyed before finish() leaves no file behind. Not thread-safe.
class VectorWriter {
 public:
  virtual ~VectorWriter() = default;

  /// Appends rows [n, dim]. `ids` has one id for each row in every call, always of the same kind,
  /// or is empty in every call. Fails with invalid_argument for another dimension, another number
  /// of ids or another kind of ids; with bad_value for a value that the file cannot hold (see
  /// KeptValues); with invalid_utf8 for an id that is not UTF-8; and with the errors of the format.
  Result<void> append(MatrixView rows, const Ids& ids);
  /// Does everything that can fail before the file is put in place, such as building an index or
  /// checking that an existing file may be replaced. Called after the last append(). If several
  /// files are to appear together, all of them are prepared before the first is finished.
  Result<void> prepare();
  /// Puts the file in place, under its final name. Calls prepare() first if that was not done.
  /// Fails as prepare() does, and with io_failed.
  Result<void> finish();

  std::uint64_t dim() const noexcept { return dim_; }
  /// Returns the error that quantization made, after finish(); nullopt if nothing was quantized.
  virtual std::optional<QuantizationLoss> loss() const { return std::nullopt; }

  // Capabilities that only some formats have. Each is null for the others and lives as long as the
  // writer.
  virtual TableSink* table() noexcept { return nullptr; }
  virtual RowTextSink* row_texts() noexcept { return nullptr; }
  virtual RowSectionSink* row_sections() noexcept { return nullptr; }
  virtual CodeSink* codes() noexcept { return nullptr; }

 protected:
  /// The values that a vector file can store without turning them into something else.
  enum class KeptValues : std::uint8_t {
    any,     ///< float32, or a type that the format checks itself
    halves,  ///< float16: values from 65520 on would become infinite
    /// Values that codes are computed from. The sum of their squares must stay finite in float32.
    codes,
  };

  explicit VectorWriter(std::uint64_t dim, KeptValues kept = KeptValues::any)
      : dim_(dim), kept_(kept) {}
  static KeptValues kept_as(ElementType type) {
    return type == ElementType::f16 ? KeptValues::halves : KeptValues::any;
  }
  /// Returns the number of rows appended; during append_rows(), without the rows of that call.
  std::uint64_t num_rows() const noexcept { return num_rows_; }

 private:
  /// Appends rows and ids that append() has checked. The format implements it.
  virtual Result<void> append_rows(MatrixView rows, const Ids& ids) = 0;
  /// Does the format's part of prepare(). Called once, after the last row.
  virtual Result<void> prepare_file() { return {}; }
  /// Does the format's part of finish(). Called once, after prepare_file().
  virtual Result<void> finish_file() = 0;

  Result<void> check_values(MatrixView rows) const;

  std::uint64_t dim_;
  KeptValues kept_;
  std::uint64_t num_rows_ = 0;
  std::optional<std::size_t> id_kind_;  ///< Ids::index() of every call
  bool prepared_ = false;
};

/// Options for writing vectors. Some apply to all formats; the members named after a format apply
/// to that format only. Options that the format of the output does not have are ignored, unless
/// their comment says that this is an error.
struct WriteOptions {
  std::string format = {};  ///< the name of the format; empty: by the extension of the path
  /// The type in which values are stored. A format that cannot store it fails with invalid_argument
  /// or unsupported.
  ElementType element_type = ElementType::f32;
  /// The ids of all rows, if they are known before the first append(), which may then be called
  /// without ids. Formats that store ids before rows then need no second pass.
  Ids ids = {};
  /// The number of all rows, if it is known before the first append(). Exactly this number of rows
  /// must follow. A CVC file whose values are stored unchanged, as fp16 or lossless is then written
  /// without a second pass.
  std::optional<std::uint64_t> num_rows = {};
  std::optional<Recipe> recipe = {};  ///< the recipe of the rows; unset if they have none
  /// Columns of numbers beside the vectors, in CVC (which makes the file columnar), Parquet and
  /// JSON Lines. TableSink::set_columns() must then be called before each append().
  std::vector<NumberColumn> columns = {};
  /// The names of columns of texts beside the vectors, in Parquet and JSON Lines.
  /// TableSink::set_text_columns() must then be called before each append().
  std::vector<std::string> text_columns = {};
  CvcOptions cvc = {};
  FinalfusionOptions finalfusion = {};
  ParquetOptions parquet = {};
  SvsOptions svs = {};
  /// Options of a USearch index, such as the metric. If its scalar type is unset, rows are stored
  /// as element_type.
  IndexOptions index = {};
  /// For JSON Lines and Parquet, the meaning of the rows. Rows of scores have an even number of
  /// values: the scores, then the logits, which are written under these names.
  RowKind kind = RowKind::vector;
};

/// Options for reading vectors.
struct ReadOptions {
  /// The name of the format. If it is empty, the content decides, then the extension.
  std::string format = {};
  /// The type of the values in a raw binary file, which does not name it. It is for such files
  /// only.
  std::optional<ElementType> element_type = {};
  /// The column of a CVC file of version 2 to read as vectors. If it is empty, the only column with
  /// more than one value in a row is read; several such columns are an error.
  std::string column = {};
  /// If `column` is empty, take the widest column of a CVC file of version 2 (of equally wide
  /// columns the first), instead of failing if there are several.
  bool any_column = false;
  /// The condition "key=value" on the sections of a CVC file: only rows of sections whose metadata
  /// has this value are read. If it is empty, all rows are read.
  std::string section = {};
  /// Read the n-gram rows of finalfusion and fastText files, too, after the rows of the words. By
  /// default only the rows of the words are read.
  bool all_rows = false;
  /// Multiply the word rows of a finalfusion file by their norms, which restores their original
  /// lengths. By default rows are read as they are stored.
  bool unnormalize = false;
};

/// Opens a vector file or directory of any format, together with the files beside it, or the
/// passages of a collection (see embd/collect.h). Fails with
/// not_found or io_failed; with bad_magic if neither content nor name reveals a format, or if they
/// contradict each other; with invalid_argument for options that do not fit; and with the errors of
/// the format.
Result<std::unique_ptr<VectorReader>> open_vectors(const std::filesystem::path& path,
                                                   const ReadOptions& options = {});
/// Creates a writer for a vector file of `dim` values in a row. The format follows from the options
/// or from the extension of `path`. Ids and recipe are written to files beside it if the format has
/// no place for them. Fails with invalid_argument for an unknown format and for options that do not
/// fit, and with io_failed.
Result<std::unique_ptr<VectorWriter>> create_vectors(const std::filesystem::path& path,
                                                     std::uint64_t dim,
                                                     const WriteOptions& options = {});
/// Writes rows [rows, dim] to a vector file: create_vectors(), append() and finish() in one call.
Result<void> write_vectors(const std::filesystem::path& path, MatrixView rows,
                           const WriteOptions& options = {});

}  // namespace embd
