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
#include "embd/prompt.h"
#include "embd/score_activation.h"
#include "embd/tokens.h"

namespace embd {

/// The options of Reranker that may differ from call to call. An unset value is the model's own.
struct ScoreOptions {
  /// Tokens a pair is cut to, special ones counted: from 3 to the model's positions. The longer
  /// text of a pair is cut first.
  std::optional<std::uint32_t> max_length = {};
  /// Which end of each text is cut off.
  std::optional<TruncationSide> truncation_side = {};
  /// Put before the first text of each pair, such as "query: "; an empty one puts nothing there.
  std::optional<std::string> prompt = {};
  /// The prompt by its name among Reranker::prompts(), instead of itself; empty: no name is given.
  std::string prompt_name = {};
  std::optional<ScoreActivation> activation = {};
  /// A pair of more tokens is an error, bad_value, instead of being cut; the error's line is the
  /// pair's number from 1.
  bool refuse_truncated = false;
  /// As in EncodeOptions, with pairs for texts.
  int threads = 0;
  std::size_t batch_tokens = 0;
  bool dedup = true;
  bool strict_utf8 = false;
};

/// The results of scoring some pairs.
struct PairScores {
  Matrix logits;                   ///< [pairs, labels], as the classifier gives them
  Matrix scores;                   ///< [pairs, labels]: the activation of each logit
  std::vector<RowReport> reports;  ///< [pairs]; the tokens of both texts, and whether one was cut
};

/// A document of a ranking.
struct RankedDocument {
  std::size_t index = 0;  ///< its place among the documents that were given
  float score = 0;        ///< the activation of the logit
  float logit = 0;
  bool truncated = false;  ///< the query or the document was cut

  bool operator==(const RankedDocument&) const = default;
};

/// Where a stream of pairs comes from. Called from one thread at a time.
class PairSource {
 public:
  virtual ~PairSource() = default;
  /// Puts the next pair in `first` and `second` (reusing their memory) and returns true, or false
  /// at the end.
  virtual Result<bool> next(std::string& first, std::string& second) = 0;
};

/// Where a stream of scores goes. Called from one thread at a time, in the order of the pairs.
class ScoreSink {
 public:
  virtual ~ScoreSink() = default;
  /// All three are valid during the call: `logits` and `scores` [n, labels], `reports` [n].
  virtual Result<void> write(MatrixView logits, MatrixView scores,
                             std::span<const RowReport> reports) = 0;
};

/// A cross-encoder: a BERT encoder that reads two texts together, such as a question and a passage,
/// and a classifier that says how well they belong together. Over a mapped EMBD file or a Hugging
/// Face folder.
///
/// Immutable after open(): any number of threads may call any member at once. Moved, not copied;
/// what it computes is the caller's. A pair has the same bytes whatever else is in the batch, in
/// any order, with any batch size, number of threads and instruction_set(), but for "reference"
/// (docs/reproducible.md). Errors: invalid_argument for options outside the model's limits,
/// invalid_utf8 in strict mode, cancelled when stopped, out_of_memory; a source's or sink's own
/// error is passed on.
class Reranker {
 public:
  /// Opens a file or a folder as Model::open() does. Errors: those of Model::open(); unsupported,
  /// which names the model, for a sentence embedding model.
  static Result<Reranker> open(const std::filesystem::path& path, const LoadOptions& options = {});

  Reranker(Reranker&&) noexcept;
  Reranker& operator=(Reranker&&) noexcept;
  ~Reranker();

  const std::string& name() const noexcept;
  /// The names of the logits of a pair, at least one. A model to rank with has one.
  const std::vector<std::string>& labels() const noexcept;
  /// The function that makes scores of logits where the options name none.
  ScoreActivation activation() const noexcept;
  /// Default and largest possible number of tokens of a pair.
  std::uint32_t max_length() const noexcept;
  std::uint32_t max_positions() const noexcept;
  /// As those of Model.
  const std::vector<Prompt>& prompts() const noexcept;
  const std::string& default_prompt_name() const noexcept;
  Compute compute() const noexcept;
  ModelSize size() const;
  std::string_view instruction_set() const noexcept;
  /// Returns what scores with `options` are made with. In the words of a vector set: the pooling is
  /// cls, since logits are made of the first token's row, they are not normalized, and truncate_dim
  /// is the number of labels. The first call hashes the model file; later ones reuse the hash.
  Result<Recipe> recipe(const ScoreOptions& options = {}) const;

  /// Scores pairs, in their order.
  Result<PairScores> score(std::span<const TextPair> pairs, const ScoreOptions& options = {},
                           std::stop_token stop = {}) const;
  /// Scores pairs from a source to a sink, in memory that does not grow with the number of pairs. A
  /// stop is noticed between blocks (hundreds of tokens); what the sink was given by then is a
  /// prefix.
  Result<Report> score(PairSource& source, ScoreSink& sink, const ScoreOptions& options = {},
                       std::stop_token stop = {}) const;
  /// Ranks documents for a query, the best first, and returns the best `k`: by logit, of equal ones
  /// the earlier document first, NaN last. Scores of an activation that rounds many logits to 1
  /// keep their order so. The query becomes tokens once in each thread. Errors: invalid_argument
  /// for a model with several labels.
  Result<std::vector<RankedDocument>> rank(std::string_view query,
                                           std::span<const std::string_view> documents,
                                           std::size_t k = std::numeric_limits<std::size_t>::max(),
                                           const ScoreOptions& options = {},
                                           std::stop_token stop = {}) const;

  /// The tokens of a pair with the prompt and the cut of `options`; max_length 0 does not cut.
  Result<Tokens> tokenize(const TextPair& pair, const ScoreOptions& options = {}) const;

  struct Impl;

 private:
  explicit Reranker(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace embd
