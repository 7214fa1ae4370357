#include "formats/toml.h"

#include <gtest/gtest.h>

#include <string>

namespace embd {
namespace {

std::string repeated(std::string_view text, int count) {
  std::string out;
  for (int i = 0; i < count; ++i) out += text;
  return out;
}

TEST(TomlDepth, AcceptsWhatPeopleWrite) {
  const std::string dots = repeated("1.5, ", 100);
  for (const std::string& text :
       {std::string(), std::string("a.b.c = 1\n[x.y]\nz = 1.5\n"), "a = [" + dots + "]",
        "a = \"" + repeated(".", 100) + "\"", "a = '''" + repeated(".\n", 100) + "'''",
        "# " + repeated(".", 100) + "\na = 1", repeated("a.b = 1.0\n", 50)}) {
    EXPECT_TRUE(check_toml_depth(text)) << text;
  }
}

TEST(TomlDepth, RefusesDeepKeysWhereverTheyStand) {
  const std::string deep = "a" + repeated(".a", 100);
  for (const std::string& text :
       {"\n" + deep + " = 1", "\n[" + deep + "]", "\nx = {" + deep + " = 1}",
        "\n" + repeated("\"=\".", 100) + "a = 1", "\n" + repeated("'#'.", 100) + "a = 1",
        // Strings that end in a quote of their own do not hide what follows.
        "\nx = [\"\"\"q\"\"\"\", {" + deep + " = 1}]", "\nx = ['''q''''', {" + deep + " = 1}]",
        "\nx = [\"a\\\"\", {" + deep + " = 1}]"}) {
    const auto result = check_toml_depth(text);
    ASSERT_FALSE(result) << text;
    EXPECT_EQ(result.error().code(), ErrorCode::bad_toml);
    EXPECT_EQ(result.error().line(), 2U);
  }
}

}  // namespace
}  // namespace embd
