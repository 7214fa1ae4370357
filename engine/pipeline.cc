#include "engine/pipeline.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <numeric>
#include <optional>
#include <thread>
#include <utility>

#include "base/parallel.h"
#include "base/try.h"

namespace embd {
namespace {

/// The smallest number of tokens of a block. In a smaller block, reading the weights once more
/// costs more time than a further thread saves.
constexpr std::int64_t min_block_tokens = 32;

/// A buffer on its way through the pipeline.
struct Slot {
  InputBuffer buffer;
  std::vector<std::size_t> order;  // longest input first
  std::size_t taken = 0;           // inputs of `order` given to a worker
  std::size_t done = 0;            // inputs encoded
  std::int64_t block_tokens = 0;
  int threads_per_block = 1;

  bool untaken() const { return taken < order.size(); }
  bool complete() const { return done == order.size(); }
};

/// Sorts the inputs, the longest first, and chooses the size of blocks so that the number of blocks
/// is a multiple of the number of threads. Returns the number of blocks.
std::int64_t plan_blocks(Slot& slot, const PipelineOptions& options) {
  const Inputs& inputs = slot.buffer.inputs;
  slot.order.resize(inputs.size());
  std::iota(slot.order.begin(), slot.order.end(), std::size_t{0});
  std::ranges::stable_sort(slot.order, std::greater{},
                           [&](std::size_t i) { return text_bytes(inputs[i]); });
  slot.taken = 0;
  slot.done = 0;

  std::int64_t tokens = 0;
  for (std::size_t i = 0; i < inputs.size(); ++i) tokens += options.estimate(inputs[i]);
  const auto at_least_one = [](std::int64_t n) { return std::max<std::int64_t>(n, 1); };
  const auto divide_up = [](std::int64_t n, std::int64_t by) { return (n + by - 1) / by; };
  const std::int64_t rounds =
      at_least_one(divide_up(tokens, options.batch_tokens * options.threads));
  slot.block_tokens = std::max(at_least_one(divide_up(tokens, rounds * options.threads)),
                               std::min<std::int64_t>(min_block_tokens, options.batch_tokens));
  return std::min(divide_up(tokens, slot.block_tokens), static_cast<std::int64_t>(inputs.size()));
}

/// Takes the next inputs of the slot and returns them: as many as fit into a block, where the last
/// one must fit by at least half of its tokens.
std::span<const std::size_t> take_block(Slot& slot, const TokenEstimate& estimate) {
  const std::size_t first = slot.taken;
  const auto next = [&] { return estimate(slot.buffer.inputs[slot.order[slot.taken]]); };
  std::int64_t tokens = 0;
  do {
    tokens += next();
    ++slot.taken;
  } while (slot.untaken() && tokens + next() / 2 <= slot.block_tokens);
  return std::span(slot.order).subspan(first, slot.taken - first);
}

class Pipeline {
 public:
  Pipeline(Feed& feed, const PipelineOptions& options,
           const std::function<Result<Report>(const Block&)>& encode, const std::stop_token& stop)
      : feed_(feed), options_(options), encode_(encode), stop_(stop), slots_(feed.slots()) {
    threads_.reserve(static_cast<std::size_t>(options.threads));
  }

  Result<Report> run() {
    work();
    threads_.clear();  // Joins. Nobody adds to them any more: see the ends of work().
    if (error_) return std::unexpected(std::move(*error_));
    return report_;
  }

 private:
  /// Does the work of one thread until nothing is left to start. Delivering a finished buffer comes
  /// first, because it frees memory; reading comes last, so that few inputs are held.
  void work() {
    std::unique_lock lock(mutex_);
    while (true) {
      if (!error_ && stop_.stop_requested()) error_ = fail_stopped().error();
      if (error_) break;
      if (in_flight_ > 0 && slots_[oldest_].complete() && !delivering_) {
        deliver(lock);
      } else if (Slot* slot = first_untaken()) {
        encode(*slot, lock);
      } else if (!ended_ && !filling_ && in_flight_ < slots_.size()) {
        fill(lock);
      } else if (ended_) {
        break;  // The threads that have blocks finish and deliver them.
      } else {
        changed_.wait(lock);
      }
    }
    changed_.notify_all();
  }

  void fill(std::unique_lock<std::mutex>& lock) {
    filling_ = true;
    const std::size_t index = (oldest_ + in_flight_) % slots_.size();
    Slot& slot = slots_[index];
    lock.unlock();
    std::int64_t blocks = 0;
    const Result<bool> more = guarded([&]() -> Result<bool> {
      if (!EMBD_TRY(feed_.fill(index, slot.buffer))) return false;
      blocks = plan_blocks(slot, options_);
      return true;
    });
    lock.lock();
    filling_ = false;
    if (!more) return fail_with(more.error());
    if (*more) {
      ++in_flight_;
      const bool alone = blocks <= 1 && threads_.empty();
      slot.threads_per_block = alone ? options_.team : 1;
      if (!error_) hire(blocks);
    } else {
      ended_ = true;
    }
    changed_.notify_all();
  }

  void encode(Slot& slot, std::unique_lock<std::mutex>& lock) {
    const Block block{slot.buffer, take_block(slot, options_.estimate), slot.threads_per_block,
                      stop_};
    lock.unlock();
    const Result<Report> report = guarded([&] { return encode_(block); });
    lock.lock();
    if (!report) return fail_with(report.error());
    report_.rows += report->rows;
    report_.tokens += report->tokens;
    report_.truncated_rows += report->truncated_rows;
    report_.repeated_rows += report->repeated_rows;
    slot.done += block.rows.size();
    if (slot.complete()) changed_.notify_all();
  }

  void deliver(std::unique_lock<std::mutex>& lock) {
    delivering_ = true;
    const std::size_t index = oldest_;
    lock.unlock();
    const Result<void> delivered =
        guarded([&] { return feed_.deliver(index, slots_[index].buffer); });
    lock.lock();
    delivering_ = false;
    if (!delivered) return fail_with(delivered.error());
    oldest_ = (oldest_ + 1) % slots_.size();
    --in_flight_;
    changed_.notify_all();
  }

  Slot* first_untaken() {
    for (std::size_t i = 0; i < in_flight_; ++i) {
      Slot& slot = slots_[(oldest_ + i) % slots_.size()];
      if (slot.untaken()) return &slot;
    }
    return nullptr;
  }

  /// Starts threads until there is one for each block, up to the limit. If the system gives no more
  /// threads, fewer do the work.
  void hire(std::int64_t blocks) {
    const auto wanted = std::min<std::int64_t>(blocks, options_.threads);
    while (std::ssize(threads_) + 1 < wanted && start_thread(threads_, [this] { work(); })) {
    }
  }

  void fail_with(Error error) {
    if (!error_) error_ = std::move(error);
    changed_.notify_all();
  }

  Feed& feed_;
  const PipelineOptions& options_;
  const std::function<Result<Report>(const Block&)>& encode_;
  const std::stop_token& stop_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Slot> slots_;  // a ring; in_flight_ of them are filled, from oldest_ on
  std::size_t oldest_ = 0;
  std::size_t in_flight_ = 0;
  bool filling_ = false;
  bool delivering_ = false;
  bool ended_ = false;
  std::optional<Error> error_;
  Report report_;
  std::vector<std::jthread> threads_;
};

}  // namespace

Result<Report> run_pipeline(Feed& feed, const PipelineOptions& options,
                            const std::function<Result<Report>(const Block&)>& encode,
                            const std::stop_token& stop) {
  return Pipeline(feed, options, encode, stop).run();
}

}  // namespace embd
