#pragma once

#include <filesystem>
#include <memory>
#include <stop_token>
#include <vector>

#include "base/output_file.h"
#include "base/path_roles.h"
#include "jobs/analysis/analysis_input.h"
#include "jobs/outputs/outputs.h"

namespace embd {

/// Writes the rows of an input that are kept: its texts to files of texts, its vectors to vector
/// sets. Either all outputs appear, complete, or none does.
class KeptRows {
 public:
  /// Plans the outputs. "-", and names with the extension of a text file, get texts, if the input
  /// has a file of texts; others get vectors. Fails with invalid_argument for a name of another
  /// format than the texts have, for texts if there are none, and for a path that is also read
  /// (`roles`).
  static Result<KeptRows> plan(const std::vector<std::filesystem::path>& outputs,
                               const AnalysisSource& source, bool has_text_file, PathRoles roles);

  /// Writes the rows for which `kept` [rows] is true. finish() puts the files in place.
  Result<void> write(const AnalysisInput& input, const std::vector<bool>& kept,
                     const std::stop_token& stop);
  /// Puts all files in place under their names. Call it after write().
  Result<void> finish();

 private:
  KeptRows() = default;
  Result<void> write_texts(const AnalysisInput& input, const std::vector<bool>& kept);
  Result<void> write_vectors(const AnalysisInput& input, const std::vector<bool>& kept,
                             const std::stop_token& stop);

  std::vector<std::filesystem::path> texts_;
  std::vector<OutputTarget> vectors_;
  std::vector<OutputFile> text_files_;
  std::vector<Outputs> sets_;
};

}  // namespace embd
