#include <algorithm>

#include "base/guard.h"
#include "base/try.h"
#include "embd/searcher.h"
#include "formats/vectors/finalfusion/finalfusion_embeddings.h"

namespace embd {

Result<RowHits> search_words(const std::filesystem::path& path, const WordQueries& queries,
                             std::size_t k, const RowFilter* allowed) {
  return guarded([&]() -> Result<RowHits> {
    const auto embeddings = EMBD_TRY(finalfusion::Embeddings::open(path));
    const std::size_t num_words = embeddings.num_words();
    const std::size_t count = allowed != nullptr ? num_words : std::min(k, num_words);
    RowHits hits;
    const auto add = [&](std::span<const finalfusion::SimilarWord> found) {
      std::vector<RowHit>& rows = hits.emplace_back();
      for (const auto& [row, word, similarity] : found) {
        if (rows.size() == k) break;
        if (allowed == nullptr || allowed->contains(row)) rows.push_back({row, 1.0F - similarity});
      }
    };
    for (const std::string& word : queries.words) add(EMBD_TRY(embeddings.similar(word, count)));
    for (const auto& [a, b, c] : queries.analogies)
      add(EMBD_TRY(embeddings.analogy(a, b, c, count)));
    return hits;
  });
}

}  // namespace embd
