#include "jobs/proof/probed_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/checksum.h"
#include "base/try.h"
#include "embd/reranker.h"
#include "engine/open_model.h"
#include "jobs/recipe_check.h"

namespace embd {
namespace {

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
    return fail_in(file, ErrorCode::recipe_mismatch,
                   fmt::format("the hashes are those of vectors of the sentence embedding model "
                               "{}, but the model {} is a cross-encoder, which scores pairs of "
                               "texts",
                               recipe.model_name, model_.name()));
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

}  // namespace

Result<std::unique_ptr<const ProbedModel>> open_probed_model(const std::filesystem::path& path,
                                                             const LoadOptions& options) {
  if (EMBD_TRY(head_of(path, options)) == HeadKind::classifier)
    return std::make_unique<const ProbedLogits>(EMBD_TRY(Reranker::open(path, options)));
  return std::make_unique<const ProbedVectors>(EMBD_TRY(Model::open(path, options)));
}

}  // namespace embd
