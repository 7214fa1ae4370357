#pragma once

#include <optional>
#include <string>

#include "base/path_roles.h"
#include "cli/options/verb.h"
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
void add_model_options(Verb& verb, ModelOptions& options);
/// --vocab.
void add_vocab(Verb& verb, ModelOptions& options);
/// --max-length, --prompt, --prompt-name, --truncate-side: what decides the tokens.
void add_token_options(Verb& verb, ModelOptions& options);
/// --windows, --stride, --window-pooling. They exclude --max-length, which add_token_options() adds
/// before.
void add_window_options(Verb& verb, ModelOptions& options);
/// -t, --threads.
Option& add_threads(Verb& verb, int& threads);
/// --compute.
void add_compute(Verb& verb, std::optional<Compute>& compute,
                 const std::string& description = "Arithmetic of the weight matrices (f32)");
/// All others of EncodeOptions, such as --threads and --pooling, and --compute.
void add_encode_options(Verb& verb, ModelOptions& options);
/// --keep-model-hash, for jobs over files.
void add_keep_model_hash(Verb& verb, bool& keep);
/// --dedup, for verbs that embed many texts.
void add_dedup(Verb& verb, ModelOptions& options);

/// The files that open_model() reads.
void reads_model(PathRoles& roles, const ModelOptions& options);

Result<Model> open_model(const ModelOptions& options);

}  // namespace embd::cli
