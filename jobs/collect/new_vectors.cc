#include "jobs/collect/new_vectors.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/checksum.h"
#include "base/try.h"

namespace embd::collection {

/// The texts of the passages that have no vectors, in order.
class NewVectors::Texts final : public TextSource {
 public:
  explicit Texts(const NewVectors& vectors) : vectors_(vectors) {
    for (const std::string& key : vectors.order_)
      if (!vectors.wanted_.at(key).row) keys_.push_back(key);
  }

  const std::vector<std::string>& keys() const noexcept { return keys_; }
  Result<bool> next(std::string& text) override {
    if (next_ == keys_.size()) return false;
    const Wanted& wanted = vectors_.wanted_.at(keys_[next_++]);
    text = wanted.passages->embedded_text(wanted.place);
    return true;
  }

 private:
  const NewVectors& vectors_;
  std::vector<std::string> keys_;
  std::size_t next_ = 0;
};

/// Receives the vectors of these texts, and writes them to the journal.
class NewVectors::Rows final : public RowSink {
 public:
  Rows(NewVectors& vectors, const std::vector<std::string>& keys, Journal& journal,
       const std::function<void(const EmbedProgress&)>& progress)
      : vectors_(vectors), keys_(keys), journal_(journal), report_(progress) {}

  Result<void> write(MatrixView rows, std::span<const RowReport> reports) override {
    RowBatch batch;
    batch.rows = rows;
    std::vector<std::string> ids;
    for (std::size_t i = 0; i < rows.rows(); ++i) {
      const std::string& key = keys_[vectors_.num_embedded_++];
      // Rows that came earlier have not moved: numbers stay valid when rows_ grows.
      found_.emplace_back(key, vectors_.add_row(rows.row(i)));
      ids.push_back(key);
      batch.notes.push_back({.tokens = reports[i].tokens});
      vectors_.num_tokens_ += reports[i].tokens;
    }
    batch.ids = std::move(ids);
    EMBD_TRY(journal_.append(batch, {.num_records = rows.rows()}));
    if (report_) report_(progress());
    return {};
  }
  /// Hands the vectors over, when the source of texts is not in use any more.
  void finish() {
    for (const auto& [key, row] : found_) vectors_.wanted_.at(key).row = row;
  }

 private:
  EmbedProgress progress() const {
    EmbedProgress progress;
    progress.rows = vectors_.num_embedded_;
    progress.tokens = vectors_.num_tokens_;
    progress.seconds = std::chrono::duration<double>(Clock::now() - began_).count();
    progress.share = static_cast<double>(progress.rows) / static_cast<double>(keys_.size());
    return progress;
  }

  using Clock = std::chrono::steady_clock;

  NewVectors& vectors_;
  const std::vector<std::string>& keys_;
  Journal& journal_;
  const std::function<void(const EmbedProgress&)>& report_;
  std::vector<std::pair<std::string, std::uint64_t>> found_;
  const Clock::time_point began_ = Clock::now();
};

NewVectors::NewVectors(const Model& model, EncodeOptions options, std::string recipe_hex)
    : model_(model),
      options_(std::move(options)),
      recipe_hex_(std::move(recipe_hex)),
      dim_(model.dim()) {}

std::string NewVectors::key_of(std::string_view text) const {
  Sha256 hash;
  hash.update(recipe_hex_);
  hash.update(text);
  return hash.hex();
}

std::string NewVectors::want(const PassageRows& passages, std::size_t i) {
  std::string key = key_of(passages.embedded_text(i));
  if (wanted_.try_emplace(key, Wanted{&passages, i}).second) order_.push_back(key);
  return key;
}

std::uint64_t NewVectors::add_row(std::span<const float> values) {
  const std::uint64_t row = rows_.size() / dim_;
  rows_.insert(rows_.end(), values.begin(), values.end());
  return row;
}

Result<void> NewVectors::take_from(const PassageReader& passages) {
  constexpr std::uint64_t most_rows = 4096;
  std::vector<float> vector(dim_);
  for (std::uint64_t first = 0; first < passages.num_rows() && !wanted_.empty();
       first += most_rows) {
    const std::uint64_t count = std::min(most_rows, passages.num_rows() - first);
    const auto texts = EMBD_TRY(passages.texts(first, count));
    const auto contexts = EMBD_TRY(passages.text_column("context", first, count));
    for (std::uint64_t i = 0; i < count; ++i) {
      const auto found = wanted_.find(key_of(embedded_text(contexts[i], texts[i])));
      if (found == wanted_.end() || found->second.row) continue;
      EMBD_TRY(passages.vectors(first + i, 1, vector));
      found->second.row = add_row(vector);
    }
  }
  return {};
}

Result<Journal> NewVectors::open_journal(const std::filesystem::path& path) const {
  const Conditions conditions = {{"recipe", recipe_hex_}};
  auto journal = Journal::open(path, conditions, dim_, false);
  if (journal || journal.error().code() == ErrorCode::io_failed) return journal;
  // A journal of another recipe, or a damaged one, has nothing that could be used.
  return Journal::open(path, conditions, dim_, true);
}

Result<void> NewVectors::take_from(Journal& journal) {
  return journal.for_each([&](const RowBatch& batch) -> Result<void> {
    const auto* keys = std::get_if<std::vector<std::string>>(&batch.ids);
    for (std::size_t i = 0; keys != nullptr && i < keys->size(); ++i) {
      const auto found = wanted_.find((*keys)[i]);
      if (found != wanted_.end() && !found->second.row)
        found->second.row = add_row(batch.rows.row(i));
    }
    return {};
  });
}

Result<void> NewVectors::embed(const std::filesystem::path& path,
                               const std::function<void(const EmbedProgress&)>& progress,
                               std::stop_token stop) {
  const auto is_missing = [](const auto& entry) { return !entry.second.row; };
  if (std::ranges::none_of(wanted_, is_missing)) return {};
  Journal journal = EMBD_TRY(open_journal(path));
  EMBD_TRY(take_from(journal));
  Texts texts(*this);
  if (texts.keys().empty()) return {};
  Rows rows(*this, texts.keys(), journal, progress);
  EMBD_TRY(model_.encode(texts, rows, options_, std::move(stop)));
  rows.finish();
  return {};
}

Result<Matrix> NewVectors::rows_of(std::span<const std::string> keys) const {
  Matrix rows(keys.size(), dim_);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const std::uint64_t row = wanted_.at(keys[i]).row.value();
    std::ranges::copy(std::span(rows_).subspan(row * dim_, dim_), rows.row(i).begin());
  }
  return rows;
}

}  // namespace embd::collection
