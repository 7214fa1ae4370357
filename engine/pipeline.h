#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <stop_token>

#include "embd/error.h"
#include "embd/model.h"
#include "engine/input.h"

namespace embd {

/// A set of inputs that are given out together, with the memory for their rows. A Feed fills it.
struct InputBuffer {
  Inputs inputs;
  std::span<float> rows;         // [inputs, width]
  std::span<RowReport> reports;  // [inputs], or empty if nobody asked
  /// The number of each input's text in the call, from 0; empty: inputs are numbered as here.
  std::span<const std::uint64_t> numbers = {};

  std::uint64_t text_number(std::size_t row) const noexcept {
    return numbers.empty() ? row : numbers[row];
  }
};

/// Some inputs of a buffer, as indices into it, the longest first.
struct Block {
  const InputBuffer& buffer;
  std::span<const std::size_t> rows;
  int threads = 1;  // that may share each step: more than one where no other block is under way
  std::stop_token stop;  // then the block may be left unfinished, with the error `cancelled`
};

/// A source and receiver of buffers. Calls of the same function never overlap, but a slot may be
/// filled while another is delivered. Buffers are delivered in the order in which they were filled.
class Feed {
 public:
  virtual ~Feed() = default;
  /// Returns the number of buffers that may be in progress at the same time. fill() is called with
  /// a `slot` below this number, and again with the same slot only after its buffer was delivered.
  virtual std::size_t slots() const noexcept = 0;
  /// Stores the next inputs in the buffer; returns false at the end.
  virtual Result<bool> fill(std::size_t slot, InputBuffer& buffer) = 0;
  virtual Result<void> deliver(std::size_t slot, const InputBuffer& buffer) = 0;
};

struct PipelineOptions {
  int threads = 1;
  int team = 1;  // threads that a block may use which is alone
  std::int64_t batch_tokens = 1;
  TokenEstimate estimate;
};

/// Encodes all inputs of the feed, on the calling thread and up to threads − 1 more, which end with
/// the call. A worker takes one block of whole inputs at a time and shares only the queue with
/// other workers; a block that is alone may be computed by a team of threads. `encode` is called
/// from several threads at the same time. Returns the sum of the reports of `encode`. The first
/// error ends the run and is returned; after a stop request it is `cancelled`.
Result<Report> run_pipeline(Feed& feed, const PipelineOptions& options,
                            const std::function<Result<Report>(const Block&)>& encode,
                            const std::stop_token& stop);

}  // namespace embd
