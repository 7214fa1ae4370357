#include "engine/encoder/weights.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "base/parallel.h"
#include "base/try.h"
#include "engine/encoder/packed_linear.h"
#include "engine/encoder/residual.h"

namespace embd {
namespace {

/// A LayerNorm or RMSNorm whose parameters are in memory of an Arena.
class LoadedNorm {
 public:
  LoadedNorm(Arena& arena, Module module, const ModelSpec& spec)
      : module_(module),
        gamma_(arena.floats(weight_shape(module, spec).dims[0])),
        beta_(arena.floats(weight_shape(module, spec).dims[0])),
        epsilon_(static_cast<float>(spec.layer_norm_eps)),
        kind_(spec.architecture.norm_kind) {}

  Result<void> load(const WeightFile& file, std::uint32_t layer) {
    if (!has_module(module_, file.spec(), layer)) return {};
    const float added = kind_ == NormKind::rms_norm_plus_1 ? 1 : 0;
    std::ranges::transform(EMBD_TRY(file.vector(weight_name(module_, layer))), gamma_,
                           [=](float weight) { return weight + added; });
    if (has_bias(module_, file.spec())) {
      std::ranges::copy(EMBD_TRY(file.vector(bias_name(module_, layer))), beta_);
    } else {
      std::fill_n(beta_, weight_shape(module_, file.spec()).dims[0], 0.0F);
    }
    is_there_ = true;
    return {};
  }
  /// Returns the norm; without gamma if the model has none here.
  kernels::LayerNorm norm() const noexcept {
    return is_there_ ? kernels::LayerNorm{gamma_, beta_, epsilon_, kind_ == NormKind::layer_norm}
                     : kernels::LayerNorm{};
  }

 private:
  Module module_;
  float* gamma_;
  float* beta_;
  float epsilon_;
  NormKind kind_;
  bool is_there_ = false;
};

/// Returns the modules of the first step of a feed-forward network.
std::vector<Module> up_modules(const ModelSpec& spec) {
  if (spec.architecture.feed_forward == FeedForward::plain) return {Module::up};
  return {Module::gate, Module::up};
}

/// The linear steps and LayerNorms of a layer while they are loaded from the file and packed.
class LoadedLayer {
 public:
  LoadedLayer(Arena& arena, const PackingSource& source)
      : linears_{PackedLinear(arena, source, {Module::query, Module::key, Module::value}),
                 PackedLinear(arena, source, up_modules(source.file.spec())),
                 PackedLinear(arena, source, {Module::down}),
                 PackedLinear(arena, source, {Module::attention_output})},
        query_norm_(arena, Module::query_norm, source.file.spec()),
        key_norm_(arena, Module::key_norm, source.file.spec()),
        attention_norm_(arena, Module::attention_norm, source.file.spec()),
        attention_result_norm_(arena, Module::attention_result_norm, source.file.spec()),
        output_norm_(arena, Module::output_norm, source.file.spec()),
        output_result_norm_(arena, Module::output_result_norm, source.file.spec()) {}

  /// The number of linear steps. Loading each of them is a task, the largest first.
  static constexpr std::size_t num_linears = 4;
  Result<void> load_linear(std::size_t i, const PackingSource& source, std::uint32_t layer) {
    return linears_[i].load(source, layer);
  }
  Result<void> load_norms(const WeightFile& file, std::uint32_t layer) {
    for (LoadedNorm* norm : {&query_norm_, &key_norm_, &attention_norm_, &attention_result_norm_,
                             &output_norm_, &output_result_norm_})
      EMBD_TRY(norm->load(file, layer));
    return {};
  }
  EncoderLayer layer() const noexcept {
    const auto& [query_key_value, up, down, attention_output] = linears_;
    return {.query_key_value = query_key_value.linear(),
            .query_norm = query_norm_.norm(),
            .key_norm = key_norm_.norm(),
            .attention_output = attention_output.linear(),
            .attention_norm = attention_norm_.norm(),
            .attention_result_norm = attention_result_norm_.norm(),
            .up = up.linear(),
            .down = down.linear(),
            .output_norm = output_norm_.norm(),
            .output_result_norm = output_result_norm_.norm()};
  }

