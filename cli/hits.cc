#include "cli/hits.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>

#include "base/json_text.h"
#include "base/try.h"
#include "cli/printable.h"
#include "cli/standard_output.h"
#include "vectors/format_table.h"

namespace embd::cli {
namespace {

/// Of one query; texts by row, where they were asked for.
std::string json_line(std::size_t query, const std::vector<RowHit>& hits, const Ids& ids,
                      const RowTexts& texts) {
  std::string line = fmt::format("{{\"query\":{},\"hits\":[", query);
  for (const auto& [row, distance] : hits) {
    if (!line.ends_with('[')) line += ',';
    line += "{\"id\":";
    if (std::holds_alternative<std::vector<std::string>>(ids)) {
      append_json_string(id_text(ids, row), line);
    } else {
      line += id_text(ids, row);
    }
    line += ",\"distance\":";
    line += std::isfinite(distance) ? fmt::to_string(distance) : "null";
    if (!texts.empty()) {
      line += ",\"text\":";
      append_json_string(texts[row], line);
    }
    line += '}';
  }
  return line + "]}\n";
}

std::string table(std::size_t query, const std::vector<RowHit>& hits, const Searcher& searcher,
                  const HitOptions& options) {
  const bool has_similarity = searcher.metric() == Metric::cos || searcher.metric() == Metric::ip;
  std::size_t id_width = 2;
  for (const RowHit& hit : hits)
    id_width = std::max(id_width, printable(id_text(searcher.ids(), hit.row)).size());
  std::string out = query < options.queries.size()
                        ? fmt::format("{}\n", printable(options.queries[query]))
                        : fmt::format("query {}\n", query);
  out +=
      fmt::format("{:>4}  {:>10}  {:<{}}{}\n", "rank", has_similarity ? "similarity" : "distance",
                  "id", id_width, options.texts.empty() ? "" : "  text");
  for (std::size_t i = 0; i < hits.size(); ++i) {
    const auto& [row, distance] = hits[i];
    out += fmt::format("{:>4}  {:>10.4f}  {:<{}}", i + 1, has_similarity ? 1 - distance : distance,
                       printable(id_text(searcher.ids(), row)), id_width);
    if (!options.texts.empty()) out += "  " + printable(options.texts[row]);
    out += '\n';
  }
  return out + "\n";
}

}  // namespace

Result<void> print_hits(const RowHits& hits, const Searcher& searcher, const HitOptions& options) {
  const bool is_table = !options.json && ::isatty(STDOUT_FILENO) == 1;
  StandardOutput out = EMBD_TRY(StandardOutput::open());
  for (std::size_t query = 0; query < hits.size(); ++query) {
    EMBD_TRY(out.print(is_table ? table(query, hits[query], searcher, options)
                                : json_line(query, hits[query], searcher.ids(), options.texts)));
  }
  return out.finish();
}

std::string_view kind_of_index(const Searcher& searcher) {
  if (!searcher.has_index()) return "none";
  return format_of(searcher.info()).index == IndexKind::hnsw ? "hnsw" : "vamana";
}

}  // namespace embd::cli
