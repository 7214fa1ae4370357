#pragma once

#include <string>
#include <vector>

#include "jobs/join.h"

// What CVC files have beside rows and ids: sections and columns.
namespace embd {

struct CvcParts {
  /// Of the rows taken, counted from 0. One follows the other from the first row to the last, or
  /// there are none.
  std::vector<RowSection> sections;
  std::string column;  ///< the name of that of the rows; empty if the inputs differ in it
  std::vector<NumberColumn> columns;
};

/// The parts of rows `taken` of all sets, one set after the other. Rows that are in no section,
/// where others are in one, get a section of which nothing is said. Error: invalid_argument if the
/// sets have different columns.
Result<CvcParts> joined_parts(const Readers& sets, RowRange taken);

/// How the values of CVC files are to be stored to stay what they are, as
/// WriteOptions.cvc_compression: as in all sets, or without loss where these differ; empty if one
/// is no CVC file.
std::string kept_compression(const Readers& sets);

/// What of a set no other format than CVC has a place for, in words; empty if there is nothing.
std::string parts_in_words(const VectorReader& set);

}  // namespace embd
