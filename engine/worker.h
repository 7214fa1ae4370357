#pragma once

#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/lease_pool.h"
#include "base/row_cache.h"
#include "engine/encode_plan.h"
#include "engine/encoder/encoder.h"
#include "engine/pipeline.h"
#include "tokenizer/tokenizer_worker.h"

namespace embd {

/// Turns texts into rows, with memory of its own that is kept from call to call. One thread at a
/// time; the tokenizer and the encoder are shared and must outlive it.
class Worker {
 public:
  Worker(const Tokenizer& tokenizer, const Encoder& encoder)
      : tokenizer_(tokenizer), encoder_(encoder) {}

  /// Writes the block's rows and reports. Texts whose rows are in `known` are not computed, and the
  /// others' rows are added to it; nullptr: all are computed.
  Result<Report> encode(const Block& block, const EncodePlan& plan, RowCache* known = nullptr);
  /// The last layer's rows of one text, [tokens, hidden], valid until the next call.
  Result<MatrixView> encode_tokens(std::string_view text, const EncodePlan& plan);
  /// The ids of one text, valid until the next call; max_length 0 does not cut.
  Result<RowReport> tokenize(std::string_view text, const EncodePlan& plan);
  std::span<const std::int32_t> ids() const noexcept { return texts_.ids; }
  /// The same with each token's place in the text, as the caller's own.
  Result<Tokens> locate_tokens(std::string_view text, const EncodePlan& plan);
  /// Whether a giant text has left memory behind that is not worth keeping.
  bool oversized() const noexcept { return texts_.ids.capacity() > std::size_t{1} << 20; }

 private:
  /// Appends the ids whose bytes these are to texts_, cut as text is: the first and the last stay.
  RowReport append_ids(std::string_view bytes, const EncodePlan& plan);
  /// Appends the text to texts_.
  Result<RowReport> append(std::string_view text, const EncodePlan& plan);
  /// Whether the last of texts_ has the ids of one before it, or of one that is known: then it is
  /// taken away again, and `row` of the window gets that row, now or when it is computed.
  bool is_repeated(std::size_t row, const Block& block, const EncodePlan& plan, RowCache& known);
  void drop_last_text() noexcept;
  void clear() noexcept;
  /// Takes texts_ through the layers and pools each into its row of the window.
  Result<void> flush(const Block& block, const EncodePlan& plan, RowCache* known);

  TokenizerWorker tokenizer_;
  const Encoder& encoder_;
  PackedTexts texts_;
  std::vector<std::size_t> rows_;  // of the window, one for each of texts_
  /// Of each of texts_, where repeated texts are looked for, and the row of the window with that
  /// key.
  std::vector<RowCache::Key> keys_;
  std::unordered_map<RowCache::Key, std::size_t, RowCache::KeyHash> rows_by_key_;
  struct Copy {
    std::size_t row;   // of the window
    std::size_t from;  // another row of it
  };
  std::vector<Copy> copies_;
  Activations activations_;
  std::vector<float> pooled_;  // a vector that is longer than its row
};

/// The workers of a model.
using WorkerPool = LeasePool<Worker>;

}  // namespace embd
