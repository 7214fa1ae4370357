#include "base/path_text.h"

#include <gtest/gtest.h>

#include <string>

namespace embd {
namespace {

TEST(PathText, IsTheBytesOfThePath) {
  std::string all;
  for (int byte = 1; byte < 256; ++byte) all += static_cast<char>(byte);
  EXPECT_EQ(path_of_text(all).native(), all);
  EXPECT_EQ(text_of_path(path_of_text(all)), all);
  EXPECT_EQ(generic_text_of_path(path_of_text(all)), all);
}

TEST(PathText, IsNotNormalized) {
  for (const char* text : {"", "a//b/", "./a/../b", "/", "//a", "a\\b"}) {
    EXPECT_EQ(text_of_path(path_of_text(text)), text);
    EXPECT_EQ(generic_text_of_path(path_of_text(text)), text);
  }
}

}  // namespace
}  // namespace embd
