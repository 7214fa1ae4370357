#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>

namespace embd::test {

/// A test with an empty directory of its own, removed afterwards.
class TemporaryDirectory : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    std::string name = std::string("embd-") + info->test_suite_name() + "-" + info->name() + "-" +
                       std::to_string(::getpid());
    std::ranges::replace(name, '/', '-');  // of a test with parameters
    directory_ = std::filesystem::path(::testing::TempDir()) / name;
    std::filesystem::remove_all(directory_);
    std::filesystem::create_directories(directory_);
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  std::filesystem::path path(const std::string& name) const { return directory_ / name; }
  const std::filesystem::path& directory() const { return directory_; }

 private:
  std::filesystem::path directory_;
};

}  // namespace embd::test
