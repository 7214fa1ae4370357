#pragma once

#include <span>
#include <string>
#include <variant>

#include "embd/map.h"

namespace embd {

/// A row's value of a field: none, a number or a word.
using FieldValue = std::variant<std::monostate, double, std::string>;

/// Makes groups of the rows of a map by their values [rows] of the field `name`: a group a word,
/// from the most frequent on; a group a number, ascending, where there are at most 12; else seven
/// steps with as many rows each. A row without a value, or with NaN, is in no group, and
/// one whose word is not among the 500 most frequent.
void color_by_values(std::span<const FieldValue> values, const std::string& name, RowMap& map);

}  // namespace embd
