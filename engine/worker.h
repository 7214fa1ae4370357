#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "base/lease_pool.h"
#include "base/row_cache.h"
#include "engine/encoder/body.h"
#include "engine/heads/head.h"
#include "engine/input.h"
#include "engine/pipeline.h"
#include "engine/run_plan.h"
#include "tokenizer/tokenizer_worker.h"

namespace embd {

/// Turns inputs into rows, with memory that is kept from call to call. Used by one thread at a
/// time. The tokenizer and the body are shared, and must outlive it.
class Worker {
 public:
  Worker(const Tokenizer& tokenizer, const Body& body) : tokenizer_(tokenizer), body_(body) {}

  /// Computes the rows and reports of a block; `head` makes the rows. Rows that `known` contains
  /// are not computed again, and computed rows are added to it. If it is null, all rows are
  /// computed. Fails with bad_value for a row that is not finite; the line of the error is the
  /// number of the text in the call, from 1.
  Result<Report> encode(const Block& block, const RunPlan& plan, const Head& head,
                        RowCache* known = nullptr);
  /// Returns the rows of the last layer for one input, [tokens, hidden], valid until the next call.
  /// Fails with bad_value if they are not finite.
  Result<MatrixView> encode_tokens(const Input& input, const RunPlan& plan,
                                   const std::stop_token& stop);
  TokenizerWorker& tokenizer() noexcept { return tokenizer_; }
  /// Returns true if a very large input has left so much memory behind that it is not worth
  /// keeping.
  bool oversized() const noexcept { return texts_.ids.capacity() > std::size_t{1} << 20; }

 private:
  /// Appends the tokens of an input to texts_.
  Result<RowReport> append(const Input& input, const RunPlan& plan);
  /// Appends given tokens, cut like the tokens of a text: the special tokens are kept.
  Encoding append_tokens(const TokenSpan& tokens, const TextOptions& options);
  /// Returns true if the last text in texts_ has the same tokens as an earlier one or as a row in
  /// `known`. The text is then removed, and row number `row` of the buffer gets the values of the
  /// other row, now or when they are computed.
  bool is_repeated(std::size_t row, std::span<float> values, RowCache& known);
  void drop_last_text() noexcept;
  void clear() noexcept;
  /// Takes texts_ through the layers, and the rows of each text through the head into its row of
  /// the buffer.
  Result<void> flush(const Block& block, const Head& head, RowCache* known);

  TokenizerWorker tokenizer_;
  const Body& body_;
  PackedTexts texts_;
  std::vector<std::size_t> rows_;  // of the buffer, one for each of texts_
  /// The cache key of each text in texts_, if repeated texts are looked for; and the row of the
  /// buffer for each key.
  std::vector<RowCache::Key> keys_;
  std::unordered_map<RowCache::Key, std::size_t, RowCache::KeyHash> rows_by_key_;
  struct Copy {
    std::size_t row;   // of the buffer
    std::size_t from;  // another row of it
  };
  std::vector<Copy> copies_;
  Activations activations_;
  std::vector<float> scratch_;  // of the head
};

/// The pool of a model's workers.
using WorkerPool = LeasePool<Worker>;

}  // namespace embd
