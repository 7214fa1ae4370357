#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "embd/vectors.h"

namespace embd {

/// Turns the values that records have in further fields (Record.fields) into sections and columns
/// of a CVC file.
class RowFields {
 public:
  RowFields() = default;
  /// Rows with equal values of the fields `sections` are a section; each of `columns`, NAME or
  /// NAME:TYPE, is a field of numbers. Error: invalid_argument.
  static Result<RowFields> create(const std::vector<std::string>& sections,
                                  const std::vector<std::string>& columns);

  /// The fields to read: InputOptions.fields and number_fields.
  const std::vector<std::string>& section_names() const noexcept { return section_fields_; }
  std::vector<std::string> column_names() const;
  const std::vector<NumberColumn>& columns() const noexcept { return columns_; }
  bool is_empty() const noexcept { return section_fields_.empty() && columns_.empty(); }

  /// Errors: bad_type, bad_value for what does not fit its column.
  Result<void> check(std::string_view values) const;

  /// Rows that follow each other in one section.
  struct Piece {
    std::size_t first = 0;
    std::size_t count = 0;
    std::string section;                          ///< its metadata; empty without sections
    std::vector<std::vector<std::byte>> columns;  ///< of each column the values of these rows
  };
  /// Rows with these values, which were checked, in pieces.
  Result<std::vector<Piece>> pieces(const std::vector<std::string>& values) const;

 private:
  /// The metadata of the section that a record of these values belongs to.
  std::string section_of(std::string_view values) const;
  Result<void> append_numbers(std::string_view values,
                              std::vector<std::vector<std::byte>>& out) const;

  std::vector<std::string> section_fields_;
  std::vector<NumberColumn> columns_;
};

}  // namespace embd
