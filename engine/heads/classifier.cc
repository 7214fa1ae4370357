#include "engine/heads/classifier.h"

#include "base/try.h"
#include "engine/functions.h"
#include "engine/heads/pooling.h"

namespace embd {
namespace {

double (*function_of(HeadActivation activation))(double) {
  switch (activation) {
    case HeadActivation::relu:
      return relu_of;
    case HeadActivation::gelu:
      return gelu_of;
    case HeadActivation::tanh:
      break;
  }
  return tanh_of;
}

}  // namespace

Result<ClassifierHead> ClassifierHead::load(const WeightFile& file) {
  const ModelSpec& spec = file.spec();
  ClassifierHead head(EMBD_TRY(Dense::load(file, Module::pooler)),
                      EMBD_TRY(Dense::load(file, Module::classifier)));
  head.function_ = function_of(spec.head_activation);
  head.pooling_ = spec.classifier_pooling;
  if (!spec.head_norm) return head;
  head.gamma_ = EMBD_TRY(file.vector(weight_name(Module::head_norm)));
  head.beta_.resize(head.gamma_.size());
  if (has_bias(Module::head_norm, spec))
    head.beta_ = EMBD_TRY(file.vector(bias_name(Module::head_norm)));
  head.epsilon_ = spec.layer_norm_eps;
  return head;
}

void ClassifierHead::apply(MatrixView rows, std::vector<float>& scratch,
                           std::span<float> out) const {
  scratch.resize(rows.cols() + pooler_.out());
  const std::span<float> row = std::span(scratch).first(rows.cols());
  const std::span<float> pooled = std::span(scratch).subspan(rows.cols());
  pool(rows, pooling_, row);
  pooler_.apply(row, pooled, function_);
  if (!gamma_.empty()) layer_norm(pooled, gamma_, beta_, epsilon_, pooled);
  classifier_.apply(pooled, out, [](double sum) { return sum; });
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
