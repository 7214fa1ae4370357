#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>

namespace embd::test {

/// A test fixture with an empty directory. Its destructor removes the directory: the members of a
/// fixture are destroyed before, because Windows keeps a directory whose files are mapped.
class TemporaryDirectory : public ::testing::Test {
 public:
  ~TemporaryDirectory() override {
    std::error_code ignored;  // A destructor may not throw.
    std::filesystem::remove_all(directory_, ignored);
  }

 protected:
  void SetUp() override {
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    std::string name = std::string("embd-") + info->test_suite_name() + "-" + info->name() + "-" +
                       std::to_string(::getpid());
    std::ranges::replace(name, '/', '-');  // A test with parameters has / in its name.
    directory_ = std::filesystem::path(::testing::TempDir()) / name;
    std::filesystem::remove_all(directory_);
    std::filesystem::create_directories(directory_);
  }

  std::filesystem::path path(const std::string& name) const { return directory_ / name; }
  const std::filesystem::path& directory() const { return directory_; }

 private:
  std::filesystem::path directory_;
};

}  // namespace embd::test
