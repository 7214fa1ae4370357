#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "embd/model.h"
#include "engine/encode_plan.h"
#include "engine/window_cutter.h"

namespace embd {

/// Turns texts that are longer than the model takes into windows. It stands between the source and
/// sink of a stream and the engine: for the engine it is a source of windows, given as token ids,
/// and a sink of their rows. A text of any length is tokenized once, as a whole; its windows are
/// given out one by one.
class TextWindows final : public TokenIdSource, public RowSink {
 public:
  /// All arguments must outlive this object.
  TextWindows(TextSource& source, RowSink& sink, WindowCutter& cutter, const EncodePlan& plan)
      : source_(source), sink_(sink), cutter_(cutter), plan_(plan) {}

  /// Stores the ids of the next window.
  Result<bool> next(std::vector<std::int32_t>& ids) override;
  /// Returns the number of the text that the last window is of, from 0.
  std::uint64_t text_number() const noexcept { return num_texts_ - 1; }
  /// Receives the rows of windows, and passes on these rows or the means of each text's rows.
  Result<void> write(MatrixView rows, std::span<const RowReport> reports) override;
  /// Returns the number of rows passed on to the sink.
  std::uint64_t num_rows() const noexcept { return num_rows_; }

 private:
  /// A window that is in the engine.
  struct Place {
    std::uint32_t window = 0;
    std::uint32_t windows = 0;
    std::uint32_t text_tokens = 0;
    std::optional<TextPlace> in_text = {};
  };

  /// Reads and cuts the next text. Returns false at the end.
  Result<bool> open_text();
  Place take_place();
  void add_to_mean(std::span<const float> row, const Place& place);

  TextSource& source_;
  RowSink& sink_;
  WindowCutter& cutter_;
  const EncodePlan& plan_;

  // The text that is being cut, used by the thread that calls next().
  std::string text_;
  std::uint64_t num_texts_ = 0;
  Place next_;

  std::mutex mutex_;
  std::deque<Place> places_;

  // The rows that return, used by the thread that calls write().
  std::vector<double> sum_;
  std::vector<float> means_;
  std::vector<RowReport> reports_;
  std::uint64_t num_rows_ = 0;
};

}  // namespace embd
