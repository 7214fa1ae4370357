#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "embd/model.h"
#include "embd/searcher.h"
#include "embd/vectors.h"

namespace embd {

/// Finds rows by their ids without looking at every row. It is a hash table with a chain of rows
/// for each hash, which takes up to 24 bytes for each row, and nothing if row numbers stand for
/// ids.
class RowsById {
 public:
  /// `ids` must outlive this object.
  RowsById(const Ids& ids, std::uint64_t num_rows);

  /// Returns the rows whose id is one of `wanted`, ascending and without repeats. Ids that are
  /// numbers are written in decimal digits.
  std::vector<std::uint64_t> rows_of(std::span<const std::string> wanted) const;

 private:
  static constexpr std::uint64_t end = ~std::uint64_t{0};

  void add_rows_of(std::string_view wanted, std::vector<std::uint64_t>& rows) const;

  const Ids& ids_;
  std::uint64_t num_rows_;
  std::vector<std::uint64_t> heads_;  // [a power of two], the last row with that hash, or end
  std::vector<std::uint64_t> next_;   // [rows], the row before it with the same hash, or end
};

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

/// Collects the texts of all rows, or of the rows that a search found.
class RowTextsBuilder {
 public:
  /// `hits` is null for the texts of all rows. `windows` must be given if rows are windows of
  /// texts, and must outlive this object; otherwise it is null.
  RowTextsBuilder(std::uint64_t num_rows, const RowHits* hits, TextsOfWindows* windows = nullptr);

  /// Reads a file whose text i belongs to row `first_row` + i. Fails with the errors of
  /// open_records(), and with bad_count unless there are `num_rows` texts.
  Result<void> read_in_order(const std::filesystem::path& path, const InputOptions& input,
                             std::uint64_t first_row, std::uint64_t num_rows);
  /// Reads a file whose texts belong to the rows with the same ids. Fails with the errors of
  /// open_records(), and with duplicate for a second text of a row.
  Result<void> read_by_id(const std::filesystem::path& path, const InputOptions& input,
                          const RowsById& rows_by_id);
  /// Reads a file whose texts have rows as windows. Fails with the errors of open_records() and of
  /// TextsOfWindows::part_of(), with file and line, and with duplicate for a second text of a row.
  Result<void> read_windows(const std::filesystem::path& path, const InputOptions& input);
  /// Reads the texts that a vector set stores itself; its first row is `first_row`.
  Result<void> read_stored(const VectorReader& set, std::uint64_t first_row);
  /// Fails with missing for a row without a text. `files` are the files that were read; the error
  /// names the file if there is only one.
  Result<void> check_complete(const Ids& ids, std::span<const std::filesystem::path> files) const;

  RowTexts finish() && {
    texts_.are_known_ = true;
    return std::move(texts_);
  }

 private:
  /// Returns the place for the text of a row; null if the text is not wanted.
  RowTexts::Place* place_of(std::uint64_t row);
  RowTexts::Place add(std::string_view text);
  /// Adds the window of a text for the row at `place`.
  Result<void> add_window(std::string_view text, std::size_t place);
  /// Returns the row of a place.
  std::uint64_t row_of(std::size_t place) const noexcept;

  RowTexts texts_;
  TextsOfWindows* windows_;
};

}  // namespace embd
