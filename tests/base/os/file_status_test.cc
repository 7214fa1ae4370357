#include "base/os/file_status.h"

#include <gtest/gtest.h>

#include <fstream>

#if !defined(_WIN32)
#include <sys/stat.h>
#endif

#include "base/os/entries.h"
#include "tests/support/temporary_directory.h"

namespace embd {
namespace {

class FileStatusTest : public test::TemporaryDirectory {
 protected:
  std::filesystem::path write(const std::string& name, const std::string& content) {
    std::ofstream(path(name)) << content;
    return path(name);
  }
};

TEST_F(FileStatusTest, SaysWhatAFileIs) {
  const auto file = write("a", "four");
  const FileStatus status = os::status_of(file).value();
  EXPECT_EQ(status.kind, FileKind::file);
  EXPECT_EQ(status.size, 4U);
  const FileStatus open = os::status_of(FileDescriptor::open(file).value()).value();
  EXPECT_EQ(open.identity, status.identity);
  EXPECT_EQ(open.modified, status.modified);
}

#if !defined(_WIN32)  // it has no modes, links, and pipes with names
TEST_F(FileStatusTest, KnowsWhoMayDoWhat) {
  const auto file = write("a", "four");
  ASSERT_EQ(::chmod(file.c_str(), 0640), 0);
  EXPECT_EQ(os::status_of(file)->permissions, 0640U);
}

TEST_F(FileStatusTest, TellsKindsApart) {
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  EXPECT_EQ(os::status_of(path("pipe"))->kind, FileKind::other);
  EXPECT_EQ(os::status_of("/dev/null")->kind, FileKind::character_device);
  EXPECT_EQ(os::status_of(directory())->kind, FileKind::folder);
}

TEST_F(FileStatusTest, FollowsALinkOnlyWhereItSaysSo) {
  const auto file = write("a", "text");
  ASSERT_TRUE(os::make_link("a", path("link")));
  EXPECT_EQ(os::status_of_name(path("link"))->kind, FileKind::link);
  EXPECT_EQ(os::status_of(path("link"))->identity, os::status_of(file)->identity);
  EXPECT_NE(identity_of_name(path("link")), identity_of(file));
  EXPECT_TRUE(os::is_file(path("link")));
  ASSERT_TRUE(os::remove_file(file));
  EXPECT_FALSE(os::exists(path("link")));
  EXPECT_EQ(os::status_of(path("link")).error(), std::errc::no_such_file_or_directory);
}
#endif

TEST_F(FileStatusTest, ListsTheFilesOfAFolder) {
  const auto file = write("a", "text");
  ASSERT_TRUE(os::make_folder(path("folder"), 0700));
  EXPECT_TRUE(os::is_folder(path("folder")));
  EXPECT_EQ(os::files_in(directory()), std::vector{file});
  EXPECT_TRUE(os::files_in(path("none")).empty());
}

}  // namespace
}  // namespace embd
