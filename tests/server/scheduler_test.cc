#include "server/scheduler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <future>
#include <semaphore>

#include "base/try.h"

namespace embd::server {
namespace {

/// Writes what it does into a list that several share.
struct Log {
  std::mutex mutex;
  std::vector<std::string> lines;
  void add(std::string line) {
    const std::lock_guard lock(mutex);
    lines.push_back(std::move(line));
  }
};

class TestWork : public Work {
 public:
  TestWork(std::string name, std::vector<std::uint64_t> slice_costs, Log& log)
      : name_(std::move(name)), log_(log) {
    costs = std::move(slice_costs);
  }
  Result<void> run(std::size_t slice) override {
    log_.add(name_ + std::to_string(slice));
    if (on_run) return on_run(slice);
    return {};
  }
  void end(Ending ending, const std::optional<Error>&) noexcept override {
    ended.set_value(ending);
  }

  std::function<Result<void>(std::size_t)> on_run;
  std::promise<Ending> ended;

 private:
  std::string name_;
  Log& log_;
};

TEST(Scheduler, DoesEverySliceOnceAndThenEnds) {
  Log log;
  Scheduler scheduler(3, 10);
  const auto work = std::make_shared<TestWork>("a", std::vector<std::uint64_t>(50, 1), log);
  auto ended = work->ended.get_future();
  ASSERT_TRUE(scheduler.submit(work));
  EXPECT_EQ(ended.get(), Ending::done);
  std::ranges::sort(log.lines);
  EXPECT_EQ(log.lines.size(), 50);
  EXPECT_EQ(std::ranges::adjacent_find(log.lines), log.lines.end());
  EXPECT_EQ(scheduler.state().queued_tokens, 0);
}

TEST(Scheduler, TakesTurnsAmongWorks) {
  Log log;
  Scheduler scheduler(1, 1e9);
  std::binary_semaphore go(0);
  const auto first = std::make_shared<TestWork>("a", std::vector<std::uint64_t>(3, 100), log);
  first->on_run = [&](std::size_t slice) -> Result<void> {
    if (slice == 0) go.acquire();
    return {};
  };
  const auto second = std::make_shared<TestWork>("b", std::vector<std::uint64_t>(1, 100), log);
  auto ended = first->ended.get_future();
  ASSERT_TRUE(scheduler.submit(first));
  ASSERT_TRUE(scheduler.submit(second));
  go.release();
  EXPECT_EQ(ended.get(), Ending::done);
  // Whether a's second slice was put back before or after b came, b does not wait for its third.
  EXPECT_LT(std::ranges::find(log.lines, "b0"), std::ranges::find(log.lines, "a2"));
}

TEST(Scheduler, DropsWhatNobodyWaitsFor) {
  Log log;
  Scheduler scheduler(1, 1e9);
  std::stop_source gone;
  const auto work = std::make_shared<TestWork>("a", std::vector<std::uint64_t>(5, 10), log);
  work->gone = gone.get_token();
  work->on_run = [&](std::size_t) -> Result<void> {
    gone.request_stop();
    return {};
  };
  auto ended = work->ended.get_future();
  ASSERT_TRUE(scheduler.submit(work));
  EXPECT_EQ(ended.get(), Ending::gone);
  EXPECT_EQ(log.lines, std::vector<std::string>{"a0"});
  EXPECT_EQ(scheduler.state().queued_tokens, 0);
}

TEST(Scheduler, DropsWhatIsTooLate) {
  Log log;
  Scheduler scheduler(1, 1e9);
  const auto work = std::make_shared<TestWork>("a", std::vector<std::uint64_t>(5, 10), log);
  work->deadline = Clock::now() - std::chrono::seconds(1);
  auto ended = work->ended.get_future();
  ASSERT_TRUE(scheduler.submit(work));
  EXPECT_EQ(ended.get(), Ending::late);
  EXPECT_TRUE(log.lines.empty());
  EXPECT_EQ(scheduler.state().queued_tokens, 0);
}

TEST(Scheduler, AnErrorOrAnExceptionEndsThatWorkAlone) {
  Log log;
  Scheduler scheduler(2, 1e9);
  const auto bad = std::make_shared<TestWork>("a", std::vector<std::uint64_t>(20, 1), log);
  bad->on_run = [](std::size_t) -> Result<void> { throw std::runtime_error("broken"); };
  const auto good = std::make_shared<TestWork>("b", std::vector<std::uint64_t>(20, 1), log);
  auto bad_end = bad->ended.get_future();
  auto good_end = good->ended.get_future();
  ASSERT_TRUE(scheduler.submit(bad));
  ASSERT_TRUE(scheduler.submit(good));
  EXPECT_EQ(bad_end.get(), Ending::failed);
  EXPECT_EQ(good_end.get(), Ending::done);
  EXPECT_EQ(scheduler.state().queued_tokens, 0);
}

TEST(Scheduler, RefusesBeyondItsQueueButNeverAnEmptyOne) {
  Log log;
  Scheduler scheduler(1, 0.001);
  std::binary_semaphore go(0);
  const auto first = std::make_shared<TestWork>("a", std::vector<std::uint64_t>{1'000'000}, log);
  first->on_run = [&](std::size_t) -> Result<void> {
    go.acquire();
    return {};
  };
  auto first_end = first->ended.get_future();
  ASSERT_TRUE(scheduler.submit(first));
  const auto second = std::make_shared<TestWork>("b", std::vector<std::uint64_t>{10}, log);
  const auto refused = scheduler.submit(second);
  ASSERT_FALSE(refused);
  EXPECT_GE(refused.error(), 1);
  go.release();
  first_end.get();
  auto second_end = second->ended.get_future();
  ASSERT_TRUE(scheduler.submit(second));
  EXPECT_EQ(second_end.get(), Ending::done);
}

TEST(Scheduler, StoppingEndsEveryWork) {
  Log log;
  std::vector<std::future<Ending>> ends;
  {
    Scheduler scheduler(1, 1e9);
    for (int i = 0; i < 10; ++i) {
      const auto work = std::make_shared<TestWork>("a", std::vector<std::uint64_t>(100, 1), log);
      ends.push_back(work->ended.get_future());
      ASSERT_TRUE(scheduler.submit(work));
    }
  }
  for (auto& end : ends) EXPECT_NO_THROW(end.get());
}

TEST(Scheduler, WhatCostsNothingIsDoneAtOnce) {
  Log log;
  Scheduler scheduler(1, 10);
  const auto work = std::make_shared<TestWork>("a", std::vector<std::uint64_t>{0}, log);
  auto ended = work->ended.get_future();
  ASSERT_TRUE(scheduler.submit(work));
  ASSERT_EQ(ended.wait_for(std::chrono::seconds(0)), std::future_status::ready);
  EXPECT_EQ(ended.get(), Ending::done);
}

}  // namespace
}  // namespace embd::server
