#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "embd/matrix.h"
#include "embd/tokens.h"
#include "embd/vectors.h"

namespace embd {

/// Facts about a row besides its vector and its id.
struct RowNote {
  std::uint64_t line = 0;  ///< the line where its text begins, from 1
  std::uint32_t tokens = 0;
  std::uint32_t window = 0;  ///< RowReport.window
  std::uint32_t windows = 1;
  bool truncated = false;
  std::optional<TextPlace> place = {};  ///< as in RowReport
  bool is_blank = false;                ///< true if its text is blank (see is_blank())

  bool operator==(const RowNote&) const = default;
};

/// Rows on their way from the model to the outputs.
struct RowBatch {
  MatrixView rows;
  std::vector<RowNote> notes;
  Ids ids;
  /// A text for each row if an output needs texts (see Outputs::needs_texts()); otherwise empty.
  std::vector<std::string> texts;
  /// Record::file of each row if there are several files; otherwise empty.
  std::vector<std::string> files;
  /// Record::fields of each row if further fields were asked for; otherwise empty.
  std::vector<std::string> fields;
};

/// Turns the values of further fields of records (Record::fields) into sections, and into columns
/// of numbers and texts. If an output has sections but no columns of texts (CVC), texts become
/// values of its sections.
class RowFields {
 public:
  RowFields() = default;
  /// Makes the fields of a job. Rows with equal values of the fields `sections` form a section;
  /// each of `columns` is a field of numbers (NAME or NAME:TYPE) or of texts (NAME:text). Fails
  /// with invalid_argument.
  static Result<RowFields> create(const std::vector<std::string>& sections,
                                  const std::vector<std::string>& columns);

  /// Return the fields to read: InputOptions::fields and InputOptions::number_fields.
  std::vector<std::string> field_names() const;
  /// Returns the fields to read as InputOptions.number_fields.
  std::vector<std::string> number_names() const;
  const std::vector<std::string>& sections() const noexcept { return section_fields_; }
  const std::vector<std::string>& text_columns() const noexcept { return text_columns_; }
  const std::vector<NumberColumn>& columns() const noexcept { return columns_; }
  bool is_empty() const noexcept {
    return section_fields_.empty() && text_columns_.empty() && columns_.empty();
  }
  /// Makes the values of columns of texts values of the sections, too.
  void put_texts_into_sections() noexcept { sections_have_texts_ = true; }

  /// Fails with bad_type or bad_value for values that do not fit their columns.
  Result<void> check(std::string_view values) const;

  /// Consecutive rows of one section.
  struct Piece {
    std::size_t first = 0;
    std::size_t count = 0;
    std::string section;  ///< the metadata of the section; empty without sections
    std::vector<std::vector<std::byte>> columns;  ///< for each column, the values of these rows
    /// For each column of texts, the values of these rows.
    std::vector<std::vector<std::string>> texts;
  };
  /// Divides rows with these values, which must have been checked, into pieces.
  Result<std::vector<Piece>> pieces(const std::vector<std::string>& values) const;

 private:
  /// Returns the metadata of the section that a record with these values belongs to.
  std::string section_of(const nlohmann::ordered_json& values) const;
  Result<void> append_columns(const nlohmann::ordered_json& values, Piece& piece) const;

  std::vector<std::string> section_fields_;
  std::vector<std::string> text_columns_;
  bool sections_have_texts_ = false;
  std::vector<NumberColumn> columns_;
};

}  // namespace embd
