#include "engine/heads/vector_modules.h"

#include <algorithm>
#include <utility>

#include "base/try.h"
#include "engine/functions.h"
#include "engine/heads/pooling.h"
#include "engine/heads/row_steps.h"
#include "formats/weights/model_tensors.h"

namespace embd {
namespace {

constexpr double epsilon = 1e-5;

double identity_of(double x) noexcept {
  return x;
}

double (*function_of(DenseActivation activation))(double) {
  switch (activation) {
    case DenseActivation::identity:
      return identity_of;
    case DenseActivation::tanh:
      return tanh_of;
    case DenseActivation::gelu:
      return gelu_of;
    case DenseActivation::relu:
      return relu_of;
    case DenseActivation::silu:
      return silu_of;
    case DenseActivation::sigmoid:
      break;
  }
  return sigmoid_of;
}

}  // namespace

Result<VectorModules> VectorModules::load(const WeightFile& file) {
  VectorModules loaded;
  const std::vector<VectorModule>& modules = file.spec().modules;
  if (!modules.empty()) loaded.in_ = loaded.widest_ = modules.front().in;
  for (std::uint32_t i = 0; i < modules.size(); ++i) {
    const VectorModule& module = modules[i];
    Step step = {.out = module.out, .is_in_place = true, .compute = {}};
    const std::string weight = vector_module_weight(i);
    switch (module.kind) {
      case VectorModuleKind::dense: {
        auto dense = EMBD_TRY(Dense::load(file, weight, module.bias ? vector_module_bias(i) : ""));
        step.is_in_place = false;
        step.compute = [dense = std::move(dense), function = function_of(module.activation)](
                           std::span<const float> x, std::span<float> y) {
          dense.apply(x, y, function);
        };
        break;
      }
      case VectorModuleKind::layer_norm:
        step.compute = [gamma = EMBD_TRY(file.vector(weight)),
                        beta = EMBD_TRY(file.vector(vector_module_bias(i)))](
                           std::span<const float> x, std::span<float> y) {
          layer_norm(x, gamma, beta, epsilon, y);
        };
        break;
      case VectorModuleKind::normalize:
        step.compute = [](std::span<const float>, std::span<float> y) { normalize(y); };
        break;
    }
    loaded.widest_ = std::max(loaded.widest_, step.out);
    loaded.steps_.push_back(std::move(step));
  }
  return loaded;
}

std::span<float> VectorModules::apply(std::span<float> values, std::span<float> other) const {
  std::span<float> x = values.first(in_);
  for (const Step& step : steps_) {
    if (!step.is_in_place) std::swap(values, other);
    const std::span<float> y = values.first(step.out);
    step.compute(x, y);
    x = y;
  }
  return x;
}

}  // namespace embd
