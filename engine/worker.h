#pragma once

#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/lease_pool.h"
#include "base/row_cache.h"
#include "engine/encoder/encoder.h"
#include "engine/heads/head.h"
#include "engine/input.h"
#include "engine/pipeline.h"
#include "engine/run_plan.h"
#include "tokenizer/tokenizer_worker.h"

namespace embd {

/// Turns inputs into rows, with memory of its own that is kept from call to call. One thread at a
/// time; the tokenizer and the encoder are shared and must outlive it.
class Worker {
 public:
  Worker(const Tokenizer& tokenizer, const Encoder& encoder)
      : tokenizer_(tokenizer), encoder_(encoder) {}

  /// Writes the block's rows, as `head` makes them, and reports. Inputs whose rows are in `known`
  /// are not computed, and the others' rows are added to it; nullptr: all are computed.
  Result<Report> encode(const Block& block, const RunPlan& plan, const Head& head,
                        RowCache* known = nullptr);
  /// The last layer's rows of one input, [tokens, hidden], valid until the next call.
  Result<MatrixView> encode_tokens(const Input& input, const RunPlan& plan,
                                   const std::stop_token& stop);
  TokenizerWorker& tokenizer() noexcept { return tokenizer_; }
  /// Returns true if a giant input has left memory behind that is not worth keeping.
  bool oversized() const noexcept { return texts_.ids.capacity() > std::size_t{1} << 20; }

 private:
  /// Appends the input's tokens to texts_.
  Result<RowReport> append(const Input& input, const RunPlan& plan);
  /// Appends tokens that are there, cut as a text's are: the special ones stay.
  Encoding append_tokens(const TokenSpan& tokens, const TextOptions& options);
  /// Returns true if the last of texts_ has the tokens of one before it, or of one that is known:
  /// then it is taken away again, and `row` of the window gets that row, now or when it is
  /// computed.
  bool is_repeated(std::size_t row, std::span<float> values, RowCache& known);
  void drop_last_text() noexcept;
  void clear() noexcept;
  /// Takes texts_ through the layers, and the rows of each through the head into its row of the
  /// window.
  Result<void> flush(const Block& block, const Head& head, RowCache* known);

  TokenizerWorker tokenizer_;
  const Encoder& encoder_;
  PackedTexts texts_;
  std::vector<std::size_t> rows_;  // of the window, one for each of texts_
  /// The cache key of each of texts_, where repeated ones are looked for, and the row of the window
  /// with that key.
  std::vector<RowCache::Key> keys_;
  std::unordered_map<RowCache::Key, std::size_t, RowCache::KeyHash> rows_by_key_;
  struct Copy {
    std::size_t row;   // of the window
    std::size_t from;  // another row of it
  };
  std::vector<Copy> copies_;
  Activations activations_;
  std::vector<float> scratch_;  // of the head
};

/// The workers of a model.
using WorkerPool = LeasePool<Worker>;

}  // namespace embd
