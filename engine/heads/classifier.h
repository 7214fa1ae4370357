#pragma once

#include <span>
#include <utility>
#include <vector>

#include "embd/model_types.h"
#include "engine/heads/dense.h"
#include "engine/heads/head.h"

namespace embd {

/// The head of a cross-encoder. It computes the logits of a pair, one for each label, where the
/// function is tanh or relu:
///
///     classifier(function(pooler(first row)))
class ClassifierHead final : public Head {
 public:
  /// Loads the head. Fails with tensor_missing.
  static Result<ClassifierHead> load(const WeightFile& file);

  std::size_t width() const noexcept override { return classifier_.out(); }
  void apply(MatrixView rows, std::vector<float>& scratch, std::span<float> out) const override;

 private:
  using Function = double (*)(double);
  ClassifierHead(Dense pooler, Dense classifier, Function function)
      : pooler_(std::move(pooler)), classifier_(std::move(classifier)), function_(function) {}

  Dense pooler_;
  Dense classifier_;
  Function function_;
};

/// Returns the score of a logit.
float score_of(float logit, ScoreActivation activation) noexcept;

}  // namespace embd
