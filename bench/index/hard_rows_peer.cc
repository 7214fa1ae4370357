// Builds one of our indexes over rows that are hard to link, for hard_rows.py:
//
//   hard_rows_peer ROWS QUERIES DIM KIND METRIC SCALAR PLAN K PREFIX EXPANSION...
//
// ROWS and QUERIES are raw float32; KIND is hnsw or vamana. PLAN "build" builds over all rows at
// once; "change" builds over the first half, adds the rest, removes each third row, compacts and
// adds the removed rows again. Writes the ids found at each expansion (window) to PREFIX.EXPANSION
// and those that each row finds as a query, at the last one, to PREFIX.rows: uint64 [queries, K],
// 2^64 − 1 where there are no more.

#include <fmt/format.h>

#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "base/os/mapped_file.h"
#include "embd/index.h"

namespace {

embd::MatrixView view(const embd::MappedFile& file, std::size_t dim) {
  const auto bytes = file.bytes();
  return {reinterpret_cast<const float*>(bytes.data()), bytes.size() / 4 / dim, dim};
}

void check(const embd::Result<void>& result) {
  if (!result) throw std::runtime_error(result.error().message());
}

template <class T>
T taken(embd::Result<T> result) {
  if (!result) throw std::runtime_error(result.error().message());
  return std::move(*result);
}

embd::Index changed(embd::MatrixView rows, const embd::IndexOptions& options) {
  const std::size_t half = rows.rows() / 2;
  embd::Index index = taken(embd::Index::build(rows.slice(0, half), {}, options));
  std::vector<std::uint64_t> later;
  for (std::size_t i = half; i < rows.rows(); ++i) later.push_back(i);
  check(index.add(rows.slice(half, rows.rows() - half), later, options.threads));
  std::vector<std::uint64_t> thirds;
  std::vector<float> values;
  for (std::size_t i = 1; i < rows.rows(); i += 3) {
    thirds.push_back(i);
    values.insert(values.end(), rows.row(i).begin(), rows.row(i).end());
  }
  taken(index.remove(thirds));
  check(index.compact());
  check(index.add({values.data(), thirds.size(), rows.cols()}, thirds, options.threads));
  return index;
}

embd::ElementType scalar_named(std::string_view name) {
  for (const auto type : {embd::ElementType::f16, embd::ElementType::bf16, embd::ElementType::i8,
                          embd::ElementType::b1}) {
    if (embd::element_name(type) == name) return type;
  }
  return embd::ElementType::f32;
}

void search(const embd::Index& index, embd::MatrixView queries, std::size_t k,
            std::uint32_t expansion, const std::string& path) {
  const auto found = taken(index.search(queries, k, {.expansion = expansion, .window = expansion}));
  std::ofstream ids(path, std::ios::binary);
  for (const auto& hits : found) {
    for (std::size_t j = 0; j < k; ++j) {
      const std::uint64_t id = j < hits.size() ? hits[j].id : ~std::uint64_t{0};
      ids.write(reinterpret_cast<const char*>(&id), sizeof(id));
    }
  }
}

int run(int argc, char** argv) {
  if (argc < 11) return 2;
  const auto rows_file = embd::MappedFile::open(argv[1]).value();
  const auto queries_file = embd::MappedFile::open(argv[2]).value();
  const std::size_t dim = std::stoul(argv[3]);
  embd::IndexOptions options;
  options.kind =
      std::string_view(argv[4]) == "vamana" ? embd::IndexKind::vamana : embd::IndexKind::hnsw;
  options.metric = embd::metric_from_name(argv[5]).value();
  options.scalar = scalar_named(argv[6]);
  const bool change = std::string_view(argv[7]) == "change";
  const std::size_t k = std::stoul(argv[8]);
  const std::string prefix = argv[9];
  const embd::MatrixView rows = view(rows_file, dim);
  const embd::Index index =
      change ? changed(rows, options) : taken(embd::Index::build(rows, {}, options));
  std::uint32_t expansion = 0;
  for (int i = 10; i < argc; ++i) {
    expansion = static_cast<std::uint32_t>(std::stoul(argv[i]));
    search(index, view(queries_file, dim), k, expansion, fmt::format("{}.{}", prefix, expansion));
  }
  search(index, rows, k, expansion, prefix + ".rows");
  check(index.save(prefix));
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
