#include "embd/model.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/try.h"
#include "engine/embed.h"
#include "engine/heads/vector_modules.h"
#include "engine/input.h"
#include "engine/open_model.h"
#include "engine/text_windows.h"

namespace embd {
namespace {

/// Fails with invalid_argument for ids outside the vocabulary and, unless texts of the model may
/// have no tokens, for a text without tokens. `number` is the number of the text, for the message.
Result<void> check_ids(std::span<const std::int32_t> ids, const ModelSpec& spec,
                       std::uint64_t number) {
  if (ids.empty() && spec.token_template().num_special() > 0) {
    return fail(ErrorCode::invalid_argument,
                "text {} has no token ids, expected at least the special tokens around a text",
                number);
  }
  const auto bad = std::ranges::find_if(ids, [&](std::int32_t id) {
    return id < 0 || static_cast<std::uint32_t>(id) >= spec.vocab_size;
  });
  if (bad == ids.end()) return {};
  return fail(ErrorCode::invalid_argument,
              "text {}, token {}: the token id is {}, expected 0 to {}", number, bad - ids.begin(),
              *bad, spec.vocab_size - 1);
}

/// Checks the ids of all texts and returns the texts as inputs.
Result<std::vector<TokenSpan>> token_inputs(std::span<const std::span<const std::int32_t>> texts,
                                            const ModelSpec& spec) {
  std::vector<TokenSpan> inputs;
  inputs.reserve(texts.size());
  for (const auto& ids : texts) {
    EMBD_TRY(check_ids(ids, spec, inputs.size()));
    inputs.push_back({.ids = ids});
  }
  return inputs;
}

/// A stream of token ids from the caller that checks the ids of each text.
class CheckedTokenIds final : public TokenIdSource {
 public:
  /// Both arguments must outlive this object.
  CheckedTokenIds(TokenIdSource& source, const ModelSpec& spec) : source_(source), spec_(spec) {}

  Result<bool> next(std::vector<std::int32_t>& ids) override {
    if (!EMBD_TRY(source_.next(ids))) return false;
    EMBD_TRY(check_ids(ids, spec_, num_texts_++));
    return true;
  }

 private:
  TokenIdSource& source_;
  const ModelSpec& spec_;
  std::uint64_t num_texts_ = 0;
};

}  // namespace

std::string_view compute_name(Compute compute) noexcept {
  return compute == Compute::bf16 ? "bf16" : compute == Compute::int8 ? "int8" : "f32";
}
std::string_view recipe_name(Compute compute) noexcept {
  return compute == Compute::int8 ? "int8-blocks" : compute_name(compute);
}

/// A loaded model with a pooling head.
struct Model::Impl {
  const ModelSpec& spec() const noexcept { return model->spec(); }
  Result<EncodePlan> plan(const EncodeOptions& options) const {
    EncodePlan plan = EMBD_TRY(plan_encoding(options, spec(), model->available_threads()));
    plan.pooling.modules = &modules;
    return plan;
  }
  /// Returns the plan for texts that are given as token ids.
  Result<EncodePlan> plan_ids(const EncodeOptions& options) const;

