#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "base/cpu.h"
#include "base/try.h"
#include "cli/commands.h"
#include "cli/options/model_options.h"
#include "server/server.h"

namespace embd::cli {
namespace {

struct Options {
  ModelOptions model;
  server::ServiceOptions service;
  server::ServeOptions serve;
  std::vector<std::string> indexes;
  std::vector<std::string> texts;
  std::string key_file;
  double drain_seconds = 25;
  double request_seconds = 60;
  bool log = false;
};

void print_line(std::string_view line) {
  fmt::print(stderr, "{}\n", line);
}

/// "NAME=PATH"
Result<std::pair<std::string, std::string>> named_path(const std::string& given,
                                                       const char* option) {
  const std::size_t equals = given.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == given.size()) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("{} wants NAME=PATH, not \"{}\"", option, given));
  }
  return std::pair(given.substr(0, equals), given.substr(equals + 1));
}

Result<std::vector<std::unique_ptr<server::ServedIndex>>> open_indexes(const Options& options,
                                                                       const Model& model) {
  std::vector<server::IndexPlace> places;
  for (const auto& given : options.indexes) {
    auto [name, path] = EMBD_TRY(named_path(given, "--index"));
    if (std::ranges::find(places, name, &server::IndexPlace::name) != places.end())
      return fail(ErrorCode::invalid_argument, fmt::format("two indexes named \"{}\"", name));
    places.push_back({.name = std::move(name), .path = std::move(path)});
  }
  for (const auto& given : options.texts) {
    const auto [name, path] = EMBD_TRY(named_path(given, "--texts"));
    const auto place = std::ranges::find(places, name, &server::IndexPlace::name);
    if (place == places.end())
      return fail(ErrorCode::invalid_argument, fmt::format("no --index named \"{}\"", name));
    place->texts = path;
  }
  std::vector<std::unique_ptr<server::ServedIndex>> indexes;
  for (const auto& place : places)
    indexes.push_back(EMBD_TRY(server::ServedIndex::open(place, model)));
  return indexes;
}

Result<void> set_access(Options& options) {
  if (!options.key_file.empty()) EMBD_TRY(options.service.keys.add_file(options.key_file));
  if (const char* key = std::getenv("EMBD_API_KEY"); key != nullptr && *key != '\0')
    options.service.keys.add(key);
  options.service.access.check_host = EMBD_TRY(server::is_loopback(options.serve.host));
  if (!options.service.access.check_host && options.service.keys.empty())
    print_line("embd: anyone who reaches this address can use the server: there is no API key");
  return {};
}

Result<ExitCode> run(Options& options) {
  const auto milliseconds = [](double seconds) {
    return std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
  };
  EMBD_TRY(set_access(options));
  options.serve.drain = milliseconds(options.drain_seconds);
  options.service.limits.request_time = milliseconds(options.request_seconds);
  if (options.log) options.serve.access_log = print_line;
  const int threads = options.model.encode.threads;
  options.service.workers = threads > 0 ? threads : available_threads();
  Model model = EMBD_TRY(open_model(options.model));
  auto indexes = EMBD_TRY(open_indexes(options, model));
  server::Service service(std::move(model), std::move(options.service), std::move(indexes));
  EMBD_TRY(server::serve(service, options.serve,
                         [](const std::string& url) { print_line("listening on " + url); }));
  return ExitCode::good;
}

}  // namespace

void add_serve(Commands& commands) {
  const auto options = std::make_shared<Options>();
  CLI::App& verb = commands.add(commands.app(), "serve",
                                "An HTTP server that clients of OpenAI, text-embeddings-inference, "
                                "Ollama and Cohere talk to",
                                [options] { return run(*options); });
  server::ServiceOptions& service = options->service;
  server::ServeOptions& serve = options->serve;
  service.cache_bytes = std::size_t{16} << 20;
  add_model_options(verb, options->model);
  verb.add_option("--host", serve.host, "Numeric address to listen on (127.0.0.1)")
      ->type_name("ADDRESS");
  verb.add_option("--port", serve.port, "Port to listen on; 0: a free one (8080)")
      ->type_name("PORT");
  verb.add_option("--index", options->indexes,
                  "An index or vector set for /search, under a name; repeatable")
      ->allow_extra_args(false)
      ->type_name("NAME=PATH");
  verb.add_option("--texts", options->texts,
                  "Line i is the text of row i of the index of that name; repeatable")
      ->allow_extra_args(false)
      ->type_name("NAME=PATH");
  verb.add_option("--api-key-file", options->key_file,
                  "Keys that open the server, one a line; EMBD_API_KEY holds one, too")
      ->type_name("FILE");
  verb.add_option("--cache", service.cache_bytes,
                  "Memory for vectors of texts seen before; 0: none (16MiB)")
      ->transform(CLI::AsSizeValue(false))
      ->type_name("BYTES");
  verb.add_option("--drain", options->drain_seconds,
                  "After SIGTERM, time for requests under way (25)")
      ->check(CLI::NonNegativeNumber)
      ->type_name("SECONDS");
  verb.add_option("--request-timeout", options->request_seconds,
                  "A request not begun by then is given up (60)")
      ->check(CLI::PositiveNumber)
      ->type_name("SECONDS");
  verb.add_option("--queue", service.limits.queue_seconds,
                  "Work that may wait; more is refused with 429 (10)")
      ->check(CLI::PositiveNumber)
      ->type_name("SECONDS");
  verb.add_option("--max-body", service.limits.body_bytes, "Largest body (8MiB)")
      ->transform(CLI::AsSizeValue(false))
      ->type_name("BYTES");
  verb.add_option("--max-inputs", service.limits.inputs, "Most texts a request (2048)")
      ->check(CLI::PositiveNumber)
      ->type_name("N");
  verb.add_option("--max-tokens", service.limits.request_tokens, "Most tokens a request (300000)")
      ->check(CLI::PositiveNumber)
      ->type_name("N");
  verb.add_option("--max-connections", service.limits.connections, "Most connections (10000)")
      ->check(CLI::PositiveNumber)
      ->type_name("N");
  verb.add_option("--model-name", service.model_names,
                  "Further name of the model; others are then refused; repeatable")
      ->allow_extra_args(false)
      ->type_name("NAME");
  verb.add_option("--allowed-host", service.access.hosts,
                  "Host that requests may name besides localhost; repeatable")
      ->allow_extra_args(false)
      ->type_name("NAME");
  verb.add_option("--cors-origin", service.access.origins,
                  "Origin whose pages may read answers, or \"*\"; repeatable")
      ->allow_extra_args(false)
      ->type_name("ORIGIN");
  verb.add_flag("--log", options->log, "A line of JSON a request, to standard error");
  add_compute(verb, options->model.compute, "Arithmetic of the weight matrices (f32)");
  add_threads(verb, options->model.encode.threads);
}

}  // namespace embd::cli
