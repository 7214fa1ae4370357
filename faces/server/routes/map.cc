// Routes of embd's own: the map of an index, and the places of texts on it.
#include <fmt/format.h>

#include "analysis/map/map_parts.h"
#include "base/json_text.h"
#include "base/try.h"
#include "base/utf8.h"
#include "faces/server/json_answer.h"
#include "faces/server/search_requests.h"
#include "faces/server/service.h"

namespace embd::server {
namespace {

/// The largest size of a text that the page shows, in bytes. Of a longer text it shows the
/// beginning.
constexpr std::size_t shown_bytes = 500;

void append_point(const ServedIndex& index, const IndexMap& points, std::size_t point,
                  std::string& out) {
  const RowMap& map = points.map();
  const auto place = map.places.row(point);
  out += fmt::format(R"({{"id":{},"x":{:.5},"y":{:.5})", index.id_json(points.row(point)), place[0],
                     place[1]);
  if (!map.groups.empty()) out += fmt::format(",\"group\":{}", map.groups[point]);
  out += ",\"near\":";
  append_json_numbers(std::span(map.nearest).subspan(point * map.num_nearest, map.num_nearest),
                      out);
  if (index.has_texts())
    out += ",\"text\":" + json_string(utf8_prefix(index.text(points.row(point)), shown_bytes));
  out += '}';
}

void append_groups(const RowMap& map, std::string& out) {
  const std::vector<GroupMark> marks = mark_groups(map);
  for (std::size_t group = 0; group < marks.size(); ++group) {
    if (group > 0) out += ',';
    out += fmt::format(R"({{"name":{},"color":{},"x":{:.5},"y":{:.5}}})",
                       json_string(map.group_names[group]), marks[group].color, marks[group].x,
                       marks[group].y);
  }
}

Response map_answer(const ServedIndex& index, const IndexMap& points) {
  Response response;
  std::string& out = response.body.emplace_back(fmt::format(
      R"({{"index":{},"rows":{},"points":[)", json_string(index.name()), index.num_rows()));
  for (std::size_t point = 0; point < points.map().num_rows(); ++point) {
    if (point > 0) out += ',';
    append_point(index, points, point, out);
  }
  out += "],\"groups\":[";
  append_groups(points.map(), out);
  out += "]}";
  return response;
}

/// Answers with the map for the page: the places of rows, their groups, their nearest rows and
/// their texts.
Answerable<void> map(Service& service, const Call& call) {
  const ServedIndex& index =
      *EMBD_TRY(find_index(service, query_parameter(call->request.head.query, "index")));
  return with_map(service, index, call, [&index, call](const IndexMap& points) {
    call->answer(map_answer(index, points));
    return Answerable<void>();
  });
}

Result<void> append_place(const IndexMap& points, std::span<const float> vector, std::string& out) {
  const QueryPlace place = EMBD_TRY(points.place(vector));
  out += fmt::format(R"({{"x":{:.5},"y":{:.5},"near":[)", place.x, place.y);
  for (const NearPoint& point : place.points) {
    if (!out.ends_with('[')) out += ',';
    out += fmt::format(R"({{"point":{})", point.point);
    if (point.similarity) out += fmt::format(R"(,"similarity":{:.6})", *point.similarity);
    out += '}';
  }
  out += "]}";
  return {};
}

/// Answers with the places of texts on the map, which lie between the rows nearest to them.
Answerable<void> place(Service& service, const Call& call) {
  std::optional<std::string> name;
  std::optional<Inputs> texts;
  QueryTexts query;
  const Field fields[] = {{"index", &name},
                          {"texts", &texts},
                          {"prompt_name", &query.prompt_name},
                          {"truncate", &query.truncate}};
  EMBD_TRY(read_json_request(call->request.body, fields, service.limits().inputs,
                             UnknownMembers::refused));
  const ServedIndex& index = *EMBD_TRY(find_index(service, name));
  if (!texts) return refuse_field("texts", "is required", Problem::empty_input);
  query.texts = std::move(*texts);
  const auto request = std::make_shared<TextsRequest>();
  EMBD_TRY(set_query_texts(index, std::move(query), *request));
  request->row_tokens = index.search_cost(Match::vectors, /*exact=*/false);
  request->finish = [&index](Embedded&& embedded) {
    return search_answer(index.name(), std::move(embedded.parts),
                         {.tokens = embedded.tokens, .truncated = embedded.truncated});
  };
  return with_map(service, index, call, [&service, call, request](const IndexMap& points) {
    request->write_row = [&points](std::size_t, std::span<const float> vector, std::string& out) {
      return append_place(points, vector, out);
    };
    return embed_texts(service, call, std::move(*request));
  });
}

}  // namespace

std::span<const Route> map_routes() {
  static constexpr Route routes[] = {
      Route::get(Api::own, "/map", map, "Map of the rows of an index", "Map")
          .naming({}, "index")
          .with(&Route::takes_long),
      Route::post(Api::own, "/map", place, "Where texts lie on the map of an index", "MapRequest",
                  "Places")
          .with(&Route::needs_model),
  };
  return routes;
}

}  // namespace embd::server
