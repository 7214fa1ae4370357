#include "engine/encoder/embeddings.h"

#include <gtest/gtest.h>

#include "engine/encoder/encoder.h"
#include "engine/kernels/choose.h"
#include "formats/weights/model_tensors.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/weights_with_metadata.h"

namespace embd {
namespace {

const std::filesystem::path fixtures = std::filesystem::path(EMBD_TEST_DATA) / "embd";

TEST(PositionCounter, CountsEveryTokenFromNothing) {
  PositionCounter positions(0, 1);
  for (const std::int64_t expected : {0, 1, 2, 3}) EXPECT_EQ(positions.next(1), expected);
}

/// As XLM-R's own: 0 10 11 1 12 2 have the positions 2 3 4 1 5 6.
TEST(PositionCounter, PaddingIsNotCountedBehindAnOffset) {
  PositionCounter positions(2, 1);
  std::vector<std::int64_t> found;
  for (const std::int32_t id : {0, 10, 11, 1, 12, 2}) found.push_back(positions.next(id));
  EXPECT_EQ(found, (std::vector<std::int64_t>{2, 3, 4, 1, 5, 6}));
}

Matrix table_of(const WeightFile& file, Module module) {
  const WeightMatrix stored = file.matrix(weight_name(module)).value();
  Matrix table(stored.rows(), stored.cols());
  EXPECT_TRUE(stored.to_floats(table.values()));
  return table;
}

/// Word and position are added first: type 0 has the bytes that it always had.
TEST(Embeddings, ARowIsTheSumOfThree) {
  for (const char* name : {"plain.weights", "f16.weights", "int8.weights", "unaligned.weights"}) {
    SCOPED_TRACE(name);
    const WeightFile file = WeightFile::open(fixtures / name).value();
    const Embeddings embeddings = Embeddings::load(file).value();
    const Matrix words = table_of(file, Module::word_embeddings);
    const Matrix positions = table_of(file, Module::position_embeddings);
    const Matrix types = table_of(file, Module::token_type_embeddings);
    std::vector<float> row(file.spec().hidden);
    for (const std::uint8_t type : {std::uint8_t{0}, std::uint8_t{1}}) {
      for (const std::int32_t id : {0, 7, 101}) {
        embeddings.sum(id, 5, type, row);
        for (std::size_t i = 0; i < row.size(); ++i) {
          const float sum = words.row(static_cast<std::size_t>(id))[i] + positions.row(5)[i];
          EXPECT_EQ(row[i], sum + types.row(type)[i]);
        }
      }
    }
  }
}

class EncoderInputTest : public test::TemporaryDirectory {
 protected:
  /// The rows that go into the first layer.
  std::vector<float> embedded(const WeightFile& file, const PackedTexts& texts) const {
    const kernels::Kernels& kernels = *kernels::choose_kernels().value();
    const Weights weights = Weights::load(file, kernels, 1).value();
    Activations activations;
    Encoder(weights, kernels).embed(texts, activations);
    const float* const rows = activations.hidden();
    return {rows, rows + texts.tokens() * file.spec().hidden};
  }
};

TEST_F(EncoderInputTest, ATextHasItsTokenTypes) {
  const WeightFile file = WeightFile::open(fixtures / "plain.weights").value();
  const auto of = [&](std::vector<std::uint8_t> types) {
    return embedded(file, {.ids = {101, 9, 9, 102}, .types = std::move(types), .lengths = {4}});
  };
  const std::size_t half = 2 * file.spec().hidden;
  const auto first = of({0, 0, 0, 0});
  const auto mixed = of({0, 0, 1, 1});
  const auto second = of({1, 1, 1, 1});
  EXPECT_TRUE(std::equal(mixed.begin(), mixed.begin() + half, first.begin()));
  EXPECT_TRUE(std::equal(mixed.begin() + half, mixed.end(), second.begin() + half));
  EXPECT_NE(first, second);
}

/// The offset moves every text by as many rows of the table, and counts anew in each.
TEST_F(EncoderInputTest, PositionsBeginAtTheModelsOffset) {
  ASSERT_TRUE(test::copy_with_metadata(fixtures / "defaults_short.weights", path("moved.weights"),
                                       {{"position_offset", "2"}}));
  const WeightFile plain = WeightFile::open(fixtures / "defaults_short.weights").value();
  const WeightFile moved = WeightFile::open(path("moved.weights")).value();
  EXPECT_EQ(moved.spec().max_tokens(), plain.spec().max_positions - 2);
  const PackedTexts padded = {.ids = {9, 9, 101, 7, 102, 9, 9, 101, 8, 102},
                              .types = std::vector<std::uint8_t>(10),
                              .lengths = {5, 5}};
  const PackedTexts texts = {
      .ids = {101, 7, 102, 101, 8, 102}, .types = std::vector<std::uint8_t>(6), .lengths = {3, 3}};
  const auto expected = embedded(plain, padded);
  const auto found = embedded(moved, texts);
  const auto values = static_cast<std::ptrdiff_t>(3 * plain.spec().hidden);
  const auto skipped = static_cast<std::ptrdiff_t>(2 * plain.spec().hidden);
  EXPECT_TRUE(std::equal(found.begin(), found.begin() + values, expected.begin() + skipped));
  EXPECT_TRUE(
      std::equal(found.begin() + values, found.end(), expected.begin() + 2 * skipped + values));
}

/// Nothing is computed as if it were BERT.
TEST_F(EncoderInputTest, AnArchitectureWithoutKernelsIsRefusedByName) {
  const kernels::Kernels& kernels = *kernels::choose_kernels().value();
  const std::pair<const char*, const char*> settings[] = {
      {"positions", "none"},
      {"norm_kind", "rms_norm"},
      {"windows", "0,64,0,64,0,64,0,64,0,64,0,64,0"}};
  for (const auto& [key, value] : settings) {
    SCOPED_TRACE(key);
    const auto file = path(std::string(key) + value + ".weights");
    ASSERT_TRUE(test::copy_with_metadata(fixtures / "plain.weights", file, {{key, value}}));
    const WeightFile opened = WeightFile::open(file).value();
    EXPECT_EQ(opened.version_minor(), 1);
    const auto weights = Weights::load(opened, kernels, 1);
    ASSERT_FALSE(weights);
    EXPECT_EQ(weights.error().code(), ErrorCode::unsupported);
    EXPECT_NE(weights.error().message().find(key), std::string::npos) << weights.error().message();
  }
}

}  // namespace
}  // namespace embd
