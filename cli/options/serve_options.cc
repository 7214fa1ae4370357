#include "cli/options/serve_options.h"

#include "cli/options/input_options.h"
#include "cli/options/values.h"

namespace embd::cli {

void add_serve_options(Verb& verb, ServeRequest& request) {
  server::ServiceOptions& service = request.service;
  server::ServeOptions& serve = request.serve;
  service.cache_bytes = std::size_t{16} << 20;
  verb.add_option("-m,--model", request.models,
                  "Weight file, Hugging Face folder, or a name; with NAME= requests ask for it by "
                  "that name; repeatable: requests choose by their \"model\", the first is meant "
                  "where they do not")
      .repeatable()
      .type_name("[NAME=]FILE")
      .in(OptionGroup::model);
  add_vocab(verb, request.model);
  verb.add_option("--reranker", request.reranker,
                  "A cross-encoder to rerank with; without --model and --index it is served alone")
      .type_name("FILE");
  verb.add_option("--host", serve.host, "Numeric address to listen on (127.0.0.1)")
      .type_name("ADDRESS")
      .in(OptionGroup::serving);
  add_number(verb, "--port", serve.port, "Port to listen on; 0: a free one (8080)")
      .type_name("PORT")
      .in(OptionGroup::serving);
  verb.add_option("--index", request.indexes,
                  "An index or vector set for /search, under a name; repeatable, and those of one "
                  "name are searched as one set")
      .repeatable()
      .type_name("NAME=PATH")
      .in(OptionGroup::search);
  verb.add_option("--texts", request.texts,
                  "Text i is that of row i of the index of that name, or with --id-field of the "
                  "row with its id; repeatable: one file for all its rows, or one for each of its "
                  "files, in their order")
      .repeatable()
      .type_name("NAME=PATH")
      .in(OptionGroup::search);
  add_text_options(verb, request.input);
  verb.add_option("--metric", request.metrics,
                  "Metric of the vector set of that name, or of the index where it does not say: "
                  "cos, ip, l2, … (cos); repeatable")
      .repeatable()
      .type_name("NAME=METRIC")
      .in(OptionGroup::index);
  verb.add_option("--api-key-file", request.key_file,
                  "Keys that open the server, one a line; EMBD_API_KEY holds one, too")
      .type_name("FILE")
      .in(OptionGroup::access);
  add_bytes(verb, "--cache", service.cache_bytes,
            "Memory for vectors of texts seen before; 0: none (16MiB)")
      .in(OptionGroup::serving);
  add_seconds(verb, "--drain", request.drain_seconds,
              "After SIGTERM, time for requests under way (25)")
      .in(OptionGroup::serving);
  add_positive_seconds(verb, "--request-timeout", request.request_seconds,
                       "A request not begun by then is given up (60)")
      .in(OptionGroup::limits);
  add_positive_seconds(verb, "--queue", service.limits.queue_seconds,
                       "Refuse with 429 what would wait for others longer than this (10)")
      .in(OptionGroup::limits);
  add_bytes(verb, "--max-body", service.limits.body_bytes, "Largest body, up to 512MiB (8MiB)")
      .in(OptionGroup::limits);
  add_number(verb, "--max-inputs", service.limits.inputs, "Most texts a request (2048)", 1)
      .in(OptionGroup::limits);
  add_number(verb, "--max-tokens", service.limits.request_tokens, "Most tokens a request (300000)",
             1)
      .in(OptionGroup::limits);
  add_number(verb, "--max-connections", service.limits.connections, "Most connections (10000)", 1)
      .in(OptionGroup::limits);
  verb.add_option("--model-name", request.model_names,
                  "Further name of the only model; others are then refused; repeatable")
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
  verb.add_flag("--log", request.log, "A line of JSON a request, to standard error")
      .in(OptionGroup::serving);
  add_compute(verb, request.model.compute, "Arithmetic of the weight matrices (f32)");
  add_threads(verb, request.model.encode.threads);
}

}  // namespace embd::cli
