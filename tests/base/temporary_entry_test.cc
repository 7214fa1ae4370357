#include "base/temporary_files.h"

#include <gtest/gtest.h>

#include <fstream>
#include <set>

#if !defined(_WIN32)
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

#include "base/path_text.h"
#include "tests/support/temporary_directory.h"

namespace embd {
namespace {

class TemporaryEntryTest : public test::TemporaryDirectory {
 protected:
  std::set<std::string> names() const {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(directory()))
      names.insert(text_of_path(entry.path().filename()));
    return names;
  }

#if !defined(_WIN32)
  /// Calls `work` in a process that is killed as soon as it is done.
  template <class Work>
  static void killed(Work work) {
    const pid_t child = ::fork();
    if (child == 0) {
      work();
      ::kill(::getpid(), SIGKILL);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status));
  }
#endif
};

#if !defined(_WIN32)  // it has no fork() and links
TEST_F(TemporaryEntryTest, WhatAKilledProcessLeftIsRemoved) {
  killed([&] {
    const auto file = create_temporary_file(path("a"));
    const auto other = create_temporary_file(path("a"));
    static const auto folder = TemporaryFolder::create(path("b"));  // not removed at the end
    std::ofstream(folder->path() / "inside") << "text";
    std::ofstream(file->path) << "text";
  });
  EXPECT_EQ(names(), std::set<std::string>({"a.embd-0.tmp", "a.embd-1.tmp", "b.embd-0.tmp"}));
  const auto file = create_temporary_file(path("a"));
  const auto other = create_temporary_file(path("a"));
  const auto folder = TemporaryFolder::create(path("b"));
  EXPECT_EQ(names(), std::set<std::string>({"a.embd-0.tmp", "a.embd-1.tmp", "b.embd-0.tmp"}));
  EXPECT_EQ(std::filesystem::file_size(file->path), 0U);
  EXPECT_TRUE(std::filesystem::is_empty(folder->path()));
}

TEST_F(TemporaryEntryTest, WhatIsInUseStays) {
  const auto file = create_temporary_file(path("a"));
  const auto folder = TemporaryFolder::create(path("a"));
  EXPECT_NE(file->path, folder->path());
  int pipe[2];
  ASSERT_EQ(::pipe(pipe), 0);
  killed([&] {  // Another process, too.
    const auto third = create_temporary_file(path("a"));
    const char good = third && third->path != file->path && third->path != folder->path();
    if (::write(pipe[1], &good, 1) != 1) std::abort();
  });
  char good = 0;
  EXPECT_EQ(::read(pipe[0], &good, 1), 1);
  EXPECT_EQ(good, 1);
  ::close(pipe[0]);
  ::close(pipe[1]);
  EXPECT_EQ(names(), std::set<std::string>({"a.embd-0.tmp", "a.embd-1.tmp", "a.embd-2.tmp"}));
}
#endif

TEST_F(TemporaryEntryTest, OtherNamesAreNotTouched) {
  const std::set<std::string> others = {"a", "a.tmp", "a.embd-0", "ab.embd-0.tmp", "a.embd-x.tmp"};
  for (const std::string& name : others) std::ofstream(path(name)) << "text";
  {
    const auto file = create_temporary_file(path("a"));
    std::filesystem::remove(file->path);
  }
  EXPECT_EQ(names(), others);
}

#if !defined(_WIN32)  // it has no fork() and links
TEST_F(TemporaryEntryTest, ALinkInTheWayIsNotFollowed) {
  std::ofstream(path("precious")) << "text";
  std::filesystem::create_symlink("precious", path("a.embd-0.tmp"));
  const auto file = create_temporary_file(path("a"));
  EXPECT_EQ(file->path, path("a.embd-1.tmp"));
  EXPECT_EQ(std::filesystem::file_size(path("precious")), 4U);
}
#endif

TEST_F(TemporaryEntryTest, ErrorsNameTheFileThatWasAskedFor) {
  const auto none = path("none") / "a";
  for (const Error& error :
       {create_temporary_file(none).error(), TemporaryFolder::create(none).error()}) {
    EXPECT_EQ(error.code(), ErrorCode::not_found);
    EXPECT_EQ(error.file(), text_of_path(path("none") / "a"));
  }
}

}  // namespace
}  // namespace embd
