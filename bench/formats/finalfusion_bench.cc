// finalfusion files written and read, bytes a second of float32 data, and the opening of a large
// vocabulary. The files lie in $TMPDIR. packages.py runs this beside the reference package.
#include <benchmark/benchmark.h>

#include <filesystem>
#include <random>

#include "formats/vectors/formats.h"

namespace embd::finalfusion {
namespace {

constexpr std::size_t dim = 384;

struct Data {
  explicit Data(std::size_t rows, std::size_t columns = dim) : matrix(rows, columns) {
    std::mt19937 random(1);
    for (float& value : matrix.values())
      value = static_cast<float>(random()) / static_cast<float>(std::mt19937::max()) - 0.5F;
    for (std::size_t i = 0; i < rows; ++i) words.push_back("word number " + std::to_string(i));
  }

  Matrix matrix;
  std::vector<std::string> words;
};

std::filesystem::path file_path() {
  return std::filesystem::temp_directory_path() / "embd_finalfusion_bench.fifu";
}

bool write(const Data& data) {
  const auto writer = format.create(file_path(), data.matrix.cols(), {.ids = data.words});
  return writer && (*writer)->append(data.matrix, Ids{}) && (*writer)->finish();
}

/// The words come with their rows, so that these wait for the last word.
bool write_stream(const Data& data) {
  const auto writer = format.create(file_path(), data.matrix.cols(), {});
  return writer && (*writer)->append(data.matrix, data.words) && (*writer)->finish();
}

void write_with(benchmark::State& state, bool (*write_data)(const Data&)) {
  const Data data(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) {
    if (!write_data(data)) return state.SkipWithError("cannot write the file");
    state.PauseTiming();  // The next one replaces nothing.
    std::filesystem::remove(file_path());
    state.ResumeTiming();
  }
  state.SetBytesProcessed(state.iterations() * std::ssize(data.matrix.values()) * 4);
}

void write_file(benchmark::State& state) {
  write_with(state, write);
}
BENCHMARK(write_file)->Arg(2'000)->Arg(100'000)->UseRealTime()->MeasureProcessCPUTime();

void stream_file(benchmark::State& state) {
  write_with(state, write_stream);
}
BENCHMARK(stream_file)->Arg(100'000)->UseRealTime()->MeasureProcessCPUTime();

/// Two values a slice, each slice one of 16 centroids.
bool write_quantized(const Data& data) {
  const FinalfusionOptions quantized = {.quantizer = FinalfusionOptions::Quantizer::pq, .bits = 4};
  const auto writer =
      format.create(file_path(), data.matrix.cols(), {.ids = data.words, .finalfusion = quantized});
  return writer && (*writer)->append(data.matrix, Ids{}) && (*writer)->finish();
}

void read_with(benchmark::State& state, bool (*write_data)(const Data&)) {
  const Data data(static_cast<std::size_t>(state.range(0)));
  if (!write_data(data)) return state.SkipWithError("cannot write the file");
  std::vector<float> out(data.matrix.values().size());
  for (auto _ : state) {
    const auto reader = format.open(file_path(), {});
    if (!reader || !(*reader)->read(0, data.words.size(), out))
      return state.SkipWithError("cannot read the file");
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * std::ssize(out) * 4);
  std::filesystem::remove(file_path());
}

void read_file(benchmark::State& state) {
  read_with(state, write);
}
BENCHMARK(read_file)->Arg(2'000)->Arg(100'000)->UseRealTime()->MeasureProcessCPUTime();

void read_quantized(benchmark::State& state) {
  read_with(state, write_quantized);
}
BENCHMARK(read_quantized)->Arg(2'000)->UseRealTime()->MeasureProcessCPUTime();

/// Rows without words, floret's buckets: what a file takes to open beside its vocabulary.
void map_matrix(benchmark::State& state) {
  const Data data(static_cast<std::size_t>(state.range(0)));
  WriteOptions options;
  Subwords& subwords = options.finalfusion.subwords.emplace();
  subwords.kind = SubwordKind::floret;
  subwords.num_rows = data.matrix.rows();
  subwords.min_n = 3;
  subwords.max_n = 6;
  subwords.num_hashes = 2;
  const auto writer = format.create(file_path(), dim, options);
  if (!writer || !(*writer)->append(data.matrix, data.words) || !(*writer)->finish())
    return state.SkipWithError("cannot write the file");
  for (auto _ : state) {
    const auto reader = format.open(file_path(), {.all_rows = true});
    if (!reader || !(*reader)->plain_rows() || !(*reader)->plain_rows()->view())
      return state.SkipWithError("cannot map the file");
  }
  std::filesystem::remove(file_path());
}
BENCHMARK(map_matrix)->Arg(2'000)->Arg(400'000)->Unit(benchmark::kMicrosecond);

/// One value a row: what remains is the vocabulary.
void open_vocabulary(benchmark::State& state) {
  const Data data(static_cast<std::size_t>(state.range(0)), 1);
  if (!write(data)) return state.SkipWithError("cannot write the file");
  for (auto _ : state) benchmark::DoNotOptimize(format.open(file_path(), {}).has_value());
  state.SetItemsProcessed(state.iterations() * state.range(0));
  std::filesystem::remove(file_path());
}
BENCHMARK(open_vocabulary)->Arg(100'000)->Arg(1'000'000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace embd::finalfusion
