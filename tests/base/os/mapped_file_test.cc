#include "base/os/mapped_file.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

namespace embd {
namespace {

TEST(MappedFile, ReleasedPagesComeBackAsTheyWere) {
  const auto path = std::filesystem::path(testing::TempDir()) / "embd_mapped_file_test";
  std::string content(300000, '\0');
  for (std::size_t i = 0; i < content.size(); ++i) content[i] = static_cast<char>(i * 7 + i / 1000);
  std::ofstream(path, std::ios::binary) << content;

  const auto file = MappedFile::open(path);
  ASSERT_TRUE(file) << file.error().message();
  const auto unchanged = [&] { return as_text(file->bytes()) == content; };
  EXPECT_TRUE(unchanged());
  for (const auto& [first, size] : {std::pair<std::size_t, std::size_t>{0, 300000},
                                    {1, 10},
                                    {100, 200000},
                                    {299999, 1},
                                    {8192, 4096},
                                    {300000, 0}}) {
    MappedFile::release(file->bytes().subspan(first, size));
    EXPECT_TRUE(unchanged()) << first << "+" << size;
  }
  std::filesystem::remove(path);
}

TEST(MappedFile, RefusesWhatCannotBeMapped) {
  EXPECT_EQ(MappedFile::open("/nowhere/at/all").error().code(), ErrorCode::not_found);
  EXPECT_EQ(MappedFile::open("/").error().code(), ErrorCode::io_failed);
}

}  // namespace
}  // namespace embd
