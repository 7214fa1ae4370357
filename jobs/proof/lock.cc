#include "jobs/proof/lock.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>

#include "base/checksum.h"
#include "base/json.h"
#include "base/kernel_profile.h"
#include "base/os/mapped_file.h"
#include "base/path_text.h"
#include "base/paths.h"
#include "base/try.h"
#include "embd/lock.h"
#include "embd/reranker.h"
#include "engine/open_model.h"
#include "formats/recipe_json.h"
#include "jobs/outputs/streams.h"
#include "jobs/recipe_check.h"

namespace embd {
namespace {

using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;

constexpr int version = 2;
constexpr int version_by_kernels = 1;

/// Returns the array of strings `json[name]`.
Result<std::vector<std::string>> strings_of(const Json& json, const std::string& name) {
  const auto found = json.find(name);
  if (found == json.end() || !found->is_array())
    return fail(ErrorCode::bad_value, "the member \"{}\" is not an array of strings", name);
  std::vector<std::string> strings;
  for (const Json& value : *found) {
    if (!value.is_string())
      return fail(ErrorCode::bad_value, "the member \"{}\" is not an array of strings", name);
    strings.push_back(value.get<std::string>());
  }
  return strings;
}

Result<LockFile> parse(std::string_view text) {
  const Json json = EMBD_TRY(parse_json(text));
  if (!json.is_object() || !json.contains("embd_lock"))
    return fail(ErrorCode::bad_json,
                "the file is not a lock file, a JSON object with the member embd_lock");
  const Json& found_version = json["embd_lock"];
  if (found_version != version && found_version != version_by_kernels) {
    return fail(ErrorCode::unsupported_version, "the lock file has version {}, expected {} or {}",
                found_version.dump(), version, version_by_kernels);
  }
  LockFile lock;
  lock.by_kernels = found_version == version_by_kernels;
  const auto model = json.find("model");
  const auto recipe = json.find("recipe");
  const auto sha256 = json.find("sha256");
  if (model == json.end() || !model->is_string() || recipe == json.end() || sha256 == json.end() ||
      !sha256->is_object())
    return fail(ErrorCode::bad_value,
                "the lock file lacks a member or has one of a wrong type, expected the members "
                "model, recipe, probes and sha256");
  lock.model = path_of_text(model->get<std::string>());
  lock.recipe = EMBD_TRY(recipe_of_members(*recipe));
  lock.probes = EMBD_TRY(strings_of(json, "probes"));
  for (const auto& [name, ignored] : sha256->items()) {
    auto& hashes = lock.sha256[name] = EMBD_TRY(strings_of(*sha256, name));
    if (hashes.size() != lock.probes.size()) {
      return fail(
          ErrorCode::bad_count,
          "the lock file has {} hashes for {} and {} probes, expected one hash for each probe",
          hashes.size(), name, lock.probes.size());
    }
  }
  return lock;
}

}  // namespace

std::string LockFile::text() const {
  const OrderedJson json = {{"embd_lock", version},
                            {"model", generic_text_of_path(model)},
                            {"recipe", parse_json(recipe_to_json(recipe)).value()},
                            {"probes", probes},
                            {"sha256", sha256}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<LockFile> LockFile::read(const std::filesystem::path& path) {
  const MappedFile file = EMBD_TRY(MappedFile::open(path));
  return in_file(path, parse(as_text(file.bytes())));
}

namespace {

/// Returns the probe texts of `embd lock` if the user gives none. Together they use all rules of a
/// tokenizer and texts of all lengths.
std::vector<std::string> default_probes() {
  std::string long_text;
  for (int i = 1; i <= 400; ++i) long_text += "word" + std::to_string(i) + " ";
  return {
      "",
      "a",
      "A cat sits on the mat.",
      "The quick brown fox jumps over the lazy dog, twice a day (3.14 times).",
      "Ünïcödé: naïve café, Straße, Ελληνικά, русский, العربية, हिन्दी",
      "東京で猫が魚を食べる。 서울의 고양이",
      "emoji 😀👩‍👩‍👧‍👦, zero\u200bwidth, e\u0301 and \u00e9",
      "e-mail@example.com https://example.com/path?query=1#part C++23 x86_64",
      "[CLS] is a special token, [MASK] and [SEP] too",
      "antidisestablishmentarianism pneumonoultramicroscopicsilicovolcanoconiosis",
      long_text,
  };
}

/// A model whose results for probe texts are hashed for a lock file. The results are the vectors of
/// a sentence embedding model, or the logits of a reranker, which reads each probe together with
/// the next probe.
class ProbedModel {
 public:
  virtual ~ProbedModel() = default;

  virtual Compute compute() const noexcept = 0;
  virtual std::string_view instruction_set() const noexcept = 0;
  virtual Result<Recipe> recipe(const EncodeOptions& options) const = 0;
  /// Returns the options with which the model makes the results that `recipe` describes. Fails with
  /// recipe_mismatch, naming `file`, if no options do that and `force` is false.
  virtual Result<EncodeOptions> options_of(const Recipe& recipe, int threads, std::string_view file,
                                           bool force) const = 0;
  /// Returns the SHA-256 of each probe's result, over its float32 values as little-endian bytes.
  /// Fails with the errors of the model, and with invalid_argument if the model is a reranker and
  /// an option is for vectors only, such as pooling.
  virtual Result<std::vector<std::string>> hashes_of(const std::vector<std::string>& probes,
                                                     const EncodeOptions& options) const = 0;
};

std::vector<std::string> hashes_of_rows(MatrixView rows) {
  std::vector<std::string> hashes;
  for (std::size_t i = 0; i < rows.rows(); ++i)
    hashes.push_back(sha256_hex(std::as_bytes(rows.row(i))));
  return hashes;
}

class ProbedVectors final : public ProbedModel {
 public:
  explicit ProbedVectors(Model model) : model_(std::move(model)) {}

  Compute compute() const noexcept override { return model_.compute(); }
  std::string_view instruction_set() const noexcept override { return model_.instruction_set(); }
  Result<Recipe> recipe(const EncodeOptions& options) const override {
    return model_.recipe(options);
  }
  Result<EncodeOptions> options_of(const Recipe& recipe, int threads, std::string_view file,
                                   bool force) const override {
    EncodeOptions options;
    options.threads = threads;
    options = embd::options_of(recipe, options, model_);
    EMBD_TRY(check_recipe(recipe, model_, options, file, force));
    return options;
  }
  Result<std::vector<std::string>> hashes_of(const std::vector<std::string>& probes,
                                             const EncodeOptions& options) const override {
    const std::vector<std::string_view> views(probes.begin(), probes.end());
    return hashes_of_rows(EMBD_TRY(model_.encode(views, options)));
  }

 private:
  const Model model_;
};

class ProbedLogits final : public ProbedModel {
 public:
  explicit ProbedLogits(Reranker model) : model_(std::move(model)) {}

  Compute compute() const noexcept override { return model_.compute(); }
  std::string_view instruction_set() const noexcept override { return model_.instruction_set(); }
  Result<Recipe> recipe(const EncodeOptions& options) const override {
    const ScoreOptions of_pairs = EMBD_TRY(score_options(options));
    return model_.recipe(of_pairs);
  }
  Result<EncodeOptions> options_of(const Recipe& recipe, int threads, std::string_view file,
                                   bool force) const override {
    EMBD_TRY(check_is_of_pairs(recipe, file, force));
    EncodeOptions options;
    options.threads = threads;
    options.max_length = std::min(recipe.max_length, model_.max_positions());
    options.prompt = recipe.prompt;
    options.truncation_side = recipe.truncation_side;
    const Recipe ours = EMBD_TRY(this->recipe(options));
    EMBD_TRY(check_recipes(recipe, ours, file, "this model and these options", force));
    return options;
  }
  Result<std::vector<std::string>> hashes_of(const std::vector<std::string>& probes,
                                             const EncodeOptions& options) const override {
    std::vector<TextPair> pairs;
    for (std::size_t i = 0; i < probes.size(); ++i)
      pairs.push_back({probes[i], probes[(i + 1) % probes.size()]});
    const ScoreOptions of_pairs = EMBD_TRY(score_options(options));
    return hashes_of_rows(EMBD_TRY(model_.score(pairs, of_pairs)).logits);
  }

 private:
  /// Fails with recipe_mismatch, unless `force` is true, if `recipe` describes vectors. The recipe
  /// of a cross-encoder has the pooling cls and does not normalize.
  Result<void> check_is_of_pairs(const Recipe& recipe, std::string_view file, bool force) const {
    if (force || (recipe.pooling == Pooling::cls && !recipe.normalize)) return {};
    return fail_in(path_of_text(file), ErrorCode::recipe_mismatch,
                   "the hashes are those of vectors of the sentence embedding model {}, but the "
                   "model {} is a cross-encoder, which scores pairs of texts",
                   recipe.model_name, model_.name());
  }
  static Result<ScoreOptions> score_options(const EncodeOptions& options) {
    if (options.pooling || options.normalize || options.truncate_dim != 0) {
      return fail(ErrorCode::invalid_argument,
                  "pooling, normalize and truncate_dim apply to vectors, but the model is a "
                  "cross-encoder, which gives scores: leave them out");
    }
    return ScoreOptions{.max_length = options.max_length,
                        .truncation_side = options.truncation_side,
                        .prompt = options.prompt,
                        .prompt_name = options.prompt_name,
                        .threads = options.threads,
                        .batch_tokens = options.batch_tokens};
  }

  const Reranker model_;
};

/// Opens a sentence embedding model or a reranker, whichever the file is. Fails with the errors of
/// Model::open().
Result<std::unique_ptr<const ProbedModel>> open_probed_model(const std::filesystem::path& path,
                                                             const LoadOptions& options) {
  if (EMBD_TRY(head_of(path, options)) == HeadKind::classifier)
    return std::make_unique<const ProbedLogits>(EMBD_TRY(Reranker::open(path, options)));
  return std::make_unique<const ProbedVectors>(EMBD_TRY(Model::open(path, options)));
}

/// Returns the path of `model` relative to the folder of the lock file, so that both can be moved
/// together.
std::filesystem::path seen_from(const std::filesystem::path& lock,
                                const std::filesystem::path& model) {
  std::error_code error;
  const auto folder = std::filesystem::weakly_canonical(
      is_stream(lock) ? "." : std::filesystem::absolute(lock).parent_path(), error);
  const auto path = std::filesystem::weakly_canonical(model, error).lexically_proximate(folder);
  return path.empty() ? model : path;
}

/// Returns the recipe without the fields that may differ although the vectors must be equal.
Recipe common_part(Recipe recipe) {
  recipe.instruction_set.clear();
  recipe.embd_version.clear();
  return recipe;
}

/// Returns the lists of hashes in a lock file to which the hashes of `model` may be equal.
Result<std::vector<const std::vector<std::string>*>> hashes_for(const LockFile& lock,
                                                                const ProbedModel& model) {
  std::vector<const std::vector<std::string>*> sets;
  std::vector<std::string_view> names;
  for (const auto& [name, hashes] : lock.sha256) {
    names.push_back(name);
    if (lock.by_kernels || name == recipe_name(model.compute())) sets.push_back(&hashes);
  }
  if (!sets.empty()) return sets;
  return fail(ErrorCode::missing,
              "the lock file has no hashes for the arithmetic {}, only for {}: choose one of "
              "these, or write the lock file again",
              recipe_name(model.compute()), fmt::join(names, ", "));
}

Result<LockCheck> check(const std::filesystem::path& path, const CheckOptions& options) {
  const LockFile lock = EMBD_TRY(LockFile::read(path));
  const std::filesystem::path model_path =
      options.model.empty() ? path.parent_path() / lock.model : options.model;
  const Compute compute = options.compute.value_or(compute_of(lock.recipe).value_or(Compute::f32));
  const auto model =
      EMBD_TRY(open_probed_model(model_path, {.vocab = options.vocab, .compute = compute}));
  const EncodeOptions encode =
      EMBD_TRY(model->options_of(lock.recipe, options.threads, text_of_path(path), options.force));

  const auto locked = EMBD_TRY(in_file(path, hashes_for(lock, *model)));
  LockCheck result = {.kernels = std::string(model->instruction_set()),
                      .compute = compute,
                      .by_kernels = lock.by_kernels,
                      .probes = lock.probes,
                      .differing = {}};
  const auto hashes = EMBD_TRY(model->hashes_of(lock.probes, encode));
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    const bool is_equal =
        std::ranges::any_of(locked, [&](const auto* set) { return (*set)[i] == hashes[i]; });
    if (!is_equal) result.differing.push_back(i);
  }
  return result;
}

Result<void> lock(const std::filesystem::path& model_path, const std::filesystem::path& lock_path,
                  const LockOptions& options) {
  if (EMBD_TRY(choose_kernel_profile()) == KernelProfile::reference) {
    return fail(
        ErrorCode::invalid_argument,
        "the environment variable EMBD_KERNELS is reference, but the reference kernels "
        "compute vectors that no other kernels compute: write the lock file with other kernels");
  }
  LockFile lock = {.model = seen_from(lock_path, model_path)};
  lock.probes = options.probes.empty() ? default_probes() : options.probes;
  // The hashes of all arithmetics are stored. check_lock() computes in the arithmetic that its
  // caller chooses.
  for (const Compute compute : {Compute::f32, Compute::bf16, Compute::int8}) {
    const auto model =
        EMBD_TRY(open_probed_model(model_path, {.vocab = options.vocab, .compute = compute}));
    if (compute == options.compute)
      lock.recipe = common_part(EMBD_TRY(model->recipe(options.encode)));
    lock.sha256[std::string(recipe_name(compute))] =
        EMBD_TRY(model->hashes_of(lock.probes, options.encode));
  }
  OutputFile file = EMBD_TRY(open_stream(lock_path));
  EMBD_TRY(file.write(as_bytes(lock.text())));
  return file.finish();
}

}  // namespace

Result<void> lock_model(const std::filesystem::path& model, const std::filesystem::path& path,
                        const LockOptions& options) {
  return guarded([&]() -> Result<void> {
    PathRoles roles;
    roles.reads("the model", model);
    roles.reads("the vocabulary", options.vocab);
    roles.writes("the lock file", path);
    EMBD_TRY(roles.check());
    return lock(model, path, options);
  });
}

Result<LockCheck> check_lock(const std::filesystem::path& path, const CheckOptions& options) {
  return guarded([&] { return check(path, options); });
}

}  // namespace embd
