#include "engine/encoder/body.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "embd/model.h"
#include "formats/weights/embd/embd_spec.h"
#include "formats/weights/embd/embd_writer.h"
#include "formats/weights/model_tensors.h"
#include "tests/support/temporary_directory.h"

namespace embd {
namespace {

/// A file with the vocabulary and the word table of a BERT model, and nothing else.
class TableTest : public test::TemporaryDirectory {
 protected:
  void SetUp() override {
    TemporaryDirectory::SetUp();
    ModelSpec spec = bert_.spec();
    spec.num_layers = 0;
    spec.architecture.positions = Positions::none;
    spec.token_types = 0;
    spec.pair_template = PairTemplate::none;
    spec.normalize = false;
    const Tensor& words = *bert_.find(weight_name(Module::word_embeddings));
    WeightFileContent content = {.metadata = metadata_of(spec),
                                 .vocab = {bert_.vocab().begin(), bert_.vocab().end()},
                                 .special = bert_.special_tokens(),
                                 .tensors = {{std::string(words.name), words.type, words.shape,
                                              [&](std::vector<std::byte>& bytes) -> Result<void> {
                                                bytes.assign(words.data.begin(), words.data.end());
                                                return {};
                                              }}}};
    ASSERT_TRUE(write_weight_file(path("table.weights"), content));
  }

  const WeightFile bert_ =
      WeightFile::open(std::string(EMBD_TEST_DATA) + "/embd/plain.weights").value();
};

TEST_F(TableTest, AVectorIsTheMeanOfTheRowsOfItsTokens) {
  const auto model = Model::open(path("table.weights"));
  ASSERT_TRUE(model) << model.error().message();
  const WeightMatrix words = bert_.matrix(weight_name(Module::word_embeddings)).value();
  const std::string text = "the cat sat on the mat";
  const std::vector<std::int32_t> ids = model->tokenize(text)->ids;
  ASSERT_FALSE(ids.empty());
  EXPECT_EQ(std::ranges::count(ids, bert_.special_tokens().cls), 0);
  std::vector<double> sums(bert_.spec().hidden);
  std::vector<float> row(sums.size());
  for (const std::int32_t id : ids) {
    ASSERT_TRUE(words.row_to_floats(static_cast<std::uint32_t>(id), 1, row));
    for (std::size_t i = 0; i < row.size(); ++i) sums[i] += static_cast<double>(row[i]);
  }
  const auto vector = model->encode(text);
  ASSERT_TRUE(vector) << vector.error().message();
  for (std::size_t i = 0; i < row.size(); ++i)
    EXPECT_EQ((*vector)[i], static_cast<float>(sums[i] / static_cast<double>(ids.size())));
}

/// Anything that a table would not read makes it another model, which is refused.
TEST_F(TableTest, ATableHasNoTokenTypes) {
  ModelSpec spec = bert_.spec();
  spec.num_layers = 0;
  spec.architecture.positions = Positions::none;
  EXPECT_FALSE(spec.is_table());
  spec.token_types = 0;
  EXPECT_TRUE(spec.is_table());
  EXPECT_FALSE(bert_.spec().is_table());
}

TEST_F(TableTest, ATextWithoutTokensHasZeros) {
  const auto model = Model::open(path("table.weights"));
  ASSERT_TRUE(model) << model.error().message();
  const std::vector<std::string_view> texts = {"", "cat", " \t", "cat"};
  const auto rows = model->encode(texts);
  ASSERT_TRUE(rows) << rows.error().message();
  for (const std::size_t empty : {0U, 2U})
    EXPECT_TRUE(std::ranges::all_of(rows->row(empty), [](float value) { return value == 0; }));
  EXPECT_TRUE(std::ranges::equal(rows->row(1), rows->row(3)));
  EXPECT_FALSE(std::ranges::equal(rows->row(0), rows->row(1)));
}

}  // namespace
}  // namespace embd
