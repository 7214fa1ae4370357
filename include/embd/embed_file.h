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
#include "embd/terms.h"
#include "embd/texts.h"

namespace embd {

/// The progress of a job that embeds texts or scores pairs of texts. Each pair counts as a row.
struct EmbedProgress {
  std::uint64_t rows = 0;          ///< rows finished, including rows of interrupted runs
  std::uint64_t resumed_rows = 0;  ///< rows that interrupted runs had finished
  std::uint64_t tokens = 0;        ///< tokens of the texts that this run finished
  double seconds = 0;              ///< seconds since this run began to embed
  /// The share of the input whose rows are finished, from 0 to 1. It is unset if the size of the
  /// input is not known.
  std::optional<double> share;
  /// The value of `share` when this run began; above 0 if it resumed an interrupted run.
  double resumed_share = 0;

  /// Returns the number of tokens that this run finishes in a second; 0 before it begins.
  double tokens_per_second() const noexcept {
    return seconds > 0 ? static_cast<double>(tokens) / seconds : 0;
  }
  /// Returns an estimate of the remaining time in seconds; nullopt if the size of the input is not
  /// known, or if this run has finished nothing yet.
  std::optional<double> seconds_left() const noexcept;
};

/// Options for embedding texts into files of vectors.
struct EmbedOptions {
  EncodeOptions encode = {};  ///< how to compute the vectors
  OutputOptions output = {};  ///< how to write the outputs
  /// The terms of a term index, if an output is one. Its member `model` is ignored: the model is
  /// the one that computes the vectors.
  TermOptions terms = {};

  /// Embed only this part of the input: the records that begin in its share of the file's bytes.
  /// The rows keep the numbers that they have in the whole input. When an output is complete, a
  /// manifest, OUT.part.json, is written beside it (see embd/parts.h). Supported by embed_file()
  /// and embed_files() only, and for regular files only.
  std::optional<InputPart> part = {};

  /// The id of the first row of the whole input; the rows are numbered from it. If it is unset, the
  /// rows are numbered from 0. Cannot be combined with InputOptions::id_field.
  std::optional<std::uint64_t> id_start = {};
  /// Fields of the input whose values become sections of a CVC file: consecutive rows with equal
  /// values form one section.
  std::vector<std::string> section_fields = {};
  /// Fields of the input that become columns of CVC, Parquet and JSON Lines files. Each is written
  /// as NAME for numbers of type int32, NAME:TYPE for numbers of another type, or NAME:text. CVC
  /// files have no text columns; there, consecutive rows with equal texts form one section.
  std::vector<std::string> column_fields = {};

  /// Treat a text with more tokens than the model takes as an error. By default the text is cut.
  bool refuse_truncated = false;
  /// A file for a report with one JSON line for each row: its number, line in the input, id, number
  /// of tokens and whether it was cut. If it is empty, no report is written.
  std::filesystem::path row_report = {};

  /// Keep finished rows in a journal, OUT.journal, beside the first output. If the journal is
  /// already there, the job continues from it. It is removed when the outputs are complete
  /// (docs/formats/journal.md). All outputs must be files; none may be standard output.
  bool resume = false;
  /// Discard a journal that was made with another input or other options and start again. By
  /// default such a journal is an error.
  bool restart = false;

  /// A function that is called with the progress whenever rows are finished. Calls never overlap,
  /// but they may come from any thread. If it is empty, nothing is reported.
  std::function<void(const EmbedProgress&)> progress = {};
};

/// The results of a job that embeds texts or scores pairs of texts. Each pair counts as a row.
struct EmbedReport {
  std::uint64_t rows = 0;            ///< rows of an output, including rows of interrupted runs
  std::uint64_t resumed_rows = 0;    ///< rows that interrupted runs had finished
  std::uint64_t tokens = 0;          ///< tokens of the rows that this run made, after cutting
  std::uint64_t truncated_rows = 0;  ///< rows whose text was longer than max_length and was cut
  std::uint64_t empty_rows = 0;      ///< rows whose text is empty or only white space
  /// The number of rows of this run that were not computed, because an earlier text had the same
  /// tokens and therefore has the same vector.
  std::uint64_t repeated_rows = 0;
  /// The number of rows of a finalfusion file whose text was already used as an id, so that "#2",
  /// "#3", … was appended to make their ids unique.
  std::uint64_t renamed_rows = 0;
  double seconds = 0;  ///< the duration of this run, writing included
  /// The digest of all rows as the model computed them, before they were stored. It includes the
  /// texts, unless each window of a text has its own row. It is unset if the only output was JSON
  /// Lines on standard output.
  std::optional<Digest> digest;
  std::vector<OutputLoss> losses;  ///< the quantization errors of all outputs that are quantized
};

/// Embeds the texts of a file, or of all text files in a folder, and writes the vectors to one or
/// several files in a single pass. "-" is standard input or standard output. One of the outputs,
/// but not the only one, may be a term index, whose name ends in ".terms"; row i of it has the
/// terms of the text of row i, or of the part of the text that a window covers. Either all outputs
/// appear, complete, or none does. The same input and options give the same bytes, even if the job
/// was interrupted and resumed.
///
/// Memory does not grow with the number of texts, except for what a format must hold until its end
/// and for up to 32 MB of rows that are kept for repeated texts (EncodeOptions::dedup).
///
/// Fails with the errors of Model::encode() and of reading texts, which name the file and the line;
/// with invalid_argument for options that exclude each other or do not fit an output, and for a
/// file that would be overwritten while it is read, or written twice; with recipe_mismatch for a
/// journal made with another input or other options (see EmbedOptions::restart); with cancelled
/// after a stop request; with io_failed.
Result<EmbedReport> embed_file(const Model& model, const std::filesystem::path& input,
                               const std::vector<std::filesystem::path>& outputs,
                               const InputOptions& texts = {}, const EmbedOptions& options = {},
                               std::stop_token stop = {});
/// Embeds the texts of several files and folders, one after the other, as embed_file() does for
/// one. Rows are numbered as if all files were one. A folder stands for its text files, in the
/// order of input_files(). The recipe contains a hash over all files (RecordReader::sha256()), so a
/// run is only resumed, and parts are only joined, if all files are unchanged and in the same
/// order. Also fails with invalid_argument if standard input or a pipe is one of several inputs,
/// and if each window of a text has its own row but texts have no ids, because line numbers do not
/// identify texts across files.
Result<EmbedReport> embed_files(const Model& model,
                                const std::vector<std::filesystem::path>& inputs,
                                const std::vector<std::filesystem::path>& outputs,
                                const InputOptions& texts = {}, const EmbedOptions& options = {},
                                std::stop_token stop = {});
/// Embeds the records that a reader returns, as embed_file() does for a file. The reader must have
/// been opened with the fields that `options` refers to.
Result<EmbedReport> embed_records(const Model& model, RecordReader& records,
                                  const std::vector<std::filesystem::path>& outputs,
                                  const EmbedOptions& options = {}, std::stop_token stop = {});
/// Embeds texts that have neither ids nor fields, as embed_file() does. The rows are numbered from
/// 0.
Result<EmbedReport> embed_texts(const Model& model, TextSource& texts,
                                const std::vector<std::filesystem::path>& outputs,
                                const EmbedOptions& options = {}, std::stop_token stop = {});

}  // namespace embd
