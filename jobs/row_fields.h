#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "jobs/outputs.h"
#include "jobs/row_batch.h"

namespace embd {

/// Which fields of the input go to a CVC file besides the vectors.
struct FieldOptions {
  std::vector<std::string> sections;  ///< rows with equal values of these are a section
  std::vector<std::string> columns;   ///< NAME or NAME:TYPE
};

/// Turns the values that records have in further fields (Record.fields) into sections and columns.
class RowFields {
 public:
  /// Error: invalid_argument.
  static Result<RowFields> create(const FieldOptions& options);

  /// The fields to read: InputOptions.fields and number_fields.
  const std::vector<std::string>& section_names() const noexcept { return section_fields_; }
  std::vector<std::string> column_names() const;
  const std::vector<NumberColumn>& columns() const noexcept { return columns_; }

  /// Errors: bad_type, bad_value for what does not fit its column.
  Result<void> check(std::string_view values) const;
  /// Appends rows whose `batch.fields` were checked, each run of equal section values as a section.
  Result<void> append(const RowBatch& batch, Outputs& outputs);

 private:
  /// The metadata of the section that a record of these values belongs to.
  std::string section_of(std::string_view values) const;
  Result<void> append_numbers(std::string_view values,
                              std::vector<std::vector<std::byte>>& out) const;

  std::vector<std::string> section_fields_;
  std::vector<NumberColumn> columns_;
  std::string section_;  // the one that rows go to; empty before the first
};

}  // namespace embd
