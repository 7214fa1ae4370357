#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/path_roles.h"
#include "embd/model.h"
#include "faces/cli/options/verb.h"

namespace embd::cli {

/// The model that a verb uses, and the options for encoding texts with it. Several verbs share
/// them.
struct ModelOptions {
  std::string model;
  std::string vocab;
  std::optional<Compute> compute = {};
  EncodeOptions encode = {};
  std::filesystem::path hash_record = {};  ///< LoadOptions::hash_record
};

/// Adds --model and --vocab.
void add_model_options(Verb& verb, ModelOptions& options);
/// Adds --vocab.
void add_vocab(Verb& verb, ModelOptions& options);
/// Adds --max-length, --prompt, --prompt-name and --truncate-side, which decide the tokens of a
/// text.
void add_token_options(Verb& verb, ModelOptions& options);
/// Adds --windows, --stride and --window-pooling. They exclude --max-length, so add_token_options()
/// must be called before.
void add_window_options(Verb& verb, ModelOptions& options);
/// Adds -t, --threads.
Option& add_threads(Verb& verb, int& threads);
/// Adds --compute.
void add_compute(Verb& verb, std::optional<Compute>& compute,
                 const std::string& description = "Arithmetic of the weight matrices (f32)");
/// Adds --compute and the options of EncodeOptions that the functions above do not add, such as
/// --threads and --pooling, except --dedup.
void add_encode_options(Verb& verb, ModelOptions& options);
/// Adds --keep-model-hash, for verbs that embed files.
void add_keep_model_hash(Verb& verb, bool& keep);
/// Adds --dedup, for verbs that embed many texts.
void add_dedup(Verb& verb, ModelOptions& options);

/// Adds the files that open_model() reads to `roles`.
void reads_model(PathRoles& roles, const ModelOptions& options);

/// Prints the notes on a model on standard error, each with what can be done about it.
/// `has_prompt`: true if the user gave a prompt.
void show_notes(const std::vector<ModelNote>& notes, bool has_prompt);

/// Finds and opens the model, and shows the notes on it. Fails with the errors of find_model() and
/// Model::open().
Result<Model> open_model(const ModelOptions& options);

}  // namespace embd::cli
