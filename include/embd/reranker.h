#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "embd/error.h"
#include "embd/matrix.h"
#include "embd/model.h"
#include "embd/model_types.h"
#include "embd/tokens.h"

namespace embd {

/// Options that may differ from call to call. An option that is not set has the value that the
/// model's configuration gives.
struct ScoreOptions {
  /// The number of tokens that a pair is cut to, special tokens included, from 3 to
  /// max_positions(). The longer text of a pair is cut first.
  std::optional<std::uint32_t> max_length = {};
  /// The end at which each text is cut: right drops its last tokens, left its first.
  std::optional<TruncationSide> truncation_side = {};
  /// A text put before the first text of each pair, such as "query: ". An empty string stands for
  /// no prompt, even if the model has a default one.
  std::optional<std::string> prompt = {};
  /// The name of a prompt in Reranker::prompts() to put before the first text of each pair. Cannot
  /// be combined with `prompt`. An empty string stands for no name.
  std::string prompt_name = {};
  /// The function that turns logits into scores.
  std::optional<ScoreActivation> activation = {};
  /// Fail with bad_value for a pair with more tokens than max_length, instead of cutting it. The
  /// line of the error is the number of the pair, from 1.
  bool refuse_truncated = false;
  /// The number of threads, the size of batches, and the treatment of repeated and of malformed
  /// texts. They have the same meaning as in EncodeOptions.
  int threads = 0;
  std::size_t batch_tokens = 0;
  bool dedup = true;
  bool strict_utf8 = false;
};

/// The scores and logits of pairs of texts, in the order in which the pairs were given.
struct PairScores {
  Matrix logits;  ///< [pairs, labels], as the classifier computes them
  Matrix scores;  ///< [pairs, labels], the activation of each logit
  /// A report for each pair, [pairs]: the number of tokens of both texts together, and whether one
  /// was cut.
  std::vector<RowReport> reports;
};

/// A document in a ranking, with its index, its score and its logit.
struct RankedDocument {
  std::size_t index = 0;   ///< its index among the documents that were given
  float score = 0;         ///< the activation of the logit
  float logit = 0;         ///< the number that the classifier computes; higher is better
  bool truncated = false;  ///< true if the query or the document was cut

  bool operator==(const RankedDocument&) const = default;
};

/// A stream of pairs of texts, read by Reranker::score(). Calls never overlap, but may come from
/// different threads.
class PairSource {
 public:
  virtual ~PairSource() = default;
  /// Stores the next pair in `first` and `second`, whose memory is reused, and returns true;
  /// returns false at the end.
  virtual Result<bool> next(std::string& first, std::string& second) = 0;
};

/// A receiver of scores, in the order of the pairs. Calls never overlap, but may come from
/// different threads.
class ScoreSink {
 public:
  virtual ~ScoreSink() = default;
  /// Receives `logits` and `scores` [n, labels] and their reports [n], which are valid during the
  /// call only.
  virtual Result<void> write(MatrixView logits, MatrixView scores,
                             std::span<const RowReport> reports) = 0;
};

/// A cross-encoder: an encoder, such as BERT or MPNet, which reads two texts together, as a
/// question and a passage, and a classifier that computes how well they belong together. It is read
/// from a weight file, which is mapped into memory, or from a model folder of the Hugging Face hub.
///
/// A reranker does not change after open(), so any number of threads may call any function at the
/// same time. It can be moved, but not copied. Results belong to the caller.
///
/// A pair always gets the same bytes, whatever other pairs are in the batch, in any order, with any
/// batch size and number of threads, and on any processor; only the kernels "reference" differ
/// (docs/reproducible.md).
///
/// Functions fail with invalid_argument for options outside the model's limits, with invalid_utf8
/// in strict mode, with cancelled after a stop request, with out_of_memory, and with the errors
/// that a source or sink returned.
class Reranker {
 public:
  /// Opens a weight file or a model folder as Model::open() does. Fails as Model::open() does, and
  /// with unsupported for a sentence embedding model, which Model::open() takes.
  static Result<Reranker> open(const std::filesystem::path& path, const LoadOptions& options = {});

  Reranker(Reranker&&) noexcept;
  Reranker& operator=(Reranker&&) noexcept;
  ~Reranker();

  const std::string& name() const noexcept;
  /// Returns the names of the labels, at least one. A pair gets a logit and a score for each label.
  /// A model for ranking has exactly one label.
  const std::vector<std::string>& labels() const noexcept;
  /// Returns the function that turns logits into scores if the options name none.
  ScoreActivation activation() const noexcept;
  /// Returns the number of tokens that pairs are cut to by default (max_length), and the most that
  /// the model can process (max_positions).
  std::uint32_t max_length() const noexcept;
  std::uint32_t max_positions() const noexcept;
  /// Returns the smallest number of tokens that pairs can be cut to: the special tokens and one
  /// token of each text.
  std::uint32_t least_length() const;
  /// Return the prompts, the name of the default prompt, the arithmetic, the size and the kernels
  /// of the model, as the functions of Model with the same names do.
  const std::vector<Prompt>& prompts() const noexcept;
  const std::string& default_prompt_name() const noexcept;
  Compute compute() const noexcept;
  /// Returns what a user should know about this model, as Model::notes() does.
  const std::vector<ModelNote>& notes() const noexcept;
  ModelSize size() const;
  std::string_view instruction_set() const noexcept;
  /// Returns the recipe of scores made with `options`. It uses the fields of a recipe of vectors:
  /// pooling is cls, because logits are computed from the first token; normalize is false;
  /// truncate_dim is the number of labels. The first call computes the SHA-256 of the model file;
  /// later calls reuse it.
  Result<Recipe> recipe(const ScoreOptions& options = {}) const;

  /// Computes the logits and scores of pairs and returns them in the order of the pairs.
  Result<PairScores> score(std::span<const TextPair> pairs, const ScoreOptions& options = {},
                           std::stop_token stop = {}) const;
  /// Scores a stream of pairs into a sink. Memory does not grow with the number of pairs. A stop
  /// request is noticed after some hundred tokens; the scores that the sink has received by then
  /// are complete, from the first pair on.
  Result<Report> score(PairSource& source, ScoreSink& sink, const ScoreOptions& options = {},
                       std::stop_token stop = {}) const;
  /// Ranks documents for a query and returns the best `k`, best first. Documents are ordered by
  /// logit, so the order stays meaningful if an activation rounds many scores to 1. At equal logits
  /// the earlier document comes first; NaN comes last. Each thread tokenizes the query only once.
  /// Fails with invalid_argument for a model with several labels.
  Result<std::vector<RankedDocument>> rank(std::string_view query,
                                           std::span<const std::string_view> documents,
                                           std::size_t k = std::numeric_limits<std::size_t>::max(),
                                           const ScoreOptions& options = {},
                                           std::stop_token stop = {}) const;

  /// Returns the tokens of a pair, with the prompt, and cut as `options` say; a max_length of 0
  /// does not cut.
  Result<Tokens> tokenize(const TextPair& pair, const ScoreOptions& options = {}) const;

  struct Impl;

 private:
  explicit Reranker(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace embd
