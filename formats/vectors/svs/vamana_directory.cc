#include "formats/vectors/svs/vamana_directory.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/bytes.h"
#include "base/os/file_status.h"
#include "base/output_file.h"
#include "base/path_text.h"
#include "base/try.h"
#include "formats/vectors/formats.h"
#include "formats/vectors/svs/binary_file.h"
#include "formats/vectors/svs/dataset_writer.h"

namespace embd::svs {
namespace {

// External id (u64) and internal id (u32), packed.
constexpr std::uint64_t translation_record_bytes = 12;

Result<Graph> open_graph(const std::filesystem::path& directory) {
  const TomlTable object = EMBD_TRY(open_object(directory));
  if (const std::string schema = EMBD_TRY(schema_of(object)); schema != "default_graph v0.0.0") {
    return object.fail(ErrorCode::unsupported_version, "__schema__",
                       "{}, expected default_graph v0.0.0", schema);
  }
  if (const std::string eltype = EMBD_TRY(object.string("eltype")); eltype != "uint32") {
    return object.fail(ErrorCode::bad_type, "eltype", "\"{}\", expected \"uint32\"", eltype);
  }
  const std::uint64_t max_degree = EMBD_TRY(object.count("max_degree"));
  const std::uint64_t num_vertices = EMBD_TRY(object.count("num_vertices"));
  const std::string name =
      object.has("binary_file") ? EMBD_TRY(object.string("binary_file")) : std::string();
  BinaryFile binary = EMBD_TRY(find_binary(object, "uuid", directory, name));
  EMBD_TRY(binary.expect_shape(num_vertices, max_degree + 1));
  return Graph::create(std::move(binary), sizeof(std::uint32_t));
}

Result<void> read_build(const TomlTable& table, BuildParameters& out) {
  if (const std::string schema = EMBD_TRY(schema_of(table));
      schema != "vamana_build_parameters v0.0.1") {
    return table.fail(ErrorCode::unsupported_version, "__schema__",
                      "{}, expected vamana_build_parameters v0.0.1", schema);
  }
  out.alpha = static_cast<float>(EMBD_TRY(table.floating("alpha")));
  out.graph_max_degree = EMBD_TRY(table.count("graph_max_degree"));
  out.window_size = EMBD_TRY(table.count("window_size"));
  out.max_candidate_pool_size = EMBD_TRY(table.count("max_candidate_pool_size"));
  out.prune_to = EMBD_TRY(table.count("prune_to"));
  out.use_full_search_history = EMBD_TRY(table.boolean("use_full_search_history"));
  return {};
}

Result<void> read_search(const TomlTable& table, SearchParameters& out) {
  const std::string schema = EMBD_TRY(schema_of(table));
  const bool first_version = schema == "vamana_search_parameters v0.0.0";
  if (!first_version && schema != "vamana_search_parameters v0.0.1") {
    return table.fail(ErrorCode::unsupported_version, "__schema__",
                      "{}, expected vamana_search_parameters v0.0.0 or v0.0.1", schema);
  }
  out.window_size = EMBD_TRY(table.count("search_window_size"));
  out.capacity = EMBD_TRY(table.count("search_buffer_capacity"));
  out.visited_set = EMBD_TRY(table.boolean("search_buffer_visited_set"));
  if (!first_version) {
    out.prefetch_lookahead = EMBD_TRY(table.count("prefetch_lookahead"));
    out.prefetch_step = EMBD_TRY(table.count("prefetch_step"));
  }
  if (out.window_size > out.capacity) {
    return table.fail(ErrorCode::bad_value, "search_window_size",
                      "the value is {}, expected at most search_buffer_capacity, {}",
                      out.window_size, out.capacity);
  }
  return {};
}

/// Reads the flat table of parameters that releases before v0.0.3 wrote.
Result<void> read_legacy_parameters(const TomlTable& table, VamanaDirectory& index) {
  index.build.alpha = static_cast<float>(EMBD_TRY(table.floating("alpha")));
  index.build.graph_max_degree = EMBD_TRY(table.count("max_out_degree"));
  index.build.window_size = EMBD_TRY(table.count("construction_window_size"));
  index.build.max_candidate_pool_size = EMBD_TRY(table.count("max_candidates"));
  index.build.prune_to =
      table.has("prune_to") ? EMBD_TRY(table.count("prune_to")) : index.build.graph_max_degree;
  index.build.use_full_search_history =
      !table.has("use_full_search_history") || EMBD_TRY(table.boolean("use_full_search_history"));
  index.search.window_size = EMBD_TRY(table.count("default_search_window_size"));
  index.search.capacity = index.search.window_size;
  index.search.visited_set = EMBD_TRY(table.boolean("visited_set"));
  return {};
}

Result<void> read_parameters(const TomlTable& table, VamanaDirectory& index) {
  const std::string schema = EMBD_TRY(schema_of(table));
  index.entry_point = EMBD_TRY(table.count("entry_point"));
  if (index.entry_point >= index.data->rows()) {
    return table.fail(ErrorCode::bad_value, "entry_point", "{}, the data has {} rows",
                      index.entry_point, index.data->rows());
  }
  const std::string name = EMBD_TRY(table.string("name"));
  if (schema == "vamana_index_parameters v0.0.3") {
    if (name != "vamana index parameters")
      return table.fail(ErrorCode::bad_value, "name", "\"{}\"", name);
    EMBD_TRY(read_build(EMBD_TRY(table.table("build_parameters")), index.build));
    return read_search(EMBD_TRY(table.table("search_parameters")), index.search);
  }
  if (schema == "vamana_index_parameters v0.0.0" || schema == "vamana_index_parameters v0.0.1" ||
      schema == "vamana_index_parameters v0.0.2") {
    return read_legacy_parameters(table, index);
  }
  return table.fail(ErrorCode::unsupported_version, "__schema__",
                    "{}, expected vamana_index_parameters v0.0.0 to v0.0.3", schema);
}

/// Reads the external id of each of `rows` rows. Every row must occur once and no id twice.
Result<std::vector<std::uint64_t>> read_translation(const TomlTable& table,
                                                    const std::filesystem::path& directory,
                                                    std::uint64_t rows) {
  if (const std::string schema = EMBD_TRY(schema_of(table));
      schema != "external_to_internal_translation v0.0.0") {
    return table.fail(ErrorCode::unsupported_version, "__schema__",
                      "{} is not a schema of id translations that embd can read", schema);
  }
  for (const auto& [key, expected] :
       {std::pair{"external_id_type", "uint64"}, std::pair{"internal_id_type", "uint32"}}) {
    if (const std::string type = EMBD_TRY(table.string(key)); type != expected) {
      return table.fail(ErrorCode::bad_type, key, "\"{}\", expected \"{}\"", type, expected);
    }
  }
  if (const std::uint64_t points = EMBD_TRY(table.count("num_points")); points != rows) {
    return table.fail(ErrorCode::bad_count, "num_points", "{}, the data has {} rows", points, rows);
  }
  const std::filesystem::path name = path_of_text(EMBD_TRY(table.string("filename")));
  if (name.has_parent_path() || name.filename() != name) {
    return table.fail(ErrorCode::bad_value, "filename",
                      "the name is outside the directory of the index");
  }
  const MappedFile file = EMBD_TRY(MappedFile::open(directory / name));
  const auto in_file = [&](Error&& error) {
    return std::unexpected(std::move(error).in_file(text_of_path(file.path())));
  };
  if (file.bytes().size() / translation_record_bytes != rows ||
      file.bytes().size() % translation_record_bytes != 0) {
    return in_file(Error(ErrorCode::file_size_mismatch,
                         fmt::format("the file has {} bytes, expected {} records of {} bytes",
                                     file.bytes().size(), rows, translation_record_bytes)));
  }
  std::vector<std::uint64_t> external(rows);
  std::vector<bool> seen(rows);
  for (std::uint64_t i = 0; i < rows; ++i) {
    const Bytes record =
        file.bytes().subspan(i * translation_record_bytes, translation_record_bytes);
    const auto internal = load<std::uint32_t>(record.subspan(8));
    if (internal >= rows || seen[internal]) {
      return in_file(
          Error(internal >= rows ? ErrorCode::bad_value : ErrorCode::duplicate,
                fmt::format("an internal id is {}, but there are {} rows, counted from 0", internal,
                            rows))
              .at_offset(i * translation_record_bytes + 8));
    }
    seen[internal] = true;
    external[internal] = load<std::uint64_t>(record);
  }
  std::vector<std::uint64_t> sorted = external;
  std::ranges::sort(sorted);
  if (const auto twice = std::ranges::adjacent_find(sorted); twice != sorted.end()) {
    return in_file(Error(
        ErrorCode::duplicate,
        fmt::format("the external id {} belongs to two rows, expected a different id for each",
                    *twice)));
  }
  return external;
}

/// Reads the metric from embd's table in the configuration.
Result<std::optional<Metric>> read_metric(const TomlTable& config) {
  const auto table = config.root_table(embd_table);
  if (!table || !table->has(metric_key)) return std::nullopt;
  const std::string name = EMBD_TRY(table->string(metric_key));
  const std::optional<Metric> metric = metric_from_name(name);
  if (metric) return metric;
  return table->fail(ErrorCode::bad_value, metric_key,
                     "the metric is \"{}\", which embd does not know", name);
}

constexpr std::string_view graph_name = "graph_0.svs";
constexpr std::string_view translation_name = "id_translation_0.binary";

Result<std::filesystem::path> make_directory(const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::create_directory(path, error);
  if (error) return fail_in(path, ErrorCode::io_failed, error.message());
  return path;
}

Result<void> write_data(const std::filesystem::path& directory, const VamanaContent& content) {
  RowFile rows = EMBD_TRY(RowFile::create(directory / data_name, content.type, content.dim));
  for (std::uint64_t i = 0; i < content.rows; ++i) EMBD_TRY(rows.append_stored(content.row(i), 1));
  const Uuid uuid = EMBD_TRY(rows.finish());
  return write_text_file(directory / config_name,
                         envelope(uncompressed_fields(data_name, content.rows, content.dim,
                                                      library_name(content.type), uuid),
                                  content.recipe));
}

Result<void> write_graph_directory(const std::filesystem::path& directory,
                                   const VamanaContent& content) {
  const Uuid uuid = EMBD_TRY(write_graph(directory / graph_name, content));
  return write_text_file(
      directory / config_name,
      envelope(fmt::format("__schema__ = 'default_graph'\n__version__ = 'v0.0.0'\nbinary_file = "
                           "'{}'\neltype = 'uint32'\n"
                           "max_degree = {}\nname = 'graph'\nnum_vertices = {}\nuuid = '{}'\n",
                           graph_name, content.max_degree, content.rows, uuid.text())));
}

/// Returns the table of parameters under `prefix` ("object" or "object.parameters").
std::string parameters(const VamanaContent& content, std::string_view prefix) {
  const BuildParameters& build = content.build;
  const SearchParameters& search = content.search;
  return fmt::format(R"(__schema__ = 'vamana_index_parameters'
__version__ = 'v0.0.3'
entry_point = {1}
name = 'vamana index parameters'

[{0}.build_parameters]
__schema__ = 'vamana_build_parameters'
__version__ = 'v0.0.1'
alpha = {2}
graph_max_degree = {3}
max_candidate_pool_size = {4}
name = 'vamana build parameters'
prune_to = {5}
use_full_search_history = {6}
window_size = {7}

[{0}.search_parameters]
__schema__ = 'vamana_search_parameters'
__version__ = 'v0.0.1'
prefetch_lookahead = {8}
prefetch_step = {9}
search_buffer_capacity = {10}
search_buffer_visited_set = {11}
search_window_size = {12}
)",
                     prefix, content.entry_point, toml_float(build.alpha), build.graph_max_degree,
                     build.max_candidate_pool_size, build.prune_to, build.use_full_search_history,
                     build.window_size, search.prefetch_lookahead, search.prefetch_step,
                     search.capacity, search.visited_set, search.window_size);
}

Result<void> write_translation(const std::filesystem::path& path,
                               std::span<const std::uint64_t> ids) {
  OutputFile file = EMBD_TRY(OutputFile::create(path));
  ByteWriter record;
  for (std::uint32_t row = 0; row < ids.size(); ++row) {
    record.clear();
    record.u64(ids[row]);
    record.u32(row);
    EMBD_TRY(file.write(record.view()));
  }
  return file.finish();
}

Result<void> write_config(const std::filesystem::path& directory, const VamanaContent& content) {
  const std::string metric = metric_text(content.metric);
  if (content.external_ids.empty())
    return write_text_file(directory / config_name,
                           envelope(parameters(content, "object")) + metric);
  EMBD_TRY(write_translation(directory / translation_name, content.external_ids));
  return write_text_file(directory / config_name,
                         envelope(fmt::format(R"(__schema__ = 'vamana_dynamic_auxiliary_parameters'
__version__ = 'v0.0.0'
name = 'dynamic vamana index'

[object.parameters]
{}
[object.translation]
__schema__ = 'external_to_internal_translation'
__version__ = 'v0.0.0'
external_id_type = 'uint64'
filename = '{}'
internal_id_type = 'uint32'
kind = 'external to internal id translation'
num_points = {}
)",
                                              parameters(content, "object.parameters"),
                                              translation_name, content.rows)) +
                             metric);
}

}  // namespace

