#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <expected>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "embd/error.h"

namespace embd::server {

using Clock = std::chrono::steady_clock;

/// How a work ended.
enum class Ending : std::uint8_t { done, gone, late, failed };

class Work;

struct Slice {
  std::shared_ptr<Work> work;
  std::size_t index;
};

/// The work of a request, in slices, which several workers may take at once. Its run() and end()
/// may throw; that is an error of this work alone.
class Work {
 public:
  virtual ~Work() = default;

  /// Does a slice of this work and one each of others of its kind. An error of one slice drops what
  /// is left of its work; after an error of several each of them is done again, alone.
  virtual Result<void> run(std::span<const Slice> slices) = 0;
  /// Once, when no slice is under way and none will be. `error` is set where it failed.
  virtual void end(Ending ending, const std::optional<Error>& error) noexcept = 0;

  /// Before it is submitted: tokens of each slice, at least one slice.
  std::vector<std::uint64_t> costs;
  /// Slices of works of the same kind may be done at once. Empty: never.
  std::string kind;
  /// Looked at before each slice.
  std::stop_token gone;
  Clock::time_point deadline = Clock::time_point::max();

  /// From when it was submitted to when its first slice began. After that.
  Clock::duration time_in_queue() const noexcept { return begun_ - submitted_; }
  /// The time of all slices, added. For end().
  Clock::duration time_of_workers() const noexcept { return busy_; }

 private:
  friend class Scheduler;
  Clock::time_point submitted_;
  Clock::time_point begun_;
  Clock::duration busy_{};
  std::size_t next_ = 0;
  std::size_t under_way_ = 0;
  std::uint64_t waiting_tokens_ = 0;  // of slices that no worker has begun
  Ending ending_ = Ending::done;
  std::optional<Error> error_;
};

/// Shares out workers among works: each takes the next slice of the work that has waited longest
/// since its last one, so a small work waits for a slice of each other, not for the whole of a big
/// one; and with it small ones of its kind that wait already. Nothing waits to be batched. Any
/// thread may call any member.
class Scheduler {
 public:
  /// `queue_seconds`: how long a work may wait for others, judged by how fast work has gone so far.
  /// `tokens_together`: of slices that are done at once, at most.
  Scheduler(int workers, double queue_seconds, std::uint64_t tokens_together);
  ~Scheduler() { stop(); }
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  /// Takes all of it, or none: then the seconds after which it may be tried again. A work is
  /// refused where others would keep it waiting for longer than `queue_seconds`; so one that is
  /// short is taken beside a long one. Where nothing is queued any work is taken, and a single
  /// slice that costs nothing is done by the caller at once.
  std::expected<void, unsigned> submit(std::shared_ptr<Work> work);

  /// Waits for the slices under way and drops all others; every end() has been called then. Nothing
  /// is taken any more.
  void stop();

  struct State {
    std::uint64_t queued_tokens = 0;  ///< not yet done
    std::uint64_t queued_works = 0;   ///< with slices that no worker has begun
    double tokens_per_second = 0;     ///< of all workers together
  };
  State state() const;
  int workers() const noexcept { return static_cast<int>(threads_.size()); }

 private:
  void work(const std::stop_token& stop);
  std::vector<Slice> take(Clock::time_point now, std::vector<std::shared_ptr<Work>>& dropped);
  void account(const Slice& slice, Result<void> done, Clock::duration busy);
  void drop_rest(Work& work, Ending ending);
  void measure(std::uint64_t tokens, Clock::duration busy);
  double rate() const noexcept;
  /// The tokens of others that workers do before a new work of `tokens` is done, since they take
  /// turns: of each work as many, or a slice.
  std::uint64_t tokens_beside(std::uint64_t tokens) const;

  const double queue_seconds_;
  const std::uint64_t tokens_together_;
  const int num_workers_;
  mutable std::mutex mutex_;
  std::condition_variable_any wake_;
  std::deque<std::shared_ptr<Work>> ring_;
  std::uint64_t queued_tokens_ = 0;
  // Sums that fade: one worker's tokens and seconds.
  double measured_tokens_;
  double measured_seconds_ = 1;
  std::vector<std::jthread> threads_;  // last: they use all of the above
};

}  // namespace embd::server
