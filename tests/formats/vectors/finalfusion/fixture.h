#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/path_text.h"

namespace embd::finalfusion {

using Json = nlohmann::json;

inline std::filesystem::path fixture(const std::string& name) {
  return std::filesystem::path(EMBD_TEST_DATA) / "finalfusion" / name;
}

inline std::string read_bytes(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void write_bytes(const std::filesystem::path& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary).write(bytes.data(), std::ssize(bytes));
}

inline Json read_json(const std::filesystem::path& path) {
  return Json::parse(read_bytes(path));
}

inline std::filesystem::path scratch_file(const std::string& name) {
  const auto* info = testing::UnitTest::GetInstance()->current_test_info();
  std::string unique =
      std::to_string(::getpid()) + "-" + info->test_suite_name() + "-" + info->name() + "-" + name;
  for (char& c : unique)
    if (c == '/') c = '-';
  return std::filesystem::path(testing::TempDir()) / unique;
}

/// Returns the float32 values of a list of numbers. They were written as the shortest decimals that
/// read back to the same float32, so this is exact.
inline std::vector<float> floats(const Json& list) {
  std::vector<float> out;
  for (const Json& value : list) out.push_back(static_cast<float>(value.get<double>()));
  return out;
}

inline void expect_near(const std::vector<float>& found, const std::vector<float>& expected,
                        double tolerance) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i)
    EXPECT_NEAR(found[i], expected[i], tolerance * (1 + std::abs(expected[i]))) << "value " << i;
}

/// The names, without extension, of the files whose expected contents are known.
inline std::vector<std::string> good_fixtures() {
  std::vector<std::string> names;
  const std::string ending = ".expected.json";
  for (const auto& entry : std::filesystem::directory_iterator(fixture(""))) {
    const std::string name = text_of_path(entry.path().filename());
    if (name.ends_with(ending)) names.push_back(name.substr(0, name.size() - ending.size()));
  }
  std::ranges::sort(names);
  return names;
}

}  // namespace embd::finalfusion
