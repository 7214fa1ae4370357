#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "base/path_roles.h"
#include "embd/model.h"

namespace embd::cli {

/// Which model, and how texts are encoded with it: the options that several verbs share.
struct ModelOptions {
  std::string model;
  std::string vocab;
  std::optional<Compute> compute = {};
  EncodeOptions encode = {};
  std::filesystem::path hash_record = {};  ///< LoadOptions::hash_record
};

/// --model, --vocab.
void add_model_options(CLI::App& verb, ModelOptions& options);
/// --max-length, --prompt, --prompt-name, --truncate-side: what decides the tokens.
void add_token_options(CLI::App& verb, ModelOptions& options);
/// --windows, --stride, --window-pooling. They exclude --max-length, which add_token_options() adds
/// before.
void add_window_options(CLI::App& verb, ModelOptions& options);
/// -t, --threads.
CLI::Option* add_threads(CLI::App& verb, int& threads);
/// --compute.
void add_compute(CLI::App& verb, std::optional<Compute>& compute, const std::string& description);
/// All others: --threads, --batch-tokens, --pooling, --no-normalize, --truncate-dim, --compute.
void add_encode_options(CLI::App& verb, ModelOptions& options);

/// The files that open_model() reads.
void reads_model(PathRoles& roles, const ModelOptions& options);

Result<Model> open_model(const ModelOptions& options);

}  // namespace embd::cli
