#include "faces/server/access.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/temporary_directory.h"

namespace embd::server {
namespace {

TEST(Keys, OpenWithAndWithoutBearer) {
  Keys keys;
  ASSERT_TRUE(keys.add("first"));
  ASSERT_TRUE(keys.add(" second key\n"));
  for (const char* value : {"Bearer first", "bearer first", "first", "Bearer second key"})
    EXPECT_TRUE(keys.open(value)) << value;
  for (const char* value : {"", "Bearer", "Bearer ", "Bearer firs", "Bearer first2", "Basic first",
                            "Bearer First", "second"})
    EXPECT_FALSE(keys.open(value)) << value;
}

TEST(Keys, RefuseWhatNoRequestCanCarry) {
  Keys keys;
  for (const char* key : {"", " \t\r\n", "a\x01"}) EXPECT_FALSE(keys.add(key)) << key;
  EXPECT_TRUE(keys.empty());
}

class KeysFile : public test::TemporaryDirectory {};

TEST_F(KeysFile, IsRead) {
  const auto file = path("keys");
  std::ofstream(file) << "# ours\n\n one \r\ntwo";
  Keys keys;
  ASSERT_TRUE(keys.add_file(file));
  EXPECT_TRUE(keys.open("Bearer one"));
  EXPECT_TRUE(keys.open("Bearer two"));
  EXPECT_FALSE(keys.open("Bearer # ours"));
}

TEST_F(KeysFile, WithoutKeysIsAnError) {
  const auto file = path("keys");
  std::ofstream(file) << "# none\n";
  Keys keys;
  ASSERT_FALSE(keys.add_file(file));
  EXPECT_FALSE(keys.add_file(path("absent")));
  std::ofstream(file) << "good\nb\x01"
                         "ad\n";
  const auto added = keys.add_file(file);
  ASSERT_FALSE(added);
  EXPECT_EQ(added.error().line(), 2);
}

}  // namespace
}  // namespace embd::server
