#include "base/output_set.h"
#include "base/try.h"
#include "index/terms/term_finder.h"
#include "index/terms/term_index_impl.h"

namespace embd {

Result<void> TermIndex::Impl::check() const {
  std::vector<std::uint32_t> lengths(postings_.lengths.size());
  for (std::size_t column = 0; column < vocabulary_.size(); ++column) {
    const double idf = bm25_.idf(num_rows_with(column));
    for (auto i = static_cast<std::size_t>(postings_.starts[column]);
         i < static_cast<std::size_t>(postings_.starts[column + 1]); ++i) {
      const std::uint32_t row = postings_.rows[i];
      const std::uint16_t count = postings_.counts[i];
      lengths[row] += count;
      const float score = bm25_.score(idf, count, postings_.lengths[row]);
      if (postings_.scores[i] != score)
        return fail(ErrorCode::bad_value,
                    "row {} has the score {} in column {}, expected {} for its {} of {} terms", row,
                    postings_.scores[i], column, score, count, postings_.lengths[row]);
    }
  }
  for (std::size_t row = 0; row < lengths.size(); ++row) {
    if (lengths[row] != postings_.lengths[row])
      return fail(ErrorCode::bad_value, "row {} has the length {}, but {} terms", row,
                  postings_.lengths[row], lengths[row]);
  }
  return {};
}

TermIndex::TermIndex(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
TermIndex::TermIndex(TermIndex&&) noexcept = default;
TermIndex& TermIndex::operator=(TermIndex&&) noexcept = default;
TermIndex::~TermIndex() = default;

Result<TermIndex> TermIndex::build(std::span<const std::string_view> texts,
                                   const TermOptions& options) {
  TermIndexBuilder builder = EMBD_TRY(TermIndexBuilder::create(options));
  for (const std::string_view text : texts) EMBD_TRY(builder.add(text));
  return std::move(builder).finish();
}

Result<TermIndex> TermIndex::open(const std::filesystem::path& folder) {
  return guarded([&] {
    return consistently<TermIndex>(folder, [&]() -> Result<TermIndex> {
      return TermIndex(EMBD_TRY(term_files::open(folder)));
    });
  });
}

Result<void> TermIndex::save(const std::filesystem::path& folder) const {
  return guarded([&] { return term_files::write(*impl_, folder); });
}

Result<void> TermIndex::check() const {
  return guarded([&] { return impl_->check(); });
}

TermIndexInfo TermIndex::info() const {
  return {.num_rows = num_rows(),
          .num_terms = impl_->vocabulary().size(),
          .num_postings = impl_->postings().rows.size(),
          .average_length = impl_->bm25().average_length(),
          .recipe = impl_->recipe()};
}

std::uint64_t TermIndex::num_rows() const noexcept {
  return impl_->postings().lengths.size();
}

Result<Terms> TermIndex::query(std::string_view text, const Model* model) const {
  const TermRecipe& recipe = impl_->recipe();
  if (recipe.kind == TermKind::tokens && model != nullptr) {
    const std::string tokenizer = EMBD_TRY(model->recipe()).tokenizer_sha256;
    if (tokenizer != recipe.tokenizer_sha256)
      return fail(ErrorCode::recipe_mismatch,
                  "the terms are tokens of another model: its tokenizer has the SHA-256 {}, that "
                  "of this model {}",
                  recipe.tokenizer_sha256, tokenizer);
  }
  return terms(text, {.kind = recipe.kind, .stemmer = recipe.stemmer, .model = model});
}

Result<std::vector<TermHit>> TermIndex::search(std::span<const std::string> query_terms,
                                               std::size_t k,
                                               const TermSearchOptions& options) const {
  return guarded([&] { return impl_->search(query_terms, k, options); });
}

Result<std::vector<float>> TermIndex::scores(std::span<const std::string> query_terms,
                                             std::span<const std::uint64_t> rows) const {
  return guarded([&] { return impl_->scores(query_terms, rows); });
}

float TermIndex::weight(std::string_view term) const noexcept {
  const auto column = impl_->vocabulary().find(term);
  return column ? static_cast<float>(impl_->bm25().idf(impl_->num_rows_with(*column))) : 0;
}

}  // namespace embd
