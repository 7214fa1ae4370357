#include "formats/vectors/word2vec/word_rows.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/bytes.h"
#include "formats/vectors/finalfusion/words.h"

namespace embd::word2vec {
namespace {

struct Fields {
  std::uint32_t magic = fasttext_magic;
  std::uint32_t version = 12;
  std::int32_t dim = 3;
  std::int32_t model = 2;
  std::int32_t buckets = 11;
  std::int32_t min_n = 2;
  std::int32_t max_n = 3;
  std::vector<std::string> words = {"</s>", "ab", "Tü"};
  std::vector<std::string> labels = {};
  std::int64_t pruned = -1;
  std::uint8_t quantized = 0;
  std::uint64_t extra_rows = 0;
};

float value_at(std::uint64_t row, std::uint64_t column) {
  return static_cast<float>(row) + static_cast<float>(column) / 8;
}

std::string model_bytes(const Fields& fields) {
  ByteWriter out;
  out.u32(fields.magic);
  out.u32(fields.version);
  for (const std::int32_t field : {fields.dim, 5, 5, 1, 5, 1, 2, fields.model, fields.buckets,
                                   fields.min_n, fields.max_n, 100})
    out.number(field);
  out.number(1e-4);
  const auto num_words = static_cast<std::uint32_t>(fields.words.size());
  const auto num_labels = static_cast<std::uint32_t>(fields.labels.size());
  out.u32(num_words + num_labels);
  out.u32(num_words);
  out.u32(num_labels);
  out.u64(1000);
  out.number(fields.pruned);
  for (const auto* entries : {&fields.words, &fields.labels}) {
    for (const std::string& entry : *entries) {
      out.text(entry);
      out.u8(0);
      out.u64(7);
      out.u8(entries == &fields.words ? 0 : 1);
    }
  }
  const auto dim = static_cast<std::uint64_t>(fields.dim);
  const auto rows = num_words + static_cast<std::uint64_t>(fields.buckets) + fields.extra_rows;
  out.u8(fields.quantized);
  out.u64(rows);
  out.u64(dim);
  for (std::uint64_t i = 0; i < rows; ++i)
    for (std::uint64_t j = 0; j < dim; ++j) out.f32(value_at(i, j));
  out.u8(0);
  out.u64(1);
  out.u64(dim);
  for (std::uint64_t j = 0; j < dim; ++j) out.f32(0);
  return std::string(as_text(out.view()));
}

Result<std::unique_ptr<VectorReader>> open(std::string_view bytes,
                                           const ReadOptions& options = {}) {
  const auto* info = testing::UnitTest::GetInstance()->current_test_info();
  const auto path = std::filesystem::path(testing::TempDir()) /
                    (std::string(info->test_suite_name()) + "-" + info->name() + ".bin");
  std::ofstream(path, std::ios::binary).write(bytes.data(), std::ssize(bytes));
  return open_fasttext(path, options);
}

TEST(FastTextReader, AWordIsTheMeanOfItsRowAndItsNgrams) {
  const Fields fields;
  const auto reader = open(model_bytes(fields));
  ASSERT_TRUE(reader) << reader.error().message();
  ASSERT_EQ((*reader)->info().num_rows, 3U);
  EXPECT_EQ(*(*reader)->ids(), Ids(fields.words));
  std::vector<float> rows(9);
  ASSERT_TRUE((*reader)->read(0, 3, rows));
  // The end of a sentence has no n-grams.
  for (std::uint64_t j = 0; j < 3; ++j) EXPECT_EQ(rows[j], value_at(0, j));
  const std::vector<std::vector<std::string>> ngrams = {{"<a", "<ab", "ab", "ab>", "b>"},
                                                        {"<T", "<Tü", "Tü", "Tü>", "ü>"}};
  for (std::uint64_t word = 1; word < 3; ++word) {
    for (std::uint64_t j = 0; j < 3; ++j) {
      double sum = value_at(word, j);
      for (const std::string& ngram : ngrams[word - 1])
        sum += value_at(3 + finalfusion::fasttext_hash(ngram) % 11, j);
      EXPECT_NEAR(rows[word * 3 + j], sum / 6, 1e-5);
    }
  }
  EXPECT_FALSE((*reader)->word_embeddings()->subwords()->has_value());
}

/// Models of the library itself with the vectors that it computes for their words.
TEST(FastTextReader, TheLibrarysOwnModels) {
  const std::filesystem::path folder = EMBD_TEST_DATA "/fasttext";
  for (const char* name : {"skipgram", "cbow_short_ngrams", "no_ngrams", "supervised"}) {
    const auto reader = open_fasttext(folder / (std::string(name) + ".bin"), {});
    ASSERT_TRUE(reader) << reader.error().message();
    std::ifstream file(folder / (std::string(name) + ".expected.json"));
    std::vector<std::string> words;
    std::vector<float> values;
    for (const auto& entry : nlohmann::json::parse(file)) {
      words.push_back(entry[0]);
      for (const float value : entry[1]) values.push_back(value);
    }
    EXPECT_EQ(*(*reader)->ids(), Ids(words)) << name;
    std::vector<float> rows(values.size());
    ASSERT_TRUE((*reader)->read(0, words.size(), rows)) << name;
    for (std::size_t i = 0; i < rows.size(); ++i) EXPECT_FLOAT_EQ(rows[i], values[i]) << name;
  }
}

TEST(FastTextReader, SingleBracketsAreNoNgrams) {
  const auto reader = open(model_bytes({.min_n = 1, .max_n = 1, .words = {"a"}}));
  ASSERT_TRUE(reader);
  std::vector<float> row(3);
  ASSERT_TRUE((*reader)->read(0, 1, row));
  const auto bucket = finalfusion::fasttext_hash("a") % 11;
  EXPECT_FLOAT_EQ(row[0], (value_at(0, 0) + value_at(1 + bucket, 0)) / 2);
}

/// As fastText counts n-grams: from one code point on, while the length is in the range.
TEST(FastTextReader, ARangeOfNgramsMayBeginAtZeroOrBeEmpty) {
  const auto rows_of = [](std::int32_t min_n, std::int32_t max_n) {
    const auto reader = open(model_bytes({.min_n = min_n, .max_n = max_n}), {.all_rows = true});
    EXPECT_TRUE(reader) << reader.error().message();
    EXPECT_EQ((*reader)->info().num_rows, min_n > max_n ? 3U : 14U);
    std::vector<float> rows(9);
    EXPECT_TRUE((*reader)->read(0, 3, rows));
    return rows;
  };
  EXPECT_EQ(rows_of(0, 3), rows_of(1, 3));
  EXPECT_NE(rows_of(0, 3), rows_of(2, 3));
  const std::vector<float> alone = rows_of(4, 3);
  for (std::uint64_t i = 0; i < 9; ++i) EXPECT_EQ(alone[i], value_at(i / 3, i % 3));
  EXPECT_EQ(rows_of(2, -1), alone);
}

TEST(FastTextReader, AQuantizedModelIsNamed) {
  for (const Fields& fields : {Fields{.pruned = 5}, Fields{.quantized = 1}})
    EXPECT_NE(open(model_bytes(fields)).error().message().find(".ftz"), std::string::npos);
}

TEST(FastTextReader, BucketsFollowTheWords) {
  const auto reader = open(model_bytes({}), {.all_rows = true});
  ASSERT_TRUE(reader);
  ASSERT_EQ((*reader)->info().num_rows, 14U);
  std::vector<float> rows(11 * 3);
  ASSERT_TRUE((*reader)->read(3, 11, rows));
  for (std::uint64_t i = 0; i < rows.size(); ++i) EXPECT_EQ(rows[i], value_at(3 + i / 3, i % 3));
  const auto subwords = *(*reader)->word_embeddings()->subwords();
  ASSERT_TRUE(subwords);
  EXPECT_EQ(subwords->kind, SubwordKind::fasttext);
  EXPECT_EQ(subwords->num_words, 3U);
  EXPECT_EQ(subwords->num_rows, 11U);
  EXPECT_EQ(subwords->min_n, 2U);
  EXPECT_EQ(subwords->max_n, 3U);
}

TEST(FastTextReader, LabelsAreLeftOutAndOldSupervisedModelsHaveNoNgrams) {
  const auto reader =
      open(model_bytes({.version = 11, .model = 3, .labels = {"__label__x"}}), {.all_rows = true});
  ASSERT_TRUE(reader) << reader.error().message();
  EXPECT_EQ((*reader)->info().num_rows, 3U);
  std::vector<float> rows(9);
  ASSERT_TRUE((*reader)->read(0, 3, rows));
  for (std::uint64_t i = 0; i < 9; ++i) EXPECT_EQ(rows[i], value_at(i / 3, i % 3));
}

TEST(FastTextReader, RefusesWithTheReason) {
  const auto code = [](const Fields& fields) {
    const auto reader = open(model_bytes(fields));
    EXPECT_FALSE(reader);
    return reader ? ErrorCode::cancelled : reader.error().code();
  };
  EXPECT_EQ(code({.magic = 1}), ErrorCode::bad_magic);
  EXPECT_EQ(code({.version = 13}), ErrorCode::unsupported_version);
  EXPECT_EQ(code({.dim = 0}), ErrorCode::bad_value);
  EXPECT_EQ(code({.words = {"a\xff"}}), ErrorCode::invalid_utf8);
  EXPECT_EQ(code({.pruned = 5}), ErrorCode::unsupported);
  EXPECT_EQ(code({.quantized = 1}), ErrorCode::unsupported);
  EXPECT_EQ(code({.extra_rows = 1}), ErrorCode::bad_count);
  const std::string good = model_bytes({});
  EXPECT_EQ(open(good + "x").error().code(), ErrorCode::trailing_bytes);
  for (std::size_t size = 0; size < good.size(); ++size) EXPECT_FALSE(open(good.substr(0, size)));
}

TEST(FastTextReader, FlippedBytesNeverCrash) {
  const std::string good = model_bytes({});
  for (std::size_t i = 0; i < good.size(); ++i) {
    std::string damaged = good;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x90);
    const auto reader = open(damaged, {.all_rows = true});
    if (reader) (void)(*reader)->verify();
  }
}

}  // namespace
}  // namespace embd::word2vec
