#include "base/os/open_files.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

#include "tests/support/on_windows.h"

namespace embd::os {
namespace {

TEST(OpenFiles, AreListedInProc) {
  if (test::on_windows) GTEST_SKIP() << "no names of open files on Windows";
  EXPECT_TRUE(lists_open_files("/proc/self/fd"));
  EXPECT_FALSE(lists_open_files("/process"));
  EXPECT_FALSE(lists_open_files("/home/proc/fd"));
}

TEST(OpenFiles, OfThisProcessHaveTheirNumberAsName) {
  if (test::on_windows) GTEST_SKIP() << "no names of open files on Windows";
  const std::string folder = "/proc/" + std::to_string(::getpid()) + "/fd";
  EXPECT_EQ(open_file_number(folder, "15"), 15);
  for (const char* name : {"", "-1", "1x", "x", "99999999999"})
    EXPECT_EQ(open_file_number(folder, name), std::nullopt) << name;
  EXPECT_EQ(open_file_number("/proc/0/fd", "15"), std::nullopt);
}

TEST(OpenFiles, AreRecognizedByTheSpellingOfTheirNames) {
  if (test::on_windows) GTEST_SKIP() << "no names of open files on Windows";
  for (const char* name : {"/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"}) {
    EXPECT_TRUE(is_name_of_standard_output(name)) << name;
    EXPECT_TRUE(is_name_of_open_file(name)) << name;
  }
  for (const char* name : {"/dev/fd/15", "/proc/self/fd/2"}) {
    EXPECT_FALSE(is_name_of_standard_output(name)) << name;
    EXPECT_TRUE(is_name_of_open_file(name)) << name;
  }
  EXPECT_FALSE(is_name_of_open_file("dev/fd/1"));
  EXPECT_FALSE(is_name_of_open_file("/dev/null"));
}

}  // namespace
}  // namespace embd::os
