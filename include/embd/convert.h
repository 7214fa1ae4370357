#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "embd/error.h"
#include "embd/output_options.h"
#include "embd/vectors.h"

namespace embd {

struct ConvertOptions {
  ReadOptions read = {};  ///< of every input
  OutputOptions output = {};
  /// Rows [first, end) of all inputs together; nothing: all.
  std::optional<std::uint64_t> first_row = {};
  std::optional<std::uint64_t> end_row = {};
  /// Join inputs whose recipes differ.
  bool force = false;
};

/// Parts of an input that the output has no place for.
struct LeftOut {
  std::filesystem::path input;
  std::string parts;  ///< "2 sections, column price"
};

struct ConvertReport {
  std::uint64_t rows = 0;
  std::vector<LeftOut> left_out;
  std::vector<OutputLoss> losses;
};

/// Writes the rows of vector sets and indexes of any format, one after the other, as one vector set
/// of any format that can be written. Ids, recipe and what else the output has room for go along;
/// parts that one job was split into become the file that the job would have written whole.
/// Errors: recipe_mismatch (see ConvertOptions.force), bad_count for rows of another number of
/// values, invalid_argument for what the output has no place for.
Result<ConvertReport> convert_vectors(const std::vector<std::filesystem::path>& inputs,
                                      const std::filesystem::path& output,
                                      const ConvertOptions& options = {},
                                      std::stop_token stop = {});

struct IndexFileOptions {
  ReadOptions read = {};
  /// `kind` is by the output's extension: .usearch is HNSW, .svs and .config are Vamana.
  IndexOptions index = {};
  /// Measure recall on so many of the rows and keep it in OUT.recipe.json; 0: do not.
  std::uint64_t certify = 0;
};

/// The kind of index that a file name asks for. Error: invalid_argument.
Result<IndexKind> index_kind_of(const std::filesystem::path& output);

/// Builds a search index over a vector set, with its ids and its recipe.
Result<void> index_file(const std::filesystem::path& vectors, const std::filesystem::path& output,
                        const IndexFileOptions& options = {}, std::stop_token stop = {});

}  // namespace embd
