// Reads and writes the layout of the design document "Intel Similarity Search file format", which
// no release of the SVS library ever read or wrote.
#include "formats/vectors/svs/specification_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>

#include "base/bytes.h"
#include "base/decimal.h"
#include "base/os/file_status.h"
#include "base/output_file.h"
#include "base/path_text.h"
#include "base/paths.h"
#include "base/try.h"
#include "formats/vectors/svs/binary_file.h"
#include "formats/vectors/svs/dataset_writer.h"

namespace embd::svs {
namespace {

Result<TomlTable> open_config(const std::filesystem::path& config) {
  TomlTable root = EMBD_TRY(TomlTable::read(config));
  const TomlTable format = EMBD_TRY(root.table("format"));
  if (const std::uint64_t version = EMBD_TRY(format.count("version")); version != 1) {
    return format.fail(ErrorCode::unsupported_version, "version", "{}, expected 1", version);
  }
  return root;
}

Result<std::uint64_t> positive(const TomlTable& table, std::string_view key) {
  const std::uint64_t value = EMBD_TRY(table.count(key));
  if (value == 0) return table.fail(ErrorCode::bad_value, key, "0, expected 1 or more");
  return value;
}

/// Reads a key whose value must be a name of a table, and returns what the name stands for.
template <class T, std::size_t N>
Result<T> named(const TomlTable& table, std::string_view key, const EnumNames<T, N>& names) {
  const std::string name = EMBD_TRY(table.string(key));
  if (const auto value = value_named(name, names)) return *value;
  return table.fail(ErrorCode::bad_type, key, "\"{}\" is not known", name);
}

struct Subset {
  std::unique_ptr<Dataset> data;
  std::uint64_t level;
};

/// The rows of a level: those of its blocks, one after another.
class Level {
 public:
  void add(std::unique_ptr<Dataset> block) {
    rows_ += block->rows();
    blocks_.push_back(std::move(block));
  }
  std::uint64_t rows() const noexcept { return rows_; }
  const Dataset& front() const noexcept { return *blocks_.front(); }
  bool is_one_type() const noexcept {
    return std::ranges::all_of(blocks_, [&](const auto& block) {
      return block->element_type() == front().element_type();
    });
  }
  std::optional<Bytes> raw() const noexcept {
    return blocks_.size() == 1 ? front().raw() : std::nullopt;
  }
  void decode(std::uint64_t first, std::uint64_t count, std::span<float> out) const noexcept {
    for (const auto& block : blocks_) {
      if (first < block->rows() && count > 0) {
        const std::uint64_t here = std::min(count, block->rows() - first);
        block->decode(first, here, out.first(here * block->dim()));
        out = out.subspan(here * block->dim());
        count -= here;
        first = 0;
      } else {
        first -= std::min(first, block->rows());
      }
    }
  }

 private:
  std::vector<std::unique_ptr<Dataset>> blocks_;
  std::uint64_t rows_ = 0;
};

/// A data set whose rows are the sums of all levels, added in float32 in order.
class Levels final : public Dataset {
 public:
  explicit Levels(std::vector<Level> levels) : levels_(std::move(levels)) {}

  std::uint64_t rows() const noexcept override { return levels_.front().rows(); }
  std::uint64_t dim() const noexcept override { return levels_.front().front().dim(); }
  ElementType element_type() const noexcept override {
    return levels_.size() == 1 && levels_.front().is_one_type()
               ? levels_.front().front().element_type()
               : ElementType::f32;
  }
  std::string encoding() const override {
    return levels_.size() == 1 ? std::string(element_name(element_type()))
                               : fmt::format("{} levels", levels_.size());
  }
  std::optional<Bytes> raw() const noexcept override {
    return levels_.size() == 1 ? levels_.front().raw() : std::nullopt;
  }
  void decode(std::uint64_t first, std::uint64_t count,
              std::span<float> out) const noexcept override {
    levels_.front().decode(first, count, out);
    std::array<float, 1024> piece;
    for (const Level& level : std::span(levels_).subspan(1)) {
      const std::uint64_t rows_a_time = std::max<std::uint64_t>(1, piece.size() / dim());
      for (std::uint64_t i = 0; i < count; i += rows_a_time)
        add_rows(level, first + i, std::min(rows_a_time, count - i), out.subspan(i * dim()), piece);
    }
  }

