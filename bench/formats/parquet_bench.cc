// Parquet files written and read, bytes a second of float32 data on one core. The files lie in
// $TMPDIR; a folder in memory keeps the disk out of the figures.
#include <benchmark/benchmark.h>

#include <filesystem>
#include <random>

#include "formats/vectors/formats.h"

namespace embd::parquet {
namespace {

constexpr std::size_t dim = 384;
constexpr std::size_t num_rows = 100'000;
constexpr std::size_t rows_at_once = 2'048;

/// Rows of length about 1, as embeddings are.
const Matrix& rows() {
  static const Matrix matrix = [] {
    Matrix made(num_rows, dim);
    std::mt19937 random(1);
    std::normal_distribution<float> normal(0, 0.05F);
    for (float& value : made.values()) value = normal(random);
    return made;
  }();
  return matrix;
}

std::filesystem::path file_path() {
  return std::filesystem::temp_directory_path() / "embd_parquet_bench.parquet";
}

enum class Kind { plain, texts, halves, zstd };

WriteOptions options_of(Kind kind) {
  WriteOptions options;
  if (kind == Kind::halves) options.element_type = ElementType::f16;
  if (kind == Kind::zstd) options.parquet.compression = ParquetOptions::Compression::zstd;
  options.parquet.texts = kind == Kind::texts;
  return options;
}

Result<void> write(Kind kind) {
  auto writer = format.create(file_path(), dim, options_of(kind));
  if (!writer) return std::unexpected(writer.error());
  const std::vector<std::string> texts(
      rows_at_once, "A text of sixty bytes, as short ones often are, more or less");
  for (std::size_t first = 0; first < num_rows; first += rows_at_once) {
    const std::size_t count = std::min(rows_at_once, num_rows - first);
    if (RowTextSink* sink = (*writer)->row_texts())
      if (auto set = sink->set_texts(std::span(texts).first(count)); !set) return set;
    auto appended = (*writer)->append(rows().view().slice(first, count), Ids{});
    if (!appended) return appended;
  }
  return (*writer)->finish();
}

void write_file(benchmark::State& state, Kind kind) {
  rows();  // made before the clock runs
  for (auto _ : state) {
    if (const auto written = write(kind); !written)
      return state.SkipWithError(written.error().message().c_str());
    state.PauseTiming();  // The next one replaces nothing.
    std::filesystem::remove(file_path());
    state.ResumeTiming();
  }
  state.SetBytesProcessed(state.iterations() * std::ssize(rows().values()) * 4);
}

void read_file(benchmark::State& state, Kind kind) {
  if (!write(kind)) return state.SkipWithError("cannot write the file");
  std::vector<float> out(rows().values().size());
  for (auto _ : state) {
    const auto reader = format.open(file_path(), {});
    if (!reader || !(*reader)->read(0, num_rows, out))
      return state.SkipWithError("cannot read the file");
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * std::ssize(out) * 4);
  std::filesystem::remove(file_path());
}

void on_one_core(benchmark::internal::Benchmark* benchmark) {
  benchmark->UseRealTime()->MeasureProcessCPUTime();
}
BENCHMARK_CAPTURE(write_file, plain, Kind::plain)->Apply(on_one_core);
BENCHMARK_CAPTURE(write_file, texts, Kind::texts)->Apply(on_one_core);
BENCHMARK_CAPTURE(write_file, halves, Kind::halves)->Apply(on_one_core);
BENCHMARK_CAPTURE(write_file, zstd, Kind::zstd)->Apply(on_one_core);
BENCHMARK_CAPTURE(read_file, plain, Kind::plain)->Apply(on_one_core);
BENCHMARK_CAPTURE(read_file, halves, Kind::halves)->Apply(on_one_core);
BENCHMARK_CAPTURE(read_file, zstd, Kind::zstd)->Apply(on_one_core);

}  // namespace
}  // namespace embd::parquet
