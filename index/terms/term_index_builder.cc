#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>

#include "base/try.h"
#include "base/utf8.h"
#include "index/terms/term_finder.h"
#include "index/terms/term_index_impl.h"

namespace embd {
namespace {

/// The terms so far, which have numbers in the order in which they came, from 0. Their texts stand
/// one after the other.
class TermNumbers {
 public:
  std::size_t size() const noexcept { return starts_.size() - 1; }
  std::string_view operator[](std::size_t number) const noexcept {
    return std::string_view(texts_).substr(starts_[number], starts_[number + 1] - starts_[number]);
  }
  /// Returns the number of a term. A new term gets the next one.
  std::uint32_t number_of(std::string_view term);
  /// Returns the number of bytes of all terms.
  std::size_t num_bytes() const noexcept { return texts_.size(); }

 private:
  static constexpr std::uint32_t no_number = std::numeric_limits<std::uint32_t>::max();

  struct Slot {
    std::uint32_t hash = 0;
    std::uint32_t number = no_number;
  };

  /// Returns the slot that a term with this hash is looked for in after `slot`.
  std::size_t next(std::size_t slot) const noexcept { return (slot + 1) & (slots_.size() - 1); }
  void grow();

  std::string texts_;
  std::vector<std::size_t> starts_ = {0};  // and the end of the last
  /// A hash table, at most half full. A term is in the slot of its hash, or in the next free one.
  std::vector<Slot> slots_ = std::vector<Slot>(1024);
};

std::uint32_t TermNumbers::number_of(std::string_view term) {
  const auto hash = static_cast<std::uint32_t>(std::hash<std::string_view>()(term));
  std::size_t slot = hash & (slots_.size() - 1);
  for (; slots_[slot].number != no_number; slot = next(slot)) {
    const Slot& found = slots_[slot];
    if (found.hash == hash && (*this)[found.number] == term) return found.number;
  }
  if (size() == no_number) throw std::length_error("too many terms");
  const auto number = static_cast<std::uint32_t>(size());
  texts_ += term;
  starts_.push_back(texts_.size());
  slots_[slot] = {hash, number};
  if (2 * size() > slots_.size()) grow();
  return number;
}

void TermNumbers::grow() {
  const std::vector<Slot> old = std::exchange(slots_, std::vector<Slot>(2 * slots_.size()));
  for (const Slot& filled : old) {
    if (filled.number == no_number) continue;
    std::size_t slot = filled.hash & (slots_.size() - 1);
    while (slots_[slot].number != no_number) slot = next(slot);
    slots_[slot] = filled;
  }
}

}  // namespace

class TermIndexBuilder::Impl {
 public:
  Impl(TermFinder finder, TermRecipe recipe)
      : finder_(std::move(finder)), recipe_(std::move(recipe)) {}

  std::uint64_t num_rows() const noexcept { return memory_->lengths.size(); }
  Result<void> add(std::string_view text);
  Result<void> add_rows(const TermIndex::Impl& index, std::uint64_t first, std::uint64_t count);
  Result<TermIndex> finish();

 private:
  /// The memory that a built index refers to.
  struct BuiltMemory {
    std::vector<std::int64_t> starts;
    std::vector<std::uint32_t> rows;
    std::vector<float> scores;
    std::vector<std::uint16_t> counts;
    std::vector<std::uint32_t> lengths;
    std::string terms;  // one after the other
  };

  /// The terms of some rows, one after the other: the number of a term and how often the row has
  /// it.
  struct RowBlock {
    static constexpr std::size_t size = 1 << 20;

    std::vector<std::uint32_t> terms;
    std::vector<std::uint16_t> counts;
  };

  /// The postings of an index row by row, which it stores term by term. Takes 6 bytes for each.
  class TermRows {
   public:
    explicit TermRows(const TermPostings& postings);

    /// Return the columns of the terms of a row, ascending, and how often the row has each.
    std::span<const std::uint32_t> columns(std::size_t row) const noexcept {
      return std::span(columns_).subspan(starts_[row], starts_[row + 1] - starts_[row]);
    }
    std::span<const std::uint16_t> counts(std::size_t row) const noexcept {
      return std::span(counts_).subspan(starts_[row], starts_[row + 1] - starts_[row]);
    }

   private:
    std::vector<std::size_t> starts_;  // [rows + 1]
    std::vector<std::uint32_t> columns_;
    std::vector<std::uint16_t> counts_;
  };

  /// An index whose rows are taken over.
  struct TakenIndex {
    const TermIndex::Impl* index;
    TermRows rows;
    std::vector<std::optional<std::uint32_t>> numbers;  // of the terms of its columns, if known
  };

  std::uint32_t number_of(std::string_view term);
  Result<void> check_room(std::uint64_t count) const;
  void end_row(std::uint32_t length, std::uint32_t num_terms);
  void add_row(TakenIndex& taken, std::size_t row);
  void append(std::uint32_t term, std::size_t count);
  std::vector<std::uint32_t> sort_terms();
  void sort_postings(std::span<const std::uint32_t> columns);
  void compute_scores(const Bm25& bm25);