 private:
  void add_rows(const Level& level, std::uint64_t first, std::uint64_t count, std::span<float> out,
                std::span<float> piece) const noexcept {
    std::vector<float> wide;  // Needed only if a row has more dimensions than the piece.
    if (count * dim() > piece.size()) {
      wide.resize(count * dim());
      piece = wide;
    }
    piece = piece.first(count * dim());
    level.decode(first, count, piece);
    std::transform(piece.begin(), piece.end(), out.begin(), out.begin(),
                   [](float left, float sum) { return sum + left; });
  }

  std::vector<Level> levels_;
};

/// Returns the level of a subset without `position`: the number in the name of its file.
std::optional<std::uint64_t> level_in_name(std::string_view stem, std::string_view file_name) {
  if (!file_name.starts_with(stem)) return std::nullopt;
  std::string_view rest = file_name.substr(stem.size());
  if (rest.starts_with("-block")) {
    const std::size_t digits = rest.find_first_not_of("0123456789", 6);
    if (digits == 6 || digits == std::string_view::npos) return std::nullopt;
    rest.remove_prefix(digits);
  }
  if (!rest.starts_with(vectors_extension)) return std::nullopt;
  rest.remove_prefix(vectors_extension.size());
  const auto level = whole_number<std::uint64_t>(rest);
  return level && *level > 0 ? level : std::nullopt;
}

Result<std::vector<std::uint64_t>> read_ids(const TomlTable& table,
                                            const std::filesystem::path& config,
                                            std::uint64_t rows) {
  if (!EMBD_TRY(table.boolean("present"))) return std::vector<std::uint64_t>{};
  const std::uint64_t id_bytes = EMBD_TRY(named(table, "format", id_types));
  const BinaryFile binary =
      EMBD_TRY(find_binary(table, "binary_file_uuid", config.parent_path(),
                           specification_stem(config) + std::string(ids_extension)));
  EMBD_TRY(binary.expect_shape(rows, 1));
  EMBD_TRY(binary.expect_elements(id_bytes));
  std::vector<std::uint64_t> ids(rows);
  std::unordered_map<std::uint64_t, std::uint64_t> row_of;
  for (std::uint64_t i = 0; i < rows; ++i) {
    const Bytes bytes = binary.data().subspan(i * id_bytes);
    ids[i] = id_bytes == 8 ? load<std::uint64_t>(bytes) : load<std::uint32_t>(bytes);
    const auto [first, is_new] = row_of.emplace(ids[i], i);
    if (!is_new) {
      return std::unexpected(
          Error(ErrorCode::duplicate,
                fmt::format(
                    "the id {} belongs to the rows {} and {}, expected a different id for each row",
                    ids[i], first->second, i))
              .at_offset(binary.data_offset + i * id_bytes)
              .in_file(text_of_path(binary.path())));
    }
  }
  return ids;
}

Result<void> refuse_quantized(const TomlTable& params) {
  for (const std::string_view key : {"n_bits", "mean", "global_min", "global_max"}) {
    if (params.has(key))
      return params.fail(ErrorCode::unsupported, key,
                         "the vectors are quantized subsets, which the layout does not define");
  }
  return {};
}

/// The content of the [[encoding]] tables, read before any binary file is opened.
struct Plan {
  TomlTable table;
  std::uint64_t rows;
  std::uint64_t dim;
  ElementType type;
  std::optional<std::uint64_t> position;
};

Result<std::vector<Plan>> read_plans(const TomlTable& root, Uuid& origin) {
  const std::vector<TomlTable> tables = EMBD_TRY(root.tables("encoding"));
  if (tables.empty())
    return root.fail(ErrorCode::missing, "encoding", "expected at least one table");
  std::vector<Plan> plans;
  for (const TomlTable& table : tables) {
    const Uuid uuid = EMBD_TRY(uuid_in(table, "uuid"));
    const std::uint64_t rows = EMBD_TRY(positive(table, "n_elements"));
    const TomlTable params = EMBD_TRY(table.table("params"));
    EMBD_TRY(refuse_quantized(params));
    const ElementType type = EMBD_TRY(named(table, "format", element_types));
    const std::uint64_t dim = EMBD_TRY(positive(params, "n_dimensions"));
    EMBD_TRY(uuid_in(table, "binary_file_uuid"));
    if (plans.empty()) origin = uuid;
    if (uuid != origin)
      return table.fail(ErrorCode::bad_value, "uuid", "{}, the subsets before have {}", uuid.text(),
                        origin.text());
    if (!plans.empty() && dim != plans.front().dim) {
      return params.fail(ErrorCode::bad_count, "n_dimensions", "{}, the subsets before have {}",
                         dim, plans.front().dim);
    }
    plans.push_back(
        {.table = table, .rows = rows, .dim = dim, .type = type, .position = std::nullopt});
    if (table.has("position")) plans.back().position = EMBD_TRY(positive(table, "position"));
  }
  return plans;
}

Result<Subset> open_subset(const Plan& plan, const std::filesystem::path& config,
                           std::uint64_t number, std::uint64_t block, bool alone) {
  const std::string stem = specification_stem(config);
  BinaryFile binary =
      EMBD_TRY(find_binary(plan.table, "binary_file_uuid", config.parent_path(),
                           subset_name(stem, plan.position.value_or(number), block)));
  EMBD_TRY(binary.expect_shape(plan.rows, plan.dim));
  std::optional<std::uint64_t> level = plan.position;
  if (!level) level = level_in_name(stem, text_of_path(binary.path().filename()));
  if (!level && alone) level = 1;
  if (!level) {
    return plan.table.fail(ErrorCode::missing, "position",
                           "there is no position, and the name {} contains no level",
                           text_of_path(binary.path().filename()));
  }
  auto data = EMBD_TRY(make_uncompressed(std::move(binary), plan.type));
  return Subset{.data = std::move(data), .level = *level};
}

/// Finds the configuration of vectors beside `config` whose subsets have `uuid`.
Result<std::filesystem::path> find_vectors(const TomlTable& index,
                                           const std::filesystem::path& config, const Uuid& uuid) {
  std::vector<std::filesystem::path> found;
  for (const std::filesystem::path& file : os::files_in(directory_of(config))) {
    if (file.extension() != config_extension) continue;
    const auto root = open_config(file);
    Uuid origin;
    if (root && specification_type(file) == "vector" && read_plans(*root, origin) && origin == uuid)
      found.push_back(file);
  }
  if (found.size() == 1) return found.front();
  return index.fail(found.empty() ? ErrorCode::missing : ErrorCode::duplicate, "uuid",
                    "{} configurations of vectors beside the index have the UUID {}, expected one",
                    found.size(), uuid.text());
}

/// Returns the path STEM`suffix` beside STEM.config.
std::filesystem::path beside(const std::filesystem::path& config, std::string_view suffix) {
  return config.parent_path() / path_of_text(specification_stem(config) + std::string(suffix));
}

std::filesystem::path first_subset(const std::filesystem::path& config) {
  return config.parent_path() / path_of_text(subset_name(specification_stem(config), 1, 1));
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
                "id {} belongs to two rows, but the SVS layout \"specification\" needs "
                "a different id for each row",
                *twice);
  }

