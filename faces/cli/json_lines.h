#pragma once

#include <string>
#include <string_view>

namespace embd::cli {

/// Returns a JSON object in a form for people: a line "name: value" for each member, in order.
/// Members of nested objects are indented. A list of tensors has a line for each tensor.
std::string as_lines(std::string_view json);

}  // namespace embd::cli
