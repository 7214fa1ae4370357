#include "formats/vectors/svs/specification_writer.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/output_file.h"
#include "base/try.h"
#include "formats/vectors/svs/object_writer.h"
#include "formats/vectors/svs/row_file.h"
#include "formats/vectors/svs/specification_names.h"

namespace embd::svs {
namespace {

template <class T, std::size_t N>
std::string_view name_of(T value, const std::array<Named<T>, N>& names) {
  return std::ranges::find(names, value, &Named<T>::value)->name;
}

/// Returns the path STEM`suffix` beside STEM.config.
std::filesystem::path beside(const std::filesystem::path& config, std::string_view suffix) {
  return config.parent_path() / (specification_stem(config) + std::string(suffix));
}

std::filesystem::path first_subset(const std::filesystem::path& config) {
  return config.parent_path() / subset_name(specification_stem(config), 1, 1);
}

/// Completes the files of vectors after the last row: writes the ids, then the configuration.
/// Returns the UUID by which an index refers to the vectors.
Result<Uuid> finish_vectors(const std::filesystem::path& config, RowFile& rows,
                            std::span<const std::uint64_t> ids,
                            const std::optional<Recipe>& recipe) {
  const Uuid rows_uuid = EMBD_TRY(rows.finish());
  Uuid ids_uuid;
  if (!ids.empty()) {
    BinaryWriter file = EMBD_TRY(BinaryWriter::create(beside(config, ids_extension)));
    EMBD_TRY(file.append(std::as_bytes(ids)));
    ids_uuid = EMBD_TRY(file.finish("ids", ids.size(), 1));
  }
  Sha256 hash;
  hash.update("vectors");
  // An index finds its vectors by this UUID alone. So equal rows in two files of a directory need
  // different UUIDs.
  hash.update(specification_stem(config));
  hash.update(std::as_bytes(std::span(rows_uuid.bytes)));
  const Uuid origin = Uuid::from_digest(hash.digest());
  EMBD_TRY(write_text_file(config, fmt::format(R"([format]
version = 1
type = "vector"

[external_id]
present = {}
format = "uint64"
binary_file_uuid = "{}"

[[encoding]]
uuid = "{}"
n_elements = {}
format = "{}"
position = 1
binary_file_uuid = "{}"

[encoding.params]
n_dimensions = {}
{})",
                                               !ids.empty(), ids_uuid.text(), origin.text(),
                                               rows.num_rows(), name_of(rows.type(), element_types),
                                               rows_uuid.text(), rows.dim(), recipe_text(recipe))));
  return origin;
}

class SpecificationVectorWriter final : public VectorWriter {
 public:
  SpecificationVectorWriter(std::filesystem::path config, RowFile rows,
                            std::optional<Recipe> recipe)
      : VectorWriter(rows.dim(), kept_as(rows.type())),
        config_(std::move(config)),
        rows_(std::move(rows)),
        recipe_(std::move(recipe)) {}

 private:
  Result<void> append_rows(MatrixView rows, const Ids& ids) override {
    if (std::holds_alternative<std::vector<std::string>>(ids))
      return fail(ErrorCode::unsupported,
                  "the ids are strings, but the SVS layout \"specification\" stores only numbers");
    if (const auto* numbers = std::get_if<std::vector<std::uint64_t>>(&ids))
      ids_.insert(ids_.end(), numbers->begin(), numbers->end());
    return rows_.append(rows);
  }

  Result<void> finish_file() override {
    if (num_rows() == 0)
      return fail(ErrorCode::unsupported,
                  "the SVS layout \"specification\" cannot store a vector set without rows");
    EMBD_TRY(refuse_repeated_ids());
    EMBD_TRY(finish_vectors(config_, rows_, ids_, recipe_));
    return {};
  }

  Result<void> refuse_repeated_ids() const {
    std::vector<std::uint64_t> sorted = ids_;
    std::ranges::sort(sorted);
    const auto twice = std::ranges::adjacent_find(sorted);
    if (twice == sorted.end()) return {};
    return fail(ErrorCode::duplicate,
                fmt::format("id {} belongs to two rows, but the SVS layout \"specification\" needs "
                            "a different id for each row",
                            *twice));
  }

  std::filesystem::path config_;
  RowFile rows_;
  std::optional<Recipe> recipe_;
  std::vector<std::uint64_t> ids_;
};

}  // namespace

Result<std::unique_ptr<VectorWriter>> create_specification_vectors(
    const std::filesystem::path& config, std::uint64_t dim, ElementType type,
    const std::optional<Recipe>& recipe) {
  return std::make_unique<SpecificationVectorWriter>(
      config, EMBD_TRY(RowFile::create(first_subset(config), type, dim)), recipe);
}

Result<void> write_specification_index(const std::filesystem::path& config,
                                       const VamanaContent& content,
                                       SpecificationDistance distance) {
  const std::filesystem::path vectors = beside(config, "-vectors.config");
  RowFile rows = EMBD_TRY(RowFile::create(first_subset(vectors), content.type, content.dim));
  for (std::uint64_t i = 0; i < content.rows; ++i) EMBD_TRY(rows.append_stored(content.row(i), 1));
  const Uuid origin = EMBD_TRY(finish_vectors(vectors, rows, content.external_ids, content.recipe));
  const Uuid graph = EMBD_TRY(write_graph(beside(config, index_extension), content));
  return write_text_file(
      config, fmt::format(R"([format]
version = 1
type = "vamana"

[index]
uuid = "{}"
n_elements = {}
internal_id = "uint32"
distance = "{}"
binary_file_uuid = "{}"

[specific]
entry_point = {}
max_out_degree = {}
alpha = {}
max_candidates = {}
construction_window_size = {}
default_search_window_size = {}
visited_set = {}
)",
                          origin.text(), content.rows, name_of(distance, distances), graph.text(),
                          content.entry_point, content.max_degree, toml_float(content.build.alpha),
                          content.build.max_candidate_pool_size, content.build.window_size,
                          content.search.window_size, content.search.visited_set));
}

}  // namespace embd::svs
