#include <benchmark/benchmark.h>

#include <cmath>
#include <cstring>
#include <string>

#include "base/aligned_buffer.h"
#include "engine/kernels/kernels.h"

// Every operation of a layer at the sizes of all-MiniLM-L6-v2, for each table this machine
// supports. For shares of the machine's limits see roofline.

namespace embd::kernels {
namespace {

constexpr std::int64_t kHidden = 384;
constexpr std::int64_t kIntermediate = 1536;
constexpr std::int64_t kHeads = 12;

struct Floats {
  explicit Floats(std::size_t n) : buffer(n * sizeof(float)) {
    for (std::size_t i = 0; i < n; ++i) data()[i] = std::sin(static_cast<float>(i));
  }
  float* data() const { return reinterpret_cast<float*>(buffer.data()); }
  AlignedBuffer buffer;
};

struct Weight {
  Weight(const Kernels& kernels, std::int64_t out, std::int64_t in)
      : bias(static_cast<std::size_t>(out)),
        packed(kernels.packed_bytes(out, in) / sizeof(float)),
        linear{packed.data(), bias.data(), in, out} {
    const Floats values(static_cast<std::size_t>(out * in));
    kernels.pack(values.data(), out, in, packed.data());
  }
  Floats bias;
  Floats packed;
  Linear linear;
};

Floats rows_of(std::int64_t rows, std::int64_t width) {
  return Floats(static_cast<std::size_t>(rows * width));
}

void count_flops(benchmark::State& state, double flops) {
  state.counters["flops"] =
      benchmark::Counter(flops, benchmark::Counter::kIsIterationInvariantRate);
}

void linear(benchmark::State& state, const Kernels& kernels) {
  const std::int64_t rows = state.range(0);
  const std::int64_t in = state.range(1);
  const std::int64_t out = state.range(2);
  const Weight w(kernels, out, in);
  const Floats x = rows_of(rows, in);
  const Floats y = rows_of(rows, out);
  for (auto _ : state) kernels.linear(x.data(), rows, w.linear, y.data());
  count_flops(state, 2.0 * static_cast<double>(rows * in * out));
}

void linear_add_norm(benchmark::State& state, const Kernels& kernels) {
  const std::int64_t rows = state.range(0);
  const Weight w(kernels, kHidden, kHidden);
  const Floats x = rows_of(rows, kHidden);
  const Floats y = rows_of(rows, kHidden);
  const Floats norm = rows_of(1, kHidden);
  for (auto _ : state) {
    kernels.linear_add_norm(x.data(), rows, w.linear, x.data(), {norm.data(), norm.data(), 1e-12F},
                            y.data());
  }
  count_flops(state, 2.0 * static_cast<double>(rows * kHidden * kHidden));
}

void feed_forward(benchmark::State& state, const Kernels& kernels) {
  const std::int64_t rows = state.range(0);
  const Weight up(kernels, kIntermediate, kHidden);
  const Weight down(kernels, kHidden, kIntermediate);
  const Floats x = rows_of(rows, kHidden);
  const Floats y = rows_of(rows, kHidden);
  const Floats norm = rows_of(1, kHidden);
  const Floats scratch(kernels.feed_forward_scratch(rows, kHidden, kIntermediate));
  for (auto _ : state) {
    kernels.feed_forward(x.data(), rows, up.linear, down.linear, {norm.data(), norm.data(), 1e-12F},
                         scratch.data(), y.data());
  }
  count_flops(state, 4.0 * static_cast<double>(rows * kHidden * kIntermediate));
}

void attention(benchmark::State& state, const Kernels& kernels) {
  const std::int64_t seq_len = state.range(0);
  const Floats qkv = rows_of(seq_len, 3 * kHidden);
  const Floats context = rows_of(seq_len, kHidden);
  const Floats scratch(kernels.attention_scratch(seq_len, kHeads, kHidden / kHeads));
  for (auto _ : state) {
    kernels.attention(qkv.data(), seq_len, kHeads, kHidden / kHeads, scratch.data(),
                      context.data());
  }
  count_flops(state, 4.0 * static_cast<double>(seq_len * seq_len * kHidden));
}

void pack(benchmark::State& state, const Kernels& kernels) {
  const Floats values = rows_of(kIntermediate, kHidden);
  const Floats packed(kernels.packed_bytes(kIntermediate, kHidden) / sizeof(float));
  for (auto _ : state) kernels.pack(values.data(), kIntermediate, kHidden, packed.data());
  state.SetBytesProcessed(state.iterations() * kIntermediate * kHidden *
                          static_cast<std::int64_t>(sizeof(float)));
}

void register_table(const Kernels& kernels) {
  const auto add = [&kernels](const std::string& name, auto function) {
    return benchmark::RegisterBenchmark(
        (std::string(kernels.name) + "/" + name).c_str(),
        [function, &kernels](benchmark::State& state) { function(state, kernels); });
  };
  auto* products = add("linear", linear)->ArgNames({"rows", "in", "out"});
  for (const std::int64_t rows : {1, 12, 128, 1024}) {
    products->Args({rows, kHidden, 3 * kHidden})
        ->Args({rows, kHidden, kHidden})
        ->Args({rows, kHidden, kIntermediate})
        ->Args({rows, kIntermediate, kHidden});
  }
  add("linear_add_norm", linear_add_norm)->ArgName("rows")->Arg(12)->Arg(1024);
  add("feed_forward", feed_forward)->ArgName("rows")->Arg(12)->Arg(1024);
  add("attention", attention)->ArgName("seq_len")->Arg(12)->Arg(32)->Arg(128)->Arg(256);
  add("pack", pack);
}

}  // namespace
}  // namespace embd::kernels

int main(int argc, char** argv) {
  const auto [begin, end] = embd::kernels::available_kernels();
  for (const embd::kernels::Kernels* const* table = begin; table != end; ++table) {
    if ((*table)->supported()) embd::kernels::register_table(**table);
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