  const std::unique_ptr<const LoadedModel> model;
  const VectorModules modules;
};

Result<EncodePlan> Model::Impl::plan_ids(const EncodeOptions& options) const {
  if (options.prompt || !options.prompt_name.empty() || options.windows != Windows::none ||
      options.strict_utf8) {
    return fail(ErrorCode::invalid_argument,
                "prompts, windows and strict UTF-8 apply to texts, but the input is token ids: "
                "leave these options out");
  }
  return plan(options);
}

Result<Model> Model::open(const std::filesystem::path& path, const LoadOptions& options) {
  return guarded([&]() -> Result<Model> {
    auto model = EMBD_TRY(open_model(path, options, HeadKind::pooling));
    VectorModules modules = EMBD_TRY(VectorModules::load(model->file()));
    return Model(std::unique_ptr<Impl>(new Impl{std::move(model), std::move(modules)}));
  });
}

Model::Model(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Model::Model(Model&&) noexcept = default;
Model& Model::operator=(Model&&) noexcept = default;
Model::~Model() = default;

const std::string& Model::name() const noexcept {
  return impl_->spec().name;
}
std::uint32_t Model::dim() const noexcept {
  return impl_->spec().dim;
}
std::uint32_t Model::full_dim() const noexcept {
  return impl_->spec().full_dim();
}
std::uint32_t Model::hidden() const noexcept {
  return impl_->spec().hidden;
}
std::vector<Pooling> Model::poolings() const {
  const ModelSpec& spec = impl_->spec();
  return spec.pooling == Pooling::joined ? spec.joined_poolings : std::vector{spec.pooling};
}
const std::vector<VectorModule>& Model::modules() const noexcept {
  return impl_->spec().modules;
}
std::uint32_t Model::max_length() const noexcept {
  return impl_->spec().max_seq_length;
}
std::uint32_t Model::max_positions() const noexcept {
  return impl_->spec().max_tokens();
}
std::uint32_t Model::vocab_size() const noexcept {
  return impl_->spec().vocab_size;
}
const std::vector<Prompt>& Model::prompts() const noexcept {
  return impl_->spec().prompts;
}
const std::string& Model::default_prompt_name() const noexcept {
  return impl_->spec().default_prompt_name;
}
const std::string& Model::similarity() const noexcept {
  return impl_->spec().similarity;
}
Compute Model::compute() const noexcept {
  return impl_->model->compute();
}
const std::vector<ModelNote>& Model::notes() const noexcept {
  return impl_->model->notes();
}
ModelSize Model::size() const {
  return impl_->model->size();
}
std::string_view Model::instruction_set() const noexcept {
  return impl_->model->instruction_set();
}

Result<Recipe> Model::recipe(const EncodeOptions& options) const {
  return guarded([&]() -> Result<Recipe> {
    const EncodePlan plan = EMBD_TRY(impl_->plan(options));
    if (plan.windows != Windows::none)
      EMBD_TRY(WindowCutter::create(impl_->model->lease_worker()->tokenizer(), plan));
    Recipe recipe = impl_->model->recipe(plan.run);
    recipe.pooling = plan.pooling.pooling;
    recipe.normalize = plan.pooling.normalize;
    recipe.truncate_dim = static_cast<std::uint32_t>(plan.pooling.dim);
    recipe.windows = plan.windows;
    recipe.stride = static_cast<std::uint32_t>(plan.stride);
    return recipe;
  });
}

Result<Matrix> Model::encode(std::span<const std::string_view> texts, const EncodeOptions& options,
                             std::stop_token stop) const {
  return guarded([&]() -> Result<Matrix> {
    const EncodePlan plan = EMBD_TRY(impl_->plan(options));
    Matrix rows(texts.size(), plan.pooling.dim);
    EMBD_TRY(embed(*impl_->model, texts, rows.values(), {}, plan, stop));
    return rows;
  });
}

Result<std::vector<float>> Model::encode(std::string_view text,
                                         const EncodeOptions& options) const {
  return guarded([&]() -> Result<std::vector<float>> {
    const EncodePlan plan = EMBD_TRY(impl_->plan(options));
    std::vector<float> row(plan.pooling.dim);
    const std::span<const std::string_view> texts(&text, 1);
    EMBD_TRY(embed(*impl_->model, texts, row, {}, plan, {}));
    return row;
  });
}

Result<Report> Model::encode(std::span<const std::string_view> texts, std::span<float> out,
                             std::span<RowReport> reports, const EncodeOptions& options,
                             std::stop_token stop) const {
  return guarded([&]() -> Result<Report> {
    const EncodePlan plan = EMBD_TRY(impl_->plan(options));
    return embed(*impl_->model, texts, out, reports, plan, stop);
  });
}

Result<Report> Model::encode(TextSource& source, RowSink& sink, const EncodeOptions& options,
                             std::stop_token stop) const {
  return guarded([&]() -> Result<Report> {
    const EncodePlan plan = EMBD_TRY(impl_->plan(options));
    return embed(*impl_->model, source, sink, plan, stop);
  });
}

Result<Matrix> Model::encode_ids(std::span<const std::span<const std::int32_t>> texts,
                                 const EncodeOptions& options, std::stop_token stop) const {
  return guarded([&]() -> Result<Matrix> {
    const auto inputs = EMBD_TRY(token_inputs(texts, impl_->spec()));
    const EncodePlan plan = EMBD_TRY(impl_->plan_ids(options));
    Matrix rows(texts.size(), plan.pooling.dim);
    EMBD_TRY(embed(*impl_->model, Inputs(inputs), rows.values(), {}, plan, stop));
    return rows;
  });
}

Result<Report> Model::encode_ids(std::span<const std::span<const std::int32_t>> texts,
                                 std::span<float> out, std::span<RowReport> reports,
                                 const EncodeOptions& options, std::stop_token stop) const {
  return guarded([&]() -> Result<Report> {
    const auto inputs = EMBD_TRY(token_inputs(texts, impl_->spec()));
    const EncodePlan plan = EMBD_TRY(impl_->plan_ids(options));
    return embed(*impl_->model, Inputs(inputs), out, reports, plan, stop);
  });
}

Result<Report> Model::encode_ids(TokenIdSource& source, RowSink& sink, const EncodeOptions& options,
                                 std::stop_token stop) const {
  return guarded([&]() -> Result<Report> {
    const EncodePlan plan = EMBD_TRY(impl_->plan_ids(options));
    CheckedTokenIds checked(source, impl_->spec());
    return embed(*impl_->model, checked, sink, plan, stop);
  });
}

Result<Matrix> Model::encode_tokens(std::string_view text, const EncodeOptions& options,
                                    std::stop_token stop) const {
  return guarded([&]() -> Result<Matrix> {
    const EncodePlan plan = EMBD_TRY(impl_->plan(options));
    const auto worker = impl_->model->lease_worker();
    const MatrixView hidden = EMBD_TRY(worker->encode_tokens(text, plan.run, stop));
    Matrix rows(hidden.rows(), hidden.cols());
    std::ranges::copy(hidden.values(), rows.data());
    return rows;
  });
}

Result<Tokens> Model::tokenize(std::string_view text, const EncodeOptions& options) const {
  return guarded([&]() -> Result<Tokens> {
    EncodeOptions checked = options;
    if (options.max_length == 0) checked.max_length.reset();
    EncodePlan plan = EMBD_TRY(impl_->plan(checked));
    if (options.max_length == 0) plan.run.text.max_length = 0;
    return impl_->model->lease_worker()->tokenizer().tokenize(text, plan.run.text);
  });
}

Result<std::vector<RowReport>> Model::windows(std::string_view text,
                                              const EncodeOptions& options) const {
  return guarded([&]() -> Result<std::vector<RowReport>> {
    if (options.windows != Windows::rows)
      return fail(ErrorCode::invalid_argument,
                  "the places of windows were asked for, but the windows of a text share one row: "
                  "choose windows that have rows of their own");
    const EncodePlan plan = EMBD_TRY(impl_->plan(options));
    const auto worker = impl_->model->lease_worker();
    WindowCutter cutter = EMBD_TRY(WindowCutter::create(worker->tokenizer(), plan));
    EMBD_TRY(cutter.cut(text));
    std::vector<RowReport> reports;
    std::vector<std::int32_t> ids;
    for (std::uint32_t i = 0; i < cutter.size(); ++i) {
      ids.clear();
      cutter.append_ids(i, ids);
      reports.push_back({.tokens = static_cast<std::uint32_t>(ids.size()),
                         .window = i,
                         .windows = cutter.size(),
                         .place = cutter.place(i)});
    }
    return reports;
  });
}

Result<std::string> Model::decode(std::span<const std::int32_t> ids, bool skip_special) const {
  return guarded([&]() -> Result<std::string> {
    for (const std::int32_t id : ids) {
      if (token(id).empty()) {
        return fail(ErrorCode::invalid_argument,
                    "token id {} is not in the vocabulary, which has {} tokens, counted from 0", id,
                    vocab_size());
      }
    }
    return impl_->model->tokenizer().decode(ids, skip_special);
  });
}

bool Model::are_own_ids(std::span<const std::int32_t> ids) const noexcept {
  return impl_->model->tokenizer().special_tokens().surrounds(ids) &&
         std::ranges::none_of(ids, [this](std::int32_t id) { return token(id).empty(); });
}

std::string_view Model::token(std::int32_t id) const noexcept {
  return impl_->model->tokenizer().token(id);
}

}  // namespace embd