  TermFinder finder_;
  TermRecipe recipe_;
  TermNumbers numbers_;
  std::vector<std::uint64_t> num_rows_with_;  // each term
  std::vector<RowBlock> blocks_;
  std::vector<std::uint32_t> num_terms_;  // different ones, in each row
  std::vector<std::uint32_t> found_;      // numbers of the terms of a text
  std::vector<std::string_view> terms_;   // in the memory of the index, sorted
  std::optional<TakenIndex> taken_;
  std::shared_ptr<BuiltMemory> memory_ = std::make_shared<BuiltMemory>();
};

std::uint32_t TermIndexBuilder::Impl::number_of(std::string_view term) {
  const std::uint32_t number = numbers_.number_of(term);
  if (number == num_rows_with_.size()) num_rows_with_.push_back(0);
  return number;
}

void TermIndexBuilder::Impl::append(std::uint32_t term, std::size_t count) {
  if (blocks_.empty() || blocks_.back().terms.size() == RowBlock::size) {
    blocks_.emplace_back();
    blocks_.back().terms.reserve(RowBlock::size);
    blocks_.back().counts.reserve(RowBlock::size);
  }
  blocks_.back().terms.push_back(term);
  blocks_.back().counts.push_back(static_cast<std::uint16_t>(count));
  ++num_rows_with_[term];
}

Result<void> TermIndexBuilder::Impl::check_room(std::uint64_t count) const {
  constexpr std::uint64_t most_rows = std::numeric_limits<std::int32_t>::max();
  if (count <= most_rows - num_rows()) return {};
  return fail(ErrorCode::unsupported, "a term index has at most {} rows", most_rows);
}

void TermIndexBuilder::Impl::end_row(std::uint32_t length, std::uint32_t num_terms) {
  memory_->lengths.push_back(length);
  num_terms_.push_back(num_terms);
}

Result<void> TermIndexBuilder::Impl::add(std::string_view text) {
  constexpr std::size_t most_count = std::numeric_limits<std::uint16_t>::max();
  EMBD_TRY(check_room(1));
  found_.clear();
  EMBD_TRY(finder_.find(
      text, [&](std::string_view term, ByteRange) { found_.push_back(number_of(term)); }));
  std::ranges::sort(found_);
  std::uint32_t length = 0;
  std::uint32_t num_terms = 0;
  for (std::size_t i = 0; i < found_.size(); ++num_terms) {
    const auto behind = std::upper_bound(found_.begin() + i, found_.end(), found_[i]);
    const auto end = static_cast<std::size_t>(behind - found_.begin());
    const std::size_t count = std::min(end - i, most_count);
    append(found_[i], count);
    length += static_cast<std::uint32_t>(count);
    i = end;
  }
  end_row(length, num_terms);
  return {};
}

TermIndexBuilder::Impl::TermRows::TermRows(const TermPostings& postings)
    : starts_(postings.lengths.size() + 1),
      columns_(postings.rows.size()),
      counts_(postings.rows.size()) {
  for (const std::uint32_t row : postings.rows) ++starts_[row + 1];
  std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
  std::vector<std::size_t> next(starts_.begin(), starts_.end() - 1);
  for (std::size_t column = 0; column + 1 < postings.starts.size(); ++column) {
    const auto behind = static_cast<std::size_t>(postings.starts[column + 1]);
    for (auto i = static_cast<std::size_t>(postings.starts[column]); i < behind; ++i) {
      const std::size_t to = next[postings.rows[i]]++;
      columns_[to] = static_cast<std::uint32_t>(column);
      counts_[to] = postings.counts[i];
    }
  }
}

Result<void> TermIndexBuilder::Impl::add_rows(const TermIndex::Impl& index, std::uint64_t first,
                                              std::uint64_t count) {
  if (index.recipe() != recipe_)
    return fail(ErrorCode::recipe_mismatch, "the rows to add are of an index with another recipe");
  const std::uint64_t num_rows = index.postings().lengths.size();
  if (first > num_rows || count > num_rows - first)
    return fail(ErrorCode::invalid_argument, "rows {} to {} were to be added of an index of {}",
                first, first + count, num_rows);
  EMBD_TRY(check_room(count));
  if (!taken_ || taken_->index != &index)
    taken_.emplace(&index, TermRows(index.postings()),
                   std::vector<std::optional<std::uint32_t>>(index.vocabulary().size()));
  for (std::uint64_t row = first; row < first + count; ++row) add_row(*taken_, row);
  return {};
}

void TermIndexBuilder::Impl::add_row(TakenIndex& taken, std::size_t row) {
  const auto columns = taken.rows.columns(row);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    auto& number = taken.numbers[columns[i]];
    if (!number) number = number_of(taken.index->vocabulary()[columns[i]]);
    append(*number, taken.rows.counts(row)[i]);
  }
  end_row(taken.index->postings().lengths[row], static_cast<std::uint32_t>(columns.size()));
}

