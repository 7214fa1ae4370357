#include "jobs/convert/word_parts.h"

#include "base/try.h"

namespace embd {
namespace {

/// Returns the original lengths of the rows in `range`; none if a set does not have them.
Result<std::vector<float>> joined_norms(const Readers& inputs, RowRange range) {
  std::vector<float> all;
  for (const auto& input : inputs) {
    const WordEmbeddingSource* words = input->word_embeddings();
    if (words == nullptr) return std::vector<float>();
    const std::vector<float> norms = EMBD_TRY(words->norms());
    if (norms.size() != input->info().num_rows) return std::vector<float>();
    all.insert(all.end(), norms.begin(), norms.end());
  }
  return std::vector<float>(all.begin() + static_cast<std::ptrdiff_t>(range.first),
                            all.begin() + static_cast<std::ptrdiff_t>(range.end));
}

}  // namespace

Result<void> take_word_parts(const Readers& sets, RowRange taken, FinalfusionOptions& write) {
  const std::uint64_t num_rows = sets[0]->info().num_rows;
  const bool whole = sets.size() == 1 && taken.first == 0 && taken.end == num_rows;
  for (const auto& input : sets) {
    const WordEmbeddingSource* words = input->word_embeddings();
    if (words == nullptr) continue;
    if (sets.size() == 1) write.metadata = EMBD_TRY(words->metadata());
    write.subwords = EMBD_TRY(words->subwords());
    if (!write.subwords) continue;
    if (!whole) {
      return fail(ErrorCode::invalid_argument,
                  "the file has rows of subwords, which belong to the words of this file and "
                  "cannot be joined with others: read the rows of the words alone");
    }
    write.norms = EMBD_TRY(words->norms());
    return {};
  }
  write.norms = EMBD_TRY(joined_norms(sets, taken));
  return {};
}

}  // namespace embd
