#include <benchmark/benchmark.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/encoder/encoder.h"
#include "engine/kernels/choose.h"

// The forward pass on one thread, without tokenizer: tokens a second by the length of the texts and
// by how many tokens go through the layers together. Needs EMBD_MODEL. `flops` counts the linear
// steps and attention, nothing else.

namespace embd {
namespace {

struct Loaded {
  static const Loaded* get() {
    static const Loaded loaded;
    return loaded.ready ? &loaded : nullptr;
  }

  Loaded() {
    const char* path = std::getenv("EMBD_MODEL");
    if (path == nullptr || kernels == nullptr) return;
    if (auto opened = WeightFile::open(path)) file.emplace(std::move(*opened));
    if (!file) return;
    if (auto packed = Weights::load(*file, *kernels, 1)) weights.emplace(std::move(*packed));
    ready = weights.has_value();
  }

  const kernels::Kernels* kernels = kernels::choose_kernels().value_or(nullptr);
  std::optional<WeightFile> file;
  std::optional<Weights> weights;
  bool ready = false;
};

double flops_of_token(const ModelSpec& spec, std::int64_t seq_len) {
  const double hidden = spec.hidden;
  const double linear = 4 * hidden * hidden + 2 * hidden * spec.intermediate;
  const double attention = 2 * static_cast<double>(seq_len) * hidden;
  return 2 * spec.num_layers * (linear + attention);
}

void forward(benchmark::State& state) {
  const Loaded* model = Loaded::get();
  if (model == nullptr) {
    state.SkipWithError("set EMBD_MODEL to a weight file, EMBD_KERNELS to a known name or none");
    return;
  }
  const std::int64_t seq_len = state.range(0);
  const std::int64_t num_texts = std::max<std::int64_t>(1, state.range(1) / seq_len);
  PackedTexts texts;
  for (std::int64_t i = 0; i < num_texts * seq_len; ++i) {
    texts.ids.push_back(static_cast<std::int32_t>(1000 + i * 97 % 20000));
  }
  texts.types.assign(texts.ids.size(), 0);
  texts.lengths.assign(static_cast<std::size_t>(num_texts), seq_len);

  const Encoder encoder(*model->weights, *model->kernels);
  Activations activations;
  for (auto _ : state) {
    encoder.forward(texts, activations);
    benchmark::DoNotOptimize(activations.hidden()[0]);
  }
  const double tokens = static_cast<double>(texts.tokens() * state.iterations());
  state.SetLabel(model->kernels->name);
  state.counters["tokens"] = benchmark::Counter(tokens, benchmark::Counter::kIsRate);
  state.counters["flops"] = benchmark::Counter(
      tokens * flops_of_token(model->weights->spec(), seq_len), benchmark::Counter::kIsRate);
}
BENCHMARK(forward)
    ->ArgNames({"seq_len", "tokens"})
    ->Args({12, 12})
    ->ArgsProduct({{12, 32, 128, 256}, {256}})
    ->ArgsProduct({{32}, {64, 128, 512, 1024}})
    ->Unit(benchmark::kMillisecond);

/// Packing alone: the file is mapped and in the page cache.
void load_weights(benchmark::State& state) {
  const Loaded* model = Loaded::get();
  if (model == nullptr) {
    state.SkipWithError("set EMBD_MODEL to a weight file");
    return;
  }
  for (auto _ : state) {
    auto weights = Weights::load(*model->file, *model->kernels, static_cast<int>(state.range(0)));
    benchmark::DoNotOptimize(weights);
  }
}
BENCHMARK(load_weights)
    ->ArgName("threads")
    ->Arg(1)
    ->Arg(2)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

}  // namespace
}  // namespace embd