  std::filesystem::path config_;
  RowFile rows_;
  std::optional<Recipe> recipe_;
  std::vector<std::uint64_t> ids_;
};

}  // namespace

std::string specification_stem(const std::filesystem::path& config) {
  return text_of_path(config.stem());
}

std::string subset_name(std::string_view stem, std::uint64_t level, std::uint64_t block) {
  return block == 1 ? fmt::format("{}{}{}", stem, vectors_extension, level)
                    : fmt::format("{}-block{}{}{}", stem, block, vectors_extension, level);
}

std::vector<std::filesystem::path> specification_files(const std::filesystem::path& config) {
  const std::string stem = specification_stem(config);
  const std::string vectors = stem + "-vectors";
  std::vector<std::filesystem::path> files;
  for (const std::string& name :
       {subset_name(stem, 1, 1), stem + std::string(ids_extension),
        stem + std::string(index_extension), vectors + std::string(config_extension),
        subset_name(vectors, 1, 1), vectors + std::string(ids_extension)})
    files.push_back(config.parent_path() / path_of_text(name));
  return files;
}

Result<std::string> specification_type(const std::filesystem::path& config) {
  const TomlTable section = EMBD_TRY(EMBD_TRY(open_config(config)).table("format"));
  std::string type = EMBD_TRY(section.string("type"));
  if (type != "vector" && type != "vamana") {
    return section.fail(ErrorCode::bad_type, "type", "\"{}\", expected \"vector\" or \"vamana\"",
                        type);
  }
  return type;
}

