#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "embd/embed_file.h"
#include "embd/error.h"
#include "embd/reranker.h"
#include "embd/searcher.h"
#include "embd/texts.h"

// Jobs of a cross-encoder: files of pairs to files of scores, and searches that are ranked anew.
namespace embd {

struct ScorePairsOptions {
  ScoreOptions score = {};
  /// The field of a record that holds the first text of its pair; InputOptions.text_field holds the
  /// second.
  std::string query_field = "query";
  /// JSON Lines or Parquet.
  OutputOptions output = {};

  /// As those of EmbedOptions: a part of the pairs alone, numbers for ids, a line for each pair, a
  /// journal of what is finished.
  std::optional<InputPart> part = {};
  std::optional<std::uint64_t> id_start = {};
  std::filesystem::path row_report = {};
  bool resume = false;
  bool restart = false;

  /// Called whenever pairs are finished, from one thread at a time, which need not be the caller's.
  std::function<void(const EmbedProgress&)> progress = {};
};

/// Scores the pairs of a file, one a record (JSON Lines, csv, tsv), into files of scores in their
/// order, JSON Lines or Parquet: the record's id, or the pair's number from 0, its score and its
/// logit; lists of them for a model with several labels. "-" is standard input or output. Every
/// output appears whole at the end, or none does. Memory does not grow with the number of pairs.
/// Equal input and options give equal bytes, whatever was interrupted and resumed. A file of scores
/// is read back by open_vectors(), as rows of RowKind::scores.
///
/// In the report a row is a pair, and one is empty where its second text is. Errors: those of
/// reading the records and of Reranker::score(), with file and line; invalid_argument for an output
/// of a format that has no scores, for options that exclude each other, and for a file that would
/// be read and replaced, or replaced twice; bad_value for a pair that is too long, if that is
/// refused; recipe_mismatch for a journal made under other conditions; cancelled; io_failed.
Result<EmbedReport> score_pairs_file(const Reranker& model, const std::filesystem::path& input,
                                     const std::vector<std::filesystem::path>& outputs,
                                     const InputOptions& texts = {},
                                     const ScorePairsOptions& options = {},
                                     std::stop_token stop = {});

/// A row that was found by a search and ranked by a cross-encoder.
struct RankedRow {
  std::uint64_t row = 0;  ///< its number in the set
  float distance = 0;     ///< of the search
  float score = 0;
  float logit = 0;
  bool truncated = false;  ///< the query or the row's text was cut

  bool operator==(const RankedRow&) const = default;
};
/// A list for each query, best first.
using RankedRows = std::vector<std::vector<RankedRow>>;

/// The hits of a search, and the texts that they are ranked by. Nothing here is owned.
struct HitTexts {
  std::span<const std::string_view> queries;  ///< one for each list of `hits`
  const RowHits& hits;
  const RowTexts& texts;  ///< of the rows in `hits` (Searcher::texts)
};

/// Ranks the hits of each query by the texts of their rows, as Reranker::rank() does, and keeps the
/// best `k`. Errors: those of Reranker::rank(); missing where there are no texts.
Result<RankedRows> rank_hits(const Reranker& model, const HitTexts& found, std::size_t k,
                             const ScoreOptions& options = {}, std::stop_token stop = {});

}  // namespace embd
