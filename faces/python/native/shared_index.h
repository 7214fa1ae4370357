#pragma once

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <span>
#include <utility>
#include <vector>

#include "base/try.h"
#include "embd/index.h"
#include "faces/python/native/long_call.h"

namespace embd::python {

/// An index that several threads of Python use. Any number of threads may read it at once; a thread
/// that changes it has it alone. Waiting for other threads can be interrupted by signals.
class SharedIndex {
 public:
  using Mutex = std::shared_timed_mutex;

  explicit SharedIndex(Index index) : index_(std::move(index)) {}

  /// Calls work(index, stop) without the GIL and returns its value. No thread changes the index
  /// during the call.
  template <class Work>
  auto read(bool is_short, Work&& work) const {
    return run_locked<std::shared_lock<Mutex>>(
        {this}, is_short, [&](std::stop_token stop) { return work(index_, std::move(stop)); });
  }
  /// Calls work(stop) without the GIL and returns its value. No thread changes any of `several`
  /// indexes during the call, so `work` may call index() of each. No index may be in the list
  /// twice.
  template <class Work>
  static auto read_all(const std::vector<const SharedIndex*>& several, bool is_short, Work&& work) {
    return run_locked<std::shared_lock<Mutex>>(several, is_short, std::forward<Work>(work));
  }
  /// Calls work(index, stop) without the GIL and returns its value. No other thread uses the index
  /// during the call.
  template <class Work>
  auto change(bool is_short, Work&& work) {
    return run_locked<std::unique_lock<Mutex>>(
        {this}, is_short, [&](std::stop_token stop) { return work(index_, std::move(stop)); });
  }
  /// Adds rows and returns their keys: `keys` if they are given, otherwise the numbers after the
  /// greatest key in the index. Raises the exception for invalid_argument if there are more or
  /// fewer keys than rows, or if no number is left.
  std::vector<std::uint64_t> add(MatrixView rows, std::optional<std::vector<std::uint64_t>> keys,
                                 int threads);

  /// Returns the index. Only for use in the work of read_all().
  const Index& index() const noexcept { return index_; }

 private:
  /// Locks all indexes at once without waiting. Returns no locks if one of them is in use.
  template <class Lock>
  static std::vector<Lock> try_lock(const std::vector<const SharedIndex*>& several) {
    std::vector<Lock> locks;
    for (const SharedIndex* shared : several) {
      const std::unique_lock turn(shared->turn_, std::try_to_lock);
      if (!turn || !locks.emplace_back(shared->mutex_, std::try_to_lock)) return {};
    }
    return locks;
  }
  /// Locks all indexes and waits for other threads if necessary. All threads lock indexes in the
  /// same order, so that they cannot block each other for ever. Fails with cancelled if a stop is
  /// requested before.
  template <class Lock>
  static Result<std::vector<Lock>> lock(std::vector<const SharedIndex*> several,
                                        const std::stop_token& stop) {
    std::ranges::sort(several);
    std::vector<Lock> locks;
    for (const SharedIndex* shared : several) {
      std::unique_lock turn(shared->turn_, std::defer_lock);
      EMBD_TRY(wait_for(turn, stop));
      EMBD_TRY(wait_for(locks.emplace_back(shared->mutex_, std::defer_lock), stop));
    }
    return locks;
  }
  template <class Lock>
  static Result<void> wait_for(Lock& lock, const std::stop_token& stop) {
    while (!lock.try_lock_for(between_looks)) {
      if (stop.stop_requested()) return fail_stopped();
    }
    return {};
  }
  /// Calls work(stop) with the indexes locked. If a lock is not free, even short work becomes a
  /// long call, so that waiting can be interrupted. Signals are checked without the lock, because
  /// their handlers may use the index.
  template <class Lock, class Work>
  static auto run_locked(const std::vector<const SharedIndex*>& several, bool is_short,
                         Work&& work) {
    using Returned = decltype(work(std::stop_token()));
    if (is_short) {
      if (auto locks = try_lock<Lock>(several); locks.size() == several.size()) {
        return run_short([&]() -> Returned {
          const auto held = std::move(locks);
          return work(std::stop_token());
        });
      }
    }
    return run_long([&](std::stop_token stop) -> Returned {
      const auto held = EMBD_TRY(lock<Lock>(several, stop));
      return work(std::move(stop));
    });
  }

  Result<void> number(std::vector<std::uint64_t>& keys);

  /// Held while a thread waits for mutex_. So a thread that wants to change the index is not
  /// overtaken again and again by threads that read it.
  mutable std::timed_mutex turn_;
  mutable Mutex mutex_;
  Index index_;
  std::optional<std::uint64_t> next_key_;  // set when keys are numbered for the first time
};

}  // namespace embd::python
