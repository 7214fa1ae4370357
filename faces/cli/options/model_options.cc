#include "faces/cli/options/model_options.h"

#include "base/messages.h"
#include "base/os/file_status.h"
#include "base/path_text.h"
#include "base/try.h"
#include "embd/find_model.h"
#include "engine/model_cache.h"
#include "faces/cli/options/listed_options.h"
#include "faces/cli/printing.h"
#include "jobs/options/model_lists.h"

namespace embd::cli {

Result<std::filesystem::path> find_model(const std::string& given) {
  return embd::find_model(given.empty() ? "all-MiniLM-L6-v2" : given,
                          {.folders = {EMBD_MODELS_FOLDER}});
}

std::filesystem::path cache_folder() {
  // A relative path is ignored, because it would name a different folder in each working directory.
  if (const auto cache = path_from_environment("XDG_CACHE_HOME"); cache.is_absolute())
    return cache / "embd";
  if (const auto home = home_folder(); home.is_absolute()) return home / ".cache/embd";
  return {};
}

namespace {

/// The words of --window-pooling. "none" makes a row of each window.
constexpr EnumNames<Windows, 2> window_pooling_names = {
    {{"mean", Windows::mean}, {"none", Windows::rows}}};

/// Returns what a user can do about a note.
std::string_view remedy_of(NoteKind kind) {
  switch (kind) {
    case NoteKind::assumed_pooling:
      return "--pooling chooses another pooling.";
    case NoteKind::missing_prompts:
      return "Give --prompt.";
    case NoteKind::slow_arithmetic:
      return "--compute f32 is faster and more exact, and --compute int8 is faster still.";
    case NoteKind::slow_opening:
      break;
  }
  return "embd model convert DIR OUT.weights makes one.";
}

}  // namespace

void add_model_options(Verb& verb, ModelOptions& options) {
  verb.add_option("-m,--model", options.model, "Weight file, Hugging Face folder, or a name")
      .type_name("FILE")
      .in(OptionGroup::model);
  add_vocab(verb, options);
}

void add_vocab(Verb& verb, ModelOptions& options) {
  add_listed<&LoadOptions::vocab>(verb, options.vocab);
}

void add_token_options(Verb& verb, ModelOptions& options) {
  add_some_listed(verb, options.encode, {"max_length", "prompt", "prompt_name", "truncate_side"});
  verb.option("--prompt-name").excludes({"--prompt"});
}

void add_window_options(Verb& verb, ModelOptions& options) {
  EncodeOptions& encode = options.encode;
  verb.add_parsed(
          "--windows",
          [&encode](const std::string& tokens) -> Result<void> {
            encode.max_length =
                static_cast<std::uint32_t>(EMBD_TRY(parse_number(tokens, 0, UINT32_MAX)));
            if (encode.windows == Windows::none) encode.windows = Windows::rows;
            return {};
          },
          "Divide a longer text into windows of N tokens, special tokens included")
      .excludes({"--max-length"})
      .type_name("N")
      .in(OptionGroup::model);
  add_listed<&EncodeOptions::stride>(verb, encode.stride).needs("--windows");
  auto pooling = option_of<&EncodeOptions::windows>();
  pooling.words = window_pooling_names;
  add_listed(verb, pooling, encode.windows).needs("--windows");
}

Option& add_threads(Verb& verb, int& threads) {
  return add_listed<&EncodeOptions::threads>(verb, threads);
}

void add_compute(Verb& verb, std::optional<Compute>& compute, const std::string& description) {
  add_listed<&LoadOptions::compute>(verb, compute).description = description;
}

void add_encode_options(Verb& verb, ModelOptions& options) {
  add_all_listed(
      verb, options.encode,
      {"max_length", "prompt", "prompt_name", "truncate_side", "windows", "stride", "dedup"});
  add_compute(verb, options.compute);
}

void add_dedup(Verb& verb, ModelOptions& options) {
  add_listed<&EncodeOptions::dedup>(verb, options.encode.dedup);
}

void add_keep_model_hash(Verb& verb, bool& keep) {
  add_choice<bool>(verb, "--keep-model-hash", keep, {{"on", true}, {"off", false}},
                   "Keep the model's SHA-256 in $XDG_CACHE_HOME/embd or ~/.cache/embd for the next "
                   "run, where the system can tell whether the model has changed since (on)")
      .in(OptionGroup::running);
}

std::filesystem::path hash_record(bool keep) {
  const std::filesystem::path folder = cache_folder();
  return keep && !folder.empty() ? folder / "model-hashes" : std::filesystem::path();
}

void take_model_of(const CollectionInfo& collection, ModelOptions& options) {
  if (options.model.empty() && os::exists(collection.model))
    options.model = text_of_path(collection.model);
}

void reads_model(PathRoles& roles, const ModelOptions& options) {
  if (const auto model = find_model(options.model)) roles.reads("--model", *model);
  roles.reads("--vocab", options.vocab);
}

void show_notes(const std::vector<ModelNote>& notes, bool has_prompt) {
  for (const ModelNote& note : notes) {
    if (note.kind == NoteKind::missing_prompts && has_prompt) continue;
    say("embd: warning: {}. {}\n", note.text, remedy_of(note.kind));
  }
}

Result<Model> open_model(const ModelOptions& options) {
  Model model = EMBD_TRY(Model::open(EMBD_TRY(find_model(options.model)),
                                     {.vocab = options.vocab,
                                      .compute = options.compute.value_or(Compute::f32),
                                      .hash_record = options.hash_record}));
  show_notes(model.notes(), options.encode.prompt || !options.encode.prompt_name.empty());
  return model;
}

void reads_reranker(PathRoles& roles, const RerankerOptions& options) {
  roles.reads("--model", options.model);
  roles.reads("--vocab", options.vocab);
}

Result<Reranker> open_reranker(const RerankerOptions& options) {
  if (options.model.empty()) {
    return fail(
        ErrorCode::invalid_argument,
        "no model was given: name a reranker with --model or the environment variable EMBD_MODEL");
  }
  Reranker reranker =
      EMBD_TRY(Reranker::open(options.model, {.vocab = options.vocab,
                                              .compute = options.compute.value_or(Compute::f32),
                                              .hash_record = options.hash_record}));
  show_notes(reranker.notes(), true);
  return reranker;
}

Result<std::optional<Reranker>> open_second_reranker(const std::string& path,
                                                     std::optional<Compute> compute) {
  if (path.empty()) return std::nullopt;
  return open_reranker({.model = path, .compute = compute});
}

void warn_of_cuts(std::uint64_t truncated, std::uint64_t pairs) {
  if (truncated > 0)
    say("embd: warning: {} of {} cut to the length that the model takes\n", truncated,
        counted(pairs, "pair"));
}

}  // namespace embd::cli
