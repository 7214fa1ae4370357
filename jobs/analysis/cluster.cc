#include "embd/cluster.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/paths.h"
#include "base/try.h"
#include "embd/searcher.h"
#include "jobs/analysis/analysis_input.h"
#include "jobs/outputs/row_table.h"

namespace embd {
namespace {

std::vector<std::uint64_t> numbers_from(std::uint64_t first, std::uint64_t count) {
  std::vector<std::uint64_t> rows(count);
  for (std::uint64_t i = 0; i < count; ++i) rows[i] = first + i;
  return rows;
}

/// Returns the name of a row's group; an empty string if the row belongs to no group.
std::string_view name_of(const std::vector<std::string>& names, std::int32_t group) {
  return group == no_group ? std::string_view() : names[static_cast<std::size_t>(group)];
}

std::vector<TableColumn> columns_of(const AnalysisInput& input, const Clusters& clusters,
                                    const std::vector<std::string>& names, std::uint64_t first,
                                    std::uint64_t count) {
  std::vector<std::int64_t> groups;
  std::vector<float> distances;
  std::vector<std::int64_t> places;
  std::vector<std::string> group_names;
  std::vector<std::string> texts;
  for (std::uint64_t row = first; row < first + count; ++row) {
    groups.push_back(clusters.groups[row]);
    distances.push_back(clusters.distances[row]);
    places.push_back(static_cast<std::int64_t>(clusters.places[row]));
    if (!input.texts.empty()) {
      group_names.emplace_back(name_of(names, clusters.groups[row]));
      texts.push_back(input.texts[row]);
    }
  }
  std::vector<TableColumn> columns = {id_column("id", input.ids, numbers_from(first, count)),
                                      {"group", std::move(groups)},
                                      {"distance", std::move(distances)},
                                      {"place", std::move(places)}};
  if (input.lengths.empty()) return columns;
  columns.push_back({"name", std::move(group_names)});
  columns.push_back({"text", std::move(texts)});
  return columns;
}

Result<std::vector<std::unique_ptr<RowTable>>> write_tables(
    const std::vector<std::filesystem::path>& outputs, const AnalysisInput& input,
    const Clusters& clusters, const std::vector<std::string>& names) {
  std::vector<std::unique_ptr<RowTable>> tables;
  for (const std::filesystem::path& path : outputs) {
    tables.push_back(EMBD_TRY(create_table(path, columns_of(input, clusters, names, 0, 0))));
    for (std::uint64_t first = 0; first < clusters.groups.size();) {
      const std::uint64_t count =
          std::min<std::uint64_t>(RowTable::rows_at_once, clusters.groups.size() - first);
      EMBD_TRY(tables.back()->append(columns_of(input, clusters, names, first, count)));
      first += count;
    }
    EMBD_TRY(tables.back()->prepare());
  }
  return tables;
}

ClusterReport report_of(const AnalysisInput& input, const Clusters& clusters,
                        std::vector<GroupName> names) {
  ClusterReport report = {.rows = clusters.groups.size(), .inertia = clusters.inertia};
  std::vector<double> sums(clusters.sizes.size());
  for (std::uint64_t row = 0; row < clusters.groups.size(); ++row) {
    if (clusters.groups[row] == no_group)
      ++report.rows_in_none;
    else
      sums[static_cast<std::size_t>(clusters.groups[row])] +=
          static_cast<double>(clusters.distances[row]);
  }
  for (std::size_t g = 0; g < clusters.sizes.size(); ++g) {
    ClusterSummary summary = {
        .size = clusters.sizes[g],
        .mean_distance = static_cast<float>(sums[g] / static_cast<double>(clusters.sizes[g])),
        .words = std::move(names[g].words)};
    for (const std::uint64_t row : names[g].central_rows) {
      summary.central_ids.push_back(id_text(input.ids, row));
      if (!input.texts.empty()) summary.central_texts.push_back(input.texts[row]);
    }
    report.groups.push_back(std::move(summary));
  }
  return report;
}

/// Returns the names of groups, each with its words joined to one string.
std::vector<std::string> joined(const std::vector<GroupName>& names) {
  std::vector<std::string> all;
  for (const GroupName& name : names) all.push_back(fmt::format("{}", fmt::join(name.words, ", ")));
  return all;
}

}  // namespace

Result<ClusterReport> cluster_file(const Model* model,
                                   const std::vector<std::filesystem::path>& inputs,
                                   const std::vector<std::filesystem::path>& outputs,
                                   const ClusterFileOptions& options, std::stop_token stop) {
  return guarded([&]() -> Result<ClusterReport> {
    const AnalysisSource source = {
        .paths = inputs, .texts = options.texts, .read = options.read, .input = options.input};
    PathRoles roles;
    EMBD_TRY(add_source_roles(source, "the input", roles));
    for (const std::filesystem::path& output : outputs) roles.writes("the output", output);
    EMBD_TRY(roles.check());
    EncodeOptions encode = options.encode;
    encode.threads = options.cluster.threads;
    const AnalysisInput input = EMBD_TRY(read_analysis_input(source, model, encode, true, stop));
    const Clusters clusters =
        EMBD_TRY(in_file(source.path(), cluster_rows(input.rows, options.cluster, stop)));
    std::vector<GroupName> names =
        EMBD_TRY(name_groups(clusters, views_of(input.texts), options.num_words, options.num_rows));
    const auto tables = EMBD_TRY(write_tables(outputs, input, clusters, joined(names)));
    for (const auto& table : tables) EMBD_TRY(table->finish());
    return report_of(input, clusters, std::move(names));
  });
}

}  // namespace embd
