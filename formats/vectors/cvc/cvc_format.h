#pragma once

#include "formats/vectors/format.h"

namespace embd::cvc {

/// The default name of the column of vectors in the columnar files that embd writes.
inline constexpr std::string_view embedding_column = "embedding";

/// The format CVC: one column of a file is the vector set, with all rows or the rows of some
/// sections.
///
/// ReadOptions::column names a column of a columnar file. Without it, the file must have one
/// column, or exactly one of more than one value per row, unless ReadOptions::any_column is set.
/// ReadOptions::section is "key=value". It selects the rows of the sections whose metadata has this
/// member. The value is read as JSON if it is JSON, otherwise as a string.
///
/// The writer uses WriteOptions::cvc, columns and recipe. The compression none and the option
/// columns make a columnar file, whose first column has the vectors.
extern const Format format;

}  // namespace embd::cvc
