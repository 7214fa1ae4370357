#include "jobs/search/query_terms.h"

#include <algorithm>
#include <unordered_set>

#include "base/try.h"

namespace embd {
namespace {

/// Joins ranges that overlap or touch. The terms of an identifier and of its parts overlap.
std::vector<ByteRange> joined(std::vector<ByteRange> ranges) {
  std::ranges::sort(ranges, {}, [](const ByteRange& range) { return range.begin; });
  std::vector<ByteRange> all;
  for (const ByteRange& range : ranges) {
    if (all.empty() || range.begin > all.back().end)
      all.push_back(range);
    else
      all.back().end = std::max(all.back().end, range.end);
  }
  return all;
}

/// Adds up the weights of the terms of each line, and knows the best line so far. Terms come in
/// their order.
class LineWeights {
 public:
  explicit LineWeights(std::string_view text) : text_(text) {}

  void add(const std::string& term, float weight, std::size_t place) {
    const auto breaks = std::count(text_.begin() + static_cast<std::ptrdiff_t>(place_),
                                   text_.begin() + static_cast<std::ptrdiff_t>(place), '\n');
    if (breaks > 0) {
      line_ += static_cast<std::uint64_t>(breaks);
      weight_ = 0;
      terms_.clear();
    }
    place_ = place;
    if (terms_.insert(term).second) weight_ += weight;
    if (best_ && weight_ <= best_weight_) return;
    best_ = line_;
    best_weight_ = weight_;
  }
  std::optional<std::uint64_t> best() const noexcept { return best_; }

 private:
  std::string_view text_;
  std::size_t place_ = 0;
  std::uint64_t line_ = 1;                 // of place_
  std::unordered_set<std::string> terms_;  // of the line; each counts once
  float weight_ = 0;
  std::optional<std::uint64_t> best_;
  float best_weight_ = 0;
};

}  // namespace

Result<QueryTerms> QueryTerms::create(const TermIndex& index, std::string_view query,
                                      const Model* model) {
  QueryTerms terms(index, model);
  for (std::string& term : EMBD_TRY(index.query(query, model)).texts) {
    const float weight = index.weight(term);
    terms.weights_.emplace(std::move(term), weight);
  }
  return terms;
}

Result<TermPlaces> QueryTerms::places_in(std::string_view text) const {
  if (weights_.empty()) return TermPlaces();
  const Terms terms = EMBD_TRY(index_->query(text, model_));
  std::vector<std::size_t> found;  // numbers of terms, by their places
  for (std::size_t i = 0; i < terms.texts.size(); ++i)
    if (weights_.contains(terms.texts[i])) found.push_back(i);
  std::ranges::stable_sort(found, {}, [&](std::size_t i) { return terms.ranges[i].begin; });
  TermPlaces places;
  LineWeights lines(text);
  for (const std::size_t i : found) {
    const std::string& term = terms.texts[i];
    places.ranges.push_back(terms.ranges[i]);
    lines.add(term, weights_.at(term), terms.ranges[i].begin);
  }
  places.ranges = joined(std::move(places.ranges));
  places.line = lines.best();
  return places;
}

}  // namespace embd