Result<Graph> Graph::create(BinaryFile binary, std::uint64_t id_bytes) {
  EMBD_TRY(binary.expect_elements(id_bytes));
  if (binary.columns == 0) {
    return std::unexpected(
        Error(ErrorCode::bad_count,
              "the graph has 0 columns, expected at least 1, which holds the degrees")
            .at_offset(columns_offset)
            .in_file(text_of_path(binary.path())));
  }
  const auto at = [&](ErrorCode code, std::uint64_t index, std::string what) {
    return std::unexpected(Error(code, std::move(what))
                               .at_offset(binary.data_offset + index * id_bytes)
                               .in_file(text_of_path(binary.path())));
  };
  const auto value = [&](std::uint64_t index) -> std::uint64_t {
    const Bytes bytes = binary.data().subspan(index * id_bytes);
    return id_bytes == 8 ? load<std::uint64_t>(bytes) : load<std::uint32_t>(bytes);
  };
  for (std::uint64_t vertex = 0; vertex < binary.rows; ++vertex) {
    const std::uint64_t row = vertex * binary.columns;
    const std::uint64_t degree = value(row);
    if (degree > binary.columns - 1) {
      return at(ErrorCode::bad_count, row,
                fmt::format("the degree is {} at vertex {}, expected at most {}", degree, vertex,
                            binary.columns - 1));
    }
    for (std::uint64_t i = row + 1; i <= row + degree; ++i) {
      if (value(i) >= binary.rows)
        return at(
            ErrorCode::bad_value, i,
            fmt::format("a neighbour is {} at vertex {}, but there are {} vertices, counted from 0",
                        value(i), vertex, binary.rows));
    }
  }
  std::vector<std::uint32_t> narrowed;
  if (id_bytes == 8) {
    narrowed.resize(binary.rows * binary.columns);
    for (std::uint64_t i = 0; i < narrowed.size(); ++i)
      narrowed[i] = static_cast<std::uint32_t>(value(i));
  }
  Graph graph(std::move(binary));
  graph.narrowed_ = std::move(narrowed);
  return graph;
}

