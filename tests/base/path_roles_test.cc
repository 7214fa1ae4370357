#include "base/paths.h"

#include <gtest/gtest.h>

#include <fstream>

#if !defined(_WIN32)
#include <unistd.h>
#endif

#include "base/path_text.h"
#include "tests/support/temporary_directory.h"

namespace embd {
namespace {

class PathRolesTest : public test::TemporaryDirectory {
 protected:
  void SetUp() override {
    test::TemporaryDirectory::SetUp();
    std::ofstream(path("in.txt")) << "text";
    std::filesystem::create_directory(path("folder"));
  }

  /// Returns the result of check() for an input and an output.
  static Result<void> read_and_written(const std::filesystem::path& in,
                                       const std::filesystem::path& out) {
    PathRoles roles;
    roles.reads("INPUT", in);
    roles.writes("--output", out);
    return roles.check();
  }
  static Result<void> both_written(const std::filesystem::path& a, const std::filesystem::path& b) {
    PathRoles roles;
    roles.writes("--output", a);
    roles.writes("--report", b);
    return roles.check();
  }
};

#if !defined(_WIN32)  // it has no links, and no names of open files
TEST_F(PathRolesTest, OneFileUnderTwoNamesIsFound) {
  std::filesystem::create_symlink("in.txt", path("link"));
  std::filesystem::create_hard_link(path("in.txt"), path("hard"));
  std::filesystem::create_directory_symlink(directory(), path("folder") / "back");
  for (const auto& name :
       {path("in.txt"), path("link"), path("hard"), path("folder/../in.txt"), path("./in.txt"),
        path("folder/back/in.txt"), path("folder/back/hard")}) {
    const auto found = read_and_written(path("in.txt"), name);
    ASSERT_FALSE(found) << name;
    EXPECT_EQ(found.error().code(), ErrorCode::invalid_argument);
    EXPECT_NE(found.error().message().find("INPUT " + text_of_path(path("in.txt"))),
              std::string::npos);
    EXPECT_NE(found.error().message().find("--output " + text_of_path(name)), std::string::npos);
  }
}

TEST_F(PathRolesTest, NamesOfWhatIsNotThereYetAreComparedToo) {
  std::filesystem::create_symlink("new.npy", path("link"));
  std::filesystem::create_directory_symlink(directory(), path("folder") / "back");
  for (const auto& name : {path("new.npy"), path("./new.npy"), path("folder/../new.npy"),
                           path("link"), path("folder/back/new.npy"), path("new.npy/")})
    EXPECT_FALSE(both_written(path("new.npy"), name)) << name;
  for (const auto& name : {path("newer.npy"), path("folder/new.npy"), path("none/new.npy")})
    EXPECT_TRUE(both_written(path("new.npy"), name)) << name;
}
#endif

TEST_F(PathRolesTest, ReadingTwiceAndNoPathAtAllAreGood) {
  PathRoles roles;
  roles.reads("INPUT", path("in.txt"));
  roles.reads("--texts", path("in.txt"));
  roles.reads("--queries", "");
  roles.reads("INPUT", "-");
  roles.writes("--output", path("out.npy"));
  roles.writes("--report", "");
  EXPECT_TRUE(roles.check());
}

TEST_F(PathRolesTest, WhatLiesInADirectoryThatIsReplacedIsFound) {
  std::ofstream(path("folder") / "data_0.svs") << "rows";
  EXPECT_FALSE(read_and_written(path("folder/data_0.svs"), path("folder")));
  EXPECT_FALSE(read_and_written(path("folder/data_0.svs"), path("folder/")));
  EXPECT_FALSE(both_written(path("folder"), path("folder/new.npy")));
  EXPECT_TRUE(read_and_written(path("in.txt"), path("folder")));
}

TEST_F(PathRolesTest, OfAFolderThatIsReadOnlyWhatIsThereIsKept) {
  std::ofstream(path("folder") / "model.safetensors") << "weights";
  const auto written = [&](const std::filesystem::path& out) {
    PathRoles roles;
    roles.reads_folder("DIR", path("folder"));
    roles.writes("OUT", out);
    return roles.check();
  };
  EXPECT_FALSE(written(path("folder/model.safetensors")));
  EXPECT_FALSE(written(path("folder")));
  EXPECT_TRUE(written(path("folder/new.weights")));
  EXPECT_TRUE(written(path("out.weights")));
}

#if !defined(_WIN32)  // it has no links, and no names of open files
TEST_F(PathRolesTest, ADeviceMayBeReadAndWrittenAPipeMayNot) {
  EXPECT_TRUE(both_written("/dev/null", "/dev/null"));
  EXPECT_TRUE(read_and_written("/dev/zero", "/dev/zero"));
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const std::string name = "/dev/fd/" + std::to_string(ends[1]);
  EXPECT_FALSE(both_written(name, name));
  EXPECT_FALSE(both_written(name, "/proc/self/fd/" + std::to_string(ends[1])));
  EXPECT_TRUE(both_written(name, path("out")));
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST_F(PathRolesTest, StandardOutputIsTheFileItLeadsTo) {
  std::fflush(stdout);
  const int before = ::dup(STDOUT_FILENO);
  std::FILE* file = std::fopen(path("in.txt").c_str(), "a");
  ASSERT_NE(file, nullptr);
  ASSERT_GE(::dup2(::fileno(file), STDOUT_FILENO), 0);
  const bool same = read_and_written(path("in.txt"), "-").has_value();
  const bool twice = both_written("-", "/dev/stdout").has_value();
  ::dup2(before, STDOUT_FILENO);
  ::close(before);
  std::fclose(file);
  EXPECT_FALSE(same);
  EXPECT_FALSE(twice);
}
#endif

}  // namespace
}  // namespace embd
