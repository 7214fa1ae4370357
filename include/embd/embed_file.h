#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "embd/digest.h"
#include "embd/error.h"
#include "embd/model.h"
#include "embd/output_options.h"
#include "embd/texts.h"

namespace embd {

/// How far a job is.
struct EmbedProgress {
  std::uint64_t rows = 0;          ///< finished, those of interrupted runs included
  std::uint64_t resumed_rows = 0;  ///< of them, those that interrupted runs made
  std::uint64_t tokens = 0;        ///< of the texts that this run finished
  double seconds = 0;              ///< since this run began to embed
  /// Share of the input whose rows are finished, 0 to 1; nothing where its size is not known.
  std::optional<double> share;
  /// The share that this run began with.
  double resumed_share = 0;

  double tokens_per_second() const noexcept {
    return seconds > 0 ? static_cast<double>(tokens) / seconds : 0;
  }
  /// Nothing until it can be told.
  std::optional<double> seconds_left() const noexcept;
};

struct EmbedOptions {
  EncodeOptions encode = {};
  OutputOptions output = {};

  /// Embed this part of the input only: the records that begin in its share of the file's bytes.
  /// Its rows are numbered as in the whole. Each output gets a manifest beside it, OUT.part.json,
  /// when everything else is in place: embd/parts.h. Of embed_file() and embed_files(), for
  /// regular files.
  std::optional<InputPart> part = {};

  /// Number the rows (of the whole) from here; not together with InputOptions.id_field.
  std::optional<std::uint64_t> id_start = {};
  /// CVC: fields of the input; rows with equal values of them are a section.
  std::vector<std::string> section_fields = {};
  /// CVC, Parquet, JSON Lines: fields of the input that are columns, of numbers (NAME, of the type
  /// int32, or NAME:TYPE) or of texts (NAME:text). In a CVC file, which has no columns of texts,
  /// rows with equal texts are a section.
  std::vector<std::string> column_fields = {};

  /// A text of more tokens than the model takes at once is an error instead of being cut.
  bool refuse_truncated = false;
  /// A JSON line for each row: its number, line, id, tokens, whether it was cut. Empty: none.
  std::filesystem::path row_report = {};

  /// Keep finished rows in a journal beside the first output (OUT.journal), go on from it if there
  /// is one, and remove it at the end: docs/formats/journal.md. Outputs need names then.
  bool resume = false;
  /// Begin anew where a journal was made under other conditions.
  bool restart = false;

  /// Called whenever rows are finished, from one thread at a time, which need not be the caller's.
  std::function<void(const EmbedProgress&)> progress = {};
};

/// The results of a job.
struct EmbedReport {
  std::uint64_t rows = 0;
  std::uint64_t resumed_rows = 0;  ///< of them, those that interrupted runs had made
  std::uint64_t tokens = 0;        ///< of the rows that this run made, after any cut
  std::uint64_t truncated_rows = 0;
  std::uint64_t empty_rows = 0;  ///< of texts that are empty or only white space
  /// Rows of this run that were not computed, since an earlier text had the same tokens.
  std::uint64_t repeated_rows = 0;
  /// Rows whose text was an id already, so that theirs ends in #2, #3, … (finalfusion).
  std::uint64_t renamed_rows = 0;
  double seconds = 0;
  /// The digest of all rows with their texts (without, where each window of a text has a row),
  /// before they were stored. Nothing where all that was written is JSON Lines on standard output.
  std::optional<Digest> digest;
  std::vector<OutputLoss> losses;  ///< of the outputs that were quantized
};

/// Embeds the texts of a file, or of the files of a folder, into files of vectors, one pass for all
/// of them. Memory does not grow
/// with the number of texts, but for what a format must hold until its end and for 32 MB of rows of
/// texts that may come again (EncodeOptions.dedup). "-" is standard input
/// or output. Every output appears whole at the end, or none does; equal input and options give
/// equal bytes, whatever was interrupted and resumed.
///
/// Errors: those of Model::encode and of reading the texts, with file and line; invalid_argument
/// for options that exclude each other or that an output has no place for, and for a file that
/// would be read and replaced, or replaced twice; recipe_mismatch for a journal made under other
/// conditions (see EmbedOptions.restart); cancelled; io_failed.
Result<EmbedReport> embed_file(const Model& model, const std::filesystem::path& input,
                               const std::vector<std::filesystem::path>& outputs,
                               const InputOptions& texts = {}, const EmbedOptions& options = {},
                               std::stop_token stop = {});
/// Embeds the texts of several files and folders, in their order, as embed_file() does. Rows are
/// numbered as if the files were one. A folder stands for its files, as input_files() lists them.
/// The recipe has the hash of all (RecordReader::sha256()), so that a run is resumed, and parts are
/// joined, only where each file is unchanged, and all are there in one order. Further errors:
/// invalid_argument for standard input or a pipe among several, and for windows that no ids tell
/// apart: their texts' lines do not.
Result<EmbedReport> embed_files(const Model& model,
                                const std::vector<std::filesystem::path>& inputs,
                                const std::vector<std::filesystem::path>& outputs,
                                const InputOptions& texts = {}, const EmbedOptions& options = {},
                                std::stop_token stop = {});
/// Embeds records that the caller reads, as embed_file() does. The reader must have been opened
/// with the fields that `options` names.
Result<EmbedReport> embed_records(const Model& model, RecordReader& records,
                                  const std::vector<std::filesystem::path>& outputs,
                                  const EmbedOptions& options = {}, std::stop_token stop = {});
/// Embeds texts that have neither ids nor fields, as embed_file() does.
Result<EmbedReport> embed_texts(const Model& model, TextSource& texts,
                                const std::vector<std::filesystem::path>& outputs,
                                const EmbedOptions& options = {}, std::stop_token stop = {});

}  // namespace embd
