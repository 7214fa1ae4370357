#include "formats/vectors/svs/svs_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/os/file_status.h"
#include "base/try.h"
#include "formats/vectors/row_range.h"
#include "formats/vectors/svs/specification_layout.h"
#include "formats/vectors/svs/svs_layout.h"

namespace embd::svs {
namespace {

using Json = nlohmann::ordered_json;

/// Reads every kind of SVS files as a vector set: a data set, its ids, and a description.
class Reader final : public VectorReader, private PlainRowSource {
 public:
  Reader(std::unique_ptr<Dataset> data, std::vector<std::uint64_t> ids, Json fields,
         std::optional<Recipe> recipe)
      : data_(std::move(data)),
        ids_(std::move(ids)),
        fields_(std::move(fields)),
        recipe_(std::move(recipe)) {
    info_ = {.format = "svs",
             .encoding = data_->encoding(),
             .num_rows = data_->rows(),
             .dim = data_->dim(),
             .element_type = data_->element_type()};
  }

  const VectorSetInfo& info() const noexcept override { return info_; }

  Result<Ids> ids() const override {
    if (ids_.empty()) return Ids{};
    return Ids{ids_};
  }
  Result<std::optional<Recipe>> recipe() const override { return recipe_; }

  std::string describe() const override {
    Json description = {{"encoding", info_.encoding},
                        {"rows", info_.num_rows},
                        {"dim", info_.dim},
                        {"element_type", element_name(info_.element_type)}};
    description.update(fields_);
    return description.dump();
  }
  /// Nothing to do: opening has checked everything.
  Result<void> verify() const override { return {}; }
  const PlainRowSource* plain_rows() const noexcept override {
    return data_->raw() ? this : nullptr;
  }

 private:
  Result<void> read_rows(std::uint64_t first, std::uint64_t count,
                         std::span<float> out) const override {
    data_->decode(first, count, out);
    return {};
  }
  std::optional<MatrixView> view() const noexcept override {
    const auto raw = data_->raw();
    if (!raw || info_.element_type != ElementType::f32) return std::nullopt;
    // In a mapped file, the data begin at a multiple of 64.
    return MatrixView(reinterpret_cast<const float*>(raw->data()), info_.num_rows, info_.dim);
  }
  Result<void> read_stored(std::uint64_t first, std::uint64_t count,
                           std::vector<std::byte>& out) const override {
    EMBD_TRY(check_rows(first, count, info_.num_rows));
    const std::uint64_t row_bytes = info_.dim * element_bits(info_.element_type) / 8;
    const Bytes rows = data_->raw()->subspan(first * row_bytes, count * row_bytes);
    out.assign(rows.begin(), rows.end());
    return {};
  }

  std::unique_ptr<Dataset> data_;
  std::vector<std::uint64_t> ids_;
  Json fields_;
  std::optional<Recipe> recipe_;
  VectorSetInfo info_;
};

Json describe_graph(const Graph& graph, std::uint64_t entry_point, const BuildParameters& build,
                    const SearchParameters& search) {
  return {{"max_degree", graph.max_degree()},
          {"entry_point", entry_point},
          {"alpha", build.alpha},
          {"build_window_size", build.window_size},
          {"max_candidate_pool_size", build.max_candidate_pool_size},
          {"prune_to", build.prune_to},
          {"use_full_search_history", build.use_full_search_history},
          {"search_window_size", search.window_size},
          {"search_buffer_capacity", search.capacity},
          {"search_buffer_visited_set", search.visited_set}};
}

Result<std::unique_ptr<VectorReader>> open_index(const std::filesystem::path& path) {
  VamanaDirectory index = EMBD_TRY(open_vamana(path));
  Json fields = {
      {"layout", index.dynamic ? "dynamic vamana" : "vamana"},
      {"graph", describe_graph(index.graph, index.entry_point, index.build, index.search)}};
  if (index.metric) fields["metric"] = metric_name(*index.metric);
  return std::make_unique<Reader>(std::move(index.data), std::move(index.external_ids), fields,
                                  std::move(index.recipe));
}

Result<std::unique_ptr<VectorReader>> open_directory(const std::filesystem::path& path) {
  const TomlTable object = EMBD_TRY(open_object(path));
  auto data = EMBD_TRY(open_dataset(object, path));
  auto recipe = EMBD_TRY(object.recipe());
  return std::make_unique<Reader>(std::move(data), std::vector<std::uint64_t>(),
                                  Json{{"layout", "directory"}}, std::move(recipe));
}

Result<std::unique_ptr<VectorReader>> open_file(const std::filesystem::path& path,
                                                const ReadOptions& options) {
  BinaryFile binary = EMBD_TRY(open_binary(path));
  const Json fields = {{"layout", "file"}, {"uuid", binary.uuid.text()}};
  auto data = EMBD_TRY(
      make_uncompressed(std::move(binary), options.element_type.value_or(ElementType::f32)));
  return std::make_unique<Reader>(std::move(data), std::vector<std::uint64_t>(), fields,
                                  std::nullopt);
}

std::string_view name_of(SpecificationDistance distance) {
  switch (distance) {
    case SpecificationDistance::squared_l2:
      return "squared L2";
    case SpecificationDistance::cosine:
      return "cosine similarity";
    case SpecificationDistance::inner_product:
      return "inner product";
  }
  return "";
}

Result<std::unique_ptr<VectorReader>> open_specification(const std::filesystem::path& path) {
  if (EMBD_TRY(specification_type(path)) == "vamana") {
    SpecificationIndex index = EMBD_TRY(open_specification_index(path));
    const Json fields = {
        {"layout", "seed vamana"},
        {"uuid", index.vectors.origin.text()},
        {"distance", name_of(index.distance)},
        {"graph", describe_graph(index.graph, index.entry_point, index.build, index.search)}};
    return std::make_unique<Reader>(std::move(index.vectors.data),
                                    std::move(index.vectors.external_ids), fields,
                                    std::move(index.vectors.recipe));
  }
  SpecificationVectors vectors = EMBD_TRY(open_specification_vectors(path));
  const Json fields = {{"layout", "seed"},
                       {"uuid", vectors.origin.text()},
                       {"levels", vectors.num_levels},
                       {"subsets", vectors.num_subsets}};
  return std::make_unique<Reader>(std::move(vectors.data), std::move(vectors.external_ids), fields,
                                  std::move(vectors.recipe));
}

}  // namespace

Result<std::unique_ptr<VectorReader>> open_svs(const std::filesystem::path& path,
                                               const ReadOptions& options) {
  if (path.extension() == ".config") return open_specification(path);
  if (!os::is_folder(path)) return open_file(path, options);
  return is_vamana_directory(path) ? open_index(path) : open_directory(path);
}

bool is_vamana(const std::filesystem::path& path) {
  if (path.extension() != ".config") return is_vamana_directory(path);
  return specification_type(path) == "vamana";
}

}  // namespace embd::svs
