#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "embd/model.h"
#include "embd/vectors.h"

namespace embd {

/// The texts of rows that are windows. The id of such a row is "TEXT#N": window N, from 1, of the
/// text with the id, or at the line, TEXT.
class TextsOfWindows {
 public:
  /// `ids` and `model` must outlive this object. Without a model, the places of windows in their
  /// texts are unknown.
  TextsOfWindows(const Ids& ids, const Recipe& recipe, const Model* model);

  /// Returns the key of a row's text: the part of its id before the last "#", or all of it.
  std::string_view text_key(std::uint64_t row) const;
  /// Returns the part of the row's text that its window covers; without a model, the whole text.
  /// Rows of one text should be asked for one after the other, because the text is cut only once
  /// for them. Fails with the errors of Model::windows(), and with recipe_mismatch for a text that
  /// has no such window.
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
