// Builds and searches one of our indexes for index_peers.py, which runs other libraries beside it:
//
//   index_peer ROWS QUERIES DIM K THREADS SCALAR CONNECTIVITY EXPANSION_ADD PREFIX EXPANSION...
//
// SCALAR is f32, f16, bf16, i8 or, for a Vamana graph of as many links over float32, vamana.
// ROWS and QUERIES are raw float32. Writes the ids of each expansion to PREFIX.EXPANSION (uint64)
// and prints one line of JSON: of each step the seconds that passed and those of the processor.

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "base/os/mapped_file.h"
#include "embd/index.h"

namespace {

/// Seconds since it was made, as JSON: on the clock, and of the processor by all threads.
class Stopwatch {
 public:
  std::string json() const {
    using Seconds = std::chrono::duration<double>;
    return fmt::format("[{:.6f}, {:.6f}]", Seconds(Clock::now() - start_).count(),
                       static_cast<double>(std::clock() - cpu_start_) / CLOCKS_PER_SEC);
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
  std::clock_t cpu_start_ = std::clock();
};

embd::MatrixView view(const embd::MappedFile& file, std::size_t dim) {
  const auto bytes = file.bytes();
  return {reinterpret_cast<const float*>(bytes.data()), bytes.size() / 4 / dim, dim};
}

int run(int argc, char** argv) {
  if (argc < 11) return 2;
  const auto rows_file = embd::MappedFile::open(argv[1]).value();
  const auto queries_file = embd::MappedFile::open(argv[2]).value();
  const std::size_t dim = std::stoul(argv[3]);
  const std::size_t k = std::stoul(argv[4]);
  embd::IndexOptions options;
  options.threads = std::stoi(argv[5]);
  const std::string scalar = argv[6];
  options.scalar = scalar == "f16"    ? embd::ElementType::f16
                   : scalar == "bf16" ? embd::ElementType::bf16
                   : scalar == "i8"   ? embd::ElementType::i8
                                      : embd::ElementType::f32;
  options.connectivity = static_cast<std::uint32_t>(std::stoul(argv[7]));
  if (scalar == "vamana") {
    options.kind = embd::IndexKind::vamana;
    options.metric = embd::Metric::l2sq;  // of rows of length 1, which is the cosine's order
    options.degree = 2 * options.connectivity;
    options.window = static_cast<std::uint32_t>(std::stoul(argv[8]));
  }
  options.expansion_add = static_cast<std::uint32_t>(std::stoul(argv[8]));
  const std::string prefix = argv[9];
  const embd::MatrixView rows = view(rows_file, dim);
  const embd::MatrixView queries = view(queries_file, dim);

  const Stopwatch build_watch;
  const auto index = embd::Index::build(rows, {}, options);
  const std::string build = build_watch.json();
  if (!index) {
    fmt::print(stderr, "{}\n", index.error().message());
    return 1;
  }
  if (const auto saved = index->save(prefix); !saved) {
    fmt::print(stderr, "{}\n", saved.error().message());
    return 1;
  }

  std::string searches;
  for (int i = 10; i < argc; ++i) {
    embd::SearchOptions search;
    search.threads = options.threads;
    search.expansion = search.window = static_cast<std::uint32_t>(std::stoul(argv[i]));
    const Stopwatch watch;
    const auto found = index->search(queries, k, search).value();
    const std::string seconds = watch.json();
    std::ofstream ids(prefix + "." + argv[i], std::ios::binary);
    for (const auto& hits : found) {
      for (std::size_t j = 0; j < k; ++j) {
        const std::uint64_t id = j < hits.size() ? hits[j].id : ~std::uint64_t{0};
        ids.write(reinterpret_cast<const char*>(&id), sizeof(id));
      }
    }
    searches += fmt::format("{}\"{}\": {}", i == 10 ? "" : ", ", argv[i], seconds);
  }
  fmt::print("{{\"build\": {}, \"search\": {{{}}}}}\n", build, searches);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
