#include "base/parallel.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <mutex>
#include <set>
#include <thread>

#ifdef _OPENMP
#include <omp.h>
#endif

namespace embd {
namespace {

#ifdef _OPENMP

/// Who took part in a run.
struct Crew {
  bool on_openmp = false;
  std::set<std::size_t> workers;
  std::set<std::size_t> sizes;  // what the workers were told
  std::set<std::thread::id> threads;

  bool is_whole() const {
    return on_openmp && sizes.size() == 1 && *sizes.begin() == workers.size() &&
           threads.size() == workers.size() && *workers.rbegin() + 1 == workers.size();
  }
};

Crew run(std::size_t team) {
  Crew crew;
  std::mutex mutex;
  crew.on_openmp = run_on_openmp(team, [&](std::size_t worker, std::size_t workers) {
    const std::lock_guard lock(mutex);
    crew.workers.insert(worker);
    crew.sizes.insert(workers);
    crew.threads.insert(std::this_thread::get_id());
  });
  return crew;
}

/// Calls `test` on a thread of its own, so that it is that thread's first use.
template <class Test>
void on_new_thread(const Test& test) {
  std::thread(test).join();
}

TEST(OpenMp, KeepsItsThreadsFromTheSecondUseOn) {
  on_new_thread([] {
    EXPECT_FALSE(run(2).on_openmp);
    const Crew second = run(2);
    const Crew third = run(2);
    EXPECT_TRUE(second.is_whole());
    EXPECT_EQ(second.threads.size(), 2U);
    EXPECT_EQ(second.threads, third.threads);
  });
}

TEST(OpenMp, HasTeamsOfEverySizeInAnyOrder) {
  on_new_thread([] {
    run(2);
    for (const std::size_t team : {2, 4, 3, 1, 4, 2, 9}) {
      const Crew crew = run(team);
      EXPECT_TRUE(crew.is_whole()) << team;
      EXPECT_EQ(crew.workers.size(), team);
    }
  });
}

/// It looks at the system's load then.
TEST(OpenMp, SaysHowManyThereAreWhereItGivesFewer) {
  on_new_thread([] {
    omp_set_dynamic(1);
    run(2);
    for (int i = 0; i < 10; ++i) {
      const Crew crew = run(64);
      EXPECT_TRUE(crew.is_whole());
      EXPECT_LE(crew.workers.size(), 64U);
    }
  });
}

TEST(OpenMp, IsNotUsedInsideAParallelRegionOfTheProgram) {
  for (const int size : {1, 2}) {
    std::atomic<int> used = 0;
#pragma omp parallel num_threads(size)
    for (int i = 0; i < 2; ++i) used += run(2).on_openmp ? 1 : 0;
    EXPECT_EQ(used, 0) << "region of " << size;
  }
}

TEST(OpenMp, LeavesTheProgramsSettingsAlone) {
  on_new_thread([] {
    omp_set_num_threads(3);
    run(2);
    run(2);
    EXPECT_EQ(omp_get_max_threads(), 3);
    int size = 0;
#pragma omp parallel
#pragma omp single
    size = omp_get_num_threads();
    EXPECT_EQ(size, 3);
  });
}

TEST(OpenMp, IsNotUsedInAChildOfFork) {
  run(2);
  ASSERT_TRUE(run(2).on_openmp);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    alarm(60);  // in case it waits for threads that the parent has
    _exit(run(2).on_openmp ? 1 : 0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

/// A process of its own: the one that runs the tests may have used OpenMP before.
class OpenMpDeathTest : public testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }

  static void limit(decltype(RLIMIT_AS) resource, rlim_t to) {
    const rlimit limits = {to, to};
    if (setrlimit(resource, &limits) != 0) std::_Exit(2);
  }
  static void allow_no_more_threads() {
    limit(RLIMIT_NPROC, 1);
    constexpr uid_t nobody = 65534;  // Root is not held to it.
    if (getuid() == 0 && setuid(nobody) != 0) std::_Exit(3);
  }
};

TEST_F(OpenMpDeathTest, IsNotUsedWhereThereAreNoThreads) {
  const auto use = [] {
    run(2);
    const bool before = run(2).on_openmp;
    allow_no_more_threads();
    const bool more = run(3).on_openmp;
    const bool kept = run(2).on_openmp;
    std::_Exit(before && !more && kept ? 0 : 1);
  };
  EXPECT_EXIT(use(), testing::ExitedWithCode(0), "");
}

TEST_F(OpenMpDeathTest, IsNotUsedWhereAddressSpaceIsLimited) {
  const auto use = [] {
    limit(RLIMIT_AS, rlim_t{1} << 46);
    run(2);
    std::_Exit(run(2).on_openmp ? 1 : 0);
  };
  EXPECT_EXIT(use(), testing::ExitedWithCode(0), "");
}

TEST_F(OpenMpDeathTest, SaysHowManyThereAreUnderALimitOfTheUser) {
  setenv("OMP_THREAD_LIMIT", "2", 1);
  const auto use = [] {
    run(4);
    const Crew crew = run(4);
    std::_Exit(crew.is_whole() && crew.workers.size() == 2 ? 0 : 1);
  };
  EXPECT_EXIT(use(), testing::ExitedWithCode(0), "");
  unsetenv("OMP_THREAD_LIMIT");
}

TEST(OpenMp, WorkFollowsWorkAtOnceOrDoesNot) {
  on_new_thread([] {
    EXPECT_FALSE(follows_at_once());
    note_end();
    EXPECT_FALSE((std::this_thread::sleep_for(std::chrono::milliseconds(1)), follows_at_once()));
    // A thread that loses its core in between comes too late for once.
    bool follows = false;
    for (int i = 0; i < 1000 && !follows; ++i) follows = (note_end(), follows_at_once());
    EXPECT_TRUE(follows);
    run(2);
    follows = false;
    for (int i = 0; i < 1000 && !follows; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      follows = run(2).on_openmp && follows_at_once();
    }
    EXPECT_TRUE(follows);
  });
}

#else

TEST(OpenMp, IsNotThere) {
  for (int i = 0; i < 3; ++i)
    EXPECT_FALSE(run_on_openmp(2, [](std::size_t, std::size_t) { FAIL(); }));
  note_end();
  EXPECT_FALSE(follows_at_once());
}

#endif

}  // namespace
}  // namespace embd
