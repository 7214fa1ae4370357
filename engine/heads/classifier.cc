#include "engine/heads/classifier.h"

#include "base/try.h"
#include "engine/functions.h"

namespace embd {

Result<ClassifierHead> ClassifierHead::load(const WeightFile& file) {
  Dense pooler = EMBD_TRY(Dense::load(file, Module::pooler));
  const bool is_relu = file.spec().head_activation == HeadActivation::relu;
  return ClassifierHead(std::move(pooler), EMBD_TRY(Dense::load(file, Module::classifier)),
                        is_relu ? relu_of : tanh_of);
}

void ClassifierHead::apply(MatrixView rows, std::vector<float>& scratch,
                           std::span<float> out) const {
  scratch.resize(pooler_.out());
  pooler_.apply(rows.row(0), scratch, function_);
  classifier_.apply(scratch, out, [](double sum) { return sum; });
}

float score_of(float logit, ScoreActivation activation) noexcept {
  switch (activation) {
    case ScoreActivation::identity:
      return logit;
    case ScoreActivation::sigmoid:
      break;
  }
  return static_cast<float>(sigmoid_of(static_cast<double>(logit)));
}

}  // namespace embd
