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

/// The way in which a work ended: all slices are done, the client has closed the connection, the
/// deadline has passed, or a slice has failed.
enum class Ending : std::uint8_t { done, gone, late, failed };

class Work;

/// A slice of a work, by its number from 0.
struct Slice {
  std::shared_ptr<Work> work;
  std::size_t index;
};

/// The work of a request. It is divided into slices, which several workers may do at once. An
/// exception of run() is an error of this work alone.
class Work {
 public:
  virtual ~Work() = default;

  /// Does one slice of this work together with slices of other works of the same kind. If a single
  /// slice fails, the rest of its work is dropped. If several slices fail together, each is done
  /// again by itself, so that only the works with errors fail.
  virtual Result<void> run(std::span<const Slice> slices) = 0;
  /// Called once, when no slice is being done and none will be. `error` is set if `ending` is
  /// failed.
  virtual void end(Ending ending, const std::optional<Error>& error) noexcept = 0;

  /// The cost of each slice in tokens. It is set before the work is submitted, for at least one
  /// slice.
  std::vector<std::uint64_t> costs;
  /// Slices of works with the same kind may be done together in one run(). Empty: never.
  std::string kind;
  /// Ends the work with Ending::gone before its next slice if it is stopped.
  std::stop_token gone;
  Clock::time_point deadline = Clock::time_point::max();

  /// Returns the time from submitting the work to the start of its first slice. Call it after that
  /// start.
  Clock::duration time_in_queue() const noexcept { return begun_ - submitted_; }
  /// Returns the sum of the times of all slices. Call it in end().
  Clock::duration time_of_workers() const noexcept { return busy_; }

 private:
  friend class Scheduler;
  Clock::time_point submitted_;
  Clock::time_point begun_;
  Clock::duration busy_{};
  std::size_t next_ = 0;
  std::size_t under_way_ = 0;
  std::uint64_t waiting_tokens_ = 0;  // tokens of slices that no worker has begun
  Ending ending_ = Ending::done;
  std::optional<Error> error_;
};

/// Distributes the slices of works among worker threads.
///
/// A worker takes the next slice of the work that has waited longest since its last slice. So a
/// small work waits for one slice of each other work, not for the whole of a big one. Small works
/// of the same kind that are waiting are done together with it; no work is delayed to be batched.
/// Any number of threads may call any member at once.
class Scheduler {
 public:
  /// `queue_seconds` is the longest time that a work may have to wait for others, estimated from
  /// the measured speed. `tokens_together` is the largest number of tokens of slices that are done
  /// together.
  Scheduler(int workers, double queue_seconds, std::uint64_t tokens_together);
  ~Scheduler() { stop(); }
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  /// Puts a work into the queue. Refuses it if other works would delay it by more than
  /// `queue_seconds`, and returns the seconds after which the caller may try again. A short work is
  /// delayed less than a long one, so it may be accepted when a long one is not. Any work is
  /// accepted if the queue is empty. A work with a single slice of cost 0 is done at once by the
  /// calling thread.
  std::expected<void, unsigned> submit(std::shared_ptr<Work> work);

  /// Waits for the slices that are being done and drops all others. Afterwards end() of every work
  /// has been called, and submit() refuses all works.
  void stop();

  /// The present state of the queue.
  struct State {
    std::uint64_t queued_tokens = 0;  ///< tokens that are not done yet
    std::uint64_t queued_works = 0;   ///< works with slices that no worker has begun
    double tokens_per_second = 0;     ///< the measured speed of all workers together
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
  /// Returns the number of tokens of other works that workers do before a new work of `tokens`
  /// tokens is done. Works take turns, so each contributes at most that many tokens, or one slice.
  std::uint64_t tokens_beside(std::uint64_t tokens) const;

  const double queue_seconds_;
  const std::uint64_t tokens_together_;
  const int num_workers_;
  mutable std::mutex mutex_;
  std::condition_variable_any wake_;
  std::deque<std::shared_ptr<Work>> ring_;
  std::uint64_t queued_tokens_ = 0;
  // Sums of the tokens and seconds of one worker, in which older slices weigh less.
  double measured_tokens_;
  double measured_seconds_ = 1;
  std::vector<std::jthread> threads_;  // declared last, because they use all other members
};

}  // namespace embd::server
