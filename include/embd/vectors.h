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

#include "embd/cvc_options.h"
#include "embd/element_type.h"
#include "embd/error.h"
#include "embd/finalfusion_options.h"
#include "embd/index_options.h"
#include "embd/matrix.h"
#include "embd/parquet_options.h"
#include "embd/recipe.h"
#include "embd/subwords.h"
#include "embd/svs_options.h"

namespace embd {

/// Ids of rows: none (then row numbers from 0 stand for them), numbers or strings.
using Ids = std::variant<std::monostate, std::vector<std::uint64_t>, std::vector<std::string>>;

/// The meaning of a row's values.
enum class RowKind : std::uint8_t {
  vector,
  scores,  ///< of a pair of texts: a score for each label of a cross-encoder, then the logits
};

struct VectorSetInfo {
  std::string format;  ///< "cvc", "finalfusion", "svs", "usearch", "npy", …
  std::string
      encoding;  ///< how rows are stored: "f32", "fp16", "int8", "lossless", "pq", "lvq8", …
  std::uint64_t num_rows = 0;
  std::uint64_t dim = 0;  ///< 0 for a file without rows that does not say (JSON Lines, text)
  ElementType element_type = ElementType::f32;  ///< of the rows as stored, before any quantizer
  std::string column;  ///< CVC v2: the name of the column that the rows are; otherwise empty
  RowKind kind = RowKind::vector;
};

/// Rows [first, end).
struct RowRange {
  std::uint64_t first = 0;
  std::uint64_t end = 0;
};

/// Some rows of a file.
struct RowSelection {
  std::uint64_t num_file_rows = 0;
  std::vector<RowRange> ranges;
};

/// Rows that came together, with what their maker said of them.
struct RowSection {
  RowRange rows;
  std::string metadata;  ///< a JSON object; of a chunk also empty, where nothing was said
};

/// A column of numbers beside the rows.
struct NumberColumn {
  std::string name;
  ElementType type = ElementType::i32;  ///< f32, f16, i32, i64, i8 or u8
  std::uint64_t dim = 1;                ///< values a row
  /// In a CVC file; not lossless.
  CvcOptions::Compression cvc_compression = CvcOptions::Compression::automatic;

  bool operator==(const NumberColumn&) const = default;
};

/// Rows that a file stores plainly. A capability of a VectorReader: see VectorReader::plain_rows().
class PlainRowSource {
 public:
  /// All rows as they lie in the mapped file, where they are float32 and aligned; lives as long as
  /// the reader.
  virtual std::optional<MatrixView> view() const noexcept = 0;
  /// Rows [first, first + count) in VectorSetInfo.element_type, packed. `out` is resized.
  virtual Result<void> read_stored(std::uint64_t first, std::uint64_t count,
                                   std::vector<std::byte>& out) const = 0;

 protected:
  ~PlainRowSource() = default;
};

/// The parts of word embeddings besides words and rows. A capability of a VectorReader: see
/// VectorReader::word_embeddings().
class WordEmbeddingSource {
 public:
  /// Original lengths of the rows (of words only, where there are subword rows); empty where the
  /// file has none.
  virtual Result<std::vector<float>> norms() const = 0;
  /// How the rows after those of the words are found, where the rows read include such; nullopt
  /// otherwise. A writer of word embeddings takes it over (FinalfusionOptions.subwords).
  virtual Result<std::optional<Subwords>> subwords() const = 0;
  /// Free metadata as TOML; empty where the file has none.
  virtual Result<std::string> metadata() const = 0;

 protected:
  ~WordEmbeddingSource() = default;
};

/// Columns of numbers and of texts beside that of the vectors. A capability of a VectorReader: see
/// VectorReader::table().
class TableSource {
 public:
  /// The columns beside the rows, unless ReadOptions.column chose one. One whose values are coded
  /// (fp16, int8) is of type f32, or f16 if that is what they are.
  virtual std::vector<NumberColumn> columns() const = 0;
  /// Rows [first, first + count) of the one of columns() with this name, [count, dim] of its type,
  /// packed. `out` is resized.
  virtual Result<void> read_column(std::string_view name, std::uint64_t first, std::uint64_t count,
                                   std::vector<std::byte>& out) const = 0;
  /// The names of the columns of texts, but for the texts that the rows were made of, which are
  /// row_texts().
  virtual std::vector<std::string> text_columns() const { return {}; }
  /// Rows [first, first + count) of the one of text_columns() with this name.
  virtual Result<std::vector<std::string>> read_text_column(std::string_view name,
                                                            std::uint64_t first,
                                                            std::uint64_t count) const;

 protected:
  ~TableSource() = default;
};

/// The texts that the rows were made of. A capability of a VectorReader: see
/// VectorReader::row_texts().
class RowTextSource {
 public:
  /// Those of rows [first, first + count).
  virtual Result<std::vector<std::string>> texts(std::uint64_t first,
                                                 std::uint64_t count) const = 0;

