#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <tuple>

#include "base/os/cpu.h"
#include "base/try.h"
#include "faces/cli/commands.h"
#include "faces/cli/options/input_options.h"
#include "faces/cli/options/rerank_options.h"
#include "faces/cli/options/serve_options.h"
#include "faces/cli/standard_error.h"

namespace embd::cli {
namespace {

void print_line(std::string_view line) {
  say("{}\n", line);
}

/// Divides "NAME=VALUE" into its parts. `value` is the word for the value in the error message.
Result<std::pair<std::string, std::string>> named_value(const std::string& given,
                                                        const char* option, const char* value) {
  const std::size_t equals = given.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == given.size()) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("{} expects NAME={}, found \"{}\"", option, value, given));
  }
  return std::pair(given.substr(0, equals), given.substr(equals + 1));
}

using Places = std::vector<server::IndexPlace>;

/// Returns the index that an option names. The error for an unknown name begins with `option`.
Result<server::IndexPlace*> place_named(Places& places, const std::string& name,
                                        const char* option) {
  const auto place = std::ranges::find(places, name, &server::IndexPlace::name);
  if (place != places.end()) return &*place;
  return fail(ErrorCode::invalid_argument,
              fmt::format("{0} refers to an index named \"{1}\", but no index has this name: name "
                          "its file with --index {1}=PATH",
                          option, name));
}

Result<void> add_metric(Places& places, const std::string& given) {
  const auto [name, word] = EMBD_TRY(named_value(given, "--metric", "METRIC"));
  server::IndexPlace& place = *EMBD_TRY(place_named(places, name, "--metric"));
  if (place.metric)
    return fail(ErrorCode::invalid_argument,
                fmt::format("--metric was given twice for the index \"{}\", expected once", name));
  place.metric = metric_from_name(word);
  if (place.metric) return {};
  return fail(ErrorCode::invalid_argument,
              fmt::format("--metric is \"{}\", but no metric is named \"{}\"", given, word));
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

Result<std::vector<std::unique_ptr<server::ServedIndex>>> open_indexes(
    const ServeRequest& request, const server::Models& models) {
  if (const auto option = given_text_option(*request.verb); option && request.texts.empty())
    return fail(ErrorCode::invalid_argument,
                fmt::format("{} has no effect without --texts: give both or neither", *option));
  std::vector<std::unique_ptr<server::ServedIndex>> indexes;
  for (const auto& place : EMBD_TRY(places_of(request))) {
    indexes.push_back(EMBD_TRY(server::ServedIndex::open(place, models)));
    const Searcher& searcher = indexes.back()->searcher();
    std::vector<std::string> notes = {searcher.length_note()};
    if (const server::ServedModel* served = indexes.back()->model(); served != nullptr)
      notes.push_back(searcher.compute_note(served->model));
    for (const std::string& note : notes)
      if (!note.empty()) print_line("embd: " + note);
  }
  return indexes;
}

/// Opens a model that --model names as FILE or NAME=FILE. If there is a file with the whole text as
/// its name, that is opened.
Result<void> add_model(const std::string& given, const ModelOptions& options,
                       server::Models& models) {
  ModelOptions own = options;
  own.model = given;
  std::string name;
  std::error_code error;
  if (given.contains('=') && !std::filesystem::exists(given, error))
    std::tie(name, own.model) = EMBD_TRY(named_value(given, "--model", "FILE"));
  return models.add(EMBD_TRY(open_model(own)), name);
}

Result<server::Models> open_models(const ServeRequest& request) {
  server::Models models;
  auto reranker = EMBD_TRY(open_second_reranker(request.reranker, request.model.compute));
  const bool is_alone = reranker && !request.verb->is_given("--model") && request.indexes.empty();
  std::vector<std::string> given = request.models;
  if (given.empty()) given.emplace_back();  // the default model
  if (given.size() > 1 && !request.model.vocab.empty())
    return fail(ErrorCode::invalid_argument,
                "--vocab can be given for a single model only, but --model was given several "
                "times: leave --vocab out");
  if (!is_alone)
    for (const std::string& model : given) EMBD_TRY(add_model(model, request.model, models));
  if (reranker) models.set_reranker(std::move(*reranker));
  EMBD_TRY(models.add_names(request.model_names));
  return models;
}

Result<void> set_access(ServeRequest& request) {
  if (!request.key_file.empty()) EMBD_TRY(request.service.keys.add_file(request.key_file));
  if (const char* key = std::getenv("EMBD_API_KEY"); key != nullptr && *key != '\0')
    EMBD_TRY(request.service.keys.add(key));
  EMBD_TRY(request.service.access.check());
  request.service.access.check_host = EMBD_TRY(server::is_loopback(request.serve.host));
  if (!request.service.access.check_host && request.service.keys.empty())
    print_line(
        "embd: warning: no API key was given, so anyone who can reach this address can use the "
        "server");
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
                fmt::format("--max-body is more than all requests together may hold in memory, "
                            "expected at most {} bytes",
                            limits.memory_bytes));
  }
  request.serve.drain = milliseconds(request.drain_seconds);
  request.service.limits.request_time = milliseconds(request.request_seconds);
  if (request.log) request.serve.access_log = print_line;
  const int threads = request.model.encode.threads;
  request.service.workers = threads > 0 ? threads : available_threads();
  server::Models models = EMBD_TRY(open_models(request));
  auto indexes = EMBD_TRY(open_indexes(request, models));
  server::Service service(std::move(models), std::move(request.service), std::move(indexes));
  EMBD_TRY(server::serve(service, request.serve,
                         [](const std::string& url) { print_line("listening on " + url); }));
  return ExitCode::good;
}

}  // namespace

void add_serve(Verb& program) {
  const auto request = std::make_shared<ServeRequest>();
  Verb& verb = program.add_verb(
      "serve",
      "Runs an HTTP server with the APIs of OpenAI, text-embeddings-inference, Ollama and Cohere",
      [request] { return run(*request); });
  add_serve_options(verb, *request);
  request->verb = &verb;
}

}  // namespace embd::cli
