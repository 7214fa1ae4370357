#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "formats/vectors/format.h"
#include "jobs/joined_sets.h"
#include "jobs/outputs/outputs.h"

// The metadata that a file may have besides rows and ids: sections, chunks with metadata, columns
// and texts.
namespace embd {

/// The metadata of the rows that a conversion takes from its inputs, and the form of the rows.
struct RowParts {
  /// The sections of the rows taken, counted from 0. Either they cover all rows without gaps, or
  /// there are none.
  std::vector<RowSection> sections;
  /// The chunks of the rows taken, if any chunk has metadata; they cover all rows, too.
  std::vector<RowSection> chunks;
  /// The name of the column of vectors; empty if the inputs have different names.
  std::string column;
  std::vector<NumberColumn> columns;
  std::vector<std::string> text_columns;
  bool texts = false;  ///< true if every set has texts
  /// If it is not 0, the rows are binary codes and become rows of 1 and −1 with so many values.
  std::uint64_t unpacked_dim = 0;
};

/// Joins the sections, chunks, columns and texts of the rows `taken` of all sets, one set after the
/// other, and drops those that `room` has no place for. If some rows are in sections, all others
/// get a section without metadata. Fails with invalid_argument if the sets have different columns,
/// or only some have texts.
Result<RowParts> joined_parts(const Readers& sets, RowRange taken, const Room& room);

/// Joins consecutive sections with the same metadata, because the end of a part may have cut a
/// section in two.
void join_equal_sections(std::vector<RowSection>& sections);

/// Returns a compression that keeps the values of compressed sets as they are: the compression of
/// all sets or, if they differ, one without loss; automatic if a set is not compressed.
CvcOptions::Compression kept_compression(const Readers& sets);

/// Returns the names of the parts of a set that `room` has no place for; empty if there are none.
std::string parts_left_out(const VectorReader& set, const Room& room);

/// Copies the rows `taken` of all sets, one set after the other, to `outputs`, with everything that
/// belongs to them. `ids` are the ids of these rows, or none. Fails with the errors of reading and
/// writing, and with cancelled.
Result<void> copy_rows(const Readers& sets, RowRange taken, const Ids& ids, const RowParts& parts,
                       Outputs& outputs, const std::stop_token& stop);

}  // namespace embd
