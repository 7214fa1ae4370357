#include "base/output_file.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <sstream>

#if !defined(_WIN32)
#include <sys/stat.h>
#include <unistd.h>
#endif

#include "base/os/mapped_file.h"
#include "base/path_text.h"

namespace embd {
namespace {

class OutputFileTest : public testing::Test {
 protected:
  void SetUp() override {
    directory_ =
        std::filesystem::path(testing::TempDir()) /
        (std::string("embd-") + testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::remove_all(directory_);
    std::filesystem::create_directory(directory_);
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  static std::string content(const std::filesystem::path& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
  }
  std::size_t entries() const {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(directory_), {}));
  }

  std::filesystem::path directory_;
};

/// A directory may be replaced if it is empty or holds one file, "stale".
Result<void> only_stale(const std::filesystem::path& directory) {
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    if (entry.path().filename() != "stale")
      return std::unexpected(Error(ErrorCode::io_failed, "another file"));
  }
  return {};
}

TEST_F(OutputFileTest, AppearsOnlyWhenFinished) {
  const auto path = directory_ / "out.bin";
  auto file = OutputFile::create(path);
  ASSERT_TRUE(file);
  ASSERT_TRUE(file->write(as_bytes("____ world")));
  ASSERT_TRUE(file->write_at(0, as_bytes("hello")));
  EXPECT_FALSE(std::filesystem::exists(path));
  ASSERT_TRUE(file->finish());
  EXPECT_EQ(content(path), "helloworld");
  EXPECT_EQ(entries(), 1U);
}

TEST_F(OutputFileTest, AnEmptyPathIsRefused) {
  for (const auto& error :
       {OutputFile::create({}).error(), OutputDirectory::create({}, only_stale).error(),
        write_text_file({}, "text").error()}) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
    EXPECT_EQ(error.message(), "invalid argument: no output path was given");
  }
}

TEST_F(OutputFileTest, UnfinishedLeavesTheOldFileAndNothingElse) {
  const auto path = directory_ / "out.bin";
  std::ofstream(path) << "old";
  {
    auto file = OutputFile::create(path);
    ASSERT_TRUE(file);
    ASSERT_TRUE(file->write(as_bytes("new")));
  }
  EXPECT_EQ(content(path), "old");
  EXPECT_EQ(entries(), 1U);
}

TEST_F(OutputFileTest, LargeWritesKeepTheirOrder) {
  const auto path = directory_ / "out.bin";
  std::string expected;
  auto file = OutputFile::create(path);
  ASSERT_TRUE(file);
  for (int i = 0; i < 40; ++i) {
    const std::string piece(static_cast<std::size_t>(i) * 9973, static_cast<char>('a' + i % 26));
    ASSERT_TRUE(file->write(as_bytes(piece)));
    expected += piece;
  }
  EXPECT_EQ(file->size(), expected.size());
  ASSERT_TRUE(file->finish());
  EXPECT_EQ(content(path), expected);
}

#if !defined(_WIN32)  // it has no links, pipes with names and modes
TEST_F(OutputFileTest, ALinkStaysAndWhatItLeadsToIsReplaced) {
  std::filesystem::create_directory(directory_ / "there");
  const auto link = directory_ / "link.bin";
  std::filesystem::create_symlink("there/real.bin", link);
  for (const std::string text : {"first", "second"}) {
    auto file = OutputFile::create(link);
    ASSERT_TRUE(file);
    ASSERT_TRUE(file->write(as_bytes(text)));
    ASSERT_TRUE(file->finish());
    EXPECT_TRUE(std::filesystem::is_symlink(link));
    EXPECT_EQ(content(directory_ / "there" / "real.bin"), text);
  }
  EXPECT_EQ(entries(), 2U);
}

TEST_F(OutputFileTest, AnOpenFileIsWrittenWhereItIs) {
  const auto path = directory_ / "out.bin";
  std::FILE* open_file = std::fopen(path.c_str(), "w+");
  ASSERT_NE(open_file, nullptr);
  const auto link = directory_ / "link.bin";
  std::filesystem::create_symlink("/proc/self/fd/" + std::to_string(::fileno(open_file)), link);
  auto file = OutputFile::create(link);
  ASSERT_TRUE(file);
  ASSERT_TRUE(file->write(as_bytes("text")));
  ASSERT_TRUE(file->finish());
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  // It goes on where the file stands, which moves on.
  std::rewind(open_file);
  char text[5] = {};
  EXPECT_EQ(std::fread(text, 1, 4, open_file), 4U);
  EXPECT_STREQ(text, "text");
  std::fclose(open_file);
  EXPECT_EQ(entries(), 2U);
}

