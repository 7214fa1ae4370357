#pragma once

#include <span>
#include <string>
#include <variant>

#include "embd/map.h"

namespace embd {

/// The value of a field for a row: none, a number or a word.
using FieldValue = std::variant<std::monostate, double, std::string>;

/// Groups the rows of a map by their values [rows] of the field `name`. Each word is a group, the
/// most frequent first. At most 12 different numbers are a group each, in ascending order; more
/// numbers become seven steps with about as many rows each. A row without a value, with NaN, or
/// with a word that is not among the 500 most frequent, belongs to no group.
void color_by_values(std::span<const FieldValue> values, const std::string& name, RowMap& map);

}  // namespace embd
