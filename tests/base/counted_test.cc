#include "base/messages.h"

#include <gtest/gtest.h>

namespace embd {
namespace {

TEST(Counted, HasThePluralUnlessItIsOne) {
  EXPECT_EQ(counted(0, "row"), "0 rows");
  EXPECT_EQ(counted(1, "row"), "1 row");
  EXPECT_EQ(counted(2, "near-duplicate"), "2 near-duplicates");
}

}  // namespace
}  // namespace embd
