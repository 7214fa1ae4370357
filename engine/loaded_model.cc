#include "engine/loaded_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/os/cpu.h"
#include "base/row_cache.h"
#include "base/try.h"
#include "embd/version.h"
#include "engine/kernels/choose.h"
#include "formats/weights/embd/embd_tokenizer.h"
#include "formats/weights/model_tensors.h"
#include "tokenizer/wordpiece/wordpiece_tokenizer.h"

namespace embd {
namespace {

/// The number of blocks for each thread in a buffer of a stream. With this many, the time at the
/// end, when some threads have nothing more to do, is a small part.
constexpr std::int64_t blocks_per_thread = 8;

/// The size of the cache for rows of inputs that may come again within a call.
constexpr std::size_t max_known_bytes = std::size_t{32} << 20;

kernels::Arithmetic arithmetic_of(Compute compute) {
  switch (compute) {
    case Compute::bf16:
      return kernels::Arithmetic::bf16;
    case Compute::int8:
      return kernels::Arithmetic::int8;
    case Compute::f32:
      break;
  }
  return kernels::Arithmetic::f32;
}

Result<std::unique_ptr<const Tokenizer>> make_wordpiece(const WeightFile& file) {
  auto vocabulary = EMBD_TRY(
      wordpiece::Vocabulary::create(file.vocab(), file.special_tokens(), file.spec().added_tokens));
  const ModelSpec& spec = file.spec();
  const WordPieceOptions options = {.lower_case = spec.do_lower_case,
                                    .strip_accents = spec.strip_accents,
                                    .pair_template = spec.pair_template,
                                    .has_types = spec.token_types > 0,
                                    .added = spec.added_tokens};
  EMBD_TRY(WordPieceTokenizer::check_options(vocabulary, options));
  return std::make_unique<const WordPieceTokenizer>(std::move(vocabulary), options);
}

/// Makes the tokenizer of a model, of the kind that its spec names, over the vocabulary in its
/// file, which must outlive the tokenizer. Fails with the errors of the vocabulary.
Result<std::unique_ptr<const Tokenizer>> make_tokenizer(const WeightFile& file) {
  switch (file.spec().tokenizer) {
    case TokenizerKind::unigram:
      return make_unigram_tokenizer(file);
    case TokenizerKind::bpe:
      return make_bpe_tokenizer(file);
    case TokenizerKind::wordpiece:
      break;
  }
  return make_wordpiece(file);
}

}  // namespace

struct LoadedModel::Parts {
  WeightFile file;
  std::unique_ptr<const Tokenizer> tokenizer;
  std::unique_ptr<const Body> body;
  const kernels::Kernels& kernels;
  Compute compute;
};

Result<std::unique_ptr<const LoadedModel>> LoadedModel::load(WeightFile file, Compute compute,
                                                             HashKeeper keep_hash,
                                                             std::vector<ModelNote> notes) {
  const kernels::Arithmetic arithmetic = arithmetic_of(compute);
  const kernels::Kernels& kernels = *EMBD_TRY(kernels::choose_kernels(arithmetic));
  auto tokenizer = EMBD_TRY(make_tokenizer(file));
  if (kernels.products(arithmetic)->in_floats && !file.spec().is_table()) {
    notes.push_back({NoteKind::slow_arithmetic,
                     fmt::format("{} is slower than f32 with the kernels {}, which have no "
                                 "instruction for it",
                                 compute_name(compute), kernels.name)});
  }
  auto body = EMBD_TRY(load_body(file, kernels, embd::available_threads(), arithmetic));
  return std::unique_ptr<const LoadedModel>(
      new LoadedModel({std::move(file), std::move(tokenizer), std::move(body), kernels, compute},
                      std::move(keep_hash), std::move(notes)));
}

LoadedModel::LoadedModel(Parts parts, HashKeeper keep_hash, std::vector<ModelNote> notes)
    : file_(std::move(parts.file)),
      tokenizer_(std::move(parts.tokenizer)),
      body_(std::move(parts.body)),
      kernels_(parts.kernels),
      compute_(parts.compute),
      workers_([this] { return std::make_unique<Worker>(*tokenizer_, *body_); }),
      threads_(embd::available_threads()),
      keep_hash_(std::move(keep_hash)),
      notes_(std::move(notes)) {}

ModelSize LoadedModel::size() const {
  ModelSize size = {.layers = spec().num_layers,
                    .heads = spec().num_heads,
                    .hidden = spec().hidden,
                    .intermediate = spec().intermediate,
                    .file_bytes = file_.file_bytes()};
  const auto counted = for_each_tensor(spec(), [&](const ModelTensor& tensor) -> Result<void> {
    std::uint64_t values = 1;
    for (const std::uint32_t dim : tensor.shape.view()) values *= dim;
    size.parameters += values;
    return {};
  });
  (void)counted;  // Nothing in it fails.
  return size;
}

Recipe LoadedModel::recipe(const RunPlan& plan) const {
  return {.model_sha256 = sha256(),
          .tokenizer_sha256 = tokenizer_->hash(),
          .max_length = plan.text.max_length,
          .model_name = spec().name,
          .prompt = std::string(plan.text.prompt),
          .truncation_side = plan.text.truncation_side,
          .compute = std::string(recipe_name(compute_)),
          .instruction_set = std::string(instruction_set()),
          .output_type = "f32",
          .embd_version = std::string(version())};
}

FeedOptions LoadedModel::feed_options(const RunPlan& plan, const Head& head) const {
  return {.width = head.width(),
          .estimate = {tokenizer_->special_tokens().num_special(), plan.text.max_length},
          .buffer_tokens = blocks_per_thread * plan.threads * plan.batch_tokens,
          .strict_utf8 = plan.text.strict_utf8};
}

Result<Report> LoadedModel::run(Feed& feed, const RunPlan& plan, const Head& head,
                                const std::stop_token& stop) const {
  std::optional<RowCache> known;
  if (plan.dedup) known.emplace(max_known_bytes);
  const auto encode = [&](Block block) {
    const auto worker = workers_.lease();
    if (workers_.num_leased() > 1) block.threads = 1;  // Other calls have the cores.
    return worker->encode(block, plan, head, known ? &*known : nullptr);
  };
  const PipelineOptions options = {.threads = plan.threads,
                                   .team = plan.team,
                                   .batch_tokens = plan.batch_tokens,
                                   .estimate = feed_options(plan, head).estimate};
  return run_pipeline(feed, options, encode, stop);
}

std::string LoadedModel::sha256() const {
  const std::lock_guard lock(hash_mutex_);
  const auto compute = [this] { return file_.sha256(); };
  if (hash_.empty()) hash_ = keep_hash_ ? keep_hash_(compute) : compute();
  return hash_;
}

}  // namespace embd
