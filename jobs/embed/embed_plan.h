#pragma once

#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

#include "base/paths.h"
#include "embd/embed_file.h"
#include "jobs/embed/conditions.h"
#include "jobs/embed/record_stream.h"
#include "jobs/outputs/output_target.h"
#include "jobs/outputs/row_fields.h"

namespace embd {

/// A job that makes rows of the records of its inputs. It is resolved and checked before a model is
/// opened or a file is written, so that a mistake costs no time.
struct EmbedPlan {
  /// The files to read, as input_files() lists them; none for texts that are in no file.
  std::vector<std::filesystem::path> inputs;
  std::vector<OutputTarget> outputs;
  std::filesystem::path terms = {};  ///< the term index to write, too; empty for none
  InputOptions texts = {};
  EmbedOptions options = {};
  RowKind kind = RowKind::vector;  ///< what the rows are
  /// Values that determine the rows and are neither in the options nor in the recipe: JSON by name.
  Conditions conditions = {};
  /// The sections and columns that further fields of the records become. plan_embedding() sets it.
  RowFields fields = {};

  /// Returns true if rows have ids of their own and are not just numbered.
  bool has_ids() const noexcept;
  /// Returns true if ids are needed, because windows are named by lines, and lines do not identify
  /// texts across several files.
  bool needs_ids() const noexcept;
};

/// The outputs of a job that embeds texts.
struct EmbedOutputs {
  std::vector<OutputTarget> sets;
  std::filesystem::path terms;  ///< a term index; empty for none
};

/// Resolves the outputs of a job, of which one may be a term index. Fails with the errors of
/// take_term_index() and resolve_outputs().
Result<EmbedOutputs> embed_outputs(std::vector<std::filesystem::path> outputs,
                                   const OutputOptions& options);

/// The words that stand for the caller's paths in messages, such as options of the program.
struct EmbedRoleNames {
  std::string output = "the output";
  std::string ranges = "the ranges";
  std::string row_report = "the row report";
};

/// Checks a job and completes its plan. `others` are the paths that the caller reads and writes
/// besides. Fails with invalid_argument for options that exclude each other, for outputs that
/// cannot hold what is asked for, and for a path that is written and also has another role.
Result<EmbedPlan> plan_embedding(EmbedPlan plan, PathRoles others = {},
                                 const EmbedRoleNames& names = {});

/// Makes the rows of all files with `maker`, or of the part that the options name, and writes all
/// outputs.
Result<EmbedReport> make_file(const RowMaker& maker, const EmbedPlan& plan, std::stop_token stop);
/// Makes the rows of records that the caller reads, and writes all outputs.
Result<EmbedReport> make_records(const RowMaker& maker, RecordReader& records,
                                 const EmbedPlan& plan, std::stop_token stop);
/// Run a planned job as embed_file() and embed_records() of embd/embed_file.h do.
Result<EmbedReport> embed_file(const Model& model, const EmbedPlan& plan, std::stop_token stop);
Result<EmbedReport> embed_records(const Model& model, RecordReader& records, const EmbedPlan& plan,
                                  std::stop_token stop);

/// A plan that is carried out. Everything that it refers to must outlive it.
struct EmbedRun {
  const RowMaker& maker;
  RecordReader& reader;
  const EmbedPlan& plan;
  /// The SHA-256 of the input, if it is known before the input is read; otherwise empty.
  std::string input_sha256;
  std::stop_token stop;
};

/// The rows that a run wrote, as needed for the manifest of a part.
struct WrittenRows {
  EmbedReport report;
  std::uint64_t num_texts = 0;
  RecordId first_id;
  RecordId last_id;
};

/// Makes the rows of all records and writes all outputs, or none. Fails as embed_file() does.
Result<WrittenRows> run_embedding(const EmbedRun& run);

}  // namespace embd
