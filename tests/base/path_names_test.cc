#include "base/paths.h"

#include <gtest/gtest.h>

namespace embd {
namespace {

TEST(PathNames, OfADirectoryWithASlashAreThoseOfTheDirectory) {
  EXPECT_EQ(without_trailing_slash("a/out.svs/"), "a/out.svs");
  EXPECT_EQ(without_trailing_slash("a/out.svs"), "a/out.svs");
  EXPECT_EQ(without_trailing_slash("out.svs/"), "out.svs");
  EXPECT_EQ(without_trailing_slash("/"), "/");
  EXPECT_EQ(without_trailing_slash(""), "");
}

TEST(PathNames, BesideKeepTheWholeName) {
  EXPECT_EQ(path_beside("a/out.npy", ".ids.jsonl"), "a/out.npy.ids.jsonl");
  EXPECT_EQ(path_beside("a/out.svs/", ".ids.jsonl"), "a/out.svs.ids.jsonl");
  EXPECT_EQ(path_beside("out", ".journal"), "out.journal");
}

}  // namespace
}  // namespace embd
