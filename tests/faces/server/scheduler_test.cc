#include "faces/server/scheduler.h"

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
  Result<void> run(std::span<const Slice> slices) override {
    std::string line;
    for (const auto& [work, index] : slices)
      line += static_cast<TestWork&>(*work).name_ + std::to_string(index);
    log_.add(line);
    for (const auto& [work, index] : slices)
      if (static_cast<TestWork&>(*work).fails) return fail(ErrorCode::invalid_argument, "bad");
    if (on_run) return on_run(slices.front().index);
    return {};
  }
  void end(Ending ending, const std::optional<Error>&) noexcept override {
    ended.set_value(ending);
  }

  std::function<Result<void>(std::size_t)> on_run;
  std::promise<Ending> ended;
  bool fails = false;

 private:
  std::string name_;
  Log& log_;
};

TEST(Scheduler, DoesEverySliceOnceAndThenEnds) {
  Log log;
  Scheduler scheduler(3, 10, 256);
  const auto work = std::make_shared<TestWork>("a", std::vector<std::uint64_t>(50, 1), log);
  auto ended = work->ended.get_future();
  ASSERT_TRUE(scheduler.submit(work));
  EXPECT_EQ(ended.get(), Ending::done);
  std::ranges::sort(log.lines);
  EXPECT_EQ(log.lines.size(), 50);
  EXPECT_EQ(std::ranges::adjacent_find(log.lines), log.lines.end());
  EXPECT_EQ(scheduler.state().queued_tokens, 0);
}

/// Returns the order in which a list of three slices and a work of one slice, which comes during
/// the first, are done.
std::vector<std::string> turns_of(const char* kind) {
  Log log;
  Scheduler scheduler(1, 1e9, 256);
  std::binary_semaphore go(0);
  const auto list = std::make_shared<TestWork>("a", std::vector<std::uint64_t>(3, 10), log);
  const auto small = std::make_shared<TestWork>("b", std::vector<std::uint64_t>{10}, log);
  list->kind = small->kind = kind;
  list->on_run = [&](std::size_t slice) -> Result<void> {
    if (slice == 0) go.acquire();
    return {};
  };
  auto ended = list->ended.get_future();
  EXPECT_TRUE(scheduler.submit(list));
  EXPECT_TRUE(scheduler.submit(small));
  go.release();
  EXPECT_EQ(ended.get(), Ending::done);
  return log.lines;
}

TEST(Scheduler, TakesTurnsAmongWorks) {
  // Also where b came after a's second slice was put back, and where both could be done together.
  for (const char* kind : {"", "k"})
    EXPECT_EQ(turns_of(kind), (std::vector<std::string>{"a0", "b0", "a1", "a2"})) << kind;
}

struct Small {
  const char* name;
  std::uint64_t cost;
  const char* kind;
  bool fails = false;
};

/// Returns the order in which works that wait together for the only worker are done, and how each
/// ends.
std::pair<std::vector<std::string>, std::vector<Ending>> done_of(const std::vector<Small>& works) {
  Log log;
  std::vector<std::future<Ending>> ends;
  std::vector<Ending> endings;
  Scheduler scheduler(1, 1e9, 256);
  std::binary_semaphore go(0);
  std::binary_semaphore begun(0);
  const auto first = std::make_shared<TestWork>("first", std::vector<std::uint64_t>{1}, log);
  first->on_run = [&](std::size_t) -> Result<void> {
    begun.release();
    go.acquire();
    return {};
  };
  EXPECT_TRUE(scheduler.submit(first));
  begun.acquire();
  for (const Small& small : works) {
    const auto work = std::make_shared<TestWork>(small.name, std::vector{small.cost}, log);
    work->kind = small.kind;
    work->fails = small.fails;
    ends.push_back(work->ended.get_future());
    EXPECT_TRUE(scheduler.submit(work));
  }
  go.release();
  for (auto& end : ends) endings.push_back(end.get());
  scheduler.stop();
  return {{log.lines.begin() + 1, log.lines.end()}, endings};
}