Result<SpecificationVectors> open_specification_vectors(const std::filesystem::path& config) {
  const TomlTable root = EMBD_TRY(open_config(config));
  const TomlTable id_table = EMBD_TRY(root.table("external_id"));
  SpecificationVectors vectors = {};
  const std::vector<Plan> plans = EMBD_TRY(read_plans(root, vectors.origin));

  std::map<std::uint64_t, Level> by_number;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    const auto same = std::count_if(
        plans.begin(), plans.begin() + static_cast<std::ptrdiff_t>(i), [&](const Plan& before) {
          return plans[i].position && before.position == plans[i].position;
        });
    Subset subset = EMBD_TRY(open_subset(plans[i], config, i + 1,
                                         static_cast<std::uint64_t>(same) + 1, plans.size() == 1));
    by_number[subset.level].add(std::move(subset.data));
  }
  std::vector<Level> levels;
  for (auto& [number, level] : by_number) {
    if (number != levels.size() + 1) {
      return root.fail(ErrorCode::missing, "encoding",
                       "the position {} occurs, but the level {} is missing", number,
                       levels.size() + 1);
    }
    if (!levels.empty() && level.rows() != levels.front().rows()) {
      return root.fail(ErrorCode::bad_count, "encoding",
                       "n_elements: level {} has {} rows, but level 1 has {}", number, level.rows(),
                       levels.front().rows());
    }
    levels.push_back(std::move(level));
  }
  vectors.num_levels = levels.size();
  vectors.num_subsets = plans.size();
  vectors.data = std::make_unique<Levels>(std::move(levels));
  vectors.external_ids = EMBD_TRY(read_ids(id_table, config, vectors.data->rows()));
  vectors.recipe = EMBD_TRY(root.recipe());
  return vectors;
}

Result<SpecificationIndex> open_specification_index(const std::filesystem::path& config) {
  const TomlTable root = EMBD_TRY(open_config(config));
  const TomlTable index = EMBD_TRY(root.table("index"));
  const TomlTable specific = EMBD_TRY(root.table("specific"));
  const Uuid origin = EMBD_TRY(uuid_in(index, "uuid"));
  const std::uint64_t rows = EMBD_TRY(positive(index, "n_elements"));
  const std::uint64_t id_bytes = EMBD_TRY(named(index, "internal_id", id_types));
  const SpecificationDistance distance = EMBD_TRY(named(index, "distance", distances));
  // The specification spells this key in two ways.
  const bool misspelt = !index.has("binary_file_uuid") && index.has("binary_file_uid");
  const std::string_view key = misspelt ? "binary_file_uid" : "binary_file_uuid";
  const Uuid uuid = EMBD_TRY(uuid_in(index, key));
  if (index.has("binary_file_uid") && EMBD_TRY(uuid_in(index, "binary_file_uid")) != uuid) {
    return index.fail(ErrorCode::bad_value, "binary_file_uid", "differs from binary_file_uuid");
  }

  BuildParameters build;
  SearchParameters search;
  const std::uint64_t entry_point = EMBD_TRY(specific.count("entry_point"));
  build.graph_max_degree = EMBD_TRY(positive(specific, "max_out_degree"));
  build.prune_to = build.graph_max_degree;
  const double alpha = EMBD_TRY(specific.floating("alpha"));
  if (!std::isfinite(alpha) || alpha <= 0)
    return specific.fail(ErrorCode::bad_value, "alpha", "expected a positive number");
  build.alpha = static_cast<float>(alpha);
  build.max_candidate_pool_size = EMBD_TRY(positive(specific, "max_candidates"));
  build.window_size = EMBD_TRY(positive(specific, "construction_window_size"));
  search.window_size = EMBD_TRY(positive(specific, "default_search_window_size"));
  search.capacity = search.window_size;
  search.visited_set = EMBD_TRY(specific.boolean("visited_set"));
  if (entry_point >= rows) {
    return specific.fail(ErrorCode::bad_value, "entry_point",
                         "the entry point is {}, but the index has {} elements", entry_point, rows);
  }

  BinaryFile binary = EMBD_TRY(find_binary(
      index, key, config.parent_path(), specification_stem(config) + std::string(index_extension)));
  EMBD_TRY(binary.expect_shape(rows, build.graph_max_degree + 1));
  Graph graph = EMBD_TRY(Graph::create(std::move(binary), id_bytes));
  SpecificationVectors vectors =
      EMBD_TRY(open_specification_vectors(EMBD_TRY(find_vectors(index, config, origin))));
  if (vectors.data->rows() != rows) {
    return index.fail(ErrorCode::bad_count, "n_elements",
                      "the number is {}, but the vectors have {} rows", rows, vectors.data->rows());
  }
  return SpecificationIndex{.vectors = std::move(vectors),
                            .graph = std::move(graph),
                            .distance = distance,
                            .entry_point = entry_point,
                            .build = build,
                            .search = search};
}

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
