#include <benchmark/benchmark.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "embd/model.h"

// Times the steps that a user waits for: opening the model, one sentence, a batch. Needs
// EMBD_MODEL. The texts are a sentence repeated, since a row costs the same whatever it says.

namespace embd {
namespace {

const Model* model(benchmark::State& state) {
  static const auto opened = [] {
    const char* path = std::getenv("EMBD_MODEL");
    return Model::open(path == nullptr ? "" : path);
  }();
  if (opened) return &*opened;
  state.SkipWithError("set EMBD_MODEL to a weight file");
  return nullptr;
}

/// From nothing to the first vector, the file in the page cache.
void open_and_first_vector(benchmark::State& state) {
  if (model(state) == nullptr) return;
  for (auto _ : state) {
    const auto fresh = Model::open(std::getenv("EMBD_MODEL"));
    benchmark::DoNotOptimize(fresh->encode("The cat sat on the mat."));
  }
}
BENCHMARK(open_and_first_vector)->Unit(benchmark::kMillisecond)->UseRealTime();

void one_sentence(benchmark::State& state) {
  const Model* shared = model(state);
  if (shared == nullptr) return;
  const EncodeOptions options = {.threads = static_cast<int>(state.range(0))};
  for (auto _ : state) {
    benchmark::DoNotOptimize(shared->encode("The cat sat on the mat.", options));
  }
}
BENCHMARK(one_sentence)
    ->ArgName("threads")
    ->Arg(1)
    ->Arg(2)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

/// The figures of docs/decisions/020-threads.md.
void lone_text(benchmark::State& state) {
  const auto compute = static_cast<Compute>(state.range(0));
  state.SetLabel(std::string(compute_name(compute)));
  const char* path = std::getenv("EMBD_MODEL");
  const auto opened = Model::open(path == nullptr ? "" : path, {.compute = compute});
  if (!opened) return state.SkipWithError("set EMBD_MODEL to a weight file");
  std::string text = "cat";
  for (std::int64_t tokens = 3; tokens < state.range(1); ++tokens) text += " cat";
  const EncodeOptions options = {.threads = static_cast<int>(state.range(2))};
  for (auto _ : state) benchmark::DoNotOptimize(opened->encode(text, options));
}
BENCHMARK(lone_text)
    ->ArgNames({"compute", "tokens", "threads"})
    ->ArgsProduct({{static_cast<int>(Compute::f32), static_cast<int>(Compute::bf16),
                    static_cast<int>(Compute::int8)},
                   {3, 16, 114, 256},
                   {1, 2}})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

void batch(benchmark::State& state) {
  const Model* shared = model(state);
  if (shared == nullptr) return;
  std::string text;
  for (std::int64_t i = 0; i < state.range(0); ++i) text += "The cat sat on the mat. ";
  const std::vector<std::string_view> texts(static_cast<std::size_t>(state.range(1)), text);
  std::vector<float> rows(texts.size() * shared->dim());
  std::uint64_t tokens = 0;
  for (auto _ : state) {
    const auto report =
        shared->encode(texts, rows, {}, {.threads = static_cast<int>(state.range(2))});
    tokens += report->tokens;
  }
  state.counters["tokens"] =
      benchmark::Counter(static_cast<double>(tokens), benchmark::Counter::kIsRate);
  state.counters["texts"] = benchmark::Counter(
      static_cast<double>(texts.size()) * static_cast<double>(state.iterations()),
      benchmark::Counter::kIsRate);
}
BENCHMARK(batch)
    ->ArgNames({"sentences", "texts", "threads"})
    ->ArgsProduct({{1, 16}, {1, 64}, {1, 2}})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

}  // namespace
}  // namespace embd