bool is_vamana_directory(const std::filesystem::path& path) {
  return os::is_file(path / "config" / config_name);
}

bool is_svs_directory(const std::filesystem::path& path) {
  return os::is_file(path / config_name) || is_vamana_directory(path);
}

Result<VamanaDirectory> open_vamana(const std::filesystem::path& path) {
  const std::filesystem::path config = path / "config";
  const TomlTable object = EMBD_TRY(open_object(config));
  const std::string schema = EMBD_TRY(schema_of(object));
  if (schema.starts_with("ivf_index ")) {
    return object.fail(ErrorCode::unsupported, "__schema__",
                       "the index is an IVF index, expected a Vamana index");
  }
  const bool dynamic = schema == "vamana_dynamic_auxiliary_parameters v0.0.0";

  const TomlTable data_object = EMBD_TRY(open_object(path / "data"));
  auto data = EMBD_TRY(open_dataset(data_object, path / "data"));
  auto recipe = EMBD_TRY(data_object.recipe());
  Graph graph = EMBD_TRY(open_graph(path / "graph"));
  const auto metric = EMBD_TRY(read_metric(object));
  VamanaDirectory index{.data = std::move(data),
                        .graph = std::move(graph),
                        .build = {},
                        .search = {},
                        .external_ids = {},
                        .dynamic = dynamic,
                        .recipe = std::move(recipe),
                        .metric = metric};
  if (index.graph.num_vertices() != index.data->rows()) {
    return fail_in(
        path, ErrorCode::bad_count,
        "the graph has {} vertices, but the data has {} rows, expected one vertex for each row",
        index.graph.num_vertices(), index.data->rows());
  }
  EMBD_TRY(read_parameters(dynamic ? EMBD_TRY(object.table("parameters")) : object, index));
  if (dynamic)
    index.external_ids = EMBD_TRY(
        read_translation(EMBD_TRY(object.table("translation")), config, index.data->rows()));
  return index;
}

