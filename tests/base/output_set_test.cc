#include "base/output_set.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <map>
#include <sstream>
#include <thread>

#if !defined(_WIN32)
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

#include "base/os/file_status.h"
#include "base/path_text.h"
#include "tests/support/temporary_directory.h"

namespace embd {
namespace {

namespace fs = std::filesystem;

Result<void> replace_all(const fs::path&) {
  return {};
}

class OutputSetTest : public test::TemporaryDirectory {
 protected:
  using Files = std::map<std::string, std::string>;

  static std::string content(const fs::path& file) {
    std::ostringstream text;
    text << std::ifstream(file, std::ios::binary).rdbuf();
    return text.str();
  }
  /// All files by their names in the directory of the test.
  Files files() const {
    Files all;
    for (const auto& entry : fs::recursive_directory_iterator(directory()))
      if (!entry.is_directory())
        all[generic_text_of_path(entry.path().lexically_relative(directory()))] =
            content(entry.path());
    return all;
  }
  /// A set of the main file, which holds `text`, and of those of ids and recipe that are not empty.
  static OutputSet make(const fs::path& main, const std::string& text, const std::string& ids,
                        const std::string& recipe) {
    OutputSet set = OutputSet::create(main, replace_all).value();
    const auto beside = [&](const char* extension) { return fs::path(main) += extension; };
    set.include(beside(".ids"));
    set.include(beside(".recipe"));
    std::ofstream(set.staged(main)) << text;
    if (!ids.empty()) std::ofstream(set.staged(beside(".ids"))) << ids;
    if (!recipe.empty()) std::ofstream(set.staged(beside(".recipe"))) << recipe;
    return set;
  }
};

TEST_F(OutputSetTest, AllFilesAppearTogetherAndTheOldOnesGo) {
  {
    OutputSet set = make(path("a"), "rows", "ids", "recipe");
    EXPECT_FALSE(fs::exists(path("a")));
    ASSERT_TRUE(set.finish());
  }
  EXPECT_EQ(files(), (Files{{"a", "rows"}, {"a.ids", "ids"}, {"a.recipe", "recipe"}}));
  ASSERT_TRUE(make(path("a"), "other rows", "", "other recipe").finish());
  EXPECT_EQ(files(), (Files{{"a", "other rows"}, {"a.recipe", "other recipe"}}));
}

TEST_F(OutputSetTest, AnEmptyPathIsRefused) {
  const auto set = OutputSet::create({});
  ASSERT_FALSE(set);
  EXPECT_EQ(set.error().message(), "invalid argument: no output path was given");
}

TEST_F(OutputSetTest, UnfinishedItChangesNothing) {
  ASSERT_TRUE(make(path("a"), "rows", "ids", "").finish());
  {
    const OutputSet set = make(path("a"), "new", "new", "new");
  }
  EXPECT_EQ(files(), (Files{{"a", "rows"}, {"a.ids", "ids"}}));
}

TEST_F(OutputSetTest, ASetThatEndsTakesNoOthersFolder) {
  std::atomic<int> lost = 0;
  const auto make_many = [&] {
    for (int i = 0; i < 500; ++i) {
      const OutputSet set = OutputSet::create(path("a")).value();
      std::ofstream(set.staged(path("a"))) << "rows";
      lost += content(set.staged(path("a"))) != "rows";
    }
  };
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back(make_many);
  threads.clear();
  EXPECT_EQ(lost, 0);
  EXPECT_TRUE(fs::is_empty(directory()));
}

TEST_F(OutputSetTest, ADirectoryReplacesAFileAndADirectoryWhole) {
  std::ofstream(path("a")) << "a file of that name";
  for (const std::string name : {"old", "new"}) {
    OutputSet set = OutputSet::create(path("a"), replace_all).value();
    fs::create_directory(set.staged(path("a")));
    std::ofstream(set.staged(path("a")) / name) << name;
    const auto done = set.finish();
    ASSERT_TRUE(done) << done.error().message();
    EXPECT_EQ(files(), (Files{{"a/" + name, name}}));
  }
  EXPECT_EQ(OutputSet::create(path("a")).error().code(), ErrorCode::io_failed);
}

TEST_F(OutputSetTest, AFileReplacesNoDirectory) {
  fs::create_directory(path("a"));
  OutputSet set = make(path("a"), "rows", "ids", "");
  EXPECT_EQ(set.prepare().error().file(), text_of_path(path("a")));
  EXPECT_EQ(set.finish().error().code(), ErrorCode::io_failed);
  EXPECT_TRUE(fs::is_directory(path("a")));
  EXPECT_FALSE(fs::exists(path("a.ids")));
}

#if !defined(_WIN32)  // it has no links, owners and fork()
TEST_F(OutputSetTest, CompanionsLieBesideWhatALinkLeadsTo) {
  fs::create_directory(path("there"));
  fs::create_symlink("there/real", path("link"));
  OutputSet set = OutputSet::create(path("link")).value();
  EXPECT_EQ(set.main(), directory() / "there/real");
  std::ofstream(set.staged(set.main())) << "rows";
  std::ofstream(set.staged(path("there/real.ids"))) << "ids";
  ASSERT_TRUE(set.finish());
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(content(path("there/real")), "rows");
  EXPECT_EQ(content(path("there/real.ids")), "ids");
}

TEST_F(OutputSetTest, WhatReplacesAFileGetsItsPermissions) {
  ASSERT_TRUE(make(path("a"), "rows", "ids", "recipe").finish());
  ASSERT_EQ(::chmod(path("a").c_str(), 0600), 0);
  ASSERT_EQ(::chmod(path("a.ids").c_str(), 0640), 0);
  ASSERT_TRUE(make(path("a"), "new rows", "new ids", "").finish());
  struct stat status = {};
  ASSERT_EQ(::stat(path("a").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0600U);
  ASSERT_EQ(::stat(path("a.ids").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0640U);
  if (::geteuid() != 0) GTEST_SKIP() << "only root may give files away";
  ASSERT_EQ(::chown(path("a").c_str(), 12345, 23456), 0);
  ASSERT_TRUE(make(path("a"), "rows", "ids", "").finish());
  ASSERT_EQ(::stat(path("a").c_str(), &status), 0);
  EXPECT_EQ(status.st_uid, 12345U);
  EXPECT_EQ(status.st_gid, 23456U);
}
#endif

TEST_F(OutputSetTest, ErrorsNameTheFileThatIsToBe) {
  const OutputSet set = OutputSet::create(path("a")).value();
  const auto about = [](const fs::path& file) {
    return Error(ErrorCode::io_failed, "full").in_file(text_of_path(file));
  };
  EXPECT_EQ(set.as_seen(about(set.staged(path("a")))).file(), text_of_path(path("a")));
  EXPECT_EQ(set.as_seen(about(set.staged(path("a.ids")))).file(), text_of_path(path("a.ids")));
  EXPECT_EQ(set.as_seen(about("elsewhere")).file(), "elsewhere");
  EXPECT_EQ(OutputSet::create(path("none") / "a").error().file(), text_of_path(path("none") / "a"));
}

TEST_F(OutputSetTest, ADirectoryInTheWayOfACompanionIsRefusedBeforeAnythingIsReplaced) {
  ASSERT_TRUE(make(path("a"), "rows", "", "").finish());
  fs::create_directory(path("a.ids"));
  EXPECT_FALSE(make(path("a"), "new rows", "new ids", "").finish());
  EXPECT_EQ(files(), (Files{{"a", "rows"}}));
}

TEST_F(OutputSetTest, WhatIsInTheWayIsFoundBeforeAnythingIsReplaced) {
  ASSERT_TRUE(make(path("a"), "rows", "ids", "").finish());
  const Files before = files();
  {
    OutputSet set = make(path("a"), "new rows", "new ids", "new recipe");
    ASSERT_TRUE(set.prepare());
    EXPECT_EQ(files().at("a"), "rows");
    ASSERT_TRUE(set.prepare());
    ASSERT_TRUE(set.finish());
    EXPECT_EQ(files().at("a"), "new rows");
  }
  ASSERT_TRUE(make(path("a"), "rows", "ids", "").finish());
  for (const char* name : {"a.ids", "a.recipe"}) {
    OutputSet set = make(path("a"), "new rows", "new ids", "new recipe");
    fs::remove(path(name));
    fs::create_directory(path(name));
    EXPECT_EQ(set.prepare().error().file(), text_of_path(path(name)));
    fs::remove(path(name));
  }
  std::ofstream(path("a.ids")) << "ids";
  EXPECT_EQ(files(), before);
}

#if !defined(_WIN32)  // it has no owners
TEST_F(OutputSetTest, AFolderOfSomebodyElseInTheWayIsFoundBefore) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root may give files away";
  OutputSet set = make(path("a"), "rows", "ids", "");
  fs::create_directory(path("a.embd-commit.tmp"));
  ASSERT_EQ(::chown(path("a.embd-commit.tmp").c_str(), 12345, 12345), 0);
  EXPECT_EQ(set.prepare().error().code(), ErrorCode::io_failed);
  fs::remove(path("a.embd-commit.tmp"));
}
#endif

/// Every state that a kill can leave: the folder of the set has its name, and some moves are made.
TEST_F(OutputSetTest, WhoeverComesNextFinishesTheExchangeOfAKilledProcess) {
  for (int moves = 0; moves <= 4; ++moves) {
    SCOPED_TRACE(moves);
    fs::remove_all(path("a"));
    ASSERT_TRUE(make(path("a"), "rows", "ids", "recipe").finish());
    const fs::path folder = path("a.embd-commit.tmp");
    fs::create_directory(folder);
    std::ofstream(folder / "a") << "new rows";
    std::ofstream(folder / "a.recipe") << "new recipe";
    std::ofstream(folder / "a.ids") << "";
    if (moves > 0) fs::rename(folder / "a.recipe", path("a.recipe"));
    if (moves > 1) fs::remove(path("a.ids"));
    if (moves > 2) fs::remove(folder / "a.ids");
    if (moves > 3) fs::rename(folder / "a", path("a"));
    EXPECT_FALSE(SetSnapshot::begin(path("a")).is_current());
    ASSERT_TRUE(finish_exchange(path("a")));
    EXPECT_EQ(files(), (Files{{"a", "new rows"}, {"a.recipe", "new recipe"}}));
    EXPECT_TRUE(SetSnapshot::begin(path("a")).is_current());
  }
}

TEST_F(OutputSetTest, AnExchangeOfDirectoriesIsFinishedOnWhicheverSideTheNewOneIs) {
  for (const bool exchanged : {false, true}) {
    SCOPED_TRACE(exchanged);
    fs::remove_all(path("a"));
    const fs::path folder = path("a.embd-commit.tmp");
    fs::create_directories(path("a"));
    std::ofstream(path("a") / "old") << "old";
    fs::create_directories(folder / "a");
    std::ofstream(folder / "a" / "new") << "new";
    std::ofstream(folder / ".embd-inode", std::ios::binary)
        << identity_of(folder / "a")->inode << '\n';
    if (exchanged) {
      fs::rename(path("a"), path("b"));
      fs::rename(folder / "a", path("a"));
      fs::rename(path("b"), folder / "a");
    }
    ASSERT_TRUE(finish_exchange(path("a")));
    EXPECT_EQ(files(), (Files{{"a/new", "new"}}));
  }
}

TEST_F(OutputSetTest, WithoutAReadableNoteNoDirectoryIsRemoved) {
  const fs::path folder = path("a.embd-commit.tmp");
  const fs::path note = folder / ".embd-inode";
  fs::create_directory(path("a"));
  std::ofstream(path("a") / "one") << "one";
  fs::create_directories(folder / "a");
  std::ofstream(folder / "a" / "other") << "other";
  const std::string inode = std::to_string(identity_of(folder / "a")->inode);
  const Files before = files();
  const auto expect_refused = [&](const std::string& what) {
    const auto finished = finish_exchange(path("a"));
    ASSERT_FALSE(finished) << what;
    EXPECT_EQ(finished.error().code(), ErrorCode::io_failed) << what;
    EXPECT_TRUE(finished.error().file().starts_with(text_of_path(folder)))
        << finished.error().file();
    fs::remove(note);
    EXPECT_EQ(files(), before) << what;
  };
  expect_refused("no note");
  for (const std::string text : {"", "\n", "12", "x\n", "-1\n", "99999999999999999999\n"}) {
    std::ofstream(note, std::ios::binary) << text;
    expect_refused(text);
  }
  std::ofstream(note, std::ios::binary) << inode;
  expect_refused("a note that was not written to its end");
#if !defined(_WIN32)  // it has no links
  fs::create_symlink(inode, note);
  expect_refused("a link");
#endif
  fs::create_directory(note);
  expect_refused("a directory");
}

TEST_F(OutputSetTest, WhatIsNeitherTheOldNorTheNewDirectoryIsKept) {
  const fs::path folder = path("a.embd-commit.tmp");
  fs::create_directory(path("a"));
  std::ofstream(path("a") / "one") << "one";
  fs::create_directories(folder / "a");
  std::ofstream(folder / "a" / "other") << "other";
  std::ofstream(folder / ".embd-inode", std::ios::binary)
      << identity_of(directory())->inode << '\n';
  const Files before = files();
  const auto finished = finish_exchange(path("a"));
  ASSERT_FALSE(finished);
  EXPECT_EQ(finished.error().file(), text_of_path(folder / "a"));
  EXPECT_EQ(files(), before);
}

#if !defined(_WIN32)  // it has no links, owners and fork()
TEST_F(OutputSetTest, AFolderOfSomebodyElseInTheWayIsNotFollowed) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root may give files away";
  const fs::path folder = path("a.embd-commit.tmp");
  std::ofstream(path("a")) << "rows";
  fs::create_directory(folder);
  std::ofstream(folder / "a") << "planted";
  ASSERT_EQ(::chown(folder.c_str(), 12345, 12345), 0);
  EXPECT_EQ(finish_exchange(path("a")).error().code(), ErrorCode::io_failed);
  EXPECT_EQ(content(path("a")), "rows");
  fs::remove_all(folder);
  fs::create_directory(path("elsewhere"));
  fs::create_directory_symlink(path("elsewhere"), folder);
  std::ofstream(path("elsewhere") / "a") << "planted";
  EXPECT_EQ(finish_exchange(path("a")).error().code(), ErrorCode::io_failed);
  EXPECT_EQ(content(path("a")), "rows");
}
#endif

/// Writers and readers in threads of their own: what a reader got has been one set.
TEST_F(OutputSetTest, ReadersSeeOneSetWhileWritersRace) {
  constexpr int rounds = 50;
  std::atomic<int> num_writers = 2;
  const auto write = [&](const std::string& mark) {
    for (int i = 0; i < rounds; ++i) {
      const std::string text = mark + std::to_string(i);
      const auto done =
          make(path("a"), text, i % 3 == 0 ? "" : text, i % 2 == 0 ? "" : text).finish();
      // Windows may refuse one of several writers at once.
      EXPECT_TRUE(done || fs::path::preferred_separator != '/') << done.error().message();
    }
    --num_writers;
  };
  std::jthread first(write, "first");
  std::jthread second(write, "second");
  int num_seen = 0;
  while (num_writers > 0) {
#if defined(_WIN32)
    // Here a file that is open may be kept from being replaced, and writers wait a second at most.
    std::this_thread::sleep_for(std::chrono::milliseconds(25));
#endif
    const auto seen = consistently<Files>(path("a"), [&]() -> Result<Files> {
      return Files{{"a", content(path("a"))},
                   {"ids", content(path("a.ids"))},
                   {"recipe", content(path("a.recipe"))}};
    });
    if (!seen) continue;
    ++num_seen;
    for (const char* name : {"ids", "recipe"}) {
      if (!seen->at(name).empty()) {
        EXPECT_EQ(seen->at(name), seen->at("a"));
      }
    }
  }
  EXPECT_GT(num_seen, 0);
  first.join();
  second.join();
  for (const auto& [name, text] : files()) EXPECT_EQ(text, content(path("a"))) << name;
}

#if !defined(_WIN32)  // it has no links, owners and fork()
/// A writer that is killed at a random moment, again and again.
TEST_F(OutputSetTest, AKillAtAnyMomentLeavesOneSet) {
  ASSERT_TRUE(make(path("a"), "0", "0", "0").finish());
  for (int i = 0; i < 50; ++i) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      for (int j = 0;; ++j) {
        const std::string text = std::to_string(j);
        (void)make(path("a"), text, j % 3 == 0 ? "" : text, j % 2 == 0 ? "" : text).finish();
      }
    }
    ::usleep(static_cast<useconds_t>(i * 197 % 5000));
    ::kill(child, SIGKILL);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(finish_exchange(path("a")));
    for (const char* name : {"a.ids", "a.recipe"}) {
      if (fs::exists(path(name))) {
        EXPECT_EQ(content(path(name)), content(path("a")));
      }
    }
  }
  ASSERT_TRUE(make(path("a"), "last", "", "").finish());
  EXPECT_EQ(files(), (Files{{"a", "last"}}));
}
#endif

}  // namespace
}  // namespace embd