/// Moves the terms into the memory of the index, sorted, and returns the column of each number.
std::vector<std::uint32_t> TermIndexBuilder::Impl::sort_terms() {
  std::vector<std::pair<std::string_view, std::uint32_t>> sorted;
  sorted.reserve(numbers_.size());
  for (std::uint32_t number = 0; number < numbers_.size(); ++number)
    sorted.emplace_back(numbers_[number], number);
  std::ranges::sort(sorted);
  std::vector<std::uint32_t> columns(sorted.size());
  BuiltMemory& memory = *memory_;
  memory.terms.reserve(numbers_.num_bytes());
  memory.starts.reserve(sorted.size() + 1);
  memory.starts.push_back(0);
  for (std::uint32_t column = 0; column < sorted.size(); ++column) {
    const auto& [term, number] = sorted[column];
    columns[number] = column;
    memory.terms += term;
    memory.starts.push_back(memory.starts.back() +
                            static_cast<std::int64_t>(num_rows_with_[number]));
  }
  terms_.reserve(sorted.size());
  std::string_view rest = memory.terms;
  for (const auto& [term, number] : sorted) {
    terms_.push_back(rest.substr(0, term.size()));
    rest.remove_prefix(term.size());
  }
  numbers_ = TermNumbers();
  return columns;
}

/// Moves the postings from the blocks, where they stand by row, to their columns.
void TermIndexBuilder::Impl::sort_postings(std::span<const std::uint32_t> columns) {
  BuiltMemory& memory = *memory_;
  const auto num_postings = static_cast<std::size_t>(memory.starts.back());
  memory.rows.resize(num_postings);
  memory.counts.resize(num_postings);
  std::vector<std::int64_t> next(memory.starts.begin(), memory.starts.end() - 1);
  std::size_t row = 0;
  std::uint32_t left = num_terms_.empty() ? 0 : num_terms_[0];
  for (RowBlock& block : blocks_) {
    for (std::size_t i = 0; i < block.terms.size(); ++i) {
      while (left == 0) left = num_terms_[++row];
      --left;
      const auto to = static_cast<std::size_t>(next[columns[block.terms[i]]]++);
      memory.rows[to] = static_cast<std::uint32_t>(row);
      memory.counts[to] = block.counts[i];
    }
    block = RowBlock();
  }
}

void TermIndexBuilder::Impl::compute_scores(const Bm25& bm25) {
  BuiltMemory& memory = *memory_;
  memory.scores.reserve(memory.rows.size());
  for (std::size_t column = 0; column + 1 < memory.starts.size(); ++column) {
    const auto first = static_cast<std::size_t>(memory.starts[column]);
    const auto behind = static_cast<std::size_t>(memory.starts[column + 1]);
    const double idf = bm25.idf(behind - first);
    for (std::size_t i = first; i < behind; ++i)
      memory.scores.push_back(bm25.score(idf, memory.counts[i], memory.lengths[memory.rows[i]]));
  }
}

Result<TermIndex> TermIndexBuilder::Impl::finish() {
  sort_postings(sort_terms());
  const BuiltMemory& memory = *memory_;
  compute_scores(Bm25(recipe_.k1, recipe_.b, memory.lengths));
  for (const std::string_view term : terms_) {
    if (find_invalid_utf8(term))
      return fail(ErrorCode::unsupported, "a token of the model is not valid UTF-8");
  }
  const TermPostings postings = {.starts = memory.starts,
                                 .rows = memory.rows,
                                 .scores = memory.scores,
                                 .counts = memory.counts,
                                 .lengths = memory.lengths};
  TermVocabulary vocabulary(std::move(terms_));
  return TermIndex::Impl::make(std::make_unique<TermIndex::Impl>(
      std::move(recipe_), postings, std::move(vocabulary), std::move(memory_)));
}

TermIndexBuilder::TermIndexBuilder(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
TermIndexBuilder::TermIndexBuilder(TermIndexBuilder&&) noexcept = default;
TermIndexBuilder& TermIndexBuilder::operator=(TermIndexBuilder&&) noexcept = default;
TermIndexBuilder::~TermIndexBuilder() = default;

Result<TermIndexBuilder> TermIndexBuilder::create(const TermOptions& options) {
  return guarded([&]() -> Result<TermIndexBuilder> {
    TermFinder finder = EMBD_TRY(TermFinder::create(options));
    TermRecipe recipe = EMBD_TRY(term_recipe(options));
    return TermIndexBuilder(std::make_unique<Impl>(std::move(finder), std::move(recipe)));
  });
}

Result<void> TermIndexBuilder::add(std::string_view text) {
  return guarded([&] { return impl_->add(text); });
}

Result<void> TermIndexBuilder::add_rows(const TermIndex& index, std::uint64_t first,
                                        std::uint64_t count) {
  return guarded([&] { return impl_->add_rows(*index.impl_, first, count); });
}

std::uint64_t TermIndexBuilder::num_rows() const noexcept {
  return impl_->num_rows();
}

Result<TermIndex> TermIndexBuilder::finish() && {
  return guarded([&] { return impl_->finish(); });
}

}  // namespace embd