 protected:
  ~RowTextSource() = default;
};

/// Metadata of runs of rows. A capability of a VectorReader: see VectorReader::row_sections().
class RowSectionSource {
 public:
  /// Returns the numbers in the file of the reader's rows, in order, where ReadOptions.section
  /// chose some; nullopt where they are all.
  virtual std::optional<RowSelection> selection() const = 0;
  /// The file's sections, of the reader's rows and in their order; empty if it has none.
  virtual std::vector<RowSection> sections() const = 0;
  /// The file's chunks that have rows of the reader's, in their order, with what was said of each;
  /// empty unless something was said of one.
  virtual std::vector<RowSection> chunks() const = 0;

 protected:
  ~RowSectionSource() = default;
};

/// The values that int8 codes stand for. A capability of a VectorReader: see VectorReader::codes().
class CodeSource {
 public:
  /// Where each component begins and ends, [2, dim]: the least values, then the greatest.
  virtual Result<Matrix> ranges() const = 0;

 protected:
  ~CodeSource() = default;
};

/// A file or directory of vectors, open for reading: its rows, their ids and what they were made
/// with. Opening checks the structure, so that reading rows fails only on damaged data. Immutable:
/// any number of threads may read at once.
class VectorReader {
 public:
  virtual ~VectorReader() = default;

  virtual const VectorSetInfo& info() const noexcept = 0;
  /// Rows [first, first + count) decoded to float32 into `out`, which holds count × dim values.
  /// Error: invalid_argument for rows that are not there or other room.
  Result<void> read(std::uint64_t first, std::uint64_t count, std::span<float> out) const;
  /// None where neither the file nor one beside it has ids.
  virtual Result<Ids> ids() const { return Ids{}; }
  /// nullopt where neither the file nor one beside it has a recipe.
  virtual Result<std::optional<Recipe>> recipe() const { return std::nullopt; }
  /// The digest of the rows as whoever made them wrote it down beside the file, as
  /// Digest::to_json(); empty where nobody did. It is over float32 rows before they were stored.
  virtual Result<std::string> digest() const { return std::string(); }
  /// Every header field and what the file holds, as a JSON object for `inspect`.
  virtual std::string describe() const = 0;
  /// Reads everything and checks what opening left out: checksums, codes, graph, vocabulary.
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
  /// The rows exist, and `out` has just their room.
  virtual Result<void> read_rows(std::uint64_t first, std::uint64_t count,
                                 std::span<float> out) const = 0;
};

/// Means over all rows of the difference between a row and what its codes stand for.
struct QuantizationLoss {
  double cosine = 0;     ///< 1 − cosine
  double euclidean = 0;  ///< length of the difference
};

/// Writes columns of numbers and of texts beside that of the vectors. A capability of a
/// VectorWriter: see VectorWriter::table().
class TableSink {
 public:
  /// WriteOptions.columns of the rows that the next append() brings, [rows, dim] in the column's
  /// type, which stay in place until then.
  virtual Result<void> set_columns(std::span<const std::span<const std::byte>> columns) = 0;
  /// WriteOptions.text_columns of the rows that the next append() brings, a text a row, which stay
  /// in place until then. A format without such columns takes none.
  virtual Result<void> set_text_columns(std::span<const std::span<const std::string>> columns);

 protected:
  ~TableSink() = default;
};

/// Writes the texts that the rows were made of. A capability of a VectorWriter: see
/// VectorWriter::row_texts().
class RowTextSink {
 public:
  /// Those of the rows that the next append() brings, which stay in place until then.
  virtual Result<void> set_texts(std::span<const std::string> texts) = 0;

 protected:
  ~RowTextSink() = default;
};

/// Writes what is said of runs of rows. A capability of a VectorWriter: see
/// VectorWriter::row_sections().
class RowSectionSink {
 public:
  /// The rows from here to the next call are a section of the file, with `metadata`, a JSON object,
  /// said of them. All rows are in sections, or none.
  virtual Result<void> begin_section(std::string_view metadata) = 0;
  /// The rows from here to the next call are a chunk of the file, with `metadata`, a JSON object or
  /// empty, said of them; before the first row, or never.
  virtual Result<void> begin_chunk(std::string_view metadata) = 0;

 protected:
  ~RowSectionSink() = default;
};

/// Writes what int8 codes stand for. A capability of a VectorWriter: see VectorWriter::codes().
class CodeSink {
 public:
  /// Where each component begins and ends, [2, dim]: the least values, then the greatest. finish()
  /// writes them to OUT.ranges.npy beside the rows.
  virtual Result<void> set_ranges(MatrixView ranges) = 0;

 protected:
  ~CodeSink() = default;
};

/// Appends rows to a new file that appears, whole, at finish(). Not thread-safe. Destroyed
/// unfinished, it leaves nothing behind.
class VectorWriter {
 public:
  virtual ~VectorWriter() = default;

