#include "formats/text/line_stream.h"
#include "tests/support/on_windows.h"

#include <gtest/gtest.h>

#include <string>

namespace embd {
namespace {

using namespace std::string_literals;

Result<std::string> converted(std::string text, const std::string& encoding = {},
                              InvalidText invalid = InvalidText::refuse, std::size_t first = 0) {
  auto converter = Utf8Converter::create(encoding, invalid);
  if (!converter) return std::unexpected(converter.error());
  const auto done = converter->convert(text, first);
  if (!done) return std::unexpected(done.error());
  return text;
}

TEST(Utf8ConverterTest, Utf8StaysAsItIs) {
  for (const char* text : {"", "a cat\n", "café 東京 😀"}) EXPECT_EQ(converted(text).value(), text);
}

TEST(Utf8ConverterTest, WesternEncodings) {
  EXPECT_EQ(converted("caf\xE9", "latin-1").value(), "café");
  EXPECT_EQ(converted("caf\xE9 \x80 \x93x\x94", "windows-1252").value(), "café € “x”");
  EXPECT_EQ(converted("\xA4", "ISO-8859-15").value(), "€");
}

TEST(Utf8ConverterTest, EncodingsOfSeveralBytes) {
  EXPECT_EQ(converted("\x93\x8C\x8B\x9E", "SHIFT_JIS").value(), "東京");
  // Wine has no GB 18030.
  EXPECT_EQ(converted("\xB6\xAB\xBE\xA9", test::on_windows ? "GBK" : "GB18030").value(), "东京");
}

TEST(Utf8ConverterTest, LongTextsAreConvertedWhole) {
  std::string latin(10'000, '\xE9');
  std::string expected;
  for (int i = 0; i < 10'000; ++i) expected += "é";
  EXPECT_EQ(converted(latin, "latin1").value(), expected);
}

TEST(Utf8ConverterTest, WhatStandsBeforeFirstIsNotTouched) {
  EXPECT_EQ(converted("é\xE9", "latin1", InvalidText::refuse, 2).value(), "éé");
  EXPECT_EQ(converted("\xFF\xE9", "", InvalidText::replace, 1).value(), "\xFF\xEF\xBF\xBD");
}

TEST(Utf8ConverterTest, InvalidBytesAreNamedByTheirPlace) {
  const auto error = converted("caf\xE9!").error();
  EXPECT_EQ(error.code(), ErrorCode::invalid_utf8);
  EXPECT_EQ(std::string(error.what()), "byte 3 is 0xe9, which is not part of a character in UTF-8");
  EXPECT_EQ(converted("a\x81", "windows-1252").error().code(), ErrorCode::invalid_utf8);
  EXPECT_EQ(converted("ab\x93", "SHIFT_JIS").error().code(), ErrorCode::invalid_utf8);
}

TEST(Utf8ConverterTest, InvalidBytesAreReplacedAsPythonDoes) {
  constexpr auto replace = InvalidText::replace;
  EXPECT_EQ(converted("a\xE9"s + "b\xE2\x82", "", replace).value(),
            "a\xEF\xBF\xBD"s + "b\xEF\xBF\xBD");
  EXPECT_EQ(converted("a\x81z", "windows-1252", replace).value(), "a\xEF\xBF\xBDz");
}

TEST(Utf8ConverterTest, NulBytesAreRefused) {
  for (const auto invalid : {InvalidText::refuse, InvalidText::replace}) {
    const auto error = converted("ab\0c"s, "", invalid).error();
    EXPECT_EQ(error.code(), ErrorCode::unsupported);
    EXPECT_TRUE(std::string(error.what()).contains("byte 2 is NUL")) << error.what();
  }
}

TEST(Utf8ConverterTest, EncodingsWhoseLinesCannotBeFoundAreRefused) {
  for (const char* encoding : {"UTF-16", "UTF-16LE", "UTF-32", "EBCDIC-US", "klingon"})
    EXPECT_EQ(converted("", encoding).error().code(), ErrorCode::invalid_argument) << encoding;
}

}  // namespace
}  // namespace embd
