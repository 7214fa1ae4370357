#include "base/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <new>
#include <stdexcept>
#include <thread>
#include <vector>

#include "base/os/cpu.h"
#include "base/try.h"

#if !defined(_WIN32)
#include <sys/wait.h>
#include <unistd.h>
#endif

namespace embd {
namespace {

TEST(ParallelFor, CallsEachIndexOnce) {
  for (const int threads : {1, 2, 5, 64}) {
    for (const std::size_t count : {0, 1, 3, 100}) {
      std::vector<std::atomic<int>> calls(count);
      ASSERT_TRUE(parallel_for(count, threads, [&](std::size_t i) -> Result<void> {
        ++calls[i];
        return {};
      }));
      for (const auto& n : calls) ASSERT_EQ(n, 1);
    }
  }
}

TEST(ParallelFor, EachWorkerHasItsOwnNumber) {
  std::vector<std::atomic<int>> busy(3);
  ASSERT_TRUE(parallel_for(2000, 3, [&](std::size_t, std::size_t worker) -> Result<void> {
    if (worker >= busy.size() || ++busy[worker] != 1) {
      return fail(ErrorCode::invalid_argument, "a number beyond the threads, or two of it");
    }
    --busy[worker];
    return {};
  }));
}

TEST(ParallelFor, ReturnsTheFirstErrorAndEnds) {
  std::atomic<int> calls = 0;
  std::atomic<bool> has_failed = false;
  const auto done = parallel_for(100000, 2, [&](std::size_t i) -> Result<void> {
    ++calls;
    if (i == 10) {
      has_failed = true;
      return fail(ErrorCode::bad_value, "ten");
    }
    // The other thread waits for the error, and then gives the loop time to end.
    while (i > 10 && !has_failed) std::this_thread::yield();
    if (has_failed) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return {};
  });
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().what(), "ten");
  EXPECT_LT(calls, 100000);
}

TEST(ParallelFor, KeepsItsPromisesLoopAfterLoop) {
  // From the second loop on its threads may be those of the loop before.
  const auto loops = [] {
    for (int loop = 0; loop < 20; ++loop) {
      for (const int threads : {2, 5, 3, 1}) {
        std::vector<std::atomic<int>> calls(17);
        ASSERT_TRUE(
            parallel_for(17, threads, [&](std::size_t i, std::size_t worker) -> Result<void> {
              if (worker >= static_cast<std::size_t>(threads))
                return fail(ErrorCode::invalid_argument, "a number beyond the threads");
              ++calls[i];
              return {};
            }));
        for (const auto& n : calls) ASSERT_EQ(n, 1);
      }
    }
  };
  std::vector<std::jthread> callers;
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(start_thread(callers, loops));
  loops();
}

#if !defined(_WIN32)  // it has no fork()
TEST(ParallelFor, RunsInAChildOfAProcessThatRanIt) {
  const auto loop = [] {
    return parallel_for(8, 2, [](std::size_t) -> Result<void> { return {}; }).has_value();
  };
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(loop());
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    alarm(60);  // in case it waits for threads that the parent has
    _exit(loop() && loop() && loop() ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}
#endif

TEST(ThreadsFor, ZeroStandsForAllThatThereAre) {
  EXPECT_EQ(threads_for(3), 3);
  EXPECT_EQ(threads_for(0), available_threads());
}

TEST(ParallelFor, TurnsExceptionsIntoErrors) {
  const auto memory =
      parallel_for(3, 2, [](std::size_t) -> Result<void> { throw std::bad_alloc(); });
  ASSERT_FALSE(memory);
  EXPECT_EQ(memory.error().code(), ErrorCode::out_of_memory);
  const auto other =
      parallel_for(3, 2, [](std::size_t) -> Result<void> { throw std::runtime_error("words"); });
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().what(), "words");
}

}  // namespace
}  // namespace embd
