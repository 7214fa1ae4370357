#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/output_file.h"
#include "embd/digest.h"
#include "embd/error.h"
#include "embd/output_options.h"
#include "formats/vectors/finalfusion/unique_words.h"
#include "jobs/outputs/open_output.h"
#include "jobs/outputs/output_target.h"
#include "jobs/outputs/row_batch.h"
#include "jobs/outputs/row_fields.h"

namespace embd {

/// Everything that one pass writes to. All outputs appear whole at finish(), or none does. A row
/// goes from here to the vector set of each output (vectors/: codes, files beside it), and from
/// there to its format.
class Outputs {
 public:
  /// The rows and what goes with them.
  struct Content {
    RowShape rows = {};
    /// The sections and columns that the records' further fields become; an output must have room
    /// for them.
    RowFields fields = {};
    bool places = false;  ///< rows are windows, whose place_columns() outputs may have
    std::filesystem::path row_report = {};  ///< empty for none
    /// The recipe to which a digest of the rows is bound; nothing: no digest is made.
    std::optional<Recipe> digest_recipe = {};
    bool digest_texts = true;  ///< each row has a text of its own
  };
  static Result<Outputs> create(const std::vector<OutputTarget>& targets, Content content);

  /// True if append() wants RowBatch.texts: to be stored, or for the digest.
  bool needs_texts(bool have_ids) const noexcept;
  /// True if texts are stored: in a column, or in the place of ids, unless `have_ids`, where an
  /// output needs one for every row.
  bool stores_texts(bool have_ids) const noexcept;
  const RowFields& fields() const noexcept { return fields_; }

  /// Rows with their ids; with their sections and columns, where the batch has fields; with their
  /// lines of the row report, where it has notes.
  Result<void> append(const RowBatch& batch);
  /// The functions of RowSectionSink, TableSink and CodeSink, for every output that has a place for
  /// what they are given.
  Result<void> begin_section(std::string_view metadata);
  Result<void> begin_chunk(std::string_view metadata);
  Result<void> set_columns(std::span<const Bytes> columns);
  Result<void> set_text_columns(std::span<const std::span<const std::string>> columns);
  Result<void> set_ranges(MatrixView ranges);
  void set_input_sha256(const std::string& hash);
  /// Sets the digest of rows where it is known without being made here.
  void set_digest(const Digest& digest);
  /// Does everything that can fail, or be refused, for every output before one is put in place:
  /// rows that wait are written, indexes built, whatever is in the way of a file is found.
  Result<void> prepare();
  /// Puts the outputs in place, after prepare(), which it calls where nobody has. Streams come
  /// first, since whoever reads one may go away; the others are renamed.
  Result<void> finish();

  std::uint64_t num_rows() const noexcept { return num_rows_; }
  /// The digest of all rows so far; nothing where none is made.
  const std::optional<Digest>& digest() const noexcept { return digest_; }
  /// The ids of the first and of the last row; monostate without rows.
  const RecordId& first_id() const noexcept { return first_id_; }
  const RecordId& last_id() const noexcept { return last_id_; }
  std::uint64_t num_truncated() const noexcept { return num_truncated_; }
  /// Rows of blank texts.
  std::uint64_t num_blank() const noexcept { return num_blank_; }
  /// Rows whose text was an id already, so that theirs got a number.
  std::uint64_t num_renamed() const noexcept { return unique_ids_.num_renamed(); }
  /// The losses of the outputs that were quantized; known after finish().
  std::vector<OutputLoss> losses() const;

 private:
  /// Returns true if some output has this room.
  bool have_room(bool Room::* part) const noexcept;
  /// Checks that some output has room for these.
  Result<void> check_room(const RowFields& fields) const;
  bool needs_ids() const noexcept;
  /// The rows of a batch in pieces of one section each, with their columns.
  Result<std::vector<RowFields::Piece>> pieces_of(const RowBatch& batch) const;
  Result<void> append_rows(MatrixView rows, const Ids& ids, std::span<const std::string> texts);
  Result<void> add_to_digests(MatrixView rows, const Ids& ids, const Ids& from_texts,
                              std::span<const std::string> texts);
  void note_ids(const RowBatch& batch);
  std::string report_line(const RowBatch& batch, std::size_t i) const;

  std::vector<OpenOutput> outputs_;
  finalfusion::UniqueWords unique_ids_;
  RowFields fields_;
  bool places_ = false;
  std::string section_;  // the one that rows go to; empty before the first
  std::optional<OutputFile> row_report_;
  std::optional<Digest> digest_;
  /// The digest of outputs in which texts stand in for ids, which are part of a digest.
  std::optional<Digest> digest_of_named_;
  bool digest_texts_ = true;
  RecordId first_id_;
  RecordId last_id_;
  std::uint64_t num_rows_ = 0;
  std::uint64_t num_truncated_ = 0;
  std::uint64_t num_blank_ = 0;
  bool prepared_ = false;
};

}  // namespace embd
