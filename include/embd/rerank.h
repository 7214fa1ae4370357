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

/// Options for scoring the pairs of a file.
struct ScorePairsOptions {
  ScoreOptions score = {};  ///< how to compute scores
  /// The field of a record that contains the first text of the pair, usually the query.
  /// InputOptions::text_field names the field of the second text.
  std::string query_field = "query";
  /// The options for writing scores. The format must be JSON Lines or Parquet.
  OutputOptions output = {};

  /// The part of the input to score, the number of the first pair, a file for a report on each
  /// pair, and the journal of finished pairs. These members have the same meaning as in
  /// EmbedOptions.
  std::optional<InputPart> part = {};
  std::optional<std::uint64_t> id_start = {};
  std::filesystem::path row_report = {};
  bool resume = false;
  bool restart = false;

  /// A function that is called with the progress whenever pairs are finished. Calls never overlap,
  /// but they may come from any thread. If it is empty, nothing is reported.
  std::function<void(const EmbedProgress&)> progress = {};
};

/// Scores the pairs of texts in a file of JSON Lines, CSV, TSV or Parquet records, one pair for
/// each record, and writes the scores to files of JSON Lines or Parquet in the same order. A line
/// has the record's id (or the number of the pair, from 0), its score and its logit; for a model
/// with several labels, lists of scores and logits. "-" is standard input or standard output.
/// open_vectors() can read the scores back, as rows of RowKind::scores.
///
/// Either all outputs appear, complete, or none does. Memory does not grow with the number of
/// pairs. The same input and options give the same bytes, even if the job was interrupted and
/// resumed.
///
/// Each row in the report is a pair; a pair counts as empty if its second text is. Fails with the
/// errors of reading the records and of Reranker::score(), which name the file and the line; with
/// invalid_argument for an output format that cannot hold scores, for options that exclude each
/// other, and for a file that would be overwritten while it is read, or written twice; with
/// bad_value for a pair that is too long if ScoreOptions::refuse_truncated is set; with
/// recipe_mismatch for a journal made with another input or other options; with cancelled after a
/// stop request; with io_failed.
Result<EmbedReport> score_pairs_file(const Reranker& model, const std::filesystem::path& input,
                                     const std::vector<std::filesystem::path>& outputs,
                                     const InputOptions& texts = {},
                                     const ScorePairsOptions& options = {},
                                     std::stop_token stop = {});

/// A row that a search found and a cross-encoder scored.
struct RankedRow {
  std::uint64_t row = 0;   ///< its number in the vector set
  float distance = 0;      ///< its distance in the search
  float score = 0;         ///< the activation of the logit
  float logit = 0;         ///< the number that the cross-encoder computes; higher is better
  bool truncated = false;  ///< true if the query or the row's text was cut

  bool operator==(const RankedRow&) const = default;
};
/// The ranked rows of each query, best first.
using RankedRows = std::vector<std::vector<RankedRow>>;

/// The hits of a search, and the texts by which rank_hits() ranks them. The structure refers to
/// memory of the caller, which must stay valid during the call.
struct HitTexts {
  std::span<const std::string_view> queries;  ///< one for each list of `hits`
  const RowHits& hits;
  const RowTexts& texts;  ///< of the rows in `hits` (Searcher::texts)
};

/// Ranks the hits of each query by the texts of their rows, as Reranker::rank() does, and keeps the
/// best `k`. Fails with invalid_argument if the numbers of queries and of lists of hits differ,
/// with missing if there are hits but no texts, and with the errors of Reranker::rank().
Result<RankedRows> rank_hits(const Reranker& model, const HitTexts& found, std::size_t k,
                             const ScoreOptions& options = {}, std::stop_token stop = {});

}  // namespace embd