Result<Metric> metric_unless_said(const VamanaDirectory& index, const std::filesystem::path& path) {
  // The SVS library uses 1.2 for distances and 0.95 for similarities. It refuses an alpha on the
  // other side of 1.
  if (index.build.alpha <= 1) return Metric::cos;
  return fail_in(path, ErrorCode::invalid_argument,
                 "the index does not record its metric, and its alpha is {}, as in "
                 "indexes for the metric l2sq: name the metric",
                 index.build.alpha);
}

std::string toml_float(float value) {
  // Widened to double, as the SVS library writes it.
  std::string text = fmt::format("{}", static_cast<double>(value));
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return text;
}

Result<Uuid> write_graph(const std::filesystem::path& path, const VamanaContent& content) {
  BinaryWriter file = EMBD_TRY(BinaryWriter::create(path));
  std::vector<std::uint32_t> row(content.max_degree + 1);
  for (std::uint64_t vertex = 0; vertex < content.rows; ++vertex) {
    const auto neighbours = content.neighbours(vertex);
    row[0] = static_cast<std::uint32_t>(neighbours.size());
    const auto end = std::ranges::copy(neighbours, row.begin() + 1).out;
    std::fill(end, row.end(), 0U);
    EMBD_TRY(file.append(std::as_bytes(std::span(row))));
  }
  return file.finish("graph", content.rows, content.max_degree + 1);
}

Result<void> write_vamana(const std::filesystem::path& path, const VamanaContent& content) {
  OutputDirectory directory = EMBD_TRY(OutputDirectory::create(path, check_replaceable));
  EMBD_TRY(write_data(EMBD_TRY(make_directory(directory.path() / "data")), content));
  EMBD_TRY(write_graph_directory(EMBD_TRY(make_directory(directory.path() / "graph")), content));
  EMBD_TRY(write_config(EMBD_TRY(make_directory(directory.path() / "config")), content));
  return directory.finish();
}

}  // namespace embd::svs
