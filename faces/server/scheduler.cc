#include "faces/server/scheduler.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/parallel.h"
#include "base/try.h"

namespace embd::server {
namespace {

/// The assumed speed of one worker until it has been measured. It is about the speed of float32 on
/// a core with AVX2.
constexpr double first_tokens_per_second = 5000;
/// The time after which a measurement has half its weight: the seconds that later slices take
/// together.
constexpr double memory_seconds = 5;

/// How many works of the queue are searched for slices to run together. Without a limit, a long
/// queue would delay the workers.
constexpr std::size_t most_works_looked_at = 256;

double seconds(Clock::duration duration) noexcept {
  return std::chrono::duration<double>(duration).count();
}

Result<void> run_guarded(std::span<const Slice> slices) {
  return guarded([&] { return slices.front().work->run(slices); });
}

/// Runs the slices and returns the result of each.
std::vector<Result<void>> run_all(std::span<const Slice> slices) {
  if (slices.size() > 1 && run_guarded(slices)) return std::vector<Result<void>>(slices.size());
  std::vector<Result<void>> done;
  for (const Slice& slice : slices) done.push_back(run_guarded({&slice, 1}));
  return done;
}

}  // namespace

Scheduler::Scheduler(int workers, double queue_seconds, std::uint64_t tokens_together)
    : queue_seconds_(queue_seconds),
      tokens_together_(tokens_together),
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
    const Slice slice{work, 0};
    auto done = run_guarded({&slice, 1});
    work->end(done ? Ending::done : Ending::failed,
              done ? std::nullopt : std::optional(std::move(done).error()));
    return {};
  }
  {
    const std::lock_guard lock(mutex_);
    if (threads_.empty()) return std::unexpected(1U);
    const double wait_seconds = static_cast<double>(tokens_beside(tokens)) / rate();
    if (wait_seconds > queue_seconds_)
      return std::unexpected(static_cast<unsigned>(std::max(1.0, std::ceil(wait_seconds))));
    queued_tokens_ += tokens;
    work->waiting_tokens_ = tokens;
    ring_.push_back(std::move(work));
  }
  wake_.notify_one();
  return {};
}

std::uint64_t Scheduler::tokens_beside(std::uint64_t tokens) const {
  const std::uint64_t most = std::max(tokens, tokens_together_);
  std::uint64_t beside = queued_tokens_;
  for (const auto& work : ring_)
    beside -= work->waiting_tokens_ - std::min(work->waiting_tokens_, most);
  return beside;
}

Scheduler::State Scheduler::state() const {
  const std::lock_guard lock(mutex_);
  return {queued_tokens_, ring_.size(), rate()};
}

void Scheduler::drop_rest(Work& work, Ending ending) {
  if (work.ending_ == Ending::done) work.ending_ = ending;
  work.next_ = work.costs.size();
  queued_tokens_ -= std::exchange(work.waiting_tokens_, 0);
}

/// Takes the next slices from the queue. That is a slice of the first work. If it is the work's
/// last slice, last slices of later works of the same kind are added, as many as one worker's share
/// of the queue. Works with more slices do not join, because they would delay small works. Works
/// whose clients have gone or whose deadline has passed are put into `dropped`.
std::vector<Slice> Scheduler::take(Clock::time_point now,
                                   std::vector<std::shared_ptr<Work>>& dropped) {
  std::vector<Slice> slices;
  std::uint64_t tokens = 0;
  const auto workers = static_cast<std::size_t>(num_workers_);
  const std::size_t share = (ring_.size() + workers - 1) / workers;
  const auto joins = [&](const Work& work) {
    return !work.kind.empty() && work.kind == slices.front().work->kind &&
           work.next_ + 1 == work.costs.size() &&
           tokens + work.costs[work.next_] <= tokens_together_;
  };
  std::size_t passed = 0;
  while (passed < std::min(ring_.size(), most_works_looked_at) && slices.size() < share) {
    const auto at = ring_.begin() + static_cast<std::ptrdiff_t>(passed);
    if (!slices.empty() && !joins(**at)) {
      ++passed;
      continue;
    }
    std::shared_ptr<Work> work = std::move(*at);
    ring_.erase(at);
    if (work->next_ == 0) work->begun_ = now;
    if (work->gone.stop_requested() || now >= work->deadline) {
      drop_rest(*work, work->gone.stop_requested() ? Ending::gone : Ending::late);
      dropped.push_back(std::move(work));
      continue;
    }
    tokens += work->costs[work->next_];
    work->waiting_tokens_ -= work->costs[work->next_];
    ++work->under_way_;
    slices.push_back({work, work->next_++});
    if (work->next_ < work->costs.size()) {
      ring_.push_back(std::move(work));
      wake_.notify_one();
      break;
    }
  }
  return slices;
}

/// Records that a slice was done, with its result and its time.
void Scheduler::account(const Slice& slice, Result<void> done, Clock::duration busy) {
  Work& work = *slice.work;
  --work.under_way_;
  work.busy_ += busy;
  queued_tokens_ -= work.costs[slice.index];
  const auto at = std::ranges::find(ring_, slice.work);
  if (!done) {
    if (!work.error_) work.error_ = std::move(done).error();
    if (at != ring_.end()) ring_.erase(at);
    drop_rest(work, Ending::failed);
  } else if (at != ring_.end()) {
    // The work goes to the end of the queue, behind works that came while its slice was done.
    std::rotate(at, at + 1, ring_.end());
  }
}

void Scheduler::work(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (wake_.wait(lock, stop, [this] { return !ring_.empty(); }) && !stop.stop_requested()) {
    const Clock::time_point start = Clock::now();
    std::vector<std::shared_ptr<Work>> works;
    const std::vector<Slice> slices = take(start, works);
    lock.unlock();
    std::vector<Result<void>> done = run_all(slices);
    const Clock::duration busy = Clock::now() - start;
    lock.lock();
    std::uint64_t tokens = 0;
    for (const auto& [work, index] : slices) tokens += work->costs[index];
    for (std::size_t i = 0; i < slices.size(); ++i) {
      account(slices[i], std::move(done[i]), busy / static_cast<int>(slices.size()));
      works.push_back(slices[i].work);
    }
    if (!slices.empty()) measure(tokens, busy);
    std::erase_if(works, [](const auto& work) {
      return work->under_way_ > 0 || work->next_ < work->costs.size();
    });
    if (works.empty()) continue;
    lock.unlock();
    for (const auto& work : works) work->end(work->ending_, work->error_);
    lock.lock();
  }
}

}  // namespace embd::server