 private:
  std::array<PackedLinear, num_linears> linears_;
  LoadedNorm query_norm_;
  LoadedNorm key_norm_;
  LoadedNorm attention_norm_;
  LoadedNorm attention_result_norm_;
  LoadedNorm output_norm_;
  LoadedNorm output_result_norm_;
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
  return fail(ErrorCode::unsupported,
              "the model's {} is {}, which embd cannot compute yet, expected {}", setting,
              name_of(found, names_of(found)), name_of(computed, names_of(computed)));
}

/// The greatest number of positions of a model that rotates, has windows or is causal, and so
/// proves it by no table. It limits the memory for the numbers of all positions.
constexpr std::uint32_t most_positions = 1U << 17;

std::unexpected<Error> cannot_compute(std::string_view what) {
  return fail(ErrorCode::unsupported, "the model's {}", what);
}

Result<void> check_rotation(const ModelSpec& spec) {
  const Architecture& architecture = spec.architecture;
  if (spec.head_dim() % 2 != 0) {
    return cannot_compute(
        fmt::format("heads have {} components, expected an even number, because they are rotated",
                    spec.head_dim()));
  }
  constexpr double most = 1e12;
  for (const auto& [key, value] : {std::pair{"rotation_theta", architecture.theta},
                                   {"rotation_local_theta", architecture.local_theta},
                                   {"rotation_ntk_factor", architecture.ntk_factor}}) {
    if (value >= 1 && value <= most) continue;
    return cannot_compute(fmt::format("{} is {}, expected 1 to {}", key, value, most));
  }
  return {};
}

/// Checks that the layers with a window have the same, and that each layer has a number.
Result<void> check_windows(const ModelSpec& spec) {
  const auto& windows = spec.architecture.windows;
  if (windows.size() != spec.num_layers) {
    return cannot_compute(fmt::format("windows are {}, expected one for each of {} layers",
                                      windows.size(), spec.num_layers));
  }
  const std::uint32_t window = std::ranges::max(windows);
  if (std::ranges::all_of(windows, [=](std::uint32_t one) { return one == 0 || one == window; }))
    return {};
  return cannot_compute("layers have windows of several sizes, expected one");
}

/// Checks that layer() computes this architecture.
Result<void> check_computed(const ModelSpec& spec) {
  const Architecture& architecture = spec.architecture;
  const Architecture bert;
  const bool is_gated = architecture.feed_forward == FeedForward::gated;
  const bool rotates = architecture.positions == Positions::rotation;
  const bool has_windows = !architecture.windows.empty();
  const bool sees_all = !has_windows && !architecture.causal;
  if (!rotates) {
    EMBD_TRY(require("positions", architecture.positions, bert.positions));
    EMBD_TRY(require("query_key_norms", architecture.query_key_norms, bert.query_key_norms));
  }
  if (!is_gated) EMBD_TRY(require("norm_place", architecture.norm_place, bert.norm_place));
  if (!architecture.norms_before_all())
    EMBD_TRY(require("norm_kind", architecture.norm_kind, bert.norm_kind));
  if (!is_gated || gate_of(architecture.activation) == nullptr)
    EMBD_TRY(require("activation", architecture.activation, bert.activation));
  if (!sees_all) EMBD_TRY(require("relative_bias", architecture.relative_bias, bert.relative_bias));
  if (has_windows) EMBD_TRY(require("causal", architecture.causal, bert.causal));
  if (rotates) EMBD_TRY(check_rotation(spec));
  if (has_windows) EMBD_TRY(check_windows(spec));
  if ((!rotates && sees_all) || spec.max_positions <= most_positions) return {};
  return cannot_compute(
      fmt::format("positions are {}, expected at most {}", spec.max_positions, most_positions));
}

}  // namespace

Result<Weights> Weights::load(const WeightFile& file, const kernels::Kernels& kernels, int threads,
                              kernels::Arithmetic arithmetic, const SmoothingFactors& smoothing) {
  EMBD_TRY(check_computed(file.spec()));
  Weights weights;
  weights.spec_ = file.spec();
  weights.products_ = kernels.products(arithmetic);
  const PackingSource source = {file, *weights.products_, arithmetic, smoothing};
  if (weights.spec_.max_positions > source.products.max_depth) {
    return fail(ErrorCode::unsupported,
                "the model has {} positions, expected at most {}, because the kernels {} would "
                "compute longer sums inexactly",
                weights.spec_.max_positions, source.products.max_depth, source.products.name);
  }
  weights.embeddings_ = EMBD_TRY(Embeddings::load(file));
  weights.bias_ = EMBD_TRY(DistanceBiasTable::load(file));

  weights.make_places();

  Arena measure(nullptr);
  allocate_layers(measure, source);
  const LoadedNorm unused(measure, Module::final_norm, weights.spec_);
  weights.memory_ = AlignedBuffer(measure.used());
  Arena arena(weights.memory_.data());
  std::vector<LoadedLayer> layers = allocate_layers(arena, source);
  LoadedNorm final_norm(arena, Module::final_norm, weights.spec_);
  EMBD_TRY(final_norm.load(file, 0));
  weights.final_norm_ = final_norm.norm();

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

void Weights::make_places() {
  const Architecture& architecture = spec_.architecture;
  const std::uint32_t most = spec_.max_tokens();
  const bool has_windows = !architecture.windows.empty();
  const std::uint32_t window = has_windows ? std::ranges::max(architecture.windows) : 0;
  if (window != 0) band_ = Band(window, most);
  if (architecture.causal) band_ = Band::causal(most);
  if (architecture.positions != Positions::rotation) return;
  rotation_ = Rotation(most, spec_.head_dim(), architecture.theta, architecture.ntk_factor);
  if (window != 0) local_rotation_ = Rotation(most, spec_.head_dim(), architecture.local_theta);
}

}  // namespace embd
