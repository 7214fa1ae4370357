#pragma once

#include <string>
#include <vector>

namespace embd {

/// Returns the probe texts of `embd lock` if the user gives none. Together they use all rules of a
/// tokenizer and texts of all lengths.
std::vector<std::string> default_probes();

}  // namespace embd
