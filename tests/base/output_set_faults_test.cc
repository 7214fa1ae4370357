// A kill, or an error of the system, at each call that the exchange of a set makes. What stands at
// the names afterwards is the old set or the new one, and nothing else is touched.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <tuple>

#include "base/output_set.h"
#include "tests/support/faulty_calls.h"
#include "tests/support/files.h"
#include "tests/support/temporary_directory.h"

namespace embd {
namespace {

namespace fs = std::filesystem;
using test::Fault;
using test::Files;
using test::write_file;

enum class Main { none, file, folder };
/// The main file before and after the commit.
struct Change {
  Main from;
  Main to;
};

Result<void> replace_all(const fs::path&) {
  return {};
}

class OutputSetFaultsTest : public test::TemporaryDirectory,
                            public ::testing::WithParamInterface<std::tuple<Fault, Change>> {
 protected:
  static Fault fault() { return std::get<0>(GetParam()); }
  static Main old_main() { return std::get<1>(GetParam()).from; }
  static Main new_main() { return std::get<1>(GetParam()).to; }

  void SetUp() override {
    // In memory, because thousands of sets are synced to the disk.
    if (fs::is_directory("/dev/shm")) ::setenv("TEST_TMPDIR", "/dev/shm", 1);
    TemporaryDirectory::SetUp();
  }

  fs::path main() const { return path("there/real"); }

  /// The outputs are named by a link. The old ids are a link, and a folder has a link in it, both
  /// to files that no set contains.
  void make_old() const {
    fs::remove_all(directory());
    fs::create_directories(path("there"));
    fs::create_directory(path("elsewhere"));
    fs::create_symlink("there/real", path("out"));
    write_file(path("elsewhere/ids"), "old ids");
    write_file(path("elsewhere/rows"), "rows of somebody");
    if (old_main() == Main::none) return;
    make_main(main(), old_main(), "old rows");
    fs::create_symlink("../elsewhere/ids", path("there/real.ids"));
    write_file(path("there/real.recipe"), "old recipe");
  }
  void make_main(const fs::path& place, Main kind, const std::string& text) const {
    if (kind == Main::file) return write_file(place, text);
    fs::create_directory(place);
    write_file(place / text, text);
    fs::create_symlink(path("elsewhere/rows"), place / "link");
  }
  /// The new set, which has ids and no recipe.
  OutputSet make_new(const std::string& text) const {
    OutputSet set = OutputSet::create(path("out"), replace_all).value();
    set.include(path("there/real.ids"));
    set.include(path("there/real.recipe"));
    make_main(set.staged(set.main()), new_main(), text);
    write_file(set.staged(path("there/real.ids")), "new ids");
    return set;
  }

  /// The set as it is, without what an unfinished run has left beside it.
  Files files() const {
    Files all;
    for (const auto& entry : fs::recursive_directory_iterator(path("there"))) {
      const std::string name = entry.path().lexically_relative(path("there"));
      if (!entry.is_directory() && !name.starts_with("real.embd-"))
        all[name] = test::content(entry.path());
    }
    return all;
  }
  Files expected(Main kind, const std::string& text) const {
    if (kind == Main::none) return {};
    Files set = {{"real.ids", text + " ids"}};
    if (text == "old") set["real.recipe"] = "old recipe";
    const std::string rows = text + " rows";
    set[kind == Main::file ? "real" : "real/" + rows] = rows;
    if (kind == Main::folder) set["real/link"] = "rows of somebody";
    return set;
  }
  void expect_others_untouched() const {
    EXPECT_EQ(fs::read_symlink(path("out")), "there/real");
    EXPECT_EQ(test::content(path("elsewhere/ids")), "old ids");
    EXPECT_EQ(test::content(path("elsewhere/rows")), "rows of somebody");
  }
  /// Another run finds nothing in its way, and leaves nothing.
  void expect_next_run_is_clean() const {
    ASSERT_TRUE(make_new("new rows").finish());
    EXPECT_EQ(files(), expected(new_main(), "new"));
    for (const auto& entry : fs::directory_iterator(path("there")))
      EXPECT_FALSE(entry.path().filename().string().contains(".embd-")) << entry.path();
  }
};

TEST_P(OutputSetFaultsTest, AtEachCallOfACommitLeaveTheOldOrTheNewSet) {
  const auto make = [&] { return std::make_unique<OutputSet>(make_new("new rows")); };
  const auto finish = [](std::unique_ptr<OutputSet> set) { return set->finish().has_value(); };
  int number = 0;
  for (bool reached = true; reached; ++number) {
    SCOPED_TRACE(number);
    make_old();
    const test::Faulted run = test::run_with_fault(number, fault(), make, finish);
    if (!run.supported) GTEST_SKIP() << "the system makes no faults";
    EXPECT_FALSE(run.crashed);
    reached = run.reached;
    ASSERT_TRUE(finish_exchange(path("out")));
    const Files found = files();
    const bool is_new = found == expected(new_main(), "new");
    EXPECT_TRUE(is_new || (!run.succeeded && found == expected(old_main(), "old")))
        << ::testing::PrintToString(found);
    expect_others_untouched();
    expect_next_run_is_clean();
    if (HasFailure()) return;
  }
  EXPECT_GT(number, 20);
}

/// A process was killed when its set was whole; the one that finishes the exchange has a fault.
TEST_P(OutputSetFaultsTest, AtEachCallOfTheNextProcessLeaveTheNewSet) {
  const auto finish = [](const fs::path& out) { return finish_exchange(out).has_value(); };
  int number = 0;
  for (bool reached = true; reached; ++number) {
    SCOPED_TRACE(number);
    make_old();
    {
      OutputSet killed = make_new("new rows");
      ASSERT_TRUE(killed.prepare());
      fs::rename(killed.staged(main()).parent_path(), path("there/real.embd-commit.tmp"));
    }
    const auto make = [&] { return path("out"); };
    const test::Faulted run = test::run_with_fault(number, fault(), make, finish);
    if (!run.supported) GTEST_SKIP() << "the system makes no faults";
    EXPECT_FALSE(run.crashed);
    reached = run.reached;
    ASSERT_TRUE(finish_exchange(path("out")));
    EXPECT_EQ(files(), expected(new_main(), "new"));
    expect_others_untouched();
    expect_next_run_is_clean();
    if (HasFailure()) return;
  }
  EXPECT_GT(number, 10);
}

INSTANTIATE_TEST_SUITE_P(Kinds, OutputSetFaultsTest,
                         ::testing::Combine(::testing::Values(Fault::kill, Fault::fail),
                                            ::testing::Values(Change{Main::none, Main::folder},
                                                              Change{Main::file, Main::file},
                                                              Change{Main::file, Main::folder},
                                                              Change{Main::folder, Main::folder})));

}  // namespace
}  // namespace embd
