#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <thread>
#include <utility>
#include <vector>

namespace embd {

/// A pool of objects that are costly to make and that one thread uses at a time. Objects that
/// nobody uses wait in the pool. Any number of threads may use the pool at the same time.
template <class T>
class LeasePool {
 public:
  /// `make` makes an object when none waits in the pool. Several threads may call it at the same
  /// time.
  explicit LeasePool(std::function<std::unique_ptr<T>()> make) : make_(std::move(make)) {}
  LeasePool() : LeasePool([] { return std::make_unique<T>(); }) {}

  /// The right to use an object alone, which returns to the pool when the lease goes out of scope.
  /// The pool must outlive the lease.
  class Lease {
   public:
    Lease(LeasePool& pool, std::unique_ptr<T> object) : pool_(pool), object_(std::move(object)) {
      ++pool_.num_leased_;
    }
    ~Lease() {
      --pool_.num_leased_;
      pool_.take_back(std::move(object_));
    }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    T* operator->() const noexcept { return object_.get(); }
    T& operator*() const noexcept { return *object_; }

   private:
    LeasePool& pool_;
    std::unique_ptr<T> object_;
  };

  /// Returns a lease of a waiting object, or of a new one. Throws the exceptions of `make`.
  Lease lease() {
    {
      const Lock lock = lock_with_patience();
      if (lock && !idle_.empty()) {
        auto object = std::move(idle_.back());
        idle_.pop_back();
        return {*this, std::move(object)};
      }
    }
    return {*this, make_()};
  }

  int num_leased() const noexcept { return num_leased_; }

 private:
  /// The longest wait for the lock. Only a thread that a fork of the process did not copy holds it
  /// longer, and then forever. After this time, objects are made and dropped without the pool.
  static constexpr std::chrono::milliseconds patience{1};
  using Lock = std::unique_lock<std::mutex>;

  /// Locks the mutex. If it is held for longer than `patience`, returns a lock that owns nothing.
  /// This is no std::timed_mutex, because the ThreadSanitizer of GCC 12 does not know the function
  /// that such a mutex waits with, and would report races that do not exist.
  Lock lock_with_patience() noexcept {
    Lock lock(mutex_, std::try_to_lock);
    if (lock) return lock;
    const auto end = std::chrono::steady_clock::now() + patience;
    while (!lock.try_lock() && std::chrono::steady_clock::now() < end) std::this_thread::yield();
    return lock;
  }

  void take_back(std::unique_ptr<T> object) noexcept {
    // An object that has grown for a giant input is not worth its memory.
    if constexpr (requires { object->oversized(); }) {
      if (object->oversized()) return;
    }
    const Lock lock = lock_with_patience();
    if (!lock) return;
    try {
      idle_.push_back(std::move(object));
    } catch (const std::bad_alloc&) {  // Then the next lease makes a new one.
    }
  }

  std::function<std::unique_ptr<T>()> make_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<T>> idle_;
  std::atomic<int> num_leased_ = 0;
};

}  // namespace embd
