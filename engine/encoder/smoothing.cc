#include "engine/encoder/smoothing.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <vector>

#include "base/parallel.h"
#include "base/try.h"
#include "engine/encoder/encoder.h"
#include "engine/functions.h"

namespace embd {
namespace {

constexpr std::int64_t num_texts = 12;

// The exponents of the largest input. The larger one is, the more of the range of an input is moved
// to the weights.
constexpr double attention_exponent = 0.7;
constexpr double feed_forward_exponent = 0.6;

/// A fixed sequence of numbers, which looks random.
class FixedNumbers {
 public:
  /// Returns the next number, which is below `end`.
  std::int32_t next(std::uint32_t end) noexcept {
    state_ = state_ * 6364136223846793005 + 1442695040888963407;
    return static_cast<std::int32_t>((state_ >> 33) % end);
  }

 private:
  std::uint64_t state_ = 1;
};

/// Returns texts of 2, 3, … tokens: random ones between the special tokens of a text.
PackedTexts random_texts(const WeightFile& file) {
  const ModelSpec& spec = file.spec();
  const TokenTemplate special = spec.token_template(file.special_tokens());
  PackedTexts texts;
  FixedNumbers numbers;
  for (std::int64_t i = 0; i < num_texts; ++i) {
    const std::int64_t length = std::min<std::int64_t>(i + 2, spec.max_tokens());
    const auto own = length - static_cast<std::int64_t>(special.num_special());
    std::ranges::copy(special.before, std::back_inserter(texts.ids));
    for (std::int64_t k = 0; k < own; ++k) texts.ids.push_back(numbers.next(spec.vocab_size));
    std::ranges::copy(special.after, std::back_inserter(texts.ids));
    texts.lengths.push_back(length);
  }
  texts.types.resize(texts.ids.size());
  return texts;
}

/// Returns the modules whose matrices multiply the same rows in a layer.
std::vector<Module> modules_of(const ModelSpec& spec, bool attention) {
  if (attention) return {Module::query, Module::key, Module::value};
  if (spec.architecture.feed_forward == FeedForward::plain) return {Module::up};
  return {Module::gate, Module::up};
}

/// Returns the largest magnitude of each column of all these matrices.
Result<std::vector<float>> largest_weights(const WeightFile& file, bool attention,
                                           std::uint32_t layer) {
  std::vector<float> largest(file.spec().hidden);
  for (const Module module : modules_of(file.spec(), attention)) {
    const WeightMatrix matrix = EMBD_TRY(file.matrix(weight_name(module, layer)));
    Matrix rows(matrix.rows(), matrix.cols());
    EMBD_TRY(matrix.to_floats(rows.values()));
    for (std::size_t r = 0; r < rows.rows(); ++r) note_largest(rows.row(r), largest);
    file.release(matrix.values->data);
  }
  return largest;
}

/// Returns largest input^exponent / largest weight^(1 − exponent) for each column; ones if the
/// numbers of all columns are too small or too large.
std::vector<float> factors_of(std::span<const float> inputs, std::span<const float> weights,
                              double exponent) {
  constexpr double least = 1e-30;
  constexpr double most = 1e30;
  constexpr double least_part = 1e-6;
  const double input = std::ranges::max(inputs);
  const double weight = std::ranges::max(weights);
  std::vector<float> factors(inputs.size(), 1.0F);
  if (!(input > least && input < most && weight > least && weight < most)) return factors;
  for (std::size_t k = 0; k < factors.size(); ++k) {
    const double log_input = log_of(std::max<double>(inputs[k], least_part * input));
    const double log_weight = log_of(std::max<double>(weights[k], least_part * weight));
    factors[k] = static_cast<float>(exp_of(exponent * log_input - (1 - exponent) * log_weight));
  }
  return factors;
}

/// Returns the largest inputs of all layers when the random texts go through them.
Result<std::vector<LargestInputs>> run_layers(const WeightFile& file,
                                              const kernels::Kernels& kernels, int threads) {
  const Weights weights = EMBD_TRY(Weights::load(file, kernels, threads));
  const Encoder encoder(weights, kernels);
  const PackedTexts texts = random_texts(file);
  const std::vector<float> zeros(file.spec().hidden);
  std::vector<LargestInputs> largest(file.spec().num_layers, {zeros, zeros});
  Activations activations;
  encoder.embed(texts, activations, threads);
  run_team(threads, [&](const TeamMember& member) {
    for (std::size_t i = 0; i < largest.size(); ++i)
      encoder.layer(i, texts, activations, member, &largest[i]);
  });
  return largest;
}

}  // namespace

Result<SmoothingFactors> smoothing_factors(const WeightFile& file, const kernels::Kernels& kernels,
                                           int threads) {
  SmoothingFactors factors;
  if (file.spec().num_layers == 0) return factors;
  const std::vector<LargestInputs> inputs = EMBD_TRY(run_layers(file, kernels, threads));
  factors.layers.resize(inputs.size());
  EMBD_TRY(parallel_for(inputs.size(), threads, [&](std::size_t i) -> Result<void> {
    const auto layer = static_cast<std::uint32_t>(i);
    const auto attention = EMBD_TRY(largest_weights(file, true, layer));
    const auto feed_forward = EMBD_TRY(largest_weights(file, false, layer));
    factors.layers[i] = {factors_of(inputs[i].attention, attention, attention_exponent),
                         factors_of(inputs[i].feed_forward, feed_forward, feed_forward_exponent)};
    return {};
  }));
  return factors;
}

bool has_unrounded(const WeightFile& file) {
  for (std::uint32_t layer = 0; layer < file.spec().num_layers; ++layer) {
    for (const bool attention : {true, false}) {
      for (const Module module : modules_of(file.spec(), attention)) {
        const auto matrix = file.matrix(weight_name(module, layer));
        if (matrix && matrix->type() != ElementType::i8) return true;
      }
    }
  }
  return false;
}

}  // namespace embd
