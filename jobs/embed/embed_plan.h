#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/path_roles.h"
#include "embd/embed_file.h"
#include "jobs/embed/conditions.h"
#include "jobs/embed/row_maker.h"
#include "jobs/outputs/output_target.h"
#include "jobs/outputs/row_fields.h"

namespace embd {

/// A job that makes rows of records, resolved and checked before a model is opened or a file is
/// written.
struct EmbedPlan {
  /// Files, as input_files() lists them; none for texts that are in no file.
  std::vector<std::filesystem::path> inputs;
  std::vector<OutputTarget> outputs;
  InputOptions texts = {};
  EmbedOptions options = {};
  RowKind kind = RowKind::vector;  ///< what the rows are
  /// Values that decide the rows and stand in neither the options nor the recipe, by name, as JSON.
  Conditions conditions = {};
  /// The sections and columns that the records' further fields become; plan_embedding() fills it
  /// in.
  RowFields fields = {};

  /// Returns true if rows have ids of their own, and are not just numbered.
  bool has_ids() const noexcept;
  /// Returns true if lines, after which windows are named, do not tell texts of several files
  /// apart, and nothing else does.
  bool needs_ids() const noexcept;
};

/// The words by which messages name the caller's paths, such as the options of the program.
struct EmbedRoleNames {
  std::string output = "the output";
  std::string ranges = "the ranges";
  std::string row_report = "the row report";
};

/// Checks a job and completes its plan. `others`: what the caller reads and writes besides. Error:
/// invalid_argument for options that exclude each other, for outputs that cannot be what is asked
/// for, and for a path that is written and has another role, too.
Result<EmbedPlan> plan_embedding(EmbedPlan plan, PathRoles others = {},
                                 const EmbedRoleNames& names = {});

/// Makes the rows of a file with `maker`, and writes all outputs: the whole, or the part that the
/// options name.
Result<EmbedReport> make_file(const RowMaker& maker, const EmbedPlan& plan, std::stop_token stop);
/// Makes the rows of records that the caller reads.
Result<EmbedReport> make_records(const RowMaker& maker, RecordReader& records,
                                 const EmbedPlan& plan, std::stop_token stop);
/// embed_file() and embed_records() of embd/embed_file.h, planned.
Result<EmbedReport> embed_file(const Model& model, const EmbedPlan& plan, std::stop_token stop);
Result<EmbedReport> embed_records(const Model& model, RecordReader& records, const EmbedPlan& plan,
                                  std::stop_token stop);

}  // namespace embd
