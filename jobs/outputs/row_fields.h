#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "embd/vectors.h"

namespace embd {

/// Turns the values that records have in further fields (Record.fields) into sections and into
/// columns of numbers and of texts. Where sections are written beside texts that have no column
/// (CVC), the texts are values of the sections, too.
class RowFields {
 public:
  RowFields() = default;
  /// Rows with equal values of the fields `sections` are a section; each of `columns`, NAME or
  /// NAME:TYPE, is a field of numbers, or of texts (NAME:text). Error: invalid_argument.
  static Result<RowFields> create(const std::vector<std::string>& sections,
                                  const std::vector<std::string>& columns);

  /// The fields to read: InputOptions.fields and number_fields.
  std::vector<std::string> field_names() const;
  std::vector<std::string> number_names() const;
  const std::vector<std::string>& sections() const noexcept { return section_fields_; }
  const std::vector<std::string>& text_columns() const noexcept { return text_columns_; }
  const std::vector<NumberColumn>& columns() const noexcept { return columns_; }
  bool is_empty() const noexcept {
    return section_fields_.empty() && text_columns_.empty() && columns_.empty();
  }
  /// Makes the values of the columns of texts values of the sections, too.
  void put_texts_into_sections() noexcept { sections_have_texts_ = true; }

  /// Errors: bad_type, bad_value for what does not fit its column.
  Result<void> check(std::string_view values) const;

  /// Rows that follow each other in one section.
  struct Piece {
    std::size_t first = 0;
    std::size_t count = 0;
    std::string section;                          ///< its metadata; empty without sections
    std::vector<std::vector<std::byte>> columns;  ///< of each column the values of these rows
    std::vector<std::vector<std::string>> texts;  ///< and of each column of texts
  };
  /// Rows with these values, which were checked, in pieces.
  Result<std::vector<Piece>> pieces(const std::vector<std::string>& values) const;

 private:
  /// The metadata of the section that a record of these values belongs to.
  std::string section_of(const nlohmann::ordered_json& values) const;
  Result<void> append_columns(const nlohmann::ordered_json& values, Piece& piece) const;

  std::vector<std::string> section_fields_;
  std::vector<std::string> text_columns_;
  bool sections_have_texts_ = false;
  std::vector<NumberColumn> columns_;
};

}  // namespace embd
