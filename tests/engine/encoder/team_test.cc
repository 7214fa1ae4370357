#include "engine/encoder/team.h"

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#if !defined(_WIN32)
#include <sys/wait.h>
#include <unistd.h>
#endif

namespace embd {
namespace {

TEST(Team, SharesCoverEverythingOnce) {
  for (const std::int64_t unit : {1, 12, 32}) {
    for (const std::int64_t n : {0, 1, 31, 32, 33, 384, 390}) {
      for (int size = 1; size <= 5; ++size) {
        SCOPED_TRACE(testing::Message() << n << " by " << unit << " over " << size);
        std::int64_t end = 0;
        for (int index = 0; index < size; ++index) {
          const kernels::Range share = TeamMember{index, size}.share(n, unit);
          ASSERT_EQ(share.begin, end);
          ASSERT_LE(share.begin, share.end);
          ASSERT_TRUE(share.begin == n || share.begin % unit == 0);
          ASSERT_LE(share.end - share.begin, (n + unit - 1) / unit / size * unit + unit);
          end = share.end;
        }
        ASSERT_EQ(end, n);
      }
    }
  }
}

TEST(Team, OneMemberWorksOnTheCallersThread) {
  std::thread::id worker;
  run_team(1, [&](const TeamMember& member) {
    EXPECT_EQ(member.size, 1);
    member.wait();
    worker = std::this_thread::get_id();
  });
  EXPECT_EQ(worker, std::this_thread::get_id());
}

TEST(Team, EveryMemberIsAThreadOfItsOwn) {
  std::mutex mutex;
  std::set<std::thread::id> threads;
  std::set<int> indices;
  run_team(3, [&](const TeamMember& member) {
    const std::lock_guard lock(mutex);
    EXPECT_EQ(member.size, 3);
    threads.insert(std::this_thread::get_id());
    indices.insert(member.index);
  });
  EXPECT_EQ(threads.size(), 3U);
  EXPECT_EQ(indices, (std::set{0, 1, 2}));
}

/// From the third on they may be on the threads that OpenMP keeps.
TEST(Team, TeamsThatFollowEachOtherAreAsAsked) {
  for (int i = 0; i < 200; ++i) {
    const int size = 1 + i / 5 % 4;
    std::vector<std::atomic<int>> calls(static_cast<std::size_t>(size));
    std::atomic<int> sum = 0;
    run_team(size, [&](const TeamMember& member) {
      ++calls[static_cast<std::size_t>(member.index)];
      sum += member.size;
      member.wait();
      EXPECT_EQ(sum, size * size);
    });
    for (const auto& n : calls) ASSERT_EQ(n, 1);
  }
}

#if !defined(_WIN32)  // it has no fork()
TEST(Team, WorksInAChildOfAProcessThatHadTeams) {
  const auto teams = [] {
    std::atomic<int> members = 0;
    for (int i = 0; i < 5; ++i) {
      run_team(2, [&](const TeamMember& member) {
        member.wait();
        ++members;
      });
    }
    return members == 10;
  };
  ASSERT_TRUE(teams());
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    alarm(60);  // in case it waits for threads that the parent has
    _exit(teams() ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}
#endif

/// Each round every member adds up what all wrote in the round before. More members than cores, so
/// that some sleep while they wait.
TEST(Team, NobodyPassesAMeetingBeforeAllHaveCome) {
  constexpr int size = 7;
  constexpr int rounds = 300;
  std::vector<std::int64_t> values[2] = {std::vector<std::int64_t>(size, 1),
                                         std::vector<std::int64_t>(size)};
  std::vector<int> wrong(size);
  run_team(size, [&](const TeamMember& member) {
    for (int round = 0; round < rounds; ++round) {
      const auto& before = values[round % 2];
      std::int64_t sum = 0;
      for (const std::int64_t value : before) sum += value;
      wrong[static_cast<std::size_t>(member.index)] += sum != (round + 1) * size ? 1 : 0;
      values[(round + 1) % 2][static_cast<std::size_t>(member.index)] = sum / size + 1;
      member.wait();
    }
  });
  EXPECT_EQ(wrong, std::vector<int>(size));
}

}  // namespace
}  // namespace embd
