#pragma once

#include <span>
#include <utility>
#include <vector>

#include "embd/model_types.h"
#include "engine/heads/head.h"
#include "engine/heads/row_steps.h"

namespace embd {

/// The head of a cross-encoder. It computes the logits of a pair, one for each label. The row is
/// the first one or the mean of all, the function is tanh, relu or gelu, and some models have no
/// norm:
///
///     classifier(norm(function(pooler(row))))
class ClassifierHead final : public Head {
 public:
  /// Loads the head. Fails with tensor_missing.
  static Result<ClassifierHead> load(const WeightFile& file);

  std::size_t width() const noexcept override { return classifier_.out(); }
  void apply(MatrixView rows, std::vector<float>& scratch, std::span<float> out) const override;

 private:
  ClassifierHead(Dense pooler, Dense classifier)
      : pooler_(std::move(pooler)), classifier_(std::move(classifier)) {}

  Dense pooler_;
  Dense classifier_;
  double (*function_)(double) = nullptr;
  Pooling pooling_ = Pooling::cls;
  std::vector<float> gamma_;  // of the norm; empty if there is none
  std::vector<float> beta_;
  double epsilon_ = 0;
};

/// Returns the score of a logit.
float score_of(float logit, ScoreActivation activation) noexcept;

}  // namespace embd