TEST(Scheduler, WorksOfAKindThatWaitAreDoneTogether) {
  using Lines = std::vector<std::string>;
  EXPECT_EQ(done_of({{"a", 10, "k"}, {"b", 10, "k"}, {"c", 10, "l"}, {"d", 10, "k"}}).first,
            (Lines{"a0b0d0", "c0"}));
  EXPECT_EQ(done_of({{"a", 10, ""}, {"b", 10, ""}}).first, (Lines{"a0", "b0"}));
  // Not beyond 256 tokens; what is smaller and stands behind it fits.
  EXPECT_EQ(done_of({{"a", 200, "k"}, {"b", 57, "k"}, {"c", 56, "k"}}).first,
            (Lines{"a0c0", "b0"}));
}

TEST(Scheduler, AnErrorOfSeveralIsThatOfTheOneThatHasIt) {
  const auto [lines, endings] = done_of({{"a", 1, "k"}, {"b", 1, "k", true}, {"c", 1, "k"}});
  EXPECT_EQ(lines, (std::vector<std::string>{"a0b0c0", "a0", "b0", "c0"}));
  EXPECT_EQ(endings, (std::vector{Ending::done, Ending::failed, Ending::done}));
}

TEST(Scheduler, WorkersShareWhatWaits) {
  Log log;
  Scheduler scheduler(2, 1e9, 256);
  std::counting_semaphore<> go(0);
  std::vector<std::future<Ending>> ends;
  for (int i = 0; i < 8; ++i) {
    const auto work = std::make_shared<TestWork>("a", std::vector<std::uint64_t>{1}, log);
    if (i >= 2) work->kind = "k";  // The first two hold both workers until all are there.
    work->on_run = [&, i](std::size_t) -> Result<void> {
      if (i < 2) go.acquire();
      return {};
    };
    ends.push_back(work->ended.get_future());
    ASSERT_TRUE(scheduler.submit(work));
  }
  go.release(2);
  for (auto& end : ends) end.get();
  for (const std::string& line : log.lines) EXPECT_LE(line.size(), 3 * std::string("a0").size());
}

TEST(Scheduler, DropsWhatNobodyWaitsFor) {
  Log log;
  Scheduler scheduler(1, 1e9, 256);
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
  Scheduler scheduler(1, 1e9, 256);
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
  Scheduler scheduler(2, 1e9, 256);
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
  Scheduler scheduler(1, 0.001, 256);
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

TEST(Scheduler, AShortWorkIsTakenBesideALongOne) {
  Log log;
  Scheduler scheduler(1, 10, 256);  // some 50,000 tokens before anything is measured
  std::binary_semaphore go(0);
  const auto make_long = [&] {
    return std::make_shared<TestWork>("a", std::vector<std::uint64_t>(1000, 250), log);
  };
  const auto first = make_long();
  first->on_run = [&](std::size_t slice) -> Result<void> {
    if (slice == 0) go.acquire();
    return {};
  };
  auto first_end = first->ended.get_future();
  ASSERT_TRUE(scheduler.submit(first));
  EXPECT_FALSE(scheduler.submit(make_long()));
  const auto small = std::make_shared<TestWork>("b", std::vector<std::uint64_t>{10}, log);
  auto small_end = small->ended.get_future();
  ASSERT_TRUE(scheduler.submit(small));
  EXPECT_EQ(scheduler.state().queued_tokens, 250'010);
  go.release();
  EXPECT_EQ(small_end.get(), Ending::done);
  EXPECT_EQ(first_end.get(), Ending::done);
  EXPECT_LE(std::ranges::find(log.lines, "b0") - log.lines.begin(), 2);
  EXPECT_EQ(scheduler.state().queued_tokens, 0);
}

TEST(Scheduler, StoppingEndsEveryWork) {
  Log log;
  std::vector<std::future<Ending>> ends;
  {
    Scheduler scheduler(1, 1e9, 256);
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
  Scheduler scheduler(1, 10, 256);
  const auto work = std::make_shared<TestWork>("a", std::vector<std::uint64_t>{0}, log);
  auto ended = work->ended.get_future();
  ASSERT_TRUE(scheduler.submit(work));
  ASSERT_EQ(ended.wait_for(std::chrono::seconds(0)), std::future_status::ready);
  EXPECT_EQ(ended.get(), Ending::done);
}

}  // namespace
}  // namespace embd::server
