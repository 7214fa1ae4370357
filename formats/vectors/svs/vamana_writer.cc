#include "formats/vectors/svs/vamana_writer.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/byte_writer.h"
#include "base/output_file.h"
#include "base/try.h"
#include "formats/vectors/svs/object_writer.h"
#include "formats/vectors/svs/row_file.h"
#include "formats/vectors/svs/svs_layout.h"
#include "formats/vectors/svs/written_files.h"

namespace embd::svs {
namespace {

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
