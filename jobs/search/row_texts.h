#pragma once

#include <cstdint>
#include <filesystem>

#include "embd/searcher.h"
#include "jobs/search/rows_by_id.h"
#include "jobs/search/texts_of_windows.h"

namespace embd {

/// Collects the texts of rows: of all, or of those that were found.
class RowTextsBuilder {
 public:
  /// `hits`: null for all rows. `windows`: null unless rows are windows of texts; must outlive it.
  RowTextsBuilder(std::uint64_t num_rows, const RowHits* hits, TextsOfWindows* windows = nullptr);

  /// Takes text i of a file as that of row `first_row` + i. Errors: those of open_records();
  /// bad_count unless there are `num_rows` texts.
  Result<void> read_in_order(const std::filesystem::path& path, const InputOptions& input,
                             std::uint64_t first_row, std::uint64_t num_rows);
  /// Takes each text of a file as that of the rows that have its id. Errors: those of
  /// open_records(); duplicate for a second text of a row.
  Result<void> read_by_id(const std::filesystem::path& path, const InputOptions& input,
                          const RowsById& rows_by_id);
  /// Takes each text of a file as that of the rows that are its windows. Errors: those of
  /// open_records() and of TextsOfWindows::part_of(), with file and line; duplicate for a second
  /// text of a row.
  Result<void> read_windows(const std::filesystem::path& path, const InputOptions& input);
  /// Takes the texts that a set of texts holds itself, whose first row is `first_row`.
  Result<void> read_stored(const VectorReader& set, std::uint64_t first_row);
  /// Error: missing for a row without a text.
  Result<void> check_complete(const Ids& ids) const;

  RowTexts finish() && { return std::move(texts_); }

 private:
  /// Where the text of a row goes; null for one that was not asked for.
  RowTexts::Place* place_of(std::uint64_t row);
  RowTexts::Place add(std::string_view text);
  /// Takes the window of a text that the row at `place` is.
  Result<void> add_window(std::string_view text, std::size_t place);
  /// The row of each place.
  std::uint64_t row_of(std::size_t place) const noexcept;

  RowTexts texts_;
  TextsOfWindows* windows_;
};

}  // namespace embd
