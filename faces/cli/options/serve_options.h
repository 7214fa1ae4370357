#pragma once

#include <string>
#include <vector>

#include "faces/cli/options/model_options.h"
#include "faces/cli/options/verb.h"
#include "faces/server/server.h"

namespace embd::cli {

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
  std::vector<std::string> metrics;  ///< NAME=METRIC
  InputOptions input;                ///< for reading `texts`
  const Verb* verb = nullptr;
  std::string key_file;
  double drain_seconds = 25;
  double request_seconds = 60;
  bool log = false;
};

/// Adds all options of `embd serve`.
void add_serve_options(Verb& verb, ServeRequest& request);

}  // namespace embd::cli
