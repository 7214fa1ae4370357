#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "embd/error.h"
#include "embd/output_options.h"
#include "embd/terms.h"
#include "embd/vectors.h"

namespace embd {

/// Options for converting vector sets.
struct ConvertOptions {
  ReadOptions read = {};      ///< how to read each input
  OutputOptions output = {};  ///< how to write the output
  /// The rows to write, [first_row, end_row), counted over all inputs together. If they are unset,
  /// all rows are written.
  std::optional<std::uint64_t> first_row = {};
  std::optional<std::uint64_t> end_row = {};
  /// Join inputs whose recipes differ. By default that is an error, because their vectors are not
  /// comparable.
  bool force = false;
};

/// A note on one input: the parts of it, such as a column, that were not written because the format
/// of the output has no place for them.
struct LeftOut {
  std::filesystem::path input;  ///< the path of the input
  std::string parts;            ///< in words, such as "2 sections, column price"
};

/// The result of convert_vectors().
struct ConvertReport {
  std::uint64_t rows = 0;  ///< rows written
  /// A note on each input of which something was left out; empty if everything was written.
  std::vector<LeftOut> left_out;
  std::vector<OutputLoss> losses;  ///< the quantization error; empty if nothing was quantized
};

/// Writes the rows of one or several vector sets or indexes, in any format that can be read, one
/// after the other into one vector set. Ids, the recipe, texts and columns are copied as far as the
/// format of the output has a place for them; ConvertReport::left_out lists the rest. If the inputs
/// are the parts of one embedding job (EmbedOptions::part) in order, the output is the file that
/// the job would have written without being split.
///
/// The output appears when it is complete. Fails with recipe_mismatch if the inputs were made with
/// different recipes (unless ConvertOptions::force is set), with bad_count if their dimensions
/// differ, with invalid_argument for a row range or an option that does not fit, with cancelled
/// after a stop request, and with the errors of reading and writing.
Result<ConvertReport> convert_vectors(const std::vector<std::filesystem::path>& inputs,
                                      const std::filesystem::path& output,
                                      const ConvertOptions& options = {},
                                      std::stop_token stop = {});

/// Options for building an index over the rows of a file.
struct IndexFileOptions {
  ReadOptions read = {};  ///< how to read the vector set
  /// The options of the index. Its `kind` is chosen by the output's extension: .usearch is HNSW,
  /// .svs and .config are Vamana.
  IndexOptions index = {};
  /// The number of rows for which the index is searched after it was built, in order to measure its
  /// recall. The recall is stored in OUT.recipe.json. 0, the default, measures nothing.
  std::uint64_t certify = 0;
};

/// Returns the kind of index that a file name's extension stands for. Fails with invalid_argument
/// for any other extension.
Result<IndexKind> index_kind_of(const std::filesystem::path& output);

/// Builds a search index over a vector set and writes it, with the ids and the recipe of the set.
/// Rows that are binary codes need an HNSW index with the scalar type b1. Fails with
/// invalid_argument for options that do not fit the rows, with cancelled after a stop request, and
/// with the errors of reading, Index::build() and writing.
Result<void> index_file(const std::filesystem::path& vectors, const std::filesystem::path& output,
                        const IndexFileOptions& options = {}, std::stop_token stop = {});

/// Builds a term index over the texts that a vector set stores, such as a Parquet file that was
/// written with ParquetOptions::texts, and writes it to `output`, a folder whose name should end in
/// ".terms". Row i of it has the terms of the text of row i. If rows are windows of texts, these
/// are the terms of the window. Fails with missing for a set without texts, or without the places
/// of windows; with cancelled after a stop request; and with the errors of reading,
/// TermIndexBuilder::add() and writing.
Result<void> index_terms(const std::filesystem::path& vectors, const std::filesystem::path& output,
                         const TermOptions& options = {}, const ReadOptions& read = {},
                         std::stop_token stop = {});

}  // namespace embd
