#include <benchmark/benchmark.h>

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "base/aligned_buffer.h"
#include "engine/encoder/residual.h"
#include "engine/kernels/kernels.h"
#include "formats/weights/embd/embd_tensors.h"

// Every operation of a layer at the sizes of all-MiniLM-L6-v2, for each table this machine
// supports. For shares of the machine's limits see roofline.

namespace embd::kernels {
namespace {

constexpr std::int64_t hidden = 384;
constexpr std::int64_t intermediate = 1536;
constexpr std::int64_t num_heads = 12;

struct Floats {
  explicit Floats(std::size_t n) : buffer(n * sizeof(float)) {
    for (std::size_t i = 0; i < n; ++i) data()[i] = std::sin(static_cast<float>(i));
  }
  float* data() const { return reinterpret_cast<float*>(buffer.data()); }
  AlignedBuffer buffer;
};

struct Weight {
  Weight(const Products& products, std::int64_t out, std::int64_t in)
      : bias(static_cast<std::size_t>(out)),
        packed(products.packed_bytes(out, in) / sizeof(float)),
        linear{.packed = packed.data(),
               .bias = bias.data(),
               .in = in,
               .out = out,
               .block = int8_block} {
    pack(products, out, in, packed);
  }
  static void pack(const Products& products, std::int64_t out, std::int64_t in,
                   const Floats& packed) {
    const Floats values(static_cast<std::size_t>(out * in));
    const std::vector<std::int8_t> codes(static_cast<std::size_t>(out * in), 3);
    products.pack({.out = out,
                   .in = in,
                   .values = values.data(),
                   .codes = codes.data(),
                   .scale = values.data(),
                   .block = int8_block},
                  packed.data());
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

void linear(benchmark::State& state, const Kernels& /*kernels*/, const Products& products) {
  const std::int64_t rows = state.range(0);
  const std::int64_t in = state.range(1);
  const std::int64_t out = state.range(2);
  const Weight w(products, out, in);
  const Floats x = rows_of(rows, in);
  const Floats y = rows_of(rows, out);
  const Floats scratch(products.scratch(rows, in));
  for (auto _ : state) {
    products.linear({x.data(), rows, w.linear.in}, w.linear, {0, out}, scratch.data(), y.data());
  }
  count_flops(state, 2.0 * static_cast<double>(rows * in * out));
}

void linear_add_norm(benchmark::State& state, const Kernels& kernels, const Products& products) {
  const std::int64_t rows = state.range(0);
  const Weight w(products, hidden, hidden);
  const Floats x = rows_of(rows, hidden);
  const Floats y = rows_of(rows, hidden);
  const Floats norm = rows_of(1, hidden);
  const Floats scratch(products.scratch(rows, hidden));
  for (auto _ : state) {
    embd::linear_add_norm({kernels, products, rows, y.data(), scratch.data()}, x.data(), w.linear,
                          {norm.data(), norm.data(), 1e-12F});
  }
  count_flops(state, 2.0 * static_cast<double>(rows * hidden * hidden));
}

void feed_forward(benchmark::State& state, const Kernels& kernels, const Products& products) {
  const std::int64_t rows = state.range(0);
  const Weight up(products, intermediate, hidden);
  const Weight down(products, hidden, intermediate);
  const Floats x = rows_of(rows, hidden);
  const Floats norm = rows_of(1, hidden);
  const Floats middle(middle_size(products, rows, intermediate));
  const Floats scratch(products.scratch(rows, intermediate));
  for (auto _ : state) {
    embd::feed_forward({kernels, products, rows, x.data(), scratch.data()}, up.linear, down.linear,
                       {norm.data(), norm.data(), 1e-12F}, middle.data());
  }
  count_flops(state, 4.0 * static_cast<double>(rows * hidden * intermediate));
}

void attention(benchmark::State& state, const Kernels& kernels) {
  const std::int64_t seq_len = state.range(0);
  const Floats qkv = rows_of(seq_len, 3 * hidden);
  const Floats context = rows_of(seq_len, hidden);
  const Floats scratch(kernels.attention.scratch({seq_len, num_heads, hidden / num_heads}));
  for (auto _ : state) {
    kernels.attention.compute(qkv.data(), {seq_len, num_heads, hidden / num_heads}, {},
                              {0, num_heads}, scratch.data(), context.data());
  }
  count_flops(state, 4.0 * static_cast<double>(seq_len * seq_len * hidden));
}

void pack(benchmark::State& state, const Kernels& /*kernels*/, const Products& products) {
  const Floats packed(products.packed_bytes(intermediate, hidden) / sizeof(float));
  for (auto _ : state) Weight::pack(products, intermediate, hidden, packed);
  state.SetItemsProcessed(state.iterations() * intermediate * hidden);
}

void register_products(const Kernels& kernels, Arithmetic arithmetic, const std::string& name) {
  const Products* products = kernels.products(arithmetic);
  if (products == nullptr) return;
  const auto add = [&](const std::string& what, auto function) {
    return benchmark::RegisterBenchmark(
        (std::string(kernels.name) + "/" + name + "/" + what).c_str(),
        [function, &kernels, products](benchmark::State& state) {
          function(state, kernels, *products);
        });
  };
  auto* linears = add("linear", linear)->ArgNames({"rows", "in", "out"});
  for (const std::int64_t rows : {1, 12, 128, 1024}) {
    linears->Args({rows, hidden, 3 * hidden})
        ->Args({rows, hidden, hidden})
        ->Args({rows, hidden, intermediate})
        ->Args({rows, intermediate, hidden});
  }
  add("linear_add_norm", linear_add_norm)->ArgName("rows")->Arg(12)->Arg(1024);
  add("feed_forward", feed_forward)->ArgName("rows")->Arg(12)->Arg(1024);
  add("pack", pack);
}

void register_table(const Kernels& kernels) {
  register_products(kernels, Arithmetic::f32, "f32");
  register_products(kernels, Arithmetic::bf16, "bf16");
  register_products(kernels, Arithmetic::int8, "int8");
  benchmark::RegisterBenchmark((std::string(kernels.name) + "/attention").c_str(),
                               [&kernels](benchmark::State& state) { attention(state, kernels); })
      ->ArgName("seq_len")
      ->Arg(12)
      ->Arg(32)
      ->Arg(128)
      ->Arg(256);
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
