#pragma once

#include <string>
#include <vector>

#include "formats/vectors/format.h"
#include "jobs/joined_sets.h"

// Parts that files may have beside rows and ids: sections, chunks of which something is said,
// columns, texts.
namespace embd {

struct RowParts {
  /// The sections of the rows taken, counted from 0. One follows the other from the first row to
  /// the last, or there are none.
  std::vector<RowSection> sections;
  /// Chunks of the sets, likewise, where something is said of one.
  std::vector<RowSection> chunks;
  std::string column;  ///< the name of that of the rows; empty if the inputs differ in it
  std::vector<NumberColumn> columns;
  std::vector<std::string> text_columns;
  bool texts = false;  ///< every set has them
};

/// Joins the sections, chunks, columns and texts of rows `taken` of all sets, one set after the
/// other, and drops those that `room` has no place for. Rows that are in no section, where others
/// are in one, get a section of which nothing is said.
/// Error: invalid_argument if the sets have different columns, or some have texts and some have
/// none.
Result<RowParts> joined_parts(const Readers& sets, RowRange taken, const Room& room);

/// Makes one section of those that follow each other and of which the same is said, as one run over
/// all rows does: the end of a part cuts sections in two.
void join_equal_sections(std::vector<RowSection>& sections);

/// The compression in which the values of compressed sets stay what they are: that of all sets, or
/// one without loss where these differ; automatic if one set is not compressed.
CvcOptions::Compression kept_compression(const Readers& sets);

/// Names the parts of a set that `room` has no place for; empty if there are none.
std::string parts_left_out(const VectorReader& set, const Room& room);

}  // namespace embd
