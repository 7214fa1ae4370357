#pragma once

#include "formats/vectors/format.h"

namespace embd::cvc {

/// The vectors' column in the columnar files we write, unless it has another name.
inline constexpr std::string_view embedding_column = "embedding";

/// CVC as a vector set: one column of the file, all rows or those of some sections.
///
/// ReadOptions.column names a column of a columnar file; without it the file must have one column
/// only, or one only of more than one value a row, unless ReadOptions.any_column.
/// ReadOptions.section is "key=value": the rows of the sections whose metadata has that member, the
/// value taken as JSON if it is JSON and as a string otherwise.
///
/// WriteOptions: cvc, columns, recipe. The compression none and columns make a columnar file, whose
/// first column is that of the rows.
extern const Format format;

}  // namespace embd::cvc
