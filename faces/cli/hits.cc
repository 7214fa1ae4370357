#include "faces/cli/hits.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/json_text.h"
#include "base/path_text.h"
#include "base/try.h"
#include "faces/cli/printing.h"
#include "formats/vectors/ids.h"
#include "jobs/outputs/streams.h"
#include "jobs/row_ids.h"

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

Hit numbers_of(const RowHit& hit) {
  return {.distance = hit.distance};
}
Hit numbers_of(const TermHit& hit) {
  return {.term_score = hit.score};
}
Hit numbers_of(const FusedRow& row) {
  return {.score = row.score, .distance = row.distance, .term_score = row.term_score};
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
  if (hit.score) append_number("score", *hit.score, line);
  if (hit.logit) append_number("logit", *hit.logit, line);
  if (const auto similarity = similarity_of(hit, options); similarity && options.similarity)
    append_number("similarity", *similarity, line);
  if (hit.distance) append_number("distance", *hit.distance, line);
  if (hit.term_score) append_number("term_score", *hit.term_score, line);
  if (hit.place) {
    line += ",\"file\":";
    append_json_string(hit.place->file, line);
    line += fmt::format(",\"lines\":[{},{}]", hit.place->first_line, hit.place->last_line);
  }
  if (hit.terms.line || hit.place) line += fmt::format(",\"line\":{}", line_of(hit));
  if (hit.place) {
    line += ",\"headings\":";
    append_json_strings(hit.place->headings, line);
    if (hit.place->state == DocumentState::changed) line += ",\"changed\":true";
    if (hit.place->state == DocumentState::gone) line += ",\"gone\":true";
  }
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
  return fmt::format("{{\"query\":{},\"hits\":{}}}\n", query,
                     EMBD_TRY(hits_to_json(hits, options)));
}

/// Returns the number that a table shows for a hit: score, similarity, distance or term score.
float value_of(const Hit& hit, const HitOptions& options) {
  if (hit.score) return *hit.score;
  if (!hit.distance) return hit.term_score.value_or(0);
  return similarity_of(hit, options).value_or(*hit.distance);
}

std::string_view value_name(const std::vector<Hit>& hits, const HitOptions& options) {
  if (!hits.empty() && (hits.front().score || hits.front().term_score)) return "score";
  return options.metric && embd::similarity_of(*options.metric, 0) ? "similarity" : "distance";
}

/// Returns the text of a hit for a terminal, with the terms of the query in bold.
std::string with_bold_terms(const Hit& hit) {
  const std::string_view text = *hit.text;
  std::string shown;
  std::size_t end = 0;
  for (const ByteRange& term : hit.terms.ranges) {
    shown += printable(text.substr(end, term.begin - end));
    shown += "\x1b[1m" + printable(text.substr(term.begin, term.end - term.begin)) + "\x1b[22m";
    end = term.end;
  }
  return shown + printable(text.substr(end));
}

/// Returns what a table shows as the id of a hit.
std::string shown_id(const Hit& hit) {
  return printable(hit.place ? fmt::format("{}:{}", hit.place->file, line_of(hit))
                             : record_id_text(hit.id));
}

/// Returns what a table shows between the id and the text of a hit.
std::string shown_columns(const Hit& hit) {
  if (!hit.place) return printable(hit.columns);
  std::string shown = fmt::format("{}", fmt::join(hit.place->headings, " > "));
  if (hit.place->state == DocumentState::changed) shown += " (changed)";
  if (hit.place->state == DocumentState::gone) shown += " (gone)";
  return printable(shown);
}

/// Returns the path of a passage's document, as short as it leads there from the working directory.
std::string path_from_here(const PassagePlace& place) {
  std::error_code error;
  const bool leads_there =
      std::filesystem::equivalent(path_of_text(place.file), place.path, error) && !error;
  return leads_there || place.path.empty() ? place.file : text_of_path(place.path);
}

/// Returns a line for each passage, in the form in which compilers report errors.
std::string passage_lines(const std::vector<Hit>& hits) {
  std::string lines;
  for (const Hit& hit : hits) {
    std::string_view text = hit.text ? std::string_view(*hit.text) : std::string_view();
    for (std::uint64_t i = 1; i < hit.terms.line.value_or(1); ++i)
      text.remove_prefix(std::min(text.size(), text.find('\n') + 1));
    text = text.substr(0, text.find_first_of("\r\n"));
    lines += fmt::format("{}:{}:1:{}\n", printable(path_from_here(*hit.place)), line_of(hit),
                         printable(text));
  }
  return lines;
}

