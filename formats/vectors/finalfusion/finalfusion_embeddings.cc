#include "formats/vectors/finalfusion/finalfusion_embeddings.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/try.h"
#include "base/utf8.h"
#include "formats/vectors/finalfusion/finalfusion_layout.h"

namespace embd::finalfusion {
namespace {

bool better(const SimilarWord& a, const SimilarWord& b) {
  if (a.similarity != b.similarity) return a.similarity > b.similarity;
  return a.word < b.word;
}

/// Keeps the best of all words that are added.
class Best {
 public:
  explicit Best(std::size_t count) : count_(count) {}

  void offer(const SimilarWord& word) {
    if (heap_.size() == count_) {
      if (count_ == 0 || !better(word, heap_.front())) return;
      std::ranges::pop_heap(heap_, better);
      heap_.pop_back();
    }
    heap_.push_back(word);
    std::ranges::push_heap(heap_, better);
  }
  std::vector<SimilarWord> sorted() && {
    std::ranges::sort_heap(heap_, better);
    return std::move(heap_);
  }

 private:
  std::size_t count_;
  std::vector<SimilarWord> heap_;  // A heap with the worst word in front.
};

}  // namespace

Result<Embeddings> Embeddings::open(const std::filesystem::path& path) {
  MappedFile file = EMBD_TRY(MappedFile::open(path));
  const auto read = [&]() -> Result<Parts> {
    try {
      return read_parts(file.bytes());
    } catch (const std::bad_alloc&) {
      return fail(ErrorCode::out_of_memory, "there is not enough memory to read the vocabulary");
    }
  };
  Parts parts = EMBD_TRY(in_file(path, read()));
  return Embeddings(std::move(file), std::move(parts));
}

Result<WordVector> Embeddings::lookup(std::string_view word) const {
  if (const auto bad = find_invalid_utf8(word))
    return fail(ErrorCode::invalid_utf8, "byte {} of the word is not part of a character in UTF-8",
                *bad);
  const VocabularyChunk& vocabulary = parts_->vocabulary;
  const Storage& storage = parts_->storage;
  WordVector found;
  found.values.resize(dim());
  found.row = vocabulary.find(word);
  if (found.row) {
    storage.read(*found.row, found.values);
    if (parts_->norms) found.norm = (*parts_->norms)[*found.row];
    return found;
  }
  found.subword_rows = vocabulary.subword_rows(word);
  if (found.subword_rows.empty()) {
    return fail_in(path(), ErrorCode::missing, "the word {:?} is not in the vocabulary{}", word,
                   vocabulary.has_subwords() ? ", and neither is any part of it" : "");
  }
  std::vector<float> row(dim());
  for (const std::uint64_t subword_row : found.subword_rows) {
    storage.read(subword_row, row);
    for (std::size_t i = 0; i < row.size(); ++i) found.values[i] += row[i];
  }
  found.norm = normalize(found.values);
  return found;
}

std::vector<SimilarWord> Embeddings::similar_to(std::span<const float> query, std::size_t count,
                                                std::span<const std::uint64_t> skip) const {
  Best best(count);
  parts_->storage.for_each_dot(query, num_words(), [&](std::uint64_t row, float similarity) {
    if (std::ranges::find(skip, row) != skip.end()) return;
    if (std::isnan(similarity)) similarity = -std::numeric_limits<float>::infinity();
    best.offer({.row = row, .word = word(row), .similarity = similarity});
  });
  return std::move(best).sorted();
}

Result<std::vector<SimilarWord>> Embeddings::similar(std::string_view word,
                                                     std::size_t count) const {
  const WordVector query = EMBD_TRY(lookup(word));
  std::vector<std::uint64_t> skip;
  if (query.row) skip.push_back(*query.row);
  return similar_to(query.values, count, skip);
}

Result<std::vector<SimilarWord>> Embeddings::analogy(std::string_view a, std::string_view b,
                                                     std::string_view c, std::size_t count) const {
  std::vector<WordVector> vectors;
  for (const std::string_view word : {a, b, c}) vectors.push_back(EMBD_TRY(lookup(word)));
  std::vector<float> query(dim());
  for (std::size_t i = 0; i < query.size(); ++i)
    query[i] = vectors[1].values[i] - vectors[0].values[i] + vectors[2].values[i];
  normalize(query);
  std::vector<std::uint64_t> skip;
  for (const WordVector& vector : vectors)
    if (vector.row) skip.push_back(*vector.row);
  return similar_to(query, count, skip);
}

}  // namespace embd::finalfusion
