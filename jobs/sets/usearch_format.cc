#include "jobs/sets/usearch_format.h"

#include <array>

#include "formats/vectors/usearch/usearch_scalar.h"
#include "formats/vectors/usearch/usearch_vectors.h"
#include "jobs/sets/index_writer.h"

namespace embd::usearch {
namespace {

constexpr std::array<std::string_view, 1> extensions = {".usearch"};

ElementType scalar_of(const WriteOptions& options) {
  return options.index.scalar.value_or(options.element_type);
}

Result<std::unique_ptr<VectorWriter>> create(const std::filesystem::path& path, std::uint64_t dim,
                                             const WriteOptions& options) {
  IndexOptions index = options.index;
  index.scalar = scalar_of(options);
  return make_index_writer(path, dim, index, options.recipe);
}

Matrix as_stored(MatrixView rows, ElementType scalar) {
  Matrix back(rows.rows(), rows.cols());
  std::vector<std::byte> stored(row_bytes(scalar, rows.cols()));
  for (std::size_t r = 0; r < rows.rows(); ++r) {
    encode_row(scalar, rows.row(r), stored.data());
    decode_row(scalar, stored.data(), back.row(r));
  }
  return back;
}

}  // namespace

const Format format = {
    .name = "usearch",
    .extensions = extensions,
    .has_magic = has_magic,
    .open = open,
    .create = create,
    .room = always<Room{.ids = IdsInside::numbers}>,
    .stored_type = scalar_of,
    .codes = CodeStorage::own,
    .as_stored = as_stored,
    .index = IndexKind::hnsw,
    .is_index = [](const std::filesystem::path&) { return true; },
};

}  // namespace embd::usearch
