#include "base/os/file_status.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/support/temporary_directory.h"

namespace embd {
namespace {

class FileStamp : public test::TemporaryDirectory {
 protected:
  std::filesystem::path write(const std::string& name, const std::string& content) {
    std::ofstream(path(name)) << content;
    return path(name);
  }
  static FileDescriptor open(const std::filesystem::path& file) {
    return FileDescriptor::open(file).value();
  }
};

TEST_F(FileStamp, TellsFilesAndChangesApart) {
  const auto file = write("a", "one");
  const auto stamp = stamp_of(open(file));
  if (!stamp) GTEST_SKIP() << "the file system of " << file << " does not note every change";
  EXPECT_EQ(stamp_of(open(file)), stamp);
  EXPECT_NE(stamp_of(open(write("b", "one"))), stamp);
  write("a", "three");
  EXPECT_NE(stamp_of(open(file)), stamp);
  EXPECT_EQ(stamp->find('\n'), std::string::npos);
}

TEST_F(FileStamp, WhatIsNoFileHasNone) {
  EXPECT_FALSE(stamp_of(open(directory())));
  const auto pipe = path("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_FALSE(stamp_of(FileDescriptor::open(pipe, Opening::read_entry).value()));
  EXPECT_FALSE(stamp_of(FileDescriptor()));
}

TEST_F(FileStamp, FileInMemoryHasNone) {
  // Its times say nothing of what is written through a map.
  const FileDescriptor memory(::memfd_create("embd", MFD_CLOEXEC));
  ASSERT_TRUE(memory.is_open());
  EXPECT_FALSE(stamp_of(memory));
}

TEST_F(FileStamp, JustWrittenIsNotAtRest) {
  const auto file = write("a", "one");
  EXPECT_FALSE(is_at_rest(open(file)));
  EXPECT_FALSE(is_at_rest(FileDescriptor()));
}

}  // namespace
}  // namespace embd
