#include "faces/cli/hits.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/json_text.h"
#include "base/try.h"
#include "faces/cli/printing.h"
#include "formats/vectors/ids.h"
#include "jobs/outputs/streams.h"
#include "jobs/row_ids.h"
#include "jobs/sets/format_table.h"

namespace embd::cli {
namespace {

/// Returns the id of a row; its number if the set has no ids.
RecordId id_of(const Ids& ids, std::uint64_t row) {
  if (const auto* strings = std::get_if<std::vector<std::string>>(&ids)) return (*strings)[row];
  if (const auto* numbers = std::get_if<std::vector<std::uint64_t>>(&ids)) return (*numbers)[row];
  return row;
}

std::optional<std::string> text_of(const RowTexts& texts, std::uint64_t row) {
  if (texts.empty()) return std::nullopt;
  return std::string(texts[row]);
}

void append_number(std::string_view name, float value, std::string& line) {
  line += fmt::format(",\"{}\":", name);
  append_json_float(value, line);
}

/// Returns the similarity of a hit; nothing if the hit has no distance or the metric has no
/// similarity.
std::optional<float> similarity_of(const Hit& hit, const HitOptions& options) {
  if (!hit.distance || !options.metric) return std::nullopt;
  return embd::similarity_of(*options.metric, *hit.distance);
}

Result<void> append_hit(const Hit& hit, const HitOptions& options, std::string& line) {
  line += "{\"id\":";
  EMBD_TRY(append_json_id(ids_of({hit.id}), 0, line));
  if (hit.score) {
    append_number("score", *hit.score, line);
    append_number("logit", hit.logit, line);
  }
  if (const auto similarity = similarity_of(hit, options); similarity && options.similarity)
    append_number("similarity", *similarity, line);
  if (hit.distance) append_number("distance", *hit.distance, line);
  if (!hit.columns.empty()) line += ",\"columns\":" + hit.columns;
  if (hit.text) {
    line += ",\"text\":";
    append_json_string(*hit.text, line);
  }
  line += '}';
  return {};
}

Result<std::string> json_line(std::size_t query, const std::vector<Hit>& hits,
                              const HitOptions& options) {
  std::string line = fmt::format("{{\"query\":{},\"hits\":[", query);
  for (const Hit& hit : hits) {
    if (!line.ends_with('[')) line += ',';
    EMBD_TRY(append_hit(hit, options, line));
  }
  return line + "]}\n";
}

/// Returns the number that a table shows for a hit: score, similarity or distance.
float value_of(const Hit& hit, const HitOptions& options) {
  if (hit.score) return *hit.score;
  return similarity_of(hit, options).value_or(hit.distance.value_or(0));
}

std::string_view value_name(const std::vector<Hit>& hits, const HitOptions& options) {
  if (!hits.empty() && hits.front().score) return "score";
  return options.metric && embd::similarity_of(*options.metric, 0) ? "similarity" : "distance";
}

std::string table(std::size_t query, const std::vector<Hit>& hits, const HitOptions& options) {
  std::size_t id_width = 2;
  for (const Hit& hit : hits)
    id_width = std::max(id_width, printable(record_id_text(hit.id)).size());
  std::string out = query < options.queries.size()
                        ? fmt::format("{}\n", printable(options.queries[query]))
                        : fmt::format("query {}\n", query);
  const bool has_texts =
      std::ranges::any_of(hits, [](const Hit& hit) { return hit.text.has_value(); });
  out += fmt::format("{:>4}  {:>10}  {:<{}}{}\n", "rank", value_name(hits, options), "id", id_width,
                     has_texts ? "  text" : "");
  for (std::size_t i = 0; i < hits.size(); ++i) {
    out += fmt::format("{:>4}  {:>10.4f}  {:<{}}", i + 1, value_of(hits[i], options),
                       printable(record_id_text(hits[i].id)), id_width);
    if (!hits[i].columns.empty()) out += "  " + printable(hits[i].columns);
    if (hits[i].text) out += "  " + printable(*hits[i].text);
    out += '\n';
  }
  return out + "\n";
}

}  // namespace

Result<Hits> hits_of(const RowHits& found, const Searcher& searcher, const RowTexts& texts) {
  Hits hits(found.size());
  for (std::size_t query = 0; query < found.size(); ++query) {
    for (const auto& [row, distance] : found[query]) {
      auto columns = EMBD_TRY(searcher.columns_json(row));
      hits[query].push_back({.id = id_of(searcher.ids(), row),
                             .distance = distance,
                             .columns = std::move(columns),
                             .text = text_of(texts, row)});
    }
  }
  return hits;
}

Result<Hits> hits_of(const RankedRows& ranked, const Searcher& searcher, const RowTexts& texts) {
  Hits hits(ranked.size());
  for (std::size_t query = 0; query < ranked.size(); ++query) {
    for (const RankedRow& row : ranked[query]) {
      auto columns = EMBD_TRY(searcher.columns_json(row.row));
      hits[query].push_back({.id = id_of(searcher.ids(), row.row),
                             .distance = row.distance,
                             .score = row.score,
                             .logit = row.logit,
                             .columns = std::move(columns),
                             .text = text_of(texts, row.row)});
    }
  }
  return hits;
}

Result<void> print_hits(const Hits& hits, const HitOptions& options) {
  const bool is_table = !options.json && is_terminal(options.output);
  OutputFile out = EMBD_TRY(open_stream(options.output));
  for (std::size_t query = 0; query < hits.size(); ++query) {
    const std::string text = is_table ? table(query, hits[query], options)
                                      : EMBD_TRY(json_line(query, hits[query], options));
    EMBD_TRY(out.write(as_bytes(text)));
  }
  return out.finish();
}

std::string_view kind_of_index(const Searcher& searcher) {
  if (!searcher.has_index()) return "none";
  return format_of(searcher.info()).index == IndexKind::hnsw ? "hnsw" : "vamana";
}

}  // namespace embd::cli
