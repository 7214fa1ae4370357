#include "base/os/entries.h"

#include <gtest/gtest.h>

#include <fstream>

#include "base/os/file_status.h"
#include "base/os/mapped_file.h"
#include "tests/support/on_windows.h"
#include "tests/support/temporary_directory.h"

namespace embd {
namespace {

class EntriesTest : public test::TemporaryDirectory {
 protected:
  std::filesystem::path write(const std::string& name) {
    std::ofstream(path(name)) << name;
    return path(name);
  }
  static std::string read(const std::filesystem::path& file) {
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
  }
};

TEST_F(EntriesTest, RenamesInThePlaceOfAnother) {
  const auto a = write("a");
  const auto b = write("b");
  ASSERT_TRUE(os::rename(a, b));
  EXPECT_FALSE(os::exists(a));
  EXPECT_EQ(read(b), "a");
  EXPECT_EQ(os::rename(a, b).error(), std::errc::no_such_file_or_directory);
}

TEST_F(EntriesTest, ExchangesNames) {
  const auto a = write("a");
  ASSERT_TRUE(os::make_folder(path("b"), 0700));
  if (const auto exchanged = os::exchange(a, path("b")); !exchanged)
    GTEST_SKIP() << "a file system that cannot exchange names";
  EXPECT_TRUE(os::is_folder(a));
  EXPECT_EQ(read(path("b")), "a");
}

TEST_F(EntriesTest, RemovesOnlyWhatItSays) {
  ASSERT_TRUE(os::make_folder(path("folder"), 0700));
  EXPECT_FALSE(os::remove_file(path("folder")));
  const auto inside = write("folder/a");
  EXPECT_EQ(os::remove_folder(path("folder")).error(), std::errc::directory_not_empty);
  EXPECT_TRUE(os::remove_file(inside));
  EXPECT_TRUE(os::remove_folder(path("folder")));
  EXPECT_FALSE(os::exists(path("folder")));
}

TEST_F(EntriesTest, RemovesAFolderWithAllInIt) {
  EXPECT_EQ(os::remove_tree(path("none")).error(), std::errc::no_such_file_or_directory);
  ASSERT_TRUE(os::make_folder(path("folder"), 0700));
  ASSERT_TRUE(os::make_folder(path("folder/deep"), 0700));
  write("folder/a");
  const auto inside = write("folder/deep/b");
  {
    // Windows may keep what is mapped.
    const auto mapped = MappedFile::open(inside);
    ASSERT_TRUE(mapped);
    const bool is_removed = os::remove_tree(path("folder")).has_value();
    EXPECT_NE(is_removed, os::exists(path("folder")));
  }
  (void)os::remove_tree(path("folder"));
  EXPECT_FALSE(os::exists(path("folder")));
}

TEST_F(EntriesTest, APrivateFolderIsNewAndOnlyOurs) {
  const auto first = os::make_private_folder(path("embd-")).value();
  const auto second = os::make_private_folder(path("embd-")).value();
  EXPECT_NE(first, second);
  if (!test::on_windows) {
    EXPECT_EQ(os::status_of(first)->permissions, 0700U);
  }
  EXPECT_TRUE(os::is_permitted(first, os::Access::search));
  EXPECT_FALSE(os::make_private_folder(path("none/embd-")));
}

}  // namespace
}  // namespace embd
