#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <stop_token>
#include <vector>

#include "embd/error.h"
#include "embd/model.h"
#include "engine/input.h"

namespace embd {

/// Inputs that are handed out together, and the memory for their rows. Filled by a Feed.
struct Window {
  Inputs inputs;
  std::span<float> rows;         // [inputs, width]
  std::span<RowReport> reports;  // [inputs], or empty if nobody asked
};

/// Some inputs of a window, longest first, as indices into it.
struct Block {
  const Window& window;
  std::span<const std::size_t> rows;
  int threads = 1;  // that may share each step: more than one where no other block is under way
  std::stop_token stop;  // then the block may be left unfinished, with the error `cancelled`
};

/// Where windows come from and where they go. Each function is called from one thread at a time,
/// but one slot may be filled while another is delivered. Windows are delivered in the order they
/// were filled in.
class Feed {
 public:
  virtual ~Feed() = default;
  /// Windows that may be under way at once: fill() is called with `slot` below this, again only
  /// after that slot's window was delivered.
  virtual std::size_t slots() const noexcept = 0;
  /// Sets the window to the next inputs, or returns false at the end.
  virtual Result<bool> fill(std::size_t slot, Window& window) = 0;
  virtual Result<void> deliver(std::size_t slot, const Window& window) = 0;
};

struct PipelineOptions {
  int threads = 1;
  int team = 1;  // threads that a block may use which is alone
  std::int64_t batch_tokens = 1;
  TokenEstimate estimate;
};

/// Encodes everything the feed has, on the calling thread and up to threads − 1 more that live as
/// long as the call. A worker takes a block of whole inputs at a time and shares nothing with the
/// others but the queue; a block that is alone may use a team. Returns the sum of what
/// `encode` returned; the first error ends the run and is returned, with `stop` it is `cancelled`.
/// `encode` is called from several threads at once.
Result<Report> run_pipeline(Feed& feed, const PipelineOptions& options,
                            const std::function<Result<Report>(const Block&)>& encode,
                            const std::stop_token& stop);

}  // namespace embd