  /// Rows of `dim` values. `ids`: one a row in every call, of one kind, or none in every call.
  /// Errors: invalid_argument for other rows or ids; bad_value for a value that the file would not
  /// keep (KeptValues); invalid_utf8 for an id that no file could keep; those of the format.
  Result<void> append(MatrixView rows, const Ids& ids);
  /// Does everything that can fail before the file is put in place, such as building an index or
  /// asking whether what is there may be replaced: after the last append(). Several files that are
  /// to appear together are all prepared before one is finished.
  Result<void> prepare();
  /// Puts the file in place, after prepare(), which it calls where nobody has.
  Result<void> finish();

  std::uint64_t dim() const noexcept { return dim_; }
  /// The error that quantizing made, known after finish(); nullopt where nothing was quantized.
  virtual std::optional<QuantizationLoss> loss() const { return std::nullopt; }

  // Capabilities that only some formats have. Each is null for the others and lives as long as the
  // writer.
  virtual TableSink* table() noexcept { return nullptr; }
  virtual RowTextSink* row_texts() noexcept { return nullptr; }
  virtual RowSectionSink* row_sections() noexcept { return nullptr; }
  virtual CodeSink* codes() noexcept { return nullptr; }

 protected:
  /// Which values the rows may have, so that none becomes another.
  enum class KeptValues : std::uint8_t {
    any,     ///< float32, or a type that the format checks itself
    halves,  ///< float16: numbers from 65520 would become infinite
    codes,   ///< codes, means and lengths, whose sums of squares must stay finite in float32
  };

  explicit VectorWriter(std::uint64_t dim, KeptValues kept = KeptValues::any)
      : dim_(dim), kept_(kept) {}
  static KeptValues kept_as(ElementType type) {
    return type == ElementType::f16 ? KeptValues::halves : KeptValues::any;
  }
  /// Rows appended; inside append_rows() without its own.
  std::uint64_t num_rows() const noexcept { return num_rows_; }

 private:
  /// `rows` and `ids` are what append() asks for.
  virtual Result<void> append_rows(MatrixView rows, const Ids& ids) = 0;
  /// Called once, after the last row.
  virtual Result<void> prepare_file() { return {}; }
  /// Called once, after prepare_file().
  virtual Result<void> finish_file() = 0;

  Result<void> check_values(MatrixView rows) const;

  std::uint64_t dim_;
  KeptValues kept_;
  std::uint64_t num_rows_ = 0;
  std::optional<std::size_t> id_kind_;  ///< Ids::index() of every call
  bool prepared_ = false;
};

/// The options of all formats, and those of each format. A writer refuses what it has no place for
/// only where the option says so.
struct WriteOptions {
  std::string format = {};  ///< empty: by the extension
  ElementType element_type = ElementType::f32;
  /// Ids of all rows to come, where they are known already: append() may then be given none. A
  /// format that has ids before rows needs no second pass then.
  Ids ids = {};
  /// Rows to come, where that is known already: CVC then needs no second pass for fp16, lossless
  /// and plain values. There must be just so many.
  std::optional<std::uint64_t> num_rows = {};
  std::optional<Recipe> recipe = {};
  /// CVC, which they make columnar, Parquet and JSON Lines: append() then wants
  /// TableSink::set_columns() before it.
  std::vector<NumberColumn> columns = {};
  /// The names of columns of texts. Parquet and JSON Lines: append() then wants
  /// TableSink::set_text_columns() before it.
  std::vector<std::string> text_columns = {};
  CvcOptions cvc = {};
  FinalfusionOptions finalfusion = {};
  ParquetOptions parquet = {};
  SvsOptions svs = {};
  /// USearch: metric, connectivity, …; if its scalar is f32, rows are stored as element_type.
  IndexOptions index = {};
  /// JSON Lines and Parquet, which name scores and logits; rows then have an even number of values.
  RowKind kind = RowKind::vector;
};

struct ReadOptions {
  std::string format = {};                       ///< empty: by content, then by extension
  std::optional<ElementType> element_type = {};  ///< of raw files that do not say
  std::string column = {};                       ///< CVC v2; empty: the only one, else an error
  /// CVC v2, where `column` is empty: the widest column, the first of such, instead of an error.
  bool any_column = false;
  std::string section = {};  ///< CVC: "key=value"
  bool all_rows = false;     ///< finalfusion, fastText: subword rows too
  bool unnormalize = false;  ///< finalfusion: word rows × their norms
};

Result<std::unique_ptr<VectorReader>> open_vectors(const std::filesystem::path& path,
                                                   const ReadOptions& options = {});
Result<std::unique_ptr<VectorWriter>> create_vectors(const std::filesystem::path& path,
                                                     std::uint64_t dim,
                                                     const WriteOptions& options = {});
/// A file of these rows, [rows, dim]: create_vectors(), append(), finish() in one.
Result<void> write_vectors(const std::filesystem::path& path, MatrixView rows,
                           const WriteOptions& options = {});

}  // namespace embd
