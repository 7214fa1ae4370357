#include "formats/weights/embd/embd_tokenizer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/path_text.h"
#include "formats/weights/embd/embd_reader.h"
#include "tests/support/small_unigram_model.h"
#include "tests/support/temporary_directory.h"
#include "tokenizer/double_array.h"
#include "tokenizer/tokenizer_worker.h"

namespace embd {
namespace {

using test::replace_tensor;
using test::small_unigram_content;

class EmbdUnigramTest : public test::TemporaryDirectory {
 protected:
  Result<WeightFile> opened(const WeightFileContent& content, bool verify = false) const {
    const auto written = write_weight_file(path("m.weights"), content);
    EXPECT_TRUE(written) << written.error().message();
    return WeightFile::open(path("m.weights"), {.vocab = {}, .verify = verify});
  }
  /// Why a file is not opened.
  Error refusal(const WeightFileContent& content, bool verify = false) const {
    const auto file = opened(content, verify);
    EXPECT_FALSE(file);
    return file ? Error(ErrorCode::missing, "nothing is wrong") : file.error();
  }
  /// Why a file that opens has no tokenizer.
  Error tokenizer_refusal(const WeightFileContent& content) const {
    const auto file = opened(content);
    EXPECT_TRUE(file) << file.error().message();
    const auto tokenizer = make_unigram_tokenizer(*file);
    EXPECT_FALSE(tokenizer);
    EXPECT_FALSE(file->verify());
    return tokenizer ? Error(ErrorCode::missing, "nothing is wrong") : tokenizer.error();
  }
};

std::vector<std::int32_t> ids_of(const Tokenizer& tokenizer, std::string_view text) {
  TokenizerWorker worker(tokenizer);
  std::vector<std::int32_t> ids;
  EXPECT_TRUE(worker.encode(text, {}, {&ids}));
  return ids;
}

TEST_F(EmbdUnigramTest, TheTablesAreUsedWhereTheyLie) {
  const auto file = opened(small_unigram_content(), true);
  ASSERT_TRUE(file) << file.error().message();
  EXPECT_EQ(file->spec(), test::small_unigram_spec());
  const auto tokenizer = make_unigram_tokenizer(*file);
  ASSERT_TRUE(tokenizer) << tokenizer.error().message();
  EXPECT_EQ(ids_of(**tokenizer, "A b"), (std::vector<std::int32_t>{0, 6, 4, 7, 2}));
  EXPECT_EQ(ids_of(**tokenizer, "ac<mask>"), (std::vector<std::int32_t>{0, 6, 3, 8, 2}));
  const auto scores = std::get<std::span<const float>>(file->unigram_tables().scores);
  EXPECT_GE(std::as_bytes(scores).data(), file->bytes().data());
  EXPECT_LT(std::as_bytes(scores).data(), file->bytes().data() + file->bytes().size());
}

/// Returns the scores of the small model with one that float32 does not hold.
std::vector<double> wide_scores() {
  return {0, 0, 0, 0, -2, -3, -1.5, -3.25, -0.1};
}

TEST_F(EmbdUnigramTest, ScoresThatAreNoFloat32AreStoredWhole) {
  const std::vector<double> scores = wide_scores();
  WeightFileContent content = small_unigram_content();
  const auto tables =
      unigram_tensors(content.vocab, scores, embd::testing::character_map_bytes({{"A", "a"}}))
          .value();
  std::copy(tables.begin(), tables.end(), content.tensors.end() - 3);
  const auto file = opened(content, true);
  ASSERT_TRUE(file) << file.error().message();
  const auto found = std::get<std::span<const double>>(file->unigram_tables().scores);
  EXPECT_TRUE(std::ranges::equal(found, scores));
  EXPECT_EQ(ids_of(*make_unigram_tokenizer(*file).value(), "A b"),
            (std::vector<std::int32_t>{0, 6, 4, 7, 2}));
}

TEST_F(EmbdUnigramTest, ScoresOfFloat64ArePairsOfWordsAtAMultipleOfEight) {
  const std::string name(table_name(UnigramTable::scores));
  const std::vector<double> scores = wide_scores();
  WeightFileContent content = small_unigram_content();
  const auto with_shape = [&](TensorShape shape) {
    replace_tensor(content, name, ElementType::u32, shape, std::as_bytes(std::span(scores)));
    return refusal(content);
  };
  EXPECT_EQ(with_shape({18}).code(), ErrorCode::tensor_wrong_shape);
  EXPECT_EQ(with_shape({6, 3}).code(), ErrorCode::tensor_wrong_shape);

  const Bytes bytes = std::as_bytes(std::span(scores)).subspan(4, 8 * sizeof(double));
  const TensorIndex index = {
      .tensors = {{.name = name, .type = ElementType::u32, .shape = {8, 2}, .data = bytes}},
      .by_name = {0}};
  const auto tables = find_unigram_tables(index, test::small_unigram_spec(), 0);
  ASSERT_FALSE(tables);
  EXPECT_EQ(tables.error().code(), ErrorCode::tensor_misaligned);
}

TEST_F(EmbdUnigramTest, ATableThatIsMissingOrOfAnotherShapeIsNamed) {
  for (const UnigramTable table :
       {UnigramTable::scores, UnigramTable::trie, UnigramTable::character_map}) {
    const std::string name(table_name(table));
    WeightFileContent content = small_unigram_content();
    std::erase_if(content.tensors, [&](const TensorSource& one) { return one.name == name; });
    const Error missing = refusal(content);
    EXPECT_EQ(missing.code(), ErrorCode::tensor_missing);
    EXPECT_EQ(missing.what(), name);

    const std::vector<std::byte> bytes(36);
    content = small_unigram_content();
    replace_tensor(content, name, ElementType::i16, {18}, bytes);
    EXPECT_EQ(refusal(content).code(), ErrorCode::tensor_wrong_type) << name;
    replace_tensor(content, name,
                   table == UnigramTable::scores ? ElementType::f32
                   : table == UnigramTable::trie ? ElementType::u32
                                                 : ElementType::u8,
                   {table == UnigramTable::character_map ? 36U : 9U, 1}, bytes);
    EXPECT_EQ(refusal(content).code(), ErrorCode::tensor_wrong_shape) << name;
  }
  WeightFileContent content = small_unigram_content();
  replace_tensor(content, table_name(UnigramTable::scores), ElementType::f32, {8},
                 std::vector<std::byte>(32));
  EXPECT_EQ(refusal(content).code(), ErrorCode::tensor_wrong_shape);
}

TEST_F(EmbdUnigramTest, ScoresAreFinite) {
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), -HUGE_VALF, HUGE_VALF}) {
    std::vector<float> scores(9, -1);
    scores[7] = bad;
    WeightFileContent content = small_unigram_content();
    replace_tensor(content, table_name(UnigramTable::scores), ElementType::f32, {9},
                   std::as_bytes(std::span(scores)));
    EXPECT_EQ(tokenizer_refusal(content).code(), ErrorCode::bad_value);
  }
}

