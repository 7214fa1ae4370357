#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/paths.h"
#include "embd/model.h"
#include "embd/texts.h"
#include "embd/vectors.h"
#include "jobs/analysis/text_file.h"

namespace embd {

/// The source of the rows of an analysis.
struct AnalysisSource {
  /// Files and folders of texts, which a model embeds, or one vector set of any format.
  std::vector<std::filesystem::path> paths;
  /// The file with the texts of a vector set's rows. If it is empty, the texts stored in the vector
  /// set are used, if there are any. Without InputOptions::id_field, text i belongs to row i.
  std::filesystem::path texts = {};
  ReadOptions read = {};
  InputOptions input = {};

  /// Returns the path that names the source in messages.
  const std::filesystem::path& path() const noexcept { return paths.front(); }
};

/// Returns true if a source holds texts: "-", names with the extension of a text file, and folders
/// and files of no vector format. If InputOptions::format is set, it holds texts; if
/// ReadOptions::format is set, it does not. Fails with invalid_argument for no path and for a
/// vector set beside other inputs, with not_found and with io_failed.
Result<bool> holds_texts(const AnalysisSource& source);

/// The rows of an analysis, in memory or mapped, and what belongs to them. It can be moved, but not
/// copied.
struct AnalysisInput {
  MatrixView rows;  ///< [n, dim]; a view of `encoded` or of the file of `set`
  Ids ids;
  std::optional<Recipe> recipe;
  /// The texts, [n], if they were asked for and exist; otherwise empty.
  std::vector<std::string> texts;
  /// Record::fields of each text, [n], if InputOptions asks for fields and there is a file of
  /// texts; otherwise empty.
  std::vector<std::string> fields;
  /// The number of characters of each text, [n]; empty without texts.
  std::vector<std::uint64_t> lengths;
  /// The files of texts, and the number in them of each row's record, record_of_row [n]; unset
  /// without a file.
  std::optional<TextFiles> file;
  std::vector<std::uint64_t> record_of_row;
  std::shared_ptr<const VectorReader> set;  ///< the vector set; null if the source is texts
  std::vector<float> encoded;
};

/// Reads all rows. `model` embeds texts with `encode`; it may be null for a vector set. Fails with
/// the errors of opening and reading; with invalid_argument for texts without a model; with
/// unsupported for rows that are codes (int8, binary) and for texts of rows that are windows; with
/// bad_count, missing or duplicate for texts that do not belong to the rows.
Result<AnalysisInput> read_analysis_input(const AnalysisSource& source, const Model* model,
                                          const EncodeOptions& encode, bool keep_texts,
                                          const std::stop_token& stop);

/// Returns views of texts, for functions that need views; none if there are no texts.
std::vector<std::string_view> views_of(std::span<const std::string> texts);

/// Adds every file that a source reads. `role` names the source in messages. Fails with the errors
/// of holds_texts().
Result<void> add_source_roles(const AnalysisSource& source, const std::string& role,
                              PathRoles& roles);

}  // namespace embd
