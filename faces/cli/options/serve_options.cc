#include "faces/cli/options/serve_options.h"

#include "faces/cli/options/input_options.h"
#include "faces/cli/options/values.h"

namespace embd::cli {

void add_serve_options(Verb& verb, ServeRequest& request) {
  server::ServiceOptions& service = request.service;
  server::ServeOptions& serve = request.serve;
  service.cache_bytes = std::size_t{16} << 20;
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
  verb.add_option("--host", serve.host, "IP address to listen on (127.0.0.1)")
      .type_name("ADDRESS")
      .in(OptionGroup::serving);
  add_number(verb, "--port", serve.port, "Port to listen on; 0: a free one (8080)")
      .type_name("PORT")
      .in(OptionGroup::serving);
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
  verb.add_option("--metric", request.metrics,
                  "Metric of the vector set of this name, or of an index that does not record its "
                  "own: cos, ip, l2, … (cos); repeatable")
      .repeatable()
      .type_name("NAME=METRIC")
      .in(OptionGroup::index);
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
  add_positive_seconds(verb, "--request-timeout", request.request_seconds,
                       "Seconds after which a request that is not begun is given up (60)")
      .in(OptionGroup::limits);
  add_positive_seconds(verb, "--queue", service.limits.queue_seconds,
                       "Refuse a request with 429 if it would wait longer than these seconds (10)")
      .in(OptionGroup::limits);
  add_bytes(verb, "--max-body", service.limits.body_bytes,
            "Greatest size of the body of a request, up to 512MiB (8MiB)")
      .in(OptionGroup::limits);
  add_number(verb, "--max-inputs", service.limits.inputs,
             "Greatest number of texts in a request (2048)", 1)
      .in(OptionGroup::limits);
  add_number(verb, "--max-tokens", service.limits.request_tokens,
             "Greatest number of tokens in a request (300000)", 1)
      .in(OptionGroup::limits);
  add_number(verb, "--max-connections", service.limits.connections,
             "Greatest number of connections (10000)", 1)
      .in(OptionGroup::limits);
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

}  // namespace embd::cli
