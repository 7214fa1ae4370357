#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>

#include "base/bytes.h"
#include "base/path_text.h"
#include "formats/vectors/formats.h"

namespace embd::word2vec {
namespace {

using Strings = std::vector<std::string>;

const Format& binary = formats[0];
const Format& text_dims = formats[1];
const Format& text = formats[2];

std::filesystem::path scratch() {
  const auto* info = testing::UnitTest::GetInstance()->current_test_info();
  return std::filesystem::path(testing::TempDir()) /
         (std::string(info->test_suite_name()) + "-" + info->name());
}

std::filesystem::path file_of(std::string_view bytes) {
  std::ofstream(scratch(), std::ios::binary).write(bytes.data(), std::ssize(bytes));
  return scratch();
}

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string binary_file(std::string_view shape, const Strings& words, const std::string& after) {
  ByteWriter out;
  out.text(shape);
  float value = 0.5F;
  for (const std::string& word : words) {
    out.text(word + " ");
    for (int i = 0; i < 2; ++i) out.f32(value++);
    out.text(after);
  }
  return std::string(as_text(out.view()));
}

/// The options with which a format is named, so that the first lines do not decide.
ReadOptions named(const Format& format) {
  return {.format = std::string(format.name)};
}

void expect_rows(const Format& format, const std::filesystem::path& path, const Strings& words,
                 const std::vector<float>& values) {
  const auto reader = format.open(path, named(format));
  ASSERT_TRUE(reader) << reader.error().message();
  EXPECT_EQ(*(*reader)->ids(), Ids(words));
  std::vector<float> found(values.size());
  const auto read = (*reader)->read(0, words.size(), found);
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(found, values);
  EXPECT_TRUE((*reader)->verify());
  EXPECT_FALSE((*reader)->read(words.size(), 1, found));
}

ErrorCode code_of(const Format& format, std::string_view bytes) {
  const auto reader = format.open(file_of(bytes), named(format));
  if (!reader) {
    EXPECT_FALSE(reader.error().file().empty());
    return reader.error().code();
  }
  const auto verified = (*reader)->verify();
  EXPECT_FALSE(verified) << bytes;
  return verified ? ErrorCode::unsupported : verified.error().code();
}

TEST(Word2VecBinary, WithAndWithoutLineFeeds) {
  const std::vector<float> values = {0.5F, 1.5F, 2.5F, 3.5F};
  for (const std::string after : {"", "\n"})
    expect_rows(binary, file_of(binary_file("2 2\n", {"</s>", "Zürich"}, after)),
                {"</s>", "Zürich"}, values);
}

TEST(Word2Vec, TheReferencePackagesFilesInEveryForm) {
  const Strings words = {"</s>", "the", "Zürich", "日本", std::string(40, 'x')};
  std::vector<float> values;
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 3; ++j)
      values.push_back(static_cast<float>(i - 1) + static_cast<float>(j) / 4);
  const std::filesystem::path folder = EMBD_TEST_DATA "/word2vec";
  expect_rows(binary, folder / "words.w2v.bin", words, values);
  expect_rows(text, folder / "words.txt", words, values);
  expect_rows(text_dims, folder / "words.vec", words, values);
}

TEST(Word2VecBinary, RefusesWhatDoesNotFit) {
  const std::string good = binary_file("2 2\n", {"a", "b"}, "\n");
  EXPECT_EQ(code_of(binary, ""), ErrorCode::bad_value);
  EXPECT_EQ(code_of(binary, "two 2\n"), ErrorCode::bad_value);
  EXPECT_EQ(code_of(binary, "2 2 2\n"), ErrorCode::bad_value);
  EXPECT_EQ(code_of(binary, "99999999999999999999 2\n"), ErrorCode::bad_value);
  EXPECT_EQ(code_of(binary, "18446744073709551615 18446744073709551615\n" + good),
            ErrorCode::bad_count);
  EXPECT_EQ(code_of(binary, "0 0\n"), ErrorCode::bad_count);
  EXPECT_EQ(code_of(binary, good + "x"), ErrorCode::trailing_bytes);
  EXPECT_EQ(code_of(binary, binary_file("2 2\n", {"a", "b\xff"}, "\n")), ErrorCode::invalid_utf8);
  for (std::size_t size = 4; size + 1 < good.size(); ++size) code_of(binary, good.substr(0, size));
}

TEST(Word2VecText, NoRowsOfAnyDimensionTakeNoMemory) {
  const auto reader = text_dims.open(file_of("0 4442344423000\n"), {});
  ASSERT_TRUE(reader) << reader.error().message();
  EXPECT_TRUE((*reader)->verify());
}

TEST(Word2VecText, CountsValuesFromTheEnd) {
  expect_rows(text, file_of("the 0.5 -1e-3\n. . . 2 3\n 4 5 \r\nlast 6 7"),
              {"the", ". . .", "", "last"}, {0.5F, -1e-3F, 2, 3, 4, 5, 6, 7});
  expect_rows(text_dims, file_of("2 2\nthe 0.5 1 \nhouse boat 2 3 \n"), {"the", "house boat"},
              {0.5F, 1, 2, 3});
  expect_rows(text, file_of(""), {}, {});
}

TEST(Word2VecText, RefusesWhatDoesNotFit) {
  EXPECT_EQ(code_of(text, "word\n"), ErrorCode::bad_count);
  EXPECT_EQ(code_of(text, "a 1 2\nb 1\n"), ErrorCode::bad_count);
  EXPECT_EQ(code_of(text, "a 1 2\n\n"), ErrorCode::bad_count);
  EXPECT_EQ(code_of(text, "a 1 2\nb 1 x\n"), ErrorCode::bad_value);
  EXPECT_EQ(code_of(text, "a 1 2\nb 1 1e999\n"), ErrorCode::bad_value);
  EXPECT_EQ(code_of(text, "a 1 2\nb 1 0x10\n"), ErrorCode::bad_value);
  EXPECT_EQ(code_of(text, "a 1 2\nb\xff 1 2\n"), ErrorCode::invalid_utf8);
  EXPECT_EQ(code_of(text_dims, "3 2\na 1 2\nb 1 2\n"), ErrorCode::bad_count);
  EXPECT_EQ(code_of(text_dims, "1 2\na 1 2\nb 1 2\n"), ErrorCode::bad_count);
  EXPECT_EQ(code_of(text_dims, "1000000000000 300\na 1 2\n"), ErrorCode::bad_count);
}

TEST(Word2VecText, NamesThePlaceOfABadValue) {
  const Error value = text.open(file_of("a 1 2\nb 1 x\n"), {}).value()->verify().error();
  EXPECT_EQ(value.offset(), 10U);
  EXPECT_EQ(value.line(), 2U);
  const auto path = file_of("2 2\na 1 2\nb\xff 1 2\n");
  const Error word = text_dims.open(path, {}).error();
  EXPECT_EQ(word.message(), text_of_path(path) + ": byte 11: line 3: invalid UTF-8: word");
}

TEST(Word2VecText, ReadsEveryDecimalNumberAndDropsAMark) {
  const std::string mark = "\xEF\xBB\xBF";
  expect_rows(text, file_of(mark + "the +0.5 1e-50\na -1e-400 .5\n"), {"the", "a"},
              {0.5F, 0, -0.0F, 0.5F});
  expect_rows(text_dims, file_of(mark + "2 2\nthe 1e-45 +1\n" + mark + "a 2. 3\n"),
              {"the", mark + "a"}, {1e-45F, 1, 2, 3});
  expect_rows(binary, file_of(mark + binary_file("1 2\n", {"a"}, "\n")), {"a"}, {0.5F, 1.5F});
  EXPECT_EQ(code_of(text, mark + "the +-1\n"), ErrorCode::bad_value);
  expect_rows(text, file_of(mark), {}, {});
}

TEST(Word2Vec, TheFirstLinesTellTheLayoutWhateverTheName) {
  const std::string mark = "\xEF\xBB\xBF";
  const std::vector<std::pair<std::string, std::string_view>> files = {
      {"3 2\nking 0.1 0.2\nqueen 0.1 0.3\napple 0.9 0.1\n", "textdims"},
      {mark + "1 2\r\nking 0.1 0.2\r\n", "textdims"},
      {"1 2\nNew York 0.1 0.2\n", "textdims"},
      {"3 2\n1 0.1 0.2\n2 0.1 0.3\n3 0.9 0.1\n", "textdims"},
      {"2 1\nking 0.1\nqueen 0.2\n", "textdims"},
      {"0 300\n", "textdims"},
      {"41 0.5\nBerlin 0.25\n", "text"},
      {"41 5\nBerlin 7\n", "text"},
      {"3 1\nking 4\n", "text"},
      {"41 5\n", "text"},
      {"the 0.1 +0.2\n", "text"},
      {binary_file("2 2\n", {"a", "b"}, "\n"), "word2vec"},
      {binary_file("2 2\n", {"a", "b"}, ""), "word2vec"},
      {binary_file("1 2\n", {"1"}, "\n"), "word2vec"},
  };
  for (const auto& [bytes, layout] : files)
    for (const Format& format : formats) {
      const auto reader = format.open(file_of(bytes), {});
      ASSERT_TRUE(reader) << bytes << reader.error().message();
      EXPECT_EQ((*reader)->info().format, layout) << bytes;
    }
  // Only the name can tell what a file is whose lines show nothing.
  for (const Format& format : formats) {
    const auto reader = format.open(file_of("no words with values\n"), {});
    EXPECT_FALSE(reader && (*reader)->verify()) << format.name;
  }
  EXPECT_EQ(text.open(file_of("3 2\nking 0.1 0.2\n"), {}).error().code(), ErrorCode::bad_count);
}

TEST(Word2VecWriter, ExactBytes) {
  Matrix rows(2, 2);
  rows.values()[0] = 0.5F;
  rows.values()[1] = 1e-5F;
  rows.values()[2] = 1;
  rows.values()[3] = 0.1F;
  const auto write = [&](const Format& format) {
    auto writer = *format.create(scratch(), 2, {});
    EXPECT_TRUE(writer->append(rows, Strings{"a", "ü"}));
    EXPECT_TRUE(writer->finish());
    return bytes_of(scratch());
  };
  EXPECT_EQ(write(text), "a 0.5 1e-05\nü 1 0.1\n");
  EXPECT_EQ(write(text_dims), "2 2\na 0.5 1e-05\nü 1 0.1\n");
  ByteWriter expected;
  expected.text("2 2\na ");
  expected.f32(0.5F);
  expected.f32(1e-5F);
  expected.text("\nü ");
  expected.f32(1);
  expected.f32(0.1F);
  expected.text("\n");
  EXPECT_EQ(write(binary), as_text(expected.view()));
}

TEST(Word2VecWriter, WhatIsWrittenReadsBackBitForBit) {
  Matrix rows(4, 3);
  const float odd[] = {0.1F,
                       1.0F / 3,
                       std::numeric_limits<float>::max(),
                       std::numeric_limits<float>::denorm_min(),
                       -0.0F,
                       16777216.0F};
  for (std::size_t i = 0; i < rows.values().size(); ++i) rows.values()[i] = odd[i % 6];
  for (const Format* format : {&binary, &text_dims, &text}) {
    auto writer = *format->create(scratch(), 3, {});
    ASSERT_TRUE(writer->append(rows, Strings{"a", "日本", "#", "1.5"}));
    ASSERT_TRUE(writer->finish());
    const auto reader = *format->open(scratch(), {});
    EXPECT_EQ(*reader->ids(), Ids(Strings{"a", "日本", "#", "1.5"}));
    Matrix found(4, 3);
    ASSERT_TRUE(reader->read(0, 4, found.values()));
    EXPECT_EQ(0, std::memcmp(found.data(), rows.data(), rows.values().size_bytes()));
  }
}

TEST(Word2VecWriter, RefusesWordsThatCouldNotBeReadAgain) {
  const Matrix row(1, 2);
  const auto code = [&](const Format& format, const std::string& word, std::size_t rows_before) {
    auto writer = *format.create(scratch(), 2, {});
    for (std::size_t i = 0; i < rows_before; ++i) EXPECT_TRUE(writer->append(row, Strings{"word"}));
    const auto appended = writer->append(row, Strings{word});
    return appended ? std::optional<ErrorCode>() : appended.error().code();
  };
  for (const char* word : {"a b", " a", "a b c"}) {
    EXPECT_EQ(code(binary, word, 1), ErrorCode::bad_value);
    EXPECT_EQ(code(text, word, 0), ErrorCode::bad_value) << "the first line tells the dimension";
    EXPECT_EQ(code(text, word, 1), std::nullopt);
    EXPECT_EQ(code(text_dims, word, 0), std::nullopt);
  }
  Matrix one(1, 1);
  for (const char* word : {"0", "41"}) {
    one.row(0)[0] = 1;
    auto writer = *text.create(scratch(), 1, {});
    EXPECT_EQ(writer->append(one, Strings{word}).error().code(), ErrorCode::bad_value)
        << "the first line would be a shape";
    one.row(0)[0] = 5;
    EXPECT_TRUE((*text.create(scratch(), 1, {}))->append(one, Strings{word}));
    EXPECT_TRUE((*text.create(scratch(), 1, {}))->append(one, Strings{std::string(word) + "a"}));
  }
  EXPECT_EQ(code(text_dims, "a\x01", 0), ErrorCode::bad_value) << "the file would seem binary";
  EXPECT_EQ(code(text_dims, "a\x01", 1), std::nullopt);
  EXPECT_EQ(code(text, "a\x01", 0), std::nullopt);
  for (const Format* format : {&binary, &text_dims, &text}) {
    EXPECT_EQ(code(*format, "a\nb", 1), ErrorCode::bad_value);
    EXPECT_EQ(code(*format, "\xff", 1), ErrorCode::invalid_utf8);
  }
}

}  // namespace
}  // namespace embd::word2vec
