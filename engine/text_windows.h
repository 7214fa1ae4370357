#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <vector>

#include "embd/model.h"
#include "engine/encode_plan.h"
#include "tokenizer/tokenizer_worker.h"

namespace embd {

/// Stands between a stream's own source and sink and the engine, and turns texts that are longer
/// than the model takes into windows: towards the engine it is a source of windows, each as its
/// token ids, and a sink of their rows. A text of any length is tokenized once, as a whole; its
/// windows are given out one by one.
class TextWindows final : public TokenIdSource, public RowSink {
 public:
  /// All four must outlive this.
  TextWindows(TextSource& source, RowSink& sink, TokenizerWorker& tokenizer, const EncodePlan& plan)
      : source_(source), sink_(sink), tokenizer_(tokenizer), plan_(plan) {}

  /// Call first. Errors: invalid_argument for a prompt that leaves no room, for a stride that
  /// leaves tokens out.
  Result<void> prepare();
  /// The next window's ids.
  Result<bool> next(std::vector<std::int32_t>& ids) override;
  /// Rows of windows in; rows of windows or their means out.
  Result<void> write(MatrixView rows, std::span<const RowReport> reports) override;
  /// Rows given to the sink.
  std::uint64_t num_rows() const noexcept { return num_rows_; }

 private:
  /// A window on its way through the engine.
  struct Place {
    std::uint32_t window = 0;
    std::uint32_t windows = 0;
    std::uint32_t text_tokens = 0;
  };

  /// The tokens of prompt and text, without special ones.
  Result<void> tokenize(std::string_view text, std::string_view prompt,
                        std::vector<std::int32_t>& ids);
  /// Reads and tokenizes the next text; false at the end.
  Result<bool> open_text();
  Result<void> tokenize_text();
  Place take_place();
  void add_to_mean(std::span<const float> row, const Place& place);

  TextSource& source_;
  RowSink& sink_;
  TokenizerWorker& tokenizer_;
  const EncodePlan& plan_;
  std::vector<std::int32_t> prompt_;
  std::size_t room_ = 0;  // tokens of the text in a window
  std::size_t stride_ = 0;

  // The text that is being cut, in next()'s thread.
  std::string text_;
  std::uint64_t num_texts_ = 0;
  bool is_whole_ = false;          // prompt and text fit one window together
  std::vector<std::int32_t> ids_;  // of both then, else of the text; without special ones
  Place next_;

  std::mutex mutex_;
  std::deque<Place> places_;

  // The rows that come back, in write()'s thread.
  std::vector<double> sum_;
  std::vector<float> means_;
  std::vector<RowReport> reports_;
  std::uint64_t num_rows_ = 0;
};

}  // namespace embd
