#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

#include "embd/searcher.h"
#include "jobs/search/rows_by_id.h"
#include "jobs/search/texts_of_windows.h"

namespace embd {

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

  RowTexts finish() && { return std::move(texts_); }

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
