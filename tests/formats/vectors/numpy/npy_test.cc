#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "base/path_text.h"
#include "formats/vectors/formats.h"
#include "formats/vectors/numpy/npy_header.h"
#include "tests/support/temporary_directory.h"

namespace embd::numpy {
namespace {

const std::filesystem::path data = std::filesystem::path(EMBD_TEST_DATA) / "npy";

std::string content(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

std::vector<float> all_rows(const VectorReader& reader) {
  std::vector<float> values(reader.info().num_rows * reader.info().dim);
  EXPECT_TRUE(reader.read(0, reader.info().num_rows, values));
  return values;
}

/// Returns the values that make.py stores under a name.
std::vector<float> expected(std::string_view name) {
  const bool floating = name.contains("f") || name.starts_with("version");
  std::vector<float> values;
  for (int i = 0; i < 12; ++i) {
    const auto number = static_cast<float>(i);
    values.push_back(name == "bool" ? static_cast<float>(i % 2) : number - (floating ? 5.5F : 0));
  }
  return values;
}

TEST(NpyReader, ReadsEveryNumericTypeOrderAndVersion) {
  for (const char* name :
       {"f2", "f4", "f8", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "bool", "big_f4",
        "big_i2", "fortran_f4", "fortran_big_f8", "version2", "version3"}) {
    SCOPED_TRACE(name);
    const auto reader = format.open(data / ("good_" + std::string(name) + ".npy"), {});
    ASSERT_TRUE(reader) << reader.error().message();
    EXPECT_EQ((*reader)->info().num_rows, 4U);
    EXPECT_EQ((*reader)->info().dim, 3U);
    const std::vector<float> values = expected(name);
    EXPECT_EQ(all_rows(**reader), values);
    std::vector<float> middle(6);
    ASSERT_TRUE((*reader)->read(1, 2, middle));
    EXPECT_EQ(middle, std::vector<float>(values.begin() + 3, values.begin() + 9));
  }
}

TEST(NpyReader, RawRowsAreLittleEndianInCOrder) {
  const auto plain = format.open(data / "good_f4.npy", {}).value();
  std::vector<std::byte> wanted;
  ASSERT_TRUE(plain->plain_rows()->read_stored(1, 3, wanted));
  EXPECT_EQ(wanted.size(), 3U * 3 * 4);
  for (const char* name : {"good_big_f4.npy", "good_fortran_f4.npy"}) {
    std::vector<std::byte> raw;
    ASSERT_TRUE(format.open(data / name, {}).value()->plain_rows()->read_stored(1, 3, raw));
    EXPECT_EQ(raw, wanted) << name;
  }
}

TEST(NpyReader, ViewsOnlyWhatLiesAsInMemory) {
  const auto reader = format.open(data / "good_f4.npy", {}).value();
  ASSERT_TRUE(reader->plain_rows()->view());
  EXPECT_EQ(reader->plain_rows()->view()->row(3)[2], 5.5F);
  for (const char* name : {"good_f8.npy", "good_big_f4.npy", "good_fortran_f4.npy"})
    EXPECT_FALSE(format.open(data / name, {}).value()->plain_rows()->view()) << name;
}

TEST(NpyReader, RefusesRowsThatAreNotThere) {
  const auto reader = format.open(data / "good_f4.npy", {}).value();
  std::vector<float> room(6);
  EXPECT_EQ(reader->read(3, 2, room).error().code(), ErrorCode::invalid_argument);
  EXPECT_EQ(reader->read(0, 1, room).error().code(), ErrorCode::invalid_argument);
  std::vector<std::byte> raw;
  EXPECT_EQ(reader->plain_rows()->read_stored(~0ULL, 2, raw).error().code(),
            ErrorCode::invalid_argument);
}

TEST(NpyReader, RefusesEveryMalformedFileWithItsReason) {
  const std::vector<std::pair<const char*, ErrorCode>> cases = {
      {"1d", ErrorCode::unsupported},
      {"3d", ErrorCode::unsupported},
      {"after", ErrorCode::bad_value},
      {"complex", ErrorCode::bad_type},
      {"count_overflow", ErrorCode::file_too_short},
      {"count_too_big", ErrorCode::bad_value},
      {"data_cut", ErrorCode::file_too_short},
      {"data_long", ErrorCode::trailing_bytes},
      {"dim0", ErrorCode::bad_value},
      {"empty", ErrorCode::file_too_short},
      {"header_cut", ErrorCode::file_too_short},
      {"header_huge", ErrorCode::bad_count},
      {"key_missing", ErrorCode::missing},
      {"key_twice", ErrorCode::duplicate},
      {"key_unknown", ErrorCode::bad_value},
      {"magic", ErrorCode::bad_magic},
      {"minor", ErrorCode::unsupported_version},
      {"negative", ErrorCode::bad_value},
      {"no_comma", ErrorCode::bad_value},
      {"open_quote", ErrorCode::bad_value},
      {"order", ErrorCode::bad_value},
      {"records", ErrorCode::unsupported},
      {"text", ErrorCode::bad_type},
      {"unquoted", ErrorCode::bad_value},
      {"version9", ErrorCode::unsupported_version},
  };
  for (const auto& [name, code] : cases) {
    const auto path = data / ("bad_" + std::string(name) + ".npy");
    ASSERT_TRUE(std::filesystem::exists(path)) << path;
    const auto reader = format.open(path, {});
    ASSERT_FALSE(reader) << name;
    EXPECT_EQ(reader.error().code(), code) << reader.error().message();
    EXPECT_EQ(reader.error().file(), text_of_path(path));
    EXPECT_TRUE(reader.error().offset()) << name;
  }
  const auto bad_files = [](const auto& entry) {
    return text_of_path(entry.path().filename()).starts_with("bad_");
  };
  const std::filesystem::directory_iterator files(data);
  EXPECT_EQ(std::count_if(begin(files), end(files), bad_files),
            static_cast<std::ptrdiff_t>(cases.size()));
}

class NpyWriterTest : public test::TemporaryDirectory {};

TEST_F(NpyWriterTest, WritesTheBytesOfNumPy) {
  for (const char* name :
       {"f2", "f4", "f8", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "no_rows", "wide"}) {
    SCOPED_TRACE(name);
    const auto source = data / ("good_" + std::string(name) + ".npy");
    const auto reader = format.open(source, {}).value();
    const VectorSetInfo& info = reader->info();
    const auto values = all_rows(*reader);
    auto writer = format.create(path("out.npy"), info.dim, {.element_type = info.element_type});
    ASSERT_TRUE(writer);
    for (std::uint64_t row = 0; row < info.num_rows; ++row)
      ASSERT_TRUE((*writer)->append({values.data() + row * info.dim, 1, info.dim}, {}));
    ASSERT_TRUE((*writer)->finish());
    EXPECT_EQ(content(path("out.npy")), content(source));
  }
}

TEST_F(NpyWriterTest, TheHeaderKeepsItsLengthForAnyNumberOfRows) {
  for (const std::uint64_t rows : {0ULL, 9ULL, 123456789ULL, ~0ULL})
    EXPECT_EQ(format_header(ElementType::f32, rows, 384).size(), 128U);
}

TEST_F(NpyWriterTest, RefusesWhatItCannotHold) {
  EXPECT_EQ(format.create(path("x.npy"), 3, {.element_type = ElementType::bf16}).error().code(),
            ErrorCode::invalid_argument);
  auto writer = format.create(path("x.npy"), 3, {.element_type = ElementType::u8}).value();
  const std::vector<float> row = {0, 0.5, 1};
  EXPECT_EQ(writer->append({row.data(), 1, 3}, {}).error().code(), ErrorCode::bad_value);
  EXPECT_EQ(writer->append({row.data(), 1, 2}, {}).error().code(), ErrorCode::invalid_argument);
}

}  // namespace
}  // namespace embd::numpy
