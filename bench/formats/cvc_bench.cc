// CVC files written and read, bytes a second of float32 data on one core. The files lie in $TMPDIR.
// packages.py runs this beside the reference package.
#include <benchmark/benchmark.h>

#include <filesystem>
#include <random>

#include "base/checksum.h"
#include "base/half.h"
#include "embd/matrix.h"
#include "formats/vectors/cvc/cvc_reader.h"
#include "formats/vectors/cvc/cvc_writer.h"

namespace embd::cvc {
namespace {

constexpr std::size_t dim = 384;

/// Rows of length about 1, as embeddings are.
const Matrix& rows(std::size_t count) {
  static Matrix matrix;
  if (matrix.rows() != count) {
    matrix = Matrix(count, dim);
    std::mt19937 random(1);
    std::normal_distribution<float> normal(0, 0.05F);
    for (float& value : matrix.values()) value = normal(random);
  }
  return matrix;
}

std::filesystem::path file_path() {
  return std::filesystem::temp_directory_path() / "embd_cvc_bench.cvc";
}

enum class Kind { fp16, int8, lossless, none, columns };

/// `columns`: halves and an int32 a row.
Result<void> write(const Matrix& matrix, Kind kind) {
  const WriterOptions options = {.num_rows = matrix.rows()};
  std::vector<Bytes> values = {std::as_bytes(matrix.values())};
  const std::vector<std::int32_t> years(matrix.rows(), 2026);
  const auto create = [&]() -> Result<Writer> {
    if (kind == Kind::fp16) return Writer::create(file_path(), dim, Encoding::fp16, options);
    if (kind == Kind::int8) return Writer::create(file_path(), dim, Encoding::int8, options);
    if (kind == Kind::lossless)
      return Writer::create(file_path(), dim, Encoding::lossless, options);
    std::vector<Column> columns = {{"embedding", dim, ElementType::f32, Encoding::none}};
    if (kind == Kind::columns) {
      columns[0].encoding = Encoding::fp16;
      columns.push_back({"year", 1, ElementType::i32, Encoding::none});
      values.push_back(std::as_bytes(std::span(years)));
    }
    return Writer::create_columnar(file_path(), columns, options);
  };
  auto writer = create();
  if (!writer) return std::unexpected(writer.error());
  if (auto appended = writer->append(matrix.rows(), values); !appended) return appended;
  return writer->finish();
}

void write_file(benchmark::State& state, Kind kind) {
  const Matrix& matrix = rows(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) {
    if (const auto written = write(matrix, kind); !written)
      return state.SkipWithError(written.error().message().c_str());
    state.PauseTiming();  // The next one replaces nothing.
    std::filesystem::remove(file_path());
    state.ResumeTiming();
  }
  state.SetBytesProcessed(state.iterations() * std::ssize(matrix.values()) * 4);
  std::filesystem::remove(file_path());
}

/// Opened anew each time, so that the CRC-32 of every chunk is computed.
void read_file(benchmark::State& state, Kind kind) {
  const Matrix& matrix = rows(static_cast<std::size_t>(state.range(0)));
  if (!write(matrix, kind)) return state.SkipWithError("cannot write the file");
  std::vector<float> out(matrix.values().size());
  std::vector<std::byte> years;
  for (auto _ : state) {
    const auto reader = Reader::open(file_path());
    if (!reader || !reader->read(0, 0, matrix.rows(), out))
      return state.SkipWithError("cannot read the file");
    years.clear();
    if (kind == Kind::columns && !reader->read_raw(1, 0, matrix.rows(), years))
      return state.SkipWithError("cannot read the file");
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * std::ssize(out) * 4);
  std::filesystem::remove(file_path());
}

void on_both_sizes(benchmark::internal::Benchmark* benchmark) {
  benchmark->Arg(2'000)->Arg(100'000)->UseRealTime()->MeasureProcessCPUTime();
}
BENCHMARK_CAPTURE(write_file, fp16, Kind::fp16)->Apply(on_both_sizes);
BENCHMARK_CAPTURE(read_file, fp16, Kind::fp16)->Apply(on_both_sizes);
BENCHMARK_CAPTURE(write_file, int8, Kind::int8)->Apply(on_both_sizes);
BENCHMARK_CAPTURE(read_file, int8, Kind::int8)->Apply(on_both_sizes);
BENCHMARK_CAPTURE(write_file, lossless, Kind::lossless)->Apply(on_both_sizes);
BENCHMARK_CAPTURE(read_file, lossless, Kind::lossless)->Apply(on_both_sizes);
BENCHMARK_CAPTURE(write_file, none, Kind::none)->Apply(on_both_sizes);
BENCHMARK_CAPTURE(read_file, none, Kind::none)->Apply(on_both_sizes);
BENCHMARK_CAPTURE(write_file, columns, Kind::columns)->Apply(on_both_sizes);
BENCHMARK_CAPTURE(read_file, columns, Kind::columns)->Apply(on_both_sizes);

void checksum(benchmark::State& state) {
  const Matrix& matrix = rows(2'000);
  const Bytes bytes = std::as_bytes(matrix.values());
  for (auto _ : state) benchmark::DoNotOptimize(crc32(bytes));
  state.SetBytesProcessed(state.iterations() * std::ssize(bytes));
}
BENCHMARK(checksum);

void to_halves(benchmark::State& state) {
  const Matrix& matrix = rows(2'000);
  std::vector<std::uint16_t> halves(matrix.values().size());
  for (auto _ : state) {
    halves_from_floats(matrix.values(), halves);
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * std::ssize(halves) * 4);
}
BENCHMARK(to_halves);

}  // namespace
}  // namespace embd::cvc