std::string table(std::size_t query, const std::vector<Hit>& hits, const HitOptions& options) {
  std::size_t id_width = 2;
  for (const Hit& hit : hits) id_width = std::max(id_width, shown_id(hit).size());
  std::string out = query < options.queries.size()
                        ? fmt::format("{}\n", printable(options.queries[query]))
                        : fmt::format("query {}\n", query);
  const bool has_texts =
      std::ranges::any_of(hits, [](const Hit& hit) { return hit.text.has_value(); });
  out += fmt::format("{:>4}  {:>10}  {:<{}}{}\n", "rank", value_name(hits, options), "id", id_width,
                     has_texts ? "  text" : "");
  for (std::size_t i = 0; i < hits.size(); ++i) {
    out += fmt::format("{:>4}  {:>10.4f}  {:<{}}", i + 1, value_of(hits[i], options),
                       shown_id(hits[i]), id_width);
    if (const std::string columns = shown_columns(hits[i]); !columns.empty()) out += "  " + columns;
    if (hits[i].text) out += "  " + with_bold_terms(hits[i]);
    out += '\n';
  }
  return out + "\n";
}

}  // namespace

RowHits rows_of(const FoundRows& found) {
  if (const auto* nearest = std::get_if<RowHits>(&found)) return *nearest;
  const auto rows_of_each = [](const auto& lists) {
    RowHits rows;
    for (const auto& list : lists) {
      std::vector<RowHit>& of_query = rows.emplace_back();
      for (const auto& found_row : list) of_query.push_back({.row = found_row.row});
    }
    return rows;
  };
  if (const auto* best = std::get_if<TermHits>(&found)) return rows_of_each(*best);
  return rows_of_each(std::get<FusedRows>(found));
}

Result<Hits> hits_of(const FoundRows& found, const Searcher& searcher, const RowTexts& texts,
                     const Collection* collection) {
  return std::visit(
      [&](const auto& lists) -> Result<Hits> {
        Hits hits(lists.size());
        for (std::size_t query = 0; query < lists.size(); ++query) {
          for (const auto& row : lists[query]) {
            Hit hit = numbers_of(row);
            hit.id = id_of(searcher.ids(), row.row);
            if (collection != nullptr)
              hit.place = EMBD_TRY(collection->place(row.row));
            else
              hit.columns = EMBD_TRY(searcher.columns_json(row.row));
            hit.text = text_of(texts, row.row);
            hits[query].push_back(std::move(hit));
          }
        }
        return hits;
      },
      found);
}

Result<Hits> hits_of(const RankedRows& ranked, const FoundRows& found, const Searcher& searcher,
                     const RowTexts& texts, const Collection* collection) {
  const RowHits rows = rows_of(found);
  const Hits unranked = EMBD_TRY(hits_of(found, searcher, texts, collection));
  Hits hits(ranked.size());
  for (std::size_t query = 0; query < ranked.size(); ++query) {
    for (const RankedRow& row : ranked[query]) {
      const auto place = std::ranges::find(rows[query], row.row, &RowHit::row);
      Hit hit = unranked[query][static_cast<std::size_t>(place - rows[query].begin())];
      hit.score = row.score;
      hit.logit = row.logit;
      hits[query].push_back(std::move(hit));
    }
  }
  return hits;
}

std::uint64_t line_of(const Hit& hit) {
  const std::uint64_t in_text = hit.terms.line.value_or(1);
  return hit.place ? hit.place->first_line + in_text - 1 : in_text;
}

Result<void> find_terms(const Searcher& searcher, const Model* model,
                        const std::vector<std::string>& queries, Hits& hits) {
  for (std::size_t query = 0; query < hits.size(); ++query) {
    const QueryTerms terms = EMBD_TRY(QueryTerms::create(*searcher.terms(), queries[query], model));
    for (Hit& hit : hits[query])
      if (hit.text) hit.terms = EMBD_TRY(terms.places_in(*hit.text));
  }
  return {};
}

Result<std::string> hits_to_json(const std::vector<Hit>& hits, const HitOptions& options) {
  std::string json = "[";
  for (const Hit& hit : hits) {
    if (!json.ends_with('[')) json += ',';
    EMBD_TRY(append_hit(hit, options, json));
  }
  return json + "]";
}

Result<void> print_hits(const Hits& hits, const HitOptions& options) {
  const bool is_table =
      options.format == HitFormat::automatic && is_terminal(path_of_text(options.output));
  OutputFile out = EMBD_TRY(open_stream(path_of_text(options.output)));
  for (std::size_t query = 0; query < hits.size(); ++query) {
    std::string text;
    if (options.format == HitFormat::lines)
      text = passage_lines(hits[query]);
    else
      text = is_table ? table(query, hits[query], options)
                      : EMBD_TRY(json_line(query, hits[query], options));
    EMBD_TRY(out.write(as_bytes(text)));
  }
  return out.finish();
}

std::string_view kind_of_index(const Searcher& searcher) {
  const auto kind = searcher.index_kind();
  if (!kind) return "none";
  return kind == IndexKind::hnsw ? "hnsw" : "vamana";
}

}  // namespace embd::cli
