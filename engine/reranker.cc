#include "embd/reranker.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/try.h"
#include "engine/heads/classifier.h"
#include "engine/open_model.h"
#include "engine/ranking.h"

namespace embd {
namespace {

Matrix scores_of(MatrixView logits, ScoreActivation activation) {
  Matrix scores(logits.rows(), logits.cols());
  std::ranges::transform(logits.values(), scores.values().begin(),
                         [activation](float logit) { return score_of(logit, activation); });
  return scores;
}

/// Fails with bad_value if a pair was cut. `num_before` is the number of pairs before these.
Result<void> check_cuts(std::span<const RowReport> reports, std::uint64_t num_before) {
  const auto cut = std::ranges::find(reports, true, &RowReport::truncated);
  if (cut == reports.end()) return {};
  const auto place = static_cast<std::uint64_t>(cut - reports.begin());
  return std::unexpected(
      Error(ErrorCode::bad_value,
            fmt::format("a pair has {} tokens, more than the model takes, and would be cut",
                        cut->tokens))
          .at_line(num_before + place + 1));
}

/// Passes the pairs of a caller's source on to a feed.
class FeedSource {
 public:
  explicit FeedSource(PairSource& source) : source_(source) {}
  Result<bool> next(OwnedPair& pair) { return source_.next(pair.first, pair.second); }

 private:
  PairSource& source_;
};

/// Passes the rows of a feed, which are logits, on to a caller's sink.
class FeedSink final : public RowSink {
 public:
  FeedSink(ScoreSink& sink, ScoreActivation activation, bool refuse_truncated)
      : sink_(sink), activation_(activation), refuse_truncated_(refuse_truncated) {}

  Result<void> write(MatrixView rows, std::span<const RowReport> reports) override {
    if (refuse_truncated_) EMBD_TRY(check_cuts(reports, num_pairs_));
    num_pairs_ += reports.size();
    return sink_.write(rows, scores_of(rows, activation_), reports);
  }

 private:
  ScoreSink& sink_;
  const ScoreActivation activation_;
  const bool refuse_truncated_;
  std::uint64_t num_pairs_ = 0;
};

}  // namespace

/// A loaded model whose head is a classifier.
struct Reranker::Impl {
  const ModelSpec& spec() const noexcept { return model->spec(); }
  Result<RunPlan> plan(const ScoreOptions& options) const {
    return plan_run(run_options_of(options), spec(), model->available_threads());
  }
  ScoreActivation activation(const ScoreOptions& options) const {
    return options.activation.value_or(spec().score_activation);
  }

  const std::unique_ptr<const LoadedModel> model;
  const ClassifierHead head;
};

Result<Reranker> Reranker::open(const std::filesystem::path& path, const LoadOptions& options) {
  return guarded([&]() -> Result<Reranker> {
    auto model = EMBD_TRY(open_model(path, options, HeadKind::classifier));
    ClassifierHead head = EMBD_TRY(ClassifierHead::load(model->file()));
    return Reranker(std::unique_ptr<Impl>(new Impl{std::move(model), std::move(head)}));
  });
}

Reranker::Reranker(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Reranker::Reranker(Reranker&&) noexcept = default;
Reranker& Reranker::operator=(Reranker&&) noexcept = default;
Reranker::~Reranker() = default;

const std::string& Reranker::name() const noexcept {
  return impl_->spec().name;
}
const std::vector<std::string>& Reranker::labels() const noexcept {
  return impl_->spec().labels;
}
ScoreActivation Reranker::activation() const noexcept {
  return impl_->spec().score_activation;
}
std::uint32_t Reranker::max_length() const noexcept {
  return impl_->spec().max_seq_length;
}
std::uint32_t Reranker::max_positions() const noexcept {
  return impl_->spec().max_tokens();
}
std::uint32_t Reranker::least_length() const {
  return impl_->spec().least_length();
}
const std::vector<Prompt>& Reranker::prompts() const noexcept {
  return impl_->spec().prompts;
}
const std::string& Reranker::default_prompt_name() const noexcept {
  return impl_->spec().default_prompt_name;
}
const std::vector<ModelNote>& Reranker::notes() const noexcept {
  return impl_->model->notes();
}
Compute Reranker::compute() const noexcept {
  return impl_->model->compute();
}
ModelSize Reranker::size() const {
  return impl_->model->size();
}
std::string_view Reranker::instruction_set() const noexcept {
  return impl_->model->instruction_set();
}

Result<Recipe> Reranker::recipe(const ScoreOptions& options) const {
  return guarded([&]() -> Result<Recipe> {
    Recipe recipe = impl_->model->recipe(EMBD_TRY(impl_->plan(options)));
    recipe.pooling = Pooling::cls;
    recipe.normalize = false;
    recipe.truncate_dim = impl_->spec().num_labels;
    return recipe;
  });
}

Result<PairScores> Reranker::score(std::span<const TextPair> pairs, const ScoreOptions& options,
                                   std::stop_token stop) const {
  return guarded([&]() -> Result<PairScores> {
    RunPlan plan = EMBD_TRY(impl_->plan(options));
    plan.dedup = plan.dedup && pairs.size() > 1;
    PairScores result = {.logits = Matrix(pairs.size(), labels().size()),
                         .scores = {},
                         .reports = std::vector<RowReport>(pairs.size())};
    SpanFeed feed(pairs, result.logits.values(), result.reports,
                  impl_->model->feed_options(plan, impl_->head));
    EMBD_TRY(impl_->model->run(feed, plan, impl_->head, stop));
    if (options.refuse_truncated) EMBD_TRY(check_cuts(result.reports, 0));
    result.scores = scores_of(result.logits, impl_->activation(options));
    return result;
  });
}

Result<Report> Reranker::score(PairSource& source, ScoreSink& sink, const ScoreOptions& options,
                               std::stop_token stop) const {
  return guarded([&]() -> Result<Report> {
    const RunPlan plan = EMBD_TRY(impl_->plan(options));
    FeedSource pairs(source);
    FeedSink rows(sink, impl_->activation(options), options.refuse_truncated);
    StreamFeed<OwnedPair, FeedSource> feed(pairs, rows,
                                           impl_->model->feed_options(plan, impl_->head));
    return impl_->model->run(feed, plan, impl_->head, stop);
  });
}

Result<std::vector<RankedDocument>> Reranker::rank(std::string_view query,
                                                   std::span<const std::string_view> documents,
                                                   std::size_t k, const ScoreOptions& options,
                                                   std::stop_token stop) const {
  return guarded([&]() -> Result<std::vector<RankedDocument>> {
    if (labels().size() != 1) {
      return fail(
          ErrorCode::invalid_argument,
          "the model {} has {} labels, expected one label, by whose score documents are ranked",
          name(), labels().size());
    }
    return best_of(EMBD_TRY(score(pairs_of(query, documents), options, std::move(stop))), k);
  });
}

Result<Tokens> Reranker::tokenize(const TextPair& pair, const ScoreOptions& options) const {
  return guarded([&]() -> Result<Tokens> {
    ScoreOptions checked = options;
    if (options.max_length == 0) checked.max_length.reset();
    RunPlan plan = EMBD_TRY(impl_->plan(checked));
    if (options.max_length == 0) plan.text.max_length = 0;
    return impl_->model->lease_worker()->tokenizer().tokenize(pair, plan.text);
  });
}

}  // namespace embd
