#include "base/temporary_files.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "base/output_file.h"

namespace embd {
namespace {

/// A folder of the test's own: others run at the same time.
std::filesystem::path folder() {
  const auto path = std::filesystem::path(testing::TempDir()) / "spill_file_test" /
                    testing::UnitTest::GetInstance()->current_test_info()->name();
  std::filesystem::create_directories(path);
  return path;
}

std::string content(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string numbered(std::size_t bytes) {
  std::string text;
  for (std::size_t i = 0; text.size() < bytes; ++i) text += std::to_string(i) + ' ';
  text.resize(bytes);
  return text;
}

TEST(SpillFile, GivesBackAnyPart) {
  for (const std::size_t size : {10U, 3'000'000U}) {  // in memory, on disk
    const std::string text = numbered(size);
    SpillFile spill = SpillFile::beside(folder() / "out");
    for (std::size_t i = 0; i < size; i += 1000)
      ASSERT_TRUE(spill.write(as_bytes(text).subspan(i, std::min<std::size_t>(1000, size - i))));
    EXPECT_EQ(spill.size(), size);
    OutputFile out = *OutputFile::create(folder() / "out");
    ASSERT_TRUE(spill.copy_to(out, size / 2, size - size / 2));
    ASSERT_TRUE(spill.copy_to(out, 0, size / 2));
    ASSERT_TRUE(spill.copy_to(out, size, 0));
    ASSERT_TRUE(out.finish());
    EXPECT_TRUE(content(folder() / "out") == text.substr(size / 2) + text.substr(0, size / 2));
  }
}

TEST(SpillFile, WritesOnAfterReading) {
  const std::string text = numbered(2'000'000);
  SpillFile spill = SpillFile::beside(folder() / "out");
  OutputFile out = *OutputFile::create(folder() / "out");
  ASSERT_TRUE(spill.write(as_bytes(text)));
  ASSERT_TRUE(spill.copy_to(out, 0, text.size()));
  ASSERT_TRUE(spill.write(as_bytes("end")));
  ASSERT_TRUE(spill.copy_to(out, text.size(), 3));
  ASSERT_TRUE(out.finish());
  EXPECT_TRUE(content(folder() / "out") == text + "end");
}

TEST(SpillFile, IsBesideADirectoryThatIsThereOrWillBe) {
  const std::string text = numbered(2'000'000);
  std::filesystem::create_directories(folder() / "there");
  const char* tmpdir = ::getenv("TMPDIR");
  const std::string old = tmpdir == nullptr ? "/tmp" : tmpdir;
  ::setenv("TMPDIR", "/nowhere", 1);
  for (const char* name : {"there", "there/", "will_be/"})
    EXPECT_TRUE(SpillFile::beside(folder() / name).write(as_bytes(text))) << name;
  ::setenv("TMPDIR", old.c_str(), 1);
}

TEST(SpillFile, LeavesNothingBehind) {
  std::filesystem::remove_all(folder());
  {
    SpillFile spill = SpillFile::beside(folder() / "out");
    ASSERT_TRUE(spill.write(as_bytes(numbered(3'000'000))));
    SpillFile moved = std::move(spill);
    EXPECT_EQ(moved.size(), 3'000'000);
    // Windows removes the file's name only when the file is closed.
    constexpr bool has_unnamed_files = std::filesystem::path::preferred_separator == '/';
    EXPECT_EQ(std::filesystem::is_empty(folder()), has_unnamed_files);
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder()));
}

TEST(SpillFile, SaysWhenTheDiskCannotBeWritten) {
  SpillFile spill = SpillFile::beside(folder() / "none" / "out");
  EXPECT_EQ(spill.write(as_bytes(numbered(3'000'000))).error().code(), ErrorCode::not_found);
  SpillFile pipe = SpillFile::beside("/dev/null");
  EXPECT_TRUE(pipe.write(as_bytes(numbered(3'000'000))));
}

}  // namespace
}  // namespace embd
