#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "base/bytes.h"
#include "base/elements.h"
#include "base/os/file_status.h"
#include "base/os/mapped_file.h"
#include "base/output_file.h"
#include "base/path_text.h"
#include "base/paths.h"
#include "base/try.h"
#include "embd/vectors.h"
#include "formats/vectors/format.h"
#include "formats/vectors/formats.h"
#include "formats/vectors/svs/binary_file.h"
#include "formats/vectors/svs/dataset_writer.h"
#include "formats/vectors/svs/specification_layout.h"
#include "formats/vectors/svs/vamana_directory.h"

namespace embd::svs {
namespace {

using Layout = SvsOptions::Layout;

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 11> written = {
    "svs_config.toml",
    "data_0.svs",
    "data_1.svs",
    "data_2.svs",
    "lvq_data_0.svs",
    "config/svs_config.toml",
    "config/id_translation_0.binary",
    "data/svs_config.toml",
    "data/data_0.svs",
    "graph/svs_config.toml",
    "graph/graph_0.svs",
};

bool is_written(const fs::path& name, const fs::file_status& status) {
  if (name == "config" || name == "data" || name == "graph") return fs::is_directory(status);
  return fs::is_regular_file(status) && is_written_file(name);
}

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

Result<std::unique_ptr<VectorReader>> open_specification(const std::filesystem::path& path) {
  if (EMBD_TRY(specification_type(path)) == "vamana") {
    SpecificationIndex index = EMBD_TRY(open_specification_index(path));
    const Json fields = {
        {"layout", "seed vamana"},
        {"uuid", index.vectors.origin.text()},
        {"distance", name_of(index.distance, distances)},
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

Result<void> check_element_type(ElementType type) {
  if (type == ElementType::f32 || type == ElementType::f16 || type == ElementType::u8 ||
      type == ElementType::i8)
    return {};
  return fail(ErrorCode::unsupported,
              "SVS cannot store vectors of type {}, expected f32, f16, u8 or i8",
              element_name(type));
}

class FileWriter final : public VectorWriter {
 public:
  explicit FileWriter(RowFile rows)
      : VectorWriter(rows.dim(), kept_as(rows.type())), rows_(std::move(rows)) {}

 private:
  Result<void> append_rows(MatrixView rows, const Ids&) override { return rows_.append(rows); }
  Result<void> finish_file() override {
    EMBD_TRY(rows_.finish());
    return {};
  }

  RowFile rows_;
};

class DirectoryWriter final : public VectorWriter {
 public:
  DirectoryWriter(OutputDirectory directory, RowFile rows, std::optional<Recipe> recipe)
      : VectorWriter(rows.dim(), kept_as(rows.type())),
        directory_(std::move(directory)),
        rows_(std::move(rows)),
        recipe_(std::move(recipe)) {}

 private:
  Result<void> append_rows(MatrixView rows, const Ids&) override { return rows_.append(rows); }
  Result<void> finish_file() override {
    const Uuid uuid = EMBD_TRY(rows_.finish());
    EMBD_TRY(write_text_file(directory_.path() / config_name,
                             envelope(uncompressed_fields(data_name, rows_.num_rows(), rows_.dim(),
                                                          library_name(rows_.type()), uuid),
                                      recipe_)));
    return directory_.finish();
  }

  OutputDirectory directory_;
  RowFile rows_;
  std::optional<Recipe> recipe_;
};

/// Writes rows with LVQ, which needs the mean of all rows first. Rows are kept as float32 in the
/// new directory and encoded at the end.
class LvqWriter final : public VectorWriter {
 public:
  LvqWriter(OutputDirectory directory, OutputFile rows, std::uint64_t dim, LvqBits bits,
            std::optional<Recipe> recipe)
      : VectorWriter(dim, KeptValues::codes),
        directory_(std::move(directory)),
        rows_(std::move(rows)),
        bits_(bits),
        recipe_(std::move(recipe)),
        sum_(dim) {}

  static std::filesystem::path rows_path(const OutputDirectory& directory) {
    return directory.path() / "rows";
  }

 private:
  Result<void> append_rows(MatrixView rows, const Ids&) override {
    for (std::size_t i = 0; i < rows.rows(); ++i)
      std::ranges::transform(sum_, rows.row(i), sum_.begin(), std::plus());
    return rows_.write(std::as_bytes(rows.values()));
  }

  Result<void> prepare_file() override {
    EMBD_TRY(rows_.finish());
    std::vector<float> mean(sum_.size());
    const double count = static_cast<double>(std::max<std::uint64_t>(1, num_rows()));
    std::ranges::transform(sum_, mean.begin(),
                           [&](double sum) { return static_cast<float>(sum / count); });

    const LvqEncoder::Uuids uuids = EMBD_TRY(encode(mean));
    RowFile centroids =
        EMBD_TRY(RowFile::create(directory_.path() / (bits_.residual ? "data_2.svs" : "data_1.svs"),
                                 ElementType::f32, mean.size()));
    EMBD_TRY(centroids.append({mean.data(), 1, mean.size()}));
    EMBD_TRY(write_text_file(directory_.path() / config_name,
                             envelope(object(uuids, EMBD_TRY(centroids.finish())), recipe_)));
    std::error_code ignored;
    std::filesystem::remove(rows_path(directory_), ignored);
    return {};
  }
  Result<void> finish_file() override { return directory_.finish(); }

  Result<LvqEncoder::Uuids> encode(std::span<const float> mean) {
    LvqEncoder encoder = EMBD_TRY(LvqEncoder::create(
        bits_, mean, directory_.path() / "lvq_data_0.svs", directory_.path() / "data_1.svs"));
    const MappedFile file = EMBD_TRY(MappedFile::open(rows_path(directory_)));
    std::vector<float> row(mean.size());
    for (std::uint64_t i = 0; i < num_rows(); ++i) {
      floats_from_elements(ElementType::f32, file.bytes().subspan(i * row.size() * sizeof(float)),
                           row);
      EMBD_TRY(encoder.append(row));
    }
    return encoder.finish(num_rows());
  }

  std::string object(const LvqEncoder::Uuids& uuids, const Uuid& centroids) const {
    const std::uint64_t dim = sum_.size();
    std::string text = bits_.residual
                           ? "__schema__ = 'two_level_lvq_dataset'\n__version__ = 'v0.0.3'\n"
                           : "__schema__ = 'one_level_lvq_dataset'\n__version__ = 'v0.0.2'\n";
    text +=
        "\n[object.centroids]\n" + uncompressed_fields(bits_.residual ? "data_2.svs" : "data_1.svs",
                                                       1, dim, "float32", centroids);
    text += fmt::format(
        "\n[object.primary]\n__schema__ = 'lvq_with_scaling_constants'\n__version__ = "
        "'v0.0.3'\nbinary_file = 'lvq_data_0.svs'\nbits = {}\n"
        "file_uuid = '{}'\nkind = 'lvq_with_scaling_constants'\nlogical_dimensions = "
        "{}\nnum_vectors = {}\n",
        bits_.primary, uuids.primary.text(), dim, num_rows());
    if (bits_.residual) {
      text += fmt::format(
          "\n[object.residual]\n__schema__ = 'lvq_compressed_dataset'\n__version__ = "
          "'v0.0.0'\nbits = {}\ndata_dims = {}\n"
          "kind = 'compressed dataset'\nndims = {}\nnum_points = {}\nsign = "
          "'unsigned'\n\n[object.residual.inner]\n",
          *bits_.residual, dim, dim, num_rows());
      text += uncompressed_fields("data_1.svs", num_rows(), (dim * *bits_.residual + 7) / 8, "byte",
                                  uuids.residual);
    }
    return text;
  }

  OutputDirectory directory_;
  OutputFile rows_;
  LvqBits bits_;
  std::optional<Recipe> recipe_;
  std::vector<double> sum_;
};

bool is_config(const std::filesystem::path& path) {
  return without_trailing_slash(path).extension() == config_extension;
}

Result<void> check_layout(const std::filesystem::path& path, Layout layout) {
  if (layout != Layout::specification && is_config(path)) {
    return fail_in(
        path, ErrorCode::invalid_argument,
        "the SVS layout \"{}\" has no .config file: choose another name, or the layout \"{}\"",
        name_of(layout, svs_layout_names), name_of(Layout::specification, svs_layout_names));
  }
  if (layout != Layout::file && is_written_in_place(path)) {
    return fail_in(path, ErrorCode::invalid_argument,
                   "the SVS layout \"{}\" writes several files, which a device or a "
                   "pipe cannot take: choose the layout \"file\"",
                   name_of(layout, svs_layout_names));
  }
  return {};
}

/// Returns the bits of the quantizer in the options; nullopt if there is none.
Result<std::optional<LvqBits>> check_quantizer(Layout layout, const WriteOptions& options) {
  std::string_view name = name_of(options.finalfusion.quantizer, finalfusion_quantizer_names);
  const std::optional<LvqBits> bits = lvq_bits(options.svs.quantizer);
  if (bits && layout != Layout::directory)
    name = name_of(options.svs.quantizer, svs_quantizer_names);
  if (name.empty()) return bits;
  return fail(ErrorCode::unsupported,
              "the quantizer is \"{}\", but SVS expects lvq4, lvq8, lvq4x4, lvq4x8 or lvq8x8",
              name);
}

constexpr std::array<std::string_view, 2> extensions = {".svs", ".config"};

/// Returns the layout that the options ask for. The layout automatic means the specification's
/// layout for a path that ends in .config, otherwise a directory.
Layout layout_of(const std::filesystem::path& path, const WriteOptions& options) {
  if (options.svs.layout != Layout::automatic) return options.svs.layout;
  return is_config(path) ? Layout::specification : Layout::directory;
}

/// Returns the path under which the vectors are opened after create_svs() wrote them: STEM.config
/// in the specification's layout, otherwise `path`. Files about the vectors are beside it.
std::filesystem::path svs_output_path(const std::filesystem::path& path,
                                      const WriteOptions& options) {
  if (layout_of(path, options) != Layout::specification || is_written_in_place(path)) return path;
  return without_trailing_slash(path).replace_extension(config_extension);
}

/// Opens any kind of SVS files that hold vectors: a data directory, a directory of a Vamana index
/// (its data and ids), a single binary file, or a `.config` of the specification's layout. For a
/// single binary file, `options.element_type` says the type; the default is float32.
/// docs/formats/svs.md lists what is refused.
Result<std::unique_ptr<VectorReader>> open_svs(const std::filesystem::path& path,
                                               const ReadOptions& options) {
  if (path.extension() == ".config") return open_specification(path);
  if (!os::is_folder(path)) return open_file(path, options);
  return is_vamana_directory(path) ? open_index(path) : open_directory(path);
}

/// Returns true if `path` is a Vamana index, in the layout of the SVS library or of the
/// specification.
bool is_vamana(const std::filesystem::path& path) {
  if (path.extension() != ".config") return is_vamana_directory(path);
  return specification_type(path) == "vamana";
}

/// Makes a writer of vectors to svs_output_path(), in the layout of layout_of(): a data directory
/// of the SVS library, a single binary file, or the specification's layout. Rows are stored as
/// `options.element_type`: f32, f16, or u8 and i8 for rows of integers in their range. A quantizer
/// needs a directory; its rows wait in a temporary file until the mean of all rows is known. Only
/// the specification's layout can store ids, which must be numbers.
Result<std::unique_ptr<VectorWriter>> create_svs(const std::filesystem::path& path,
                                                 std::uint64_t dim, const WriteOptions& options) {
  EMBD_TRY(check_element_type(options.element_type));
  const Layout layout = layout_of(path, options);
  EMBD_TRY(check_layout(path, layout));
  if (const auto bits = EMBD_TRY(check_quantizer(layout, options))) {
    OutputDirectory directory = EMBD_TRY(OutputDirectory::create(path, check_replaceable));
    OutputFile rows = EMBD_TRY(OutputFile::create(LvqWriter::rows_path(directory)));
    return std::make_unique<LvqWriter>(std::move(directory), std::move(rows), dim, *bits,
                                       options.recipe);
  }
  if (layout == Layout::directory) {
    OutputDirectory directory = EMBD_TRY(OutputDirectory::create(path, check_replaceable));
    RowFile rows =
        EMBD_TRY(RowFile::create(directory.path() / data_name, options.element_type, dim));
    return std::make_unique<DirectoryWriter>(std::move(directory), std::move(rows), options.recipe);
  }
  if (layout == Layout::file)
    return std::make_unique<FileWriter>(EMBD_TRY(RowFile::create(path, options.element_type, dim)));
  return create_specification_vectors(svs_output_path(path, options), dim, options.element_type,
                                      options.recipe);
}

bool has_magic(const std::filesystem::path& path, Bytes head) {
  if (head.size() >= sizeof(v1_magic)) {
    const auto magic = load<std::uint64_t>(head);
    return magic == v1_magic || magic == vtest_magic;
  }
  return is_svs_directory(path);
}

Room room(const std::filesystem::path& path, const WriteOptions& options) {
  const Layout layout = layout_of(path, options);
  if (layout == Layout::file) return {};
  return {.ids = layout == Layout::specification ? IdsInside::numbers : IdsInside::none,
          .recipe = true};
}

bool is_several_files(const std::filesystem::path& path, const WriteOptions& options) {
  return layout_of(path, options) != Layout::file;
}

CheckReplaceable replaceable(const std::filesystem::path& path, const WriteOptions& options) {
  return layout_of(path, options) == Layout::directory ? check_replaceable : nullptr;
}

}  // namespace

bool is_written_file(const fs::path& name) {
  return std::ranges::find(written, generic_text_of_path(name)) != written.end();
}

Result<void> check_replaceable(const fs::path& directory) {
  std::error_code error;
  for (const auto& entry : fs::recursive_directory_iterator(directory, error)) {
    const fs::path name = entry.path().lexically_relative(directory);
    if (is_written(name, entry.symlink_status(error))) continue;
    return fail_in(entry.path(), ErrorCode::io_failed,
                   "embd does not write files of this name, so the directory that contains it is "
                   "not replaced: choose another name for the output, or move the file away");
  }
  if (!error) return {};
  return fail_in(directory, ErrorCode::io_failed, error.message());
}

const Format format = {
    .name = "svs",
    .extensions = extensions,
    .has_magic = has_magic,
    .open = open_svs,
    .create = create_svs,
    .room = room,
    .output_path = svs_output_path,
    .replaceable = replaceable,
    .keeps_codes = true,
    .is_several_files = is_several_files,
    .index = IndexKind::vamana,
    .is_index = is_vamana,
};

}  // namespace embd::svs
