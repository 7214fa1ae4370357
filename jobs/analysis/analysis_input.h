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

#include "embd/model.h"
#include "embd/texts.h"
#include "embd/vectors.h"
#include "jobs/analysis/text_file.h"

namespace embd {

/// Where the rows of an analysis come from.
struct AnalysisSource {
  /// Texts, which a model embeds, or a vector set of any format.
  std::filesystem::path path;
  /// The texts that the rows of a vector set were made of; empty: those that the set holds, if it
  /// holds any. Without InputOptions.id_field text i is that of row i.
  std::filesystem::path texts = {};
  ReadOptions read = {};
  InputOptions input = {};
};

/// True if the path is one of texts: "-", a name that ends as a file of texts does, or a file that
/// is of no format of vectors. InputOptions.format says that it is one, ReadOptions.format that it
/// is none. Errors: not_found, io_failed.
Result<bool> holds_texts(const AnalysisSource& source);

/// Rows in memory, or mapped, with what belongs to them. Moved, not copied.
struct AnalysisInput {
  MatrixView rows;  ///< [n, dim]; over `encoded`, or over the file of `set`
  Ids ids;
  std::optional<Recipe> recipe;
  /// [n] where they were asked for and there are any, else none.
  std::vector<std::string> texts;
  /// Record::fields of each text, [n], where InputOptions asks for fields and there is a file of
  /// texts, else none.
  std::vector<std::string> fields;
  /// Characters of each text, [n], where there are texts, else none.
  std::vector<std::uint64_t> lengths;
  /// The file of the texts, of which record_of_row [n] are those of the rows; nothing without one.
  std::optional<TextFile> file;
  std::vector<std::uint64_t> record_of_row;
  std::shared_ptr<const VectorReader> set;  ///< null for texts
  std::vector<float> encoded;
};

/// Reads all rows. `model` embeds texts with `encode`; it may be null for a vector set. Errors:
/// those of opening and reading; invalid_argument for texts without a model; unsupported for rows
/// that are codes (int8, binary) and for texts of rows that are windows; bad_count, missing and
/// duplicate for texts that are not those of the rows.
Result<AnalysisInput> read_analysis_input(const AnalysisSource& source, const Model* model,
                                          const EncodeOptions& encode, bool keep_texts,
                                          const std::stop_token& stop);

/// The texts of a row, for functions that take views; none where there are no texts.
std::vector<std::string_view> views_of(std::span<const std::string> texts);

}  // namespace embd
