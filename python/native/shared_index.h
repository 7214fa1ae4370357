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
#include "native/long_call.h"

namespace embd::python {

/// An index that Python's threads share: those who only look at it run side by side, those who
/// change it alone. Who waits for the others can be interrupted.
class SharedIndex {
 public:
  using Mutex = std::shared_timed_mutex;

  explicit SharedIndex(Index index) : index_(std::move(index)) {}

  /// Returns what work(index, stop) returned while nobody changed the index. The GIL is released.
  template <class Work>
  auto read(bool is_short, Work&& work) const {
    return run_locked<std::shared_lock<Mutex>>(
        {this}, is_short, [&](std::stop_token stop) { return work(index_, std::move(stop)); });
  }
  /// Returns what work(stop) returned while nobody changed any of `several` indexes, none of which
  /// is there twice; it may call index() of each. The GIL is released.
  template <class Work>
  static auto read_all(const std::vector<const SharedIndex*>& several, bool is_short, Work&& work) {
    return run_locked<std::shared_lock<Mutex>>(several, is_short, std::forward<Work>(work));
  }
  /// Returns what work(index, stop) returned while nobody else used the index. The GIL is released.
  template <class Work>
  auto change(bool is_short, Work&& work) {
    return run_locked<std::unique_lock<Mutex>>(
        {this}, is_short, [&](std::stop_token stop) { return work(index_, std::move(stop)); });
  }
  /// Adds rows and returns their keys: `keys`, or the numbers that follow the greatest key so far.
  std::vector<std::uint64_t> add(MatrixView rows, std::optional<std::vector<std::uint64_t>> keys,
                                 int threads);

  /// For the work of read_all().
  const Index& index() const noexcept { return index_; }

 private:
  /// Locks all of `several`, or none.
  template <class Lock>
  static std::vector<Lock> try_lock(const std::vector<const SharedIndex*>& several) {
    std::vector<Lock> locks;
    for (const SharedIndex* shared : several) {
      const std::unique_lock turn(shared->turn_, std::try_to_lock);
      if (!turn || !locks.emplace_back(shared->mutex_, std::try_to_lock)) return {};
    }
    return locks;
  }
  /// Locks all of `several`, unless it is stopped before: then the error is `cancelled`. In one
  /// order for everybody, so that nobody who holds one waits for somebody who waits for it.
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
      if (stop.stop_requested()) return fail(ErrorCode::cancelled, "stopped");
    }
    return {};
  }
  /// Waits for the lock as a long call, even for a short one. Signals are checked without the lock,
  /// for their handlers may use the index.
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

  /// Held by who waits for mutex_, so that one who changes the index is not overtaken for ever by
  /// those who look at it.
  mutable std::timed_mutex turn_;
  mutable Mutex mutex_;
  Index index_;
  std::optional<std::uint64_t> next_key_;  // once somebody asked for it
};

}  // namespace embd::python
