#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "base/path_text.h"
#include "formats/vectors/formats.h"
#include "tests/support/temporary_directory.h"

namespace embd::vecs {
namespace {

using namespace std::string_literals;

class VecsTest : public test::TemporaryDirectory {
 protected:
  std::filesystem::path write(const std::string& name, const std::string& bytes) {
    std::ofstream(path(name), std::ios::binary) << bytes;
    return path(name);
  }
  static std::string content(const std::filesystem::path& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
  }
  /// Returns the code of the error that refuses a file with these bytes.
  ErrorCode refusal(const Format& format, const std::string& bytes) {
    const auto reader = format.open(write("bad", bytes), {});
    EXPECT_FALSE(reader);
    if (reader) return ErrorCode::cancelled;
    EXPECT_EQ(reader.error().file(), text_of_path(path("bad")));
    return reader.error().code();
  }

  static const Format& fvecs() { return vecs_formats[0]; }
  static const Format& bvecs() { return vecs_formats[2]; }
  static const Format& fbin() { return bin_formats[0]; }
};

const std::string two_fvecs = "\2\0\0\0\0\0\x80\x3f\0\0\0\xc0\2\0\0\0\0\0\0\0\0\0\0\x3f"s;
const std::string two_fbin = "\2\0\0\0\2\0\0\0\0\0\x80\x3f\0\0\0\xc0\0\0\0\0\0\0\0\x3f"s;
const std::vector<float> two_rows = {1, -2, 0, 0.5};

TEST_F(VecsTest, ReadsAndWritesTheseBytes) {
  const std::pair<const Format*, std::string> cases[] = {{&fvecs(), two_fvecs},
                                                         {&fbin(), two_fbin}};
  for (const auto& [format, bytes] : cases) {
    SCOPED_TRACE(format->name);
    const auto reader = format->open(write("in", bytes), {}).value();
    EXPECT_EQ(reader->info().format, format->name);
    EXPECT_EQ(reader->info().num_rows, 2U);
    EXPECT_EQ(reader->info().dim, 2U);
    std::vector<float> values(4);
    ASSERT_TRUE(reader->read(0, 2, values));
    EXPECT_EQ(values, two_rows);
    EXPECT_TRUE(reader->verify());

    auto writer = format->create(path("out"), 2, {}).value();
    ASSERT_TRUE(writer->append({two_rows.data(), 2, 2}, {}));
    ASSERT_TRUE(writer->finish());
    EXPECT_EQ(content(path("out")), bytes);
  }
}

TEST_F(VecsTest, EveryTypeComesBack) {
  const std::vector<float> values = {0, 1, 2, 3, 100, 127};
  std::vector<const Format*> all;
  for (const Format& format : vecs_formats) all.push_back(&format);
  for (const Format& format : bin_formats) all.push_back(&format);
  for (const Format* format : all) {
    SCOPED_TRACE(format->name);
    auto writer = format->create(path("out"), 3, {}).value();
    ASSERT_TRUE(writer->append({values.data(), 2, 3}, {}));
    ASSERT_TRUE(writer->finish());
    const auto reader = format->open(path("out"), {}).value();
    std::vector<float> back(3);
    ASSERT_TRUE(reader->read(1, 1, back));
    EXPECT_EQ(back, std::vector<float>(values.begin() + 3, values.end()));
    std::vector<std::byte> raw;
    ASSERT_TRUE(reader->plain_rows()->read_stored(0, 2, raw));
    EXPECT_EQ(raw.size(), 6 * element_bits(reader->info().element_type) / 8);
  }
}

TEST_F(VecsTest, OnlyGaplessRowsAreViewed) {
  EXPECT_FALSE(fvecs().open(write("in", two_fvecs), {}).value()->plain_rows()->view());
  EXPECT_EQ(fbin().open(write("in", two_fbin), {}).value()->plain_rows()->view()->row(1)[1], 0.5F);
}

TEST_F(VecsTest, RefusesMalformedFiles) {
  EXPECT_EQ(refusal(fvecs(), ""), ErrorCode::file_too_short);
  EXPECT_EQ(refusal(fvecs(), "\0\0\0\0"s), ErrorCode::bad_count);
  EXPECT_EQ(refusal(fvecs(), two_fvecs.substr(0, 23)), ErrorCode::file_size_mismatch);
  EXPECT_EQ(refusal(fvecs(), "\xff\xff\xff\xff" + two_fvecs), ErrorCode::file_size_mismatch);
  EXPECT_EQ(refusal(fbin(), "\2\0\0\0"s), ErrorCode::file_too_short);
  EXPECT_EQ(refusal(fbin(), "\2\0\0\0\0\0\0\0"s), ErrorCode::bad_count);
  EXPECT_EQ(refusal(fbin(), two_fbin + "x"), ErrorCode::file_size_mismatch);
  EXPECT_EQ(refusal(fbin(), two_fbin.substr(0, 23)), ErrorCode::file_size_mismatch);
  EXPECT_EQ(refusal(fbin(), std::string(8, '\xff') + two_fbin), ErrorCode::file_size_mismatch);
}

TEST_F(VecsTest, ARowOfAnotherLengthIsFoundWhenItIsRead) {
  std::string bytes = two_fvecs;
  bytes[12] = 1;
  const auto reader = fvecs().open(write("in", bytes), {}).value();
  std::vector<float> row(2);
  EXPECT_TRUE(reader->read(0, 1, row));
  const auto error = reader->read(1, 1, row).error();
  EXPECT_EQ(error.code(), ErrorCode::bad_count);
  EXPECT_EQ(error.offset(), 12U);
  EXPECT_EQ(reader->verify().error().code(), ErrorCode::bad_count);
}

TEST_F(VecsTest, RefusesWhatItCannotHold) {
  EXPECT_EQ(fvecs().create(path("out"), 2, {}).value()->finish().error().code(),
            ErrorCode::unsupported);
  EXPECT_TRUE(fbin().create(path("out"), 2, {}).value()->finish());
  EXPECT_EQ(fvecs().create(path("out"), 2, {.element_type = ElementType::u8}).error().code(),
            ErrorCode::invalid_argument);
  EXPECT_EQ(fvecs().open(path("out"), {.element_type = ElementType::u8}).error().code(),
            ErrorCode::invalid_argument);
  auto writer = bvecs().create(path("out"), 2, {}).value();
  EXPECT_EQ(writer->append({two_rows.data(), 1, 2}, {}).error().code(), ErrorCode::bad_value);
  EXPECT_EQ(writer->append({two_rows.data(), 1, 4}, {}).error().code(),
            ErrorCode::invalid_argument);
}

}  // namespace
}  // namespace embd::vecs
