#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "embd/embed_file.h"
#include "embd/error.h"
#include "embd/matrix.h"
#include "embd/model.h"
#include "jobs/collect/passage_rows.h"
#include "jobs/embed/journal.h"

namespace embd::collection {

/// The name of the journal in a collection. It has the vectors that an update has computed, until
/// the update is complete.
inline constexpr std::string_view journal_name = "journal";

/// The vectors of passages that are not in a collection yet. A passage has a key, which is a hash
/// of the text that the model reads and of the recipe. Passages with the same key have the same
/// vector, wherever they are. Not thread-safe.
class NewVectors {
 public:
  /// `model` must outlive this object. `recipe_hex` identifies the recipe of its vectors.
  NewVectors(const Model& model, EncodeOptions options, std::string recipe_hex);

  std::uint64_t dim() const noexcept { return dim_; }
  /// Asks for the vector of passage i, and returns its key. `passages` must not change before
  /// embed() has returned.
  std::string want(const PassageRows& passages, std::size_t i);
  /// Takes the vectors of equal passages of a generation, whose vectors have the same recipe.
  Result<void> take_from(const PassageReader& passages);
  /// Takes the vectors that an interrupted update has left in the journal, and computes the others,
  /// which are written to the journal. Fails with the errors of Model::encode() and of writing.
  Result<void> embed(const std::filesystem::path& journal,
                     const std::function<void(const EmbedProgress&)>& progress,
                     std::stop_token stop);
  /// Returns the vectors of passages with these keys, [keys, dim]. embed() must have returned.
  Result<Matrix> rows_of(std::span<const std::string> keys) const;

  /// Returns the numbers of texts, and of their tokens, that embed() computed.
  std::uint64_t num_embedded() const noexcept { return num_embedded_; }
  std::uint64_t num_tokens() const noexcept { return num_tokens_; }

 private:
  struct Wanted {
    const PassageRows* passages = nullptr;
    std::size_t place = 0;                  ///< in `passages`
    std::optional<std::uint64_t> row = {};  ///< in rows_; unset: not known yet
  };
  class Texts;
  class Rows;

  std::string key_of(std::string_view text) const;
  std::uint64_t add_row(std::span<const float> values);
  Result<Journal> open_journal(const std::filesystem::path& path) const;
  Result<void> take_from(Journal& journal);

  const Model& model_;
  EncodeOptions options_;
  std::string recipe_hex_;
  std::uint64_t dim_;
  std::unordered_map<std::string, Wanted> wanted_;
  std::vector<std::string> order_;  // the keys, in the order in which they were wanted
  std::vector<float> rows_;         // [rows, dim]
  std::uint64_t num_embedded_ = 0;
  std::uint64_t num_tokens_ = 0;
};

}  // namespace embd::collection
