#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/output_file.h"
#include "embd/digest.h"
#include "embd/error.h"
#include "embd/output_options.h"
#include "embd/vectors.h"
#include "formats/vectors/finalfusion/words.h"
#include "formats/vectors/format.h"
#include "jobs/outputs/output_target.h"
#include "jobs/outputs/row_fields.h"
#include "jobs/outputs/streams.h"
#include "jobs/outputs/term_output.h"
#include "jobs/sets/set_files.h"

namespace embd {

/// An output that rows are written to: a set of files that appears when it is complete, or a
/// stream.
struct OpenOutput {
  std::filesystem::path path;
  std::unique_ptr<VectorWriter> writer;
  /// The set that `writer` writes to; null for a stream, which has no files beside it.
  VectorSetWriter* set = nullptr;
  Room room = {};
  bool needs_ids = false;
  /// The number of the job's columns of numbers that it has, from the first on.
  std::size_t num_columns = 0;
  std::size_t num_text_columns = 0;  ///< the number of columns of texts: all or none
  /// The file that is copied into a stream at the end; unset if the output is a file.
  std::optional<Spool> spool;

  /// Returns true if the output is written in place, not renamed.
  bool is_in_place() const;
  /// Does all that can fail before finish(), such as writing the rows that wait in memory.
  Result<void> prepare();
  /// Puts the output in place. Call prepare() before.
  Result<void> finish();
};

/// The shape of the rows that an output gets.
struct RowShape {
  std::uint64_t dim = 0;
  bool are_codes = false;  ///< true if the rows are already codes of OutputOptions::type
};

/// Opens an output. Binary data is never written to a terminal. Fails with invalid_argument for a
/// type that the format does not store, and for a format of several files in a stream; and with the
/// errors of the format.
Result<OpenOutput> open_output(const OutputTarget& target, RowShape rows);

/// All outputs of one pass. Either all of them appear, complete, at finish(), or none does. It
/// passes rows on to the vector set of each output (vectors/: codes, files beside it), which passes
/// them on to its format, and the texts of rows to the term index.
class Outputs {
 public:
  /// A description of the rows and their metadata.
  struct Content {
    RowShape rows = {};
    /// The sections and columns that further fields of the records become. An output must have room
    /// for them.
    RowFields fields = {};
    /// True if rows are windows, and outputs may have place_columns().
    bool places = false;
    std::filesystem::path row_report = {};  ///< empty for none
    /// The recipe that the digest of the rows covers; unset if no digest is to be made.
    std::optional<Recipe> digest_recipe = {};
    bool digest_texts = true;          ///< true if each row has its own text
    std::filesystem::path terms = {};  ///< the term index that is written, too; empty for none
    TermOptions term_options = {};
  };
  /// Opens all outputs. Fails with invalid_argument if no output can hold the sections or columns
  /// of `content.fields`, and with the errors of open_output().
  static Result<Outputs> create(const std::vector<OutputTarget>& targets, Content content);

  /// Returns true if append() needs RowBatch::texts, to store them or for the digest.
  bool needs_texts(bool have_ids) const noexcept;
  /// Returns true if texts are stored: in a column, as terms, or as ids, if an output needs ids and
  /// `have_ids` is false.
  bool stores_texts(bool have_ids) const noexcept;
  const RowFields& fields() const noexcept { return fields_; }

  /// Appends rows with their ids; with sections and columns, if the batch has fields; with lines of
  /// the row report, if it has notes.
  Result<void> append(const RowBatch& batch);
  /// Call the functions of RowSectionSink, TableSink and CodeSink of every output that has room for
  /// the data.
  Result<void> begin_section(std::string_view metadata);
  Result<void> begin_chunk(std::string_view metadata);
  Result<void> set_columns(std::span<const Bytes> columns);
  Result<void> set_text_columns(std::span<const std::span<const std::string>> columns);
  Result<void> set_ranges(MatrixView ranges);
  /// Sets the SHA-256 of the input in the recipes of all outputs that have one.
  void set_input_sha256(const std::string& hash);
  /// Sets the digest of the rows, if it is known without computing it here.
  void set_digest(const Digest& digest);
  /// Does everything that can fail, for all outputs, before the first is put in place: writes rows
  /// that wait, builds indexes, and finds whatever is in the way of a file.
  Result<void> prepare();
  /// Puts the outputs in place. Calls prepare() first if that was not done. Streams come first,
  /// because their readers may go away; the other outputs are renamed.
  Result<void> finish();

  std::uint64_t num_rows() const noexcept { return num_rows_; }
  /// Returns the digest of all rows so far; unset if none is made.
  const std::optional<Digest>& digest() const noexcept { return digest_; }
  /// Return the ids of the first and the last row; monostate without rows.
  const RecordId& first_id() const noexcept { return first_id_; }
  const RecordId& last_id() const noexcept { return last_id_; }
  std::uint64_t num_truncated() const noexcept { return num_truncated_; }
  /// Returns the number of rows with blank texts.
  std::uint64_t num_blank() const noexcept { return num_blank_; }
  /// Returns the number of rows whose text was already used as an id, so that a number was
  /// appended.
  std::uint64_t num_renamed() const noexcept { return unique_ids_.num_renamed(); }
  /// Returns the quantization errors of the outputs that were quantized, after finish().
  std::vector<OutputLoss> losses() const;

 private:
  /// Returns true if some output has room for this part.
  bool have_room(bool Room::* part) const noexcept;
  /// Fails unless some output has room for these fields.
  Result<void> check_room(const RowFields& fields) const;
  bool needs_ids() const noexcept;
  /// Divides the rows of a batch into pieces of one section each, with their columns.
  Result<std::vector<RowFields::Piece>> pieces_of(const RowBatch& batch) const;
  Result<void> append_rows(MatrixView rows, const Ids& ids, std::span<const std::string> texts);
  Result<void> append_terms(const RowBatch& batch);
  Result<void> add_to_digests(MatrixView rows, const Ids& ids, const Ids& from_texts,
                              std::span<const std::string> texts);
  void note_ids(const RowBatch& batch);
  std::string report_line(const RowBatch& batch, std::size_t i) const;

  std::vector<OpenOutput> outputs_;
  finalfusion::UniqueWords unique_ids_;
  RowFields fields_;
  bool places_ = false;
  std::string section_;  // metadata of the current section; empty before the first
  std::optional<OutputFile> row_report_;
  std::optional<TermOutput> terms_;
  std::optional<Digest> digest_;
  /// The digest of outputs that use texts as ids, because ids are part of a digest.
  std::optional<Digest> digest_of_named_;
  bool digest_texts_ = true;
  RecordId first_id_;
  RecordId last_id_;
  std::uint64_t num_rows_ = 0;
  std::uint64_t num_truncated_ = 0;
  std::uint64_t num_blank_ = 0;
  bool prepared_ = false;
};

/// Returns the columns that hold the place of a window in its text, for outputs with Room::places:
/// "byte_begin", "byte_end", "character_begin" and "character_end", whole numbers of 64 bits.
std::vector<NumberColumn> place_columns();

/// Appends the values of place_columns() for rows with these notes, each of which must have a
/// place.
void append_places(std::span<const RowNote> notes, std::vector<std::vector<std::byte>>& columns);

}  // namespace embd