TEST_F(OutputFileTest, WhatIsWrittenInAnyOrderWaitsUntilItCanBeSentInOne) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  auto file = OutputFile::create("/dev/fd/" + std::to_string(ends[1]), WriteOrder::any);
  ASSERT_TRUE(file);
  ASSERT_TRUE(file->write(as_bytes("____ world")));
  ASSERT_TRUE(file->write_at(0, as_bytes("hello")));
  ASSERT_TRUE(file->finish());
  char text[16] = {};
  EXPECT_EQ(::read(ends[0], text, sizeof(text)), 10);
  EXPECT_STREQ(text, "helloworld");
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST_F(OutputFileTest, AReplacedFileKeepsItsMode) {
  const auto path = directory_ / "out.bin";
  std::ofstream(path) << "old";
  for (const mode_t mode : {0600U, 0644U, 0400U}) {
    ASSERT_EQ(::chmod(path.c_str(), mode), 0);
    auto file = OutputFile::create(path);
    ASSERT_TRUE(file);
    ASSERT_TRUE(file->finish());
    struct stat status = {};
    ASSERT_EQ(::stat(path.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 07777, mode);
  }
}
#endif

TEST_F(OutputFileTest, ADirectoryIsNotWrittenToADevice) {
  EXPECT_EQ(OutputDirectory::create("/dev/null", only_stale).error().code(),
            ErrorCode::invalid_argument);
}

TEST_F(OutputFileTest, WhatIsInTheWayIsFoundBeforeTheRename) {
  const auto path = directory_ / "out.bin";
  {
    auto file = OutputFile::create(path).value();
    ASSERT_TRUE(file.write(as_bytes("new")));
    ASSERT_TRUE(file.prepare());
    EXPECT_FALSE(std::filesystem::exists(path));
    ASSERT_TRUE(file.finish());
    EXPECT_EQ(content(path), "new");
  }
  auto file = OutputFile::create(path).value();
  std::filesystem::remove(path);
  std::filesystem::create_directory(path);
  const auto refused = file.prepare();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::io_failed);
  EXPECT_EQ(refused.error().file(), path);
}

TEST_F(OutputFileTest, TwoAtWorkOnOneFileAreInNobodysWay) {
  const auto path = directory_ / "out.bin";
  auto first = OutputFile::create(path);
  auto second = OutputFile::create(path);
  ASSERT_TRUE(first->write(as_bytes("first")));
  ASSERT_TRUE(second->write(as_bytes("second")));
  ASSERT_TRUE(first->finish());
  EXPECT_EQ(content(path), "first");
  ASSERT_TRUE(second->finish());
  EXPECT_EQ(content(path), "second");
  EXPECT_EQ(entries(), 1U);
}

TEST_F(OutputFileTest, AMissingFolderIsAnErrorThatNamesTheFile) {
  const auto file = OutputFile::create(directory_ / "none" / "out.bin");
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().code(), ErrorCode::not_found);
  EXPECT_EQ(file.error().file(), text_of_path(directory_ / "none" / "out.bin"));
}

TEST_F(OutputFileTest, ADirectoryWithOtherFilesIsNotReplaced) {
  const auto path = directory_ / "out.svs";
  std::filesystem::create_directory(path);
  EXPECT_TRUE(OutputDirectory::create(path, only_stale));
  std::ofstream(path / "thesis") << "the only copy";
  EXPECT_EQ(OutputDirectory::create(path, only_stale).error().code(), ErrorCode::io_failed);
  EXPECT_EQ(content(path / "thesis"), "the only copy");
}

TEST_F(OutputFileTest, ADirectoryReplacesTheOldOneWhole) {
  const auto path = directory_ / "out.svs";
  std::filesystem::create_directory(path);
  std::ofstream(path / "stale") << "old";
  auto output = OutputDirectory::create(path, only_stale);
  ASSERT_TRUE(output);
  std::ofstream(output->path() / "fresh") << "new";
  ASSERT_TRUE(output->finish());
  EXPECT_FALSE(std::filesystem::exists(path / "stale"));
  EXPECT_EQ(content(path / "fresh"), "new");
  EXPECT_EQ(entries(), 1U);
}

TEST_F(OutputFileTest, AMappedFileShowsWhatWasWritten) {
  const auto path = directory_ / "out.bin";
  std::ofstream(path) << "mapped";
  const auto file = MappedFile::open(path);
  ASSERT_TRUE(file);
  EXPECT_EQ(as_text(file->bytes()), "mapped");
  EXPECT_EQ(MappedFile::open(directory_ / "none").error().code(), ErrorCode::not_found);
  EXPECT_EQ(MappedFile::open(directory_).error().code(), ErrorCode::io_failed);
}

}  // namespace
}  // namespace embd
