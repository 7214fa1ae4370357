#pragma once

#include <string>
#include <string_view>

namespace embd::cli {

/// A JSON object for people: one "name: value" a line, in its order; members of members are
/// indented, and so are tensors, one a line.
std::string as_lines(std::string_view json);

}  // namespace embd::cli
