#include "engine/heads/classifier.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/os/mapped_file.h"
#include "engine/functions.h"
#include "formats/weights/huggingface/convert_folder.h"
#include "tests/support/cross_encoder.h"
#include "tests/support/temporary_directory.h"

namespace embd {
namespace {

class ClassifierTest : public test::TemporaryDirectory {
 protected:
  void SetUp() override {
    TemporaryDirectory::SetUp();
    test::make_cross_encoder("bert_three", path("model"));
    file_ = huggingface::open_model_folder(path("model")).value().file;
  }

  std::vector<double> dense(const Module module, const std::vector<double>& x) const {
    const WeightMatrix weight = file_->matrix(weight_name(module)).value();
    const std::vector<float> bias = file_->vector(bias_name(module)).value();
    std::vector<float> values(weight.rows() * weight.cols());
    EXPECT_TRUE(weight.to_floats(values));
    std::vector<double> y;
    for (std::size_t o = 0; o < weight.rows(); ++o) {
      double sum = 0;
      for (std::size_t i = 0; i < x.size(); ++i)
        sum += x[i] * static_cast<double>(values[o * x.size() + i]);
      y.push_back(sum + static_cast<double>(bias[o]));
    }
    return y;
  }

  std::optional<WeightFile> file_;
};

TEST_F(ClassifierTest, MakesLogitsOfTheFirstRow) {
  const ClassifierHead head = ClassifierHead::load(*file_).value();
  EXPECT_EQ(head.width(), 3U);
  const std::size_t hidden = file_->spec().hidden;
  Matrix rows(2, hidden);
  for (std::size_t i = 0; i < rows.values().size(); ++i)
    rows.values()[i] = std::sin(static_cast<float>(i));
  std::vector<float> scratch;
  std::vector<float> logits(3);
  head.apply(rows, scratch, logits);

  std::vector<double> pooled = dense(Module::pooler, {rows.row(0).begin(), rows.row(0).end()});
  for (double& value : pooled) value = static_cast<double>(static_cast<float>(tanh_of(value)));
  const std::vector<double> expected = dense(Module::classifier, pooled);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(logits[i], static_cast<float>(expected[i]));

  // The rows behind the first mean nothing, nor does what the scratch was used for.
  std::vector<float> again(3);
  std::vector<float> other_scratch(1000, 7.0F);
  head.apply(rows.view().slice(0, 1), other_scratch, again);
  EXPECT_EQ(again, logits);
}

TEST(Activation, MakesScoresOfLogits) {
  EXPECT_EQ(score_of(-3.5F, ScoreActivation::identity), -3.5F);
  EXPECT_EQ(score_of(0, ScoreActivation::sigmoid), 0.5F);
  EXPECT_NEAR(score_of(2, ScoreActivation::sigmoid), 0.880797F, 1e-6F);
  EXPECT_EQ(score_of(18, ScoreActivation::sigmoid), 1);
  EXPECT_LT(score_of(16, ScoreActivation::sigmoid), 1);
  EXPECT_EQ(score_of(-std::numeric_limits<float>::max(), ScoreActivation::sigmoid), 0);
  EXPECT_TRUE(std::isnan(score_of(NAN, ScoreActivation::sigmoid)));
}

}  // namespace
}  // namespace embd
