#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "embd/model.h"
#include "embd/vectors.h"

namespace embd {

/// Rows that are windows of texts. The id of such a row is "TEXT#N": window N, from 1, of the text
/// with that id, or of that line.
class TextsOfWindows {
 public:
  /// `ids` and `model` must outlive it. Without a model nothing is known of where windows lie.
  TextsOfWindows(const Ids& ids, const Recipe& recipe, const Model* model);

  /// The key of a row's text: what stands before the last "#" of its id, or all of it.
  std::string_view text_key(std::uint64_t row) const;
  /// Returns the part of the row's text that is its window. Rows of one text are best asked for
  /// one after the other: the text is cut once for them. Errors: those of Model::windows();
  /// recipe_mismatch for a text that has no such window.
  Result<std::string_view> part_of(std::string_view text, std::uint64_t row);

 private:
  std::string_view id(std::uint64_t row) const;
  Result<void> cut(std::string_view text);

  const Ids& ids_;
  const Model* model_;
  EncodeOptions options_;
  std::string text_;                // the last one that was cut
  std::vector<RowReport> windows_;  // of it
};

}  // namespace embd
