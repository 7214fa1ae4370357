#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>

#include "base/cpu.h"
#include "base/try.h"
#include "cli/commands.h"
#include "cli/options/input_options.h"
#include "cli/options/rerank_options.h"
#include "cli/options/serve_options.h"
#include "cli/standard_error.h"

namespace embd::cli {
namespace {

void print_line(std::string_view line) {
  say("{}\n", line);
}

/// "NAME=VALUE". `value`: the word for it in the message.
Result<std::pair<std::string, std::string>> named_value(const std::string& given,
                                                        const char* option, const char* value) {
  const std::size_t equals = given.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == given.size()) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("{} wants NAME={}, not \"{}\"", option, value, given));
  }
  return std::pair(given.substr(0, equals), given.substr(equals + 1));
}

using Places = std::vector<server::IndexPlace>;

/// The index that an option is about. `option` begins the error for a name that none has.
Result<server::IndexPlace*> place_named(Places& places, const std::string& name,
                                        const char* option) {
  const auto place = std::ranges::find(places, name, &server::IndexPlace::name);
  if (place != places.end()) return &*place;
  return fail(ErrorCode::invalid_argument,
              fmt::format("{0} of \"{1}\", but no --index {1}=PATH", option, name));
}

Result<void> add_metric(Places& places, const std::string& given) {
  const auto [name, word] = EMBD_TRY(named_value(given, "--metric", "METRIC"));
  server::IndexPlace& place = *EMBD_TRY(place_named(places, name, "--metric"));
  if (place.metric)
    return fail(ErrorCode::invalid_argument, fmt::format("two metrics for \"{}\"", name));
  place.metric = metric_from_name(word);
  if (place.metric) return {};
  return fail(ErrorCode::invalid_argument,
              fmt::format("--metric {}: no metric is called \"{}\"", given, word));
}

Result<Places> places_of(const ServeRequest& request) {
  Places places;
  for (const auto& given : request.indexes) {
    const auto [name, path] = EMBD_TRY(named_value(given, "--index", "PATH"));
    const auto place = std::ranges::find(places, name, &server::IndexPlace::name);
    if (place == places.end()) {
      places.push_back({.name = name, .paths = {path}, .texts = {.input = request.input}});
    } else {
      place->paths.emplace_back(path);
    }
  }
  for (const auto& given : request.texts) {
    const auto [name, path] = EMBD_TRY(named_value(given, "--texts", "PATH"));
    EMBD_TRY(place_named(places, name, "--texts"))->texts.paths.emplace_back(path);
  }
  for (const auto& given : request.metrics) EMBD_TRY(add_metric(places, given));
  return places;
}

Result<std::vector<std::unique_ptr<server::ServedIndex>>> open_indexes(const ServeRequest& request,
                                                                       const Model& model) {
  if (const auto option = given_text_option(*request.verb); option && request.texts.empty())
    return fail(ErrorCode::invalid_argument, *option + " does nothing without --texts");
  std::vector<std::unique_ptr<server::ServedIndex>> indexes;
  for (const auto& place : EMBD_TRY(places_of(request))) {
    indexes.push_back(EMBD_TRY(server::ServedIndex::open(place, model)));
    const std::string note = indexes.back()->searcher().compute_note(model);
    if (!note.empty()) print_line("embd: " + note);
  }
  return indexes;
}

Result<void> set_access(ServeRequest& request) {
  if (!request.key_file.empty()) EMBD_TRY(request.service.keys.add_file(request.key_file));
  if (const char* key = std::getenv("EMBD_API_KEY"); key != nullptr && *key != '\0')
    EMBD_TRY(request.service.keys.add(key));
  EMBD_TRY(request.service.access.check());
  request.service.access.check_host = EMBD_TRY(server::is_loopback(request.serve.host));
  if (!request.service.access.check_host && request.service.keys.empty())
    print_line("embd: anyone who reaches this address can use the server: there is no API key");
  return {};
}

Result<ExitCode> run(ServeRequest& request) {
  const auto milliseconds = [](double seconds) {
    return std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
  };
  EMBD_TRY(set_access(request));
  const server::Limits& limits = request.service.limits;
  if (limits.body_bytes > limits.memory_bytes) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("--max-body is at most {} bytes", limits.memory_bytes));
  }
  request.serve.drain = milliseconds(request.drain_seconds);
  request.service.limits.request_time = milliseconds(request.request_seconds);
  if (request.log) request.serve.access_log = print_line;
  const int threads = request.model.encode.threads;
  request.service.workers = threads > 0 ? threads : available_threads();
  std::optional<Reranker> reranker =
      EMBD_TRY(open_second_reranker(request.reranker, request.model.compute));
  std::optional<Model> model;
  std::vector<std::unique_ptr<server::ServedIndex>> indexes;
  if (!reranker || request.verb->is_given("--model") || !request.indexes.empty()) {
    model.emplace(EMBD_TRY(open_model(request.model)));
    indexes = EMBD_TRY(open_indexes(request, *model));
  }
  server::Service service(std::move(model), std::move(request.service), std::move(indexes),
                          std::move(reranker));
  EMBD_TRY(server::serve(service, request.serve,
                         [](const std::string& url) { print_line("listening on " + url); }));
  return ExitCode::good;
}

}  // namespace

void add_serve(Verb& program) {
  const auto request = std::make_shared<ServeRequest>();
  Verb& verb = program.add_verb("serve",
                                "An HTTP server that clients of OpenAI, text-embeddings-inference, "
                                "Ollama and Cohere talk to",
                                [request] { return run(*request); });
  add_serve_options(verb, *request);
  request->verb = &verb;
}

}  // namespace embd::cli