TEST_F(EmbdUnigramTest, ACharacterMapIsCheckedOnceAndNamedByItsPlace) {
  WeightFileContent content = small_unigram_content();
  const std::vector<std::byte> map(8, std::byte{0x7f});
  replace_tensor(content, table_name(UnigramTable::character_map), ElementType::u8, {8}, map);
  const Error error = tokenizer_refusal(content);
  const auto file = opened(content);
  const std::uint64_t begin = file->unigram_tables().character_map->file_offset;
  EXPECT_GE(error.offset().value_or(0), begin);
  EXPECT_LE(error.offset().value_or(0), begin + map.size());
  EXPECT_NE(error.what().find("tokenizer.character_map"), std::string::npos);
}

TEST_F(EmbdUnigramTest, APieceThatIsTooLongIsRefused) {
  WeightFileContent content = small_unigram_content();
  content.vocab[7] = std::string(256, 'b');
  EXPECT_EQ(tokenizer_refusal(content).code(), ErrorCode::bad_value);
}

/// Opening takes the trie as it is: any units lead to ids of the vocabulary or to none. Verifying
/// proves that they spell it.
TEST_F(EmbdUnigramTest, ATrieOfOtherTokensIsFoundByVerifying) {
  const std::vector<std::string_view> others = {"<s>", "<pad>", "</s>", "<unk>", "▁",
                                                "a",   "▁a",    "c",    "<mask>"};
  std::vector<std::vector<std::uint32_t>> tries;
  tries.push_back(build_double_array(others).value());
  tries.push_back(std::vector<std::uint32_t>(1024, 0xffffffffU));
  tries.push_back(std::vector<std::uint32_t>(1024, 0x00000100U));
  tries.push_back({0});
  std::vector<std::uint32_t> mixed(4096);
  std::uint32_t state = 1;
  for (std::uint32_t& unit : mixed) unit = state = state * 1664525U + 1013904223U;
  tries.push_back(mixed);
  for (const auto& units : tries) {
    WeightFileContent content = small_unigram_content();
    replace_tensor(content, table_name(UnigramTable::trie), ElementType::u32,
                   {static_cast<std::uint32_t>(units.size())}, std::as_bytes(std::span(units)));
    std::uint64_t place = 0;
    {
      const auto file = opened(content);
      ASSERT_TRUE(file) << file.error().message();
      const auto tokenizer = make_unigram_tokenizer(*file);
      ASSERT_TRUE(tokenizer) << tokenizer.error().message();
      for (const std::int32_t id : ids_of(**tokenizer, "a b ab \U0001f600 <mask> zzz"))
        EXPECT_LT(static_cast<std::uint32_t>(id), 9U);
      place = file->unigram_tables().trie->file_offset;
    }
    const Error error = refusal(content, true);
    EXPECT_EQ(error.code(), ErrorCode::bad_value);
    EXPECT_EQ(error.offset(), place);
    EXPECT_EQ(error.file(), text_of_path(path("m.weights")));
  }
}

/// One with two tokens of one text opens, as nothing is looked up by text; its trie knows the last.
TEST_F(EmbdUnigramTest, TokensMayRepeat) {
  WeightFileContent content = small_unigram_content();
  content.vocab[5] = "b";
  const auto tables = unigram_tensors(content.vocab, std::vector<double>(9, -1),
                                      embd::testing::character_map_bytes({{"A", "a"}}))
                          .value();
  std::copy(tables.begin(), tables.end(), content.tensors.end() - 3);
  const auto file = opened(content, true);
  ASSERT_TRUE(file) << file.error().message();
  EXPECT_EQ(ids_of(*make_unigram_tokenizer(*file).value(), "b"),
            (std::vector<std::int32_t>{0, 4, 7, 2}));
}

}  // namespace
}  // namespace embd
