#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/paths.h"
#include "embd/collect.h"
#include "embd/error.h"
#include "embd/model.h"
#include "embd/reranker.h"
#include "faces/cli/options/verb.h"

namespace embd::cli {

/// Returns the path of the model that the user asks for with --model or EMBD_MODEL: a path, or a
/// name as in embd/find_model.h. An empty string stands for all-MiniLM-L6-v2. The folder of models
/// with which this program was built is searched, too. Fails with not_found, naming the places that
/// were searched.
Result<std::filesystem::path> find_model(const std::string& given);

/// Returns the folder for files of this user that the program can make again: $XDG_CACHE_HOME/embd
/// or ~/.cache/embd. The folder may not exist yet. Returns an empty path if neither XDG_CACHE_HOME
/// nor HOME is set to an absolute path.
std::filesystem::path cache_folder();

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
/// Adds --keep-model-hash, for verbs that embed files or search.
void add_keep_model_hash(Verb& verb, bool& keep);
/// Returns the file of LoadOptions::hash_record; an empty path if no hash is to be kept, or if
/// there is no folder for it.
std::filesystem::path hash_record(bool keep);
/// Adds --dedup, for verbs that embed many texts.
void add_dedup(Verb& verb, ModelOptions& options);

/// Takes the model that a collection records, unless the user names one or its file is gone.
void take_model_of(const CollectionInfo& collection, ModelOptions& options);

/// Adds the files that open_model() reads to `roles`.
void reads_model(PathRoles& roles, const ModelOptions& options);

/// Prints the notes on a model on standard error, each with what can be done about it.
/// `has_prompt`: true if the user gave a prompt.
void show_notes(const std::vector<ModelNote>& notes, bool has_prompt);

/// Finds and opens the model, and shows the notes on it. Fails with the errors of find_model() and
/// Model::open().
Result<Model> open_model(const ModelOptions& options);

/// A reranker, and the options for scoring pairs with it.
struct RerankerOptions {
  std::string model;
  std::string vocab;
  std::optional<Compute> compute = {};
  ScoreOptions score;
  std::filesystem::path hash_record = {};  ///< LoadOptions::hash_record
};

/// Adds the files that open_reranker() reads to `roles`.
void reads_reranker(PathRoles& roles, const RerankerOptions& options);

/// Opens the reranker. Fails with invalid_argument if no model is named, because there is no
/// default, and with the errors of Reranker::open().
Result<Reranker> open_reranker(const RerankerOptions& options);

/// Opens the reranker that a verb uses in addition to its model. Returns nothing if `path` is
/// empty.
Result<std::optional<Reranker>> open_second_reranker(const std::string& path,
                                                     std::optional<Compute> compute = {});

/// Prints a warning on standard error that `truncated` of `pairs` pairs were cut, if `truncated` is
/// not 0.
void warn_of_cuts(std::uint64_t truncated, std::uint64_t pairs);

}  // namespace embd::cli
