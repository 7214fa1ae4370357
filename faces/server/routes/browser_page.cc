// The page for browsers, and the description of the API.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "analysis/map/files.h"
#include "base/json_text.h"
#include "embd/version.h"
#include "faces/server/service.h"

namespace embd::server {

// The files of the folder page, which CMake makes functions of (embd_embed_file).
std::string_view index_html() noexcept;
std::string_view schemas_json() noexcept;

namespace {

/// Returns the Content-Security-Policy of the page. It allows only the page's own script and style,
/// and connections to this server only.
const std::string& content_policy() {
  static const std::string policy = fmt::format(
      "default-src 'none'; {}; connect-src 'self'; base-uri 'none'; form-action 'none'; "
      "frame-ancestors 'none'",
      own_sources(index_html()));
  return policy;
}

Answerable<void> page(Service&, const Call& call) {
  Response response = {.content_type = "text/html; charset=utf-8"};
  response.headers.add("Content-Security-Policy", content_policy());
  response.headers.add("X-Content-Type-Options", "nosniff");
  response.headers.add("Referrer-Policy", "no-referrer");
  response.headers.add("Cache-Control", "no-cache");
  response.body.emplace_back(index_html());
  call->answer(std::move(response));
  return {};
}

std::string schema_of(std::string_view name) {
  return fmt::format(R"({{"$ref":"#/components/schemas/{}"}})", name);
}

/// Returns the value of "content" for schemas and media types with spaces between.
std::string content_of(std::string_view answer) {
  std::string content;
  while (!answer.empty()) {
    const std::string_view word = answer.substr(0, answer.find(' '));
    answer.remove_prefix(std::min(word.size() + 1, answer.size()));
    const bool is_media_type = word.find('/') != std::string_view::npos;
    content += fmt::format(R"({}"{}":{{"schema":{}}})", content.empty() ? "" : ",",
                           is_media_type ? word : "application/json",
                           is_media_type ? R"({"type":"string"})" : schema_of(word));
  }
  return "{" + content + "}";
}

std::string_view error_schema(const Route& route) {
  if (route.api_of_body) return "RerankError";
  switch (route.api) {
    case Api::tei:
      return "TeiError";
    case Api::ollama:
      return "OllamaError";
    case Api::cohere:
      return "CohereError";
    case Api::rerank:
      return "RerankError";
    case Api::openai:
    case Api::own:
      break;
  }
  return "OpenAIError";
}

/// Returns true if a route may refuse a request for this reason.
bool may_refuse(const Route& route, Problem problem) {
  switch (problem) {
    case Problem::unknown_route:
    case Problem::wrong_method:  // of other routes
    case Problem::gone:          // Nobody is there to get it.
      return false;
    case Problem::unauthorized:
      return !route.is_public;
    case Problem::malformed_http:
    case Problem::forbidden:
    case Problem::slow_client:
    case Problem::header_too_large:
    case Problem::overloaded:
    case Problem::draining:
      return true;
    case Problem::unknown_model:
      return !route.request.empty() || !route.parameter.empty() || !route.query.empty();
    case Problem::late:
    case Problem::internal:
      return !route.request.empty() || route.takes_long;
    default:
      return !route.request.empty();
  }
}

/// Returns the answers of a route to requests that it refuses, by their statuses.
std::string refusals_of(const Route& route) {
  std::map<int, std::string_view> words;
  for (std::size_t i = 0; i < num_problems; ++i) {
    const auto problem = static_cast<Problem>(i);
    if (!may_refuse(route, problem)) continue;
    words.emplace(status_of(problem, route.api), "refused");
    if (!route.api_of_body) continue;
    for (const Api api : {Api::tei, Api::rerank}) words.emplace(status_of(problem, api), "refused");
  }
  for (const auto& [status, word] : {std::pair{413, "longer than a limit"},
                                     {415, "not JSON"},
                                     {429, "the queue is full"},
                                     {503, "too late, or going down"}})
    if (const auto found = words.find(status); found != words.end()) found->second = word;
  std::string json;
  for (const auto& [status, word] : words) {
    json += fmt::format(R"(,"{}":{{"description":"{}","content":{})", status, word,
                        content_of(error_schema(route)));
    if (status == 429)
      json += R"(,"headers":{"Retry-After":{"description":"seconds",)"
              R"("schema":{"type":"integer","minimum":1}}})";
    json += '}';
  }
  return json;
}

std::string parameters_of(const Route& route) {
  std::string json;
  if (!route.parameter.empty())
    json += fmt::format(R"({{"name":"{}","in":"path","required":true,)"
                        R"("schema":{{"type":"string","minLength":1}}}})",
                        route.parameter);
  if (!route.query.empty())
    json += fmt::format(R"({}{{"name":"{}","in":"query","schema":{{"type":"string"}}}})",
                        json.empty() ? "" : ",", route.query);
  return json.empty() ? json : fmt::format(R"("parameters":[{}],)", json);
}

std::string operation_of(const Route& route) {
  std::string json =
      fmt::format(R"("{}":{{"summary":{},"tags":["{}"],{})", route.method == "GET" ? "get" : "post",
                  json_string(route.summary), api_name(route.api), parameters_of(route));
  if (!route.request.empty())
    json += fmt::format(R"("requestBody":{{"required":true,"content":{}}},)",
                        content_of(route.request));
  if (route.is_public) json += R"("security":[],)";
  return json + fmt::format(R"("responses":{{"200":{{"description":"done","content":{}}}{}}}}})",
                            content_of(route.answer), refusals_of(route));
}

std::string path_of(const Route& route) {
  const std::size_t star = route.path.find('*');
  if (star == std::string_view::npos) return std::string(route.path);
  return fmt::format("{}{{{}}}{}", route.path.substr(0, star), route.parameter,
                     route.path.substr(star + 1));
}

/// Returns the description of routes as OpenAPI 3.1, JSON.
std::string openapi_of(std::span<const Route> routes) {
  std::string json =
      fmt::format(R"({{"openapi":"3.1.0","info":{{"title":"embd","version":"{}",)"
                  R"("summary":"Sentence embeddings: the same text gives the same bytes",)"
                  R"("license":{{"name":"Apache-2.0","identifier":"Apache-2.0"}}}},)"
                  R"("security":[{{}},{{"key":[]}}],"paths":{{)",
                  version());
  for (const Route& route : routes) {
    // A path has an entry, in which its methods are, at the place of its first route.
    if (std::ranges::find(routes, route.path, &Route::path) !=
        &route - routes.data() + routes.begin())
      continue;
    if (!json.ends_with('{')) json += ',';
    json += json_string(path_of(route)) + ":{";
    for (const Route& method : routes) {
      if (method.path != route.path) continue;
      if (!json.ends_with('{')) json += ',';
      json += operation_of(method);
    }
    json += '}';
  }
  json += "},\"components\":";
  json += schemas_json();
  return json + "}";
}

Answerable<void> openapi(Service& service, const Call& call) {
  static const std::string description = openapi_of(service.routes());
  Response response;
  response.body.push_back(description);
  call->answer(std::move(response));
  return {};
}

}  // namespace

std::span<const Route> page_routes() {
  static constexpr Route routes[] = {
      Route::get(Api::own, "/", page, "The page", "text/html").with(&Route::is_public),
      Route::get(Api::own, "/docs", page, "The page", "text/html").with(&Route::is_public),
      Route::get(Api::own, "/openapi.json", openapi, "This description", "Description")
          .with(&Route::is_public),
  };
  return routes;
}

}  // namespace embd::server
