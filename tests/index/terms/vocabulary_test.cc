#include "index/terms/vocabulary.h"

#include <gtest/gtest.h>

namespace embd {
namespace {

std::string json_of(const TermVocabulary& vocabulary) {
  std::string json = "{";
  for (std::size_t column = 0; column < vocabulary.size(); ++column)
    vocabulary.append_member(column, json);
  return json + "}";
}

Error error_of(std::string_view json) {
  const auto parsed = TermVocabulary::parse(as_bytes(json));
  return parsed ? Error(ErrorCode::cancelled, "no error") : parsed.error();
}

TEST(TermVocabulary, IsWhatWasWritten) {
  const TermVocabulary written({"\n", "\"", "##a", "\\", "a\"", "a\\", "b", "é", "東"});
  const std::string json = json_of(written);
  const TermVocabulary read = TermVocabulary::parse(as_bytes(json)).value();
  ASSERT_EQ(read.size(), written.size());
  for (std::size_t column = 0; column < read.size(); ++column) {
    EXPECT_EQ(read[column], written[column]);
    EXPECT_EQ(read.find(written[column]), column);
  }
  EXPECT_EQ(read.find("a"), std::nullopt);
  EXPECT_EQ(read.find(""), std::nullopt);
  EXPECT_EQ(TermVocabulary::parse(as_bytes("{}")).value().size(), 0U);
}

TEST(TermVocabulary, HasOneFormOnly) {
  EXPECT_EQ(error_of("").code(), ErrorCode::bad_json);
  EXPECT_EQ(error_of("{\"a\":0} ").code(), ErrorCode::trailing_bytes);
  EXPECT_EQ(error_of("{\"a\":0,\"a\":1}").code(), ErrorCode::bad_value);
  EXPECT_EQ(error_of("{\"b\":0,\"a\":1}").code(), ErrorCode::bad_value);
  EXPECT_EQ(error_of("{\"a\":0,\"b\":2}").code(), ErrorCode::bad_json);
  EXPECT_EQ(error_of("{\"a\":00}").code(), ErrorCode::bad_json);
  EXPECT_EQ(error_of("{\"\\u0061\":0}").code(), ErrorCode::bad_json);
  EXPECT_EQ(error_of("{\"\\x\":0}").code(), ErrorCode::bad_json);
  EXPECT_EQ(error_of("{\"\\").code(), ErrorCode::bad_json);
  EXPECT_EQ(error_of("{\"a").code(), ErrorCode::bad_json);
  EXPECT_EQ(error_of("{\"\xc3\":0}").code(), ErrorCode::invalid_utf8);
  EXPECT_EQ(error_of("{\"a\":0,").offset(), 7U);
}

}  // namespace
}  // namespace embd
