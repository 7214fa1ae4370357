#include "base/messages.h"

#include <gtest/gtest.h>

#include <array>

namespace embd {
namespace {

const std::array<std::string, 5> names = {"embed", "search", "serve", "parquet", "npy"};

TEST(NearestName, OneMistakeForEveryThreeLetters) {
  EXPECT_EQ(nearest_name("embedd", names), "embed");   // one too many
  EXPECT_EQ(nearest_name("embd", names), "embed");     // one missing
  EXPECT_EQ(nearest_name("enbed", names), "embed");    // another
  EXPECT_EQ(nearest_name("serach", names), "search");  // two changed places
  EXPECT_EQ(nearest_name("parqutet", names), "parquet");
  EXPECT_EQ(nearest_name("prqeut", names), "parquet");  // two mistakes in six letters
  EXPECT_EQ(nearest_name("NPY", names), "npy");
}

TEST(NearestName, NoneThatIsFarOff) {
  EXPECT_EQ(nearest_name("prqe", names), "");
  EXPECT_EQ(nearest_name("nonsense", names), "");
  EXPECT_EQ(nearest_name("np", names), "");  // too short for a mistake
  EXPECT_EQ(nearest_name("", names), "");
  EXPECT_EQ(nearest_name("embed", {}), "");
}

TEST(NearestName, TheNearestOfSeveral) {
  const std::array<std::string, 3> options = {"--output", "--outputs", "--out"};
  EXPECT_EQ(nearest_name("--outputs", options), "--outputs");
  EXPECT_EQ(nearest_name("--outpt", options), "--output");
}

}  // namespace
}  // namespace embd
