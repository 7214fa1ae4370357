#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <tuple>
#include <vector>

#include "base/parallel.h"
#include "base/try.h"
#include "faces/cli/commands.h"
#include "faces/cli/options/listed_options.h"
#include "faces/cli/options/model_options.h"
#include "faces/cli/options/text_options.h"
#include "faces/cli/options/verb.h"
#include "faces/cli/printing.h"
#include "faces/server/server.h"

namespace embd::cli {
namespace {

/// The arguments of `embd serve`.
struct ServeRequest {
  ModelOptions model;               ///< options for opening all models
  std::vector<std::string> models;  ///< PATH or NAME=PATH
  std::vector<std::string> model_names;
  std::string reranker;  ///< the path of a reranker; empty: none
  server::ServiceOptions service;
  server::ServeOptions serve;
  std::vector<std::string> indexes;  ///< NAME=PATH
  std::vector<std::string> texts;    ///< NAME=PATH
  std::vector<std::string> terms;    ///< NAME=PATH
  std::vector<std::string> metrics;  ///< NAME=METRIC
  InputOptions input;                ///< for reading `texts`
  const Verb* verb = nullptr;
  std::string key_file;
  double drain_seconds = 25;
  double request_seconds = 60;
  bool log = false;
};

// Functions that add the options of `embd serve`, which the help and the completions of shells list
// in this order.

void add_served_models(Verb& verb, ServeRequest& request) {
  verb.add_option("-m,--model", request.models,
                  "A weight file, a Hugging Face folder, or the name of a model; NAME= gives it "
                  "the name by which requests choose it; repeatable: a request chooses by its "
                  "\"model\", or gets the first")
      .repeatable()
      .type_name("[NAME=]FILE")
      .in(OptionGroup::model);
  add_vocab(verb, request.model);
  verb.add_option("--reranker", request.reranker,
                  "A reranker; it is served alone if there is no --model and no --index")
      .type_name("FILE");
}

void add_address(Verb& verb, server::ServeOptions& serve) {
  verb.add_option("--host", serve.host, "IP address to listen on (127.0.0.1)")
      .type_name("ADDRESS")
      .in(OptionGroup::serving);
  add_number(verb, "--port", serve.port, "Port to listen on; 0: a free one (8080)")
      .type_name("PORT")
      .in(OptionGroup::serving);
}

void add_served_indexes(Verb& verb, ServeRequest& request) {
  verb.add_option("--index", request.indexes,
                  "An index or vector set for /search, under a name; repeatable: files of the same "
                  "name are searched as one set")
      .repeatable()
      .type_name("NAME=PATH")
      .in(OptionGroup::search);
  verb.add_option("--texts", request.texts,
                  "The texts of the rows of an index, in the order of the rows, or with --id-field "
                  "by id; repeatable: one file for all rows of the index, or one for each of its "
                  "files, in their order")
      .repeatable()
      .type_name("NAME=PATH")
      .in(OptionGroup::search);
  add_text_options(verb, request.input);
  verb.add_option("--terms", request.terms,
                  "The term index of the texts of an index, for finding words, too; repeatable")
      .repeatable()
      .type_name("NAME=PATH")
      .in(OptionGroup::search);
  verb.add_option("--metric", request.metrics,
                  "Metric of the vector set of this name, or of an index that does not record its "
                  "own: cos, ip, l2, … (cos); repeatable")
      .repeatable()
      .type_name("NAME=METRIC")
      .in(OptionGroup::index);
}

void add_limits(Verb& verb, double& request_seconds, server::Limits& limits) {
  add_positive_seconds(verb, "--request-timeout", request_seconds,
                       "Seconds after which a request that is not begun is given up (60)")
      .in(OptionGroup::limits);
  add_positive_seconds(verb, "--queue", limits.queue_seconds,
                       "Refuse a request with 429 if it would wait longer than these seconds (10)")
      .in(OptionGroup::limits);
  add_bytes(verb, "--max-body", limits.body_bytes,
            "Greatest size of the body of a request, up to 512MiB (8MiB)")
      .in(OptionGroup::limits);
  add_number(verb, "--max-inputs", limits.inputs, "Greatest number of texts in a request (2048)", 1)
      .in(OptionGroup::limits);
  add_number(verb, "--max-tokens", limits.request_tokens,
             "Greatest number of tokens in a request (300000)", 1)
      .in(OptionGroup::limits);
  add_number(verb, "--max-connections", limits.connections,
             "Greatest number of connections (10000)", 1)
      .in(OptionGroup::limits);
}

/// Adds all options of `embd serve`.
void add_serve_options(Verb& verb, ServeRequest& request) {
  server::ServiceOptions& service = request.service;
  service.cache_bytes = std::size_t{16} << 20;
  add_served_models(verb, request);
  add_address(verb, request.serve);
  add_served_indexes(verb, request);
  verb.add_option("--api-key-file", request.key_file,
                  "A file of API keys, one on each line; the variable EMBD_API_KEY gives one, too")
      .type_name("FILE")
      .in(OptionGroup::access);
  add_bytes(verb, "--cache", service.cache_bytes,
            "Memory in which vectors of texts are kept for later requests; 0: none (16MiB)")
      .in(OptionGroup::serving);
  add_seconds(verb, "--drain", request.drain_seconds,
              "Seconds for the requests that are being answered after SIGTERM (25)")
      .in(OptionGroup::serving);
  add_limits(verb, request.request_seconds, service.limits);
  verb.add_option(
          "--model-name", request.model_names,
          "Further name of the only model; requests with other names are then refused; repeatable")
      .repeatable()
      .type_name("NAME")
      .in(OptionGroup::serving);
  verb.add_option("--allowed-host", service.access.hosts,
                  "Host that requests may name besides localhost; repeatable")
      .repeatable()
      .type_name("NAME")
      .in(OptionGroup::access);
  verb.add_option("--cors-origin", service.access.origins,
                  "Origin whose pages may read answers, or \"*\"; repeatable")
      .repeatable()
      .type_name("ORIGIN")
      .in(OptionGroup::access);
  verb.add_flag("--log", request.log, "Write a line of JSON for each request to standard error")
      .in(OptionGroup::serving);
  add_compute(verb, request.model.compute, "Arithmetic of the weight matrices (f32)");
  add_threads(verb, request.model.encode.threads);
}

void print_line(std::string_view line) {
  say("{}\n", line);
}

/// Divides "NAME=VALUE" into its parts. `value` is the word for the value in the error message.
Result<std::pair<std::string, std::string>> named_value(const std::string& given,
                                                        const char* option, const char* value) {
  const std::size_t equals = given.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == given.size()) {
    return fail(ErrorCode::invalid_argument, "{} expects NAME={}, found \"{}\"", option, value,
                given);
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
              "{0} refers to an index named \"{1}\", but no index has this name: name its file "
              "with --index {1}=PATH",
              option, name);
}

Result<void> add_metric(Places& places, const std::string& given) {
  const auto [name, word] = EMBD_TRY(named_value(given, "--metric", "METRIC"));
  server::IndexPlace& place = *EMBD_TRY(place_named(places, name, "--metric"));
  if (place.metric)
    return fail(ErrorCode::invalid_argument,
                "--metric was given twice for the index \"{}\", expected once", name);
  place.metric = metric_from_name(word);
  if (place.metric) return {};
  return fail(ErrorCode::invalid_argument, "--metric is \"{}\", but no metric is named \"{}\"",
              given, word);
}

Result<void> add_terms(Places& places, const std::string& given) {
  const auto [name, path] = EMBD_TRY(named_value(given, "--terms", "PATH"));
  server::IndexPlace& place = *EMBD_TRY(place_named(places, name, "--terms"));
  if (!place.terms.empty())
    return fail(ErrorCode::invalid_argument,
                "--terms was given twice for the index \"{}\", expected once", name);
  place.terms = path;
  return {};
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
  for (const auto& given : request.terms) EMBD_TRY(add_terms(places, given));
  for (const auto& given : request.metrics) EMBD_TRY(add_metric(places, given));
  return places;
}

Result<std::vector<std::unique_ptr<server::ServedIndex>>> open_indexes(
    const ServeRequest& request, const server::Models& models) {
  if (const auto option = given_text_option(*request.verb); option && request.texts.empty())
    return fail(ErrorCode::invalid_argument,
                "{} has no effect without --texts: give both or neither", *option);
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
                "--max-body is more than all requests together may hold in memory, expected at "
                "most {} bytes",
                limits.memory_bytes);
  }
  request.serve.drain = milliseconds(request.drain_seconds);
  request.service.limits.request_time = milliseconds(request.request_seconds);
  if (request.log) request.serve.access_log = print_line;
  request.service.workers = threads_for(request.model.encode.threads);
  server::Models models = EMBD_TRY(open_models(request));
  auto indexes = EMBD_TRY(open_indexes(request, models));
  server::Service service(std::move(models), std::move(request.service), std::move(indexes));
  EMBD_TRY(server::serve(service, request.serve,
                         [](const std::string& url) { print_line("listening on " + url); }));
  return ExitCode::good;
}

}  // namespace

void add_serve(Verb& program) {
  auto [verb, request] = program.add_verb(
      "serve",
      "Runs an HTTP server with the APIs of OpenAI, text-embeddings-inference, Ollama and Cohere",
      run);
  add_serve_options(verb, request);
}

}  // namespace embd::cli
