#include "server/scheduler.h"

#include <algorithm>
#include <cmath>

#include "base/guard.h"
#include "base/parallel.h"

namespace embd::server {
namespace {

/// Of one worker until there is something measured: about float32 on a core with AVX2.
constexpr double first_tokens_per_second = 5000;
/// What a slice adds to the sums weighs half after as many as make these seconds.
constexpr double memory_seconds = 5;

double seconds(Clock::duration duration) noexcept {
  return std::chrono::duration<double>(duration).count();
}

}  // namespace

Scheduler::Scheduler(int workers, double queue_seconds)
    : queue_seconds_(queue_seconds),
      num_workers_(workers),
      measured_tokens_(first_tokens_per_second) {
  for (int i = 0; i < workers; ++i) {
    if (!start_thread(threads_, [this](const std::stop_token& stop) { work(stop); })) break;
  }
}

void Scheduler::stop() {
  for (auto& thread : threads_) thread.request_stop();
  for (auto& thread : threads_) thread.join();
  std::deque<std::shared_ptr<Work>> left;
  {
    const std::lock_guard lock(mutex_);
    threads_.clear();
    left.swap(ring_);
    for (const auto& work : left) drop_rest(*work, Ending::gone);
  }
  for (const auto& work : left) work->end(Ending::gone, std::nullopt);
}

double Scheduler::rate() const noexcept {
  return num_workers_ * measured_tokens_ / measured_seconds_;
}

void Scheduler::measure(std::uint64_t tokens, Clock::duration busy) {
  const double fading = std::exp2(-seconds(busy) / memory_seconds);
  measured_tokens_ = measured_tokens_ * fading + static_cast<double>(tokens);
  measured_seconds_ = measured_seconds_ * fading + seconds(busy);
}

std::expected<void, unsigned> Scheduler::submit(std::shared_ptr<Work> work) {
  std::uint64_t tokens = 0;
  for (const std::uint64_t cost : work->costs) tokens += cost;
  work->submitted_ = work->begun_ = Clock::now();
  if (tokens == 0 && work->costs.size() == 1) {
    auto done = guarded([&] { return work->run(0); });
    work->end(done ? Ending::done : Ending::failed,
              done ? std::nullopt : std::optional(std::move(done).error()));
    return {};
  }
  {
    const std::lock_guard lock(mutex_);
    if (threads_.empty()) return std::unexpected(1U);
    const double waiting = static_cast<double>(queued_tokens_);
    if (queued_tokens_ > 0 && waiting + static_cast<double>(tokens) > queue_seconds_ * rate())
      return std::unexpected(static_cast<unsigned>(std::max(1.0, std::ceil(waiting / rate()))));
    queued_tokens_ += tokens;
    ring_.push_back(std::move(work));
  }
  wake_.notify_one();
  return {};
}

Scheduler::State Scheduler::state() const {
  const std::lock_guard lock(mutex_);
  return {queued_tokens_, ring_.size(), rate()};
}

void Scheduler::drop_rest(Work& work, Ending ending) {
  if (work.ending_ == Ending::done) work.ending_ = ending;
  for (; work.next_ < work.costs.size(); ++work.next_) queued_tokens_ -= work.costs[work.next_];
}

void Scheduler::work(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (wake_.wait(lock, stop, [this] { return !ring_.empty(); }) && !stop.stop_requested()) {
    const std::shared_ptr<Work> work = std::move(ring_.front());
    ring_.pop_front();
    const Clock::time_point start = Clock::now();
    if (work->next_ == 0) work->begun_ = start;
    if (work->gone.stop_requested()) {
      drop_rest(*work, Ending::gone);
    } else if (start >= work->deadline) {
      drop_rest(*work, Ending::late);
    } else {
      const std::size_t slice = work->next_++;
      ++work->under_way_;
      if (work->next_ < work->costs.size()) {
        ring_.push_back(work);
        wake_.notify_one();
      }
      lock.unlock();
      auto done = guarded([&] { return work->run(slice); });
      const Clock::duration busy = Clock::now() - start;
      lock.lock();
      --work->under_way_;
      work->busy_ += busy;
      queued_tokens_ -= work->costs[slice];
      measure(work->costs[slice], busy);
      if (!done) {
        if (!work->error_) work->error_ = std::move(done).error();
        std::erase(ring_, work);
        drop_rest(*work, Ending::failed);
      }
    }
    if (work->under_way_ > 0 || work->next_ < work->costs.size()) continue;
    lock.unlock();
    work->end(work->ending_, work->error_);
    lock.lock();
  }
}

}  // namespace embd::server
