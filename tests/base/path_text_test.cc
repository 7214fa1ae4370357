#include "base/path_text.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <string_view>

namespace embd {
namespace {

constexpr bool has_bytes = std::filesystem::path::preferred_separator == '/';

TEST(PathText, IsTheBytesOfThePath) {
  if (!has_bytes) GTEST_SKIP() << "the names of this system are UTF-16";
  std::string all;
  for (int byte = 1; byte < 256; ++byte) all += static_cast<char>(byte);
  EXPECT_EQ(path_of_text(all), std::filesystem::path(all));
  EXPECT_EQ(text_of_path(path_of_text(all)), all);
  EXPECT_EQ(generic_text_of_path(path_of_text(all)), all);
}

TEST(PathText, IsUtf8) {
  EXPECT_EQ(path_of_text("ä/日"), std::filesystem::path(u8"ä/日"));
  EXPECT_EQ(text_of_path(u8"ä/日"), "ä/日");
}

TEST(PathText, IsNotNormalized) {
  for (const std::string_view text : {"", "a//b/", "./a/../b", "/", "//a", "a\\b"}) {
    EXPECT_EQ(text_of_path(path_of_text(text)), text);
    const std::string generic = generic_text_of_path(path_of_text(text));
    EXPECT_EQ(generic, has_bytes || text != "a\\b" ? text : "a/b");
  }
}

}  // namespace
}  // namespace embd
