#include "engine/encoder/weights.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "base/parallel.h"
#include "base/try.h"
#include "engine/encoder/packed_linear.h"

namespace embd {
namespace {

/// A LayerNorm whose parameters are in memory of an Arena.
class LoadedNorm {
 public:
  LoadedNorm(Arena& arena, Module module, const ModelSpec& spec)
      : module_(module),
        gamma_(arena.floats(weight_shape(module, spec).dims[0])),
        beta_(arena.floats(weight_shape(module, spec).dims[0])),
        epsilon_(static_cast<float>(spec.layer_norm_eps)) {}

  Result<void> load(const WeightFile& file, std::uint32_t layer) {
    std::ranges::copy(EMBD_TRY(file.vector(weight_name(module_, layer))), gamma_);
    std::ranges::copy(EMBD_TRY(file.vector(bias_name(module_, layer))), beta_);
    return {};
  }
  kernels::LayerNorm norm() const noexcept { return {gamma_, beta_, epsilon_}; }

 private:
  Module module_;
  float* gamma_;
  float* beta_;
  float epsilon_;
};

/// The linear steps and LayerNorms of a layer while they are loaded from the file and packed.
class LoadedLayer {
 public:
  LoadedLayer(Arena& arena, const PackingSource& source)
      : linears_{PackedLinear(arena, source, {Module::query, Module::key, Module::value}),
                 PackedLinear(arena, source, {Module::up}),
                 PackedLinear(arena, source, {Module::down}),
                 PackedLinear(arena, source, {Module::attention_output})},
        attention_norm_(arena, Module::attention_norm, source.file.spec()),
        output_norm_(arena, Module::output_norm, source.file.spec()) {}

  /// The number of linear steps. Loading each of them is a task, the largest first.
  static constexpr std::size_t num_linears = 4;
  Result<void> load_linear(std::size_t i, const PackingSource& source, std::uint32_t layer) {
    return linears_[i].load(source, layer);
  }
  Result<void> load_norms(const WeightFile& file, std::uint32_t layer) {
    EMBD_TRY(attention_norm_.load(file, layer));
    return output_norm_.load(file, layer);
  }
  EncoderLayer layer() const noexcept {
    const auto& [query_key_value, up, down, attention_output] = linears_;
    return {.query_key_value = query_key_value.linear(),
            .attention_output = attention_output.linear(),
            .attention_norm = attention_norm_.norm(),
            .up = up.linear(),
            .down = down.linear(),
            .output_norm = output_norm_.norm()};
  }

 private:
  std::array<PackedLinear, num_linears> linears_;
  LoadedNorm attention_norm_;
  LoadedNorm output_norm_;
};

std::vector<LoadedLayer> allocate_layers(Arena& arena, const PackingSource& source) {
  std::vector<LoadedLayer> layers;
  layers.reserve(source.file.spec().num_layers);
  for (std::uint32_t i = 0; i < source.file.spec().num_layers; ++i)
    layers.emplace_back(arena, source);
  return layers;
}

/// Fails if a setting of the architecture has another value than the one that is computed.
template <class Value>
Result<void> require(std::string_view setting, Value found, Value computed) {
  if (found == computed) return {};
  return fail(
      ErrorCode::unsupported,
      fmt::format("the model's {} is {}, which embd cannot compute yet, expected {}", setting,
                  name_of(found, names_of(found)), name_of(computed, names_of(computed))));
}

/// Checks that layer() computes this architecture. Every family that embd runs has these values.
Result<void> check_computed(const Architecture& architecture) {
  const Architecture bert;
  EMBD_TRY(require("positions", architecture.positions, bert.positions));
  EMBD_TRY(require("norm_place", architecture.norm_place, bert.norm_place));
  EMBD_TRY(require("norm_kind", architecture.norm_kind, bert.norm_kind));
  EMBD_TRY(require("feed_forward", architecture.feed_forward, bert.feed_forward));
  EMBD_TRY(require("activation", architecture.activation, bert.activation));
  EMBD_TRY(require("biases", architecture.biases, bert.biases));
  if (architecture.windows.empty()) return {};
  return fail(ErrorCode::unsupported,
              "the model's layers have windows, which embd cannot compute yet, expected full "
              "attention");
}

}  // namespace

Result<Weights> Weights::load(const WeightFile& file, const kernels::Kernels& kernels, int threads,
                              kernels::Arithmetic arithmetic) {
  EMBD_TRY(check_computed(file.spec().architecture));
  Weights weights;
  weights.spec_ = file.spec();
  weights.products_ = kernels.products(arithmetic);
  const PackingSource source = {file, *weights.products_, arithmetic};
  if (weights.spec_.max_positions > source.products.max_depth) {
    return fail(
        ErrorCode::unsupported,
        fmt::format("the model has {} positions, expected at most {}, because the kernels {} would "
                    "compute longer sums inexactly",
                    weights.spec_.max_positions, source.products.max_depth, source.products.name));
  }
  weights.embeddings_ = EMBD_TRY(Embeddings::load(file));
  weights.bias_ = EMBD_TRY(DistanceBiasTable::load(file));

  Arena measure(nullptr);
  allocate_layers(measure, source);
  weights.memory_ = AlignedBuffer(measure.used());
  Arena arena(weights.memory_.data());
  std::vector<LoadedLayer> layers = allocate_layers(arena, source);

  constexpr std::size_t steps = LoadedLayer::num_linears;
  EMBD_TRY(parallel_for(layers.size() * steps, threads, [&](std::size_t task) {
    const std::size_t layer = task / steps;
    return layers[layer].load_linear(task % steps, source, static_cast<std::uint32_t>(layer));
  }));
  for (std::uint32_t i = 0; i < layers.size(); ++i) {
    EMBD_TRY(layers[i].load_norms(file, i));
    weights.layers_.push_back(layers[i].layer());
  }
  return weights;
}

}  // namespace embd
