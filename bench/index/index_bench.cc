// Exact search beside its two limits on this machine: a loop of fused multiply-adds that stays in
// registers, and a sum over memory far larger than the caches. 384 values a row, one thread.

#include <benchmark/benchmark.h>

#include <numeric>

#include "base/aligned_buffer.h"
#include "index/exact.h"
#include "limits.h"

namespace embd {
namespace {

constexpr std::size_t kDim = 384;

AlignedVector<float> noise(std::size_t count) {
  AlignedVector<float> values(count);
  std::uint32_t state = 1;
  for (float& value : values) {
    state = state * 1664525U + 1013904223U;
    value = static_cast<float>(static_cast<std::int32_t>(state)) / 2147483648.0F;
  }
  return values;
}

/// Multiply-adds a second that exact search does; argument: queries at once.
void BM_ExactSearch(benchmark::State& state) {
  const auto num_rows = static_cast<std::size_t>(state.range(1));
  const auto num_queries = static_cast<std::size_t>(state.range(0));
  const auto distance = Distance::create(Metric::cos, ElementType::f32, kDim).value();
  const AlignedVector<float> rows = noise(num_rows * kDim);
  const AlignedVector<float> queries = noise(num_queries * kDim);
  std::vector<float> norms(num_rows);
  StoredRows stored = {reinterpret_cast<const std::byte*>(rows.data()), kDim * 4, nullptr};
  for (std::size_t i = 0; i < num_rows; ++i) norms[i] = distance.inverse_norm(stored.row(i));
  stored.inverse_norms = norms.data();
  const StoredRows query_rows = {reinterpret_cast<const std::byte*>(queries.data()), kDim * 4,
                                 nullptr};
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        exact_search({distance, stored, num_rows}, query_rows, num_queries, 10, 1).value());
  }
  const double pairs =
      static_cast<double>(num_rows * num_queries) * static_cast<double>(state.iterations());
  state.counters["FMA/s"] = benchmark::Counter(pairs * kDim, benchmark::Counter::kIsRate);
  state.counters["B/s"] = benchmark::Counter(
      static_cast<double>(num_rows) * kDim * 4 * static_cast<double>(state.iterations()),
      benchmark::Counter::kIsRate);
}
BENCHMARK(BM_ExactSearch)
    ->Args({1, 200000})
    ->Args({8, 200000})
    ->Args({64, 50000})
    ->Args({1000, 50000});

/// The rows of one walk step: 16 scattered rows against a query.
void BM_Gather(benchmark::State& state) {
  const auto type = static_cast<ElementType>(state.range(0));
  const auto num_rows = static_cast<std::size_t>(state.range(1));
  const auto distance = Distance::create(Metric::ip, type, kDim).value();
  const std::size_t stride = distance.row_bytes();
  const AlignedVector<std::byte> rows(num_rows * stride);
  const StoredRows stored = {rows.data(), stride, nullptr};
  std::array<float, 16> out;
  std::uint32_t at = 1;
  for (auto _ : state) {
    std::array<std::uint32_t, 16> slots;
    for (std::uint32_t& slot : slots) {
      at = at * 1664525U + 1013904223U;
      slot = static_cast<std::uint32_t>((std::uint64_t{at} * num_rows) >> 32);
    }
    distance.gather({rows.data(), 1}, stored, slots, out.data());
    benchmark::DoNotOptimize(out);
  }
  state.SetItemsProcessed(state.iterations() * 16);
  state.SetLabel(std::string(element_name(type)));
}
BENCHMARK(BM_Gather)->ArgsProduct({{0, 2, 3, 4}, {100, 50000, 1000000}});

void BM_FmaLimit(benchmark::State& state) {
  double multiply_adds = 0;
  for (auto _ : state) multiply_adds += limits::multiply_add();
  state.counters["FMA/s"] = benchmark::Counter(multiply_adds, benchmark::Counter::kIsRate);
}
BENCHMARK(BM_FmaLimit);

void BM_MemoryLimit(benchmark::State& state) {
  const std::vector<float> values(std::size_t{1} << 26, 1.0F);
  double bytes = 0;
  for (auto _ : state) bytes += limits::read(values.data(), values.size());
  state.counters["B/s"] = benchmark::Counter(bytes, benchmark::Counter::kIsRate);
}
BENCHMARK(BM_MemoryLimit);

}  // namespace
}  // namespace embd
