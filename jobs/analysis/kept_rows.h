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

/// Where the rows go that are kept of an input: its texts to files of texts, its vectors to vector
/// sets. All appear whole, or none does.
class KeptRows {
 public:
  /// "-" and names that end as those of files of texts do take texts, where the input has a file of
  /// texts; others take vectors. Errors: invalid_argument for a name that tells another format than
  /// that of the texts, for texts where there are none, and for a path that is read, too (`roles`).
  static Result<KeptRows> plan(const std::vector<std::filesystem::path>& outputs,
                               const AnalysisSource& source, bool has_text_file, PathRoles roles);

  /// Writes the rows that `kept` [rows] names, up to what puts the files in place.
  Result<void> write(const AnalysisInput& input, const std::vector<bool>& kept,
                     const std::stop_token& stop);
  /// Puts all files in place.
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
