#include "base/os/file_descriptor.h"

#include <gtest/gtest.h>

#include <array>

#if !defined(_WIN32)
#include <fcntl.h>
#endif

#include "base/path_text.h"

namespace embd {
namespace {

class FileDescriptorTest : public testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(path_); }
  FileDescriptor make() { return FileDescriptor::open(path_, Opening::update).value(); }

  const std::filesystem::path path_ = testing::TempDir() + "file_descriptor_test";
};

TEST_F(FileDescriptorTest, WhatIsWrittenIsRead) {
  const FileDescriptor file = make();
  ASSERT_TRUE(file.write(as_bytes("hello world"), path_));
  ASSERT_TRUE(file.write_at(6, as_bytes("there"), path_));
  std::array<std::byte, 8> part;
  ASSERT_TRUE(file.read_at(3, part, path_));
  EXPECT_EQ(as_text(part), "lo there");
}

TEST_F(FileDescriptorTest, ReadSomeEndsWithNothing) {
  ASSERT_TRUE(make().write(as_bytes("abc"), path_));
  const auto file = FileDescriptor::open(path_);
  ASSERT_TRUE(file);
  std::array<std::byte, 8> room;
  EXPECT_EQ(file->read_some(room, path_), 3U);
  EXPECT_EQ(file->read_some(room, path_), 0U);
}

TEST_F(FileDescriptorTest, AFileThatEndsEarlyIsAnError) {
  const FileDescriptor file = make();
  ASSERT_TRUE(file.write(as_bytes("abc"), path_));
  std::array<std::byte, 8> room;
  const auto read = file.read_at(0, room, path_);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code(), ErrorCode::io_failed);
  EXPECT_EQ(read.error().file(), text_of_path(path_));
}

TEST_F(FileDescriptorTest, ErrorsOfTheSystem) {
  EXPECT_EQ(FileDescriptor::open(path_ / "none").error().code(), ErrorCode::not_found);
#if !defined(_WIN32)  // it has no device that is full
  const auto full = FileDescriptor::open("/dev/full", Opening::write);
  ASSERT_TRUE(full);
  EXPECT_EQ(full->write(as_bytes("x"), "out").error().code(), ErrorCode::io_failed);
#endif
}

#if !defined(_WIN32)  // it tells nobody whether a descriptor is open
TEST_F(FileDescriptorTest, ClosesWithItsOwner) {
  int number = -1;
  {
    FileDescriptor file = make();
    number = file.get();
    const FileDescriptor taken = std::move(file);
    EXPECT_FALSE(file.is_open());  // NOLINT(bugprone-use-after-move)
    EXPECT_EQ(taken.get(), number);
    EXPECT_NE(::fcntl(number, F_GETFD), -1);
  }
  EXPECT_EQ(::fcntl(number, F_GETFD), -1);
}
#endif

}  // namespace
}  // namespace embd
