#pragma once

#include <string>
#include <vector>

namespace embd {

/// Texts that between them meet every rule of a tokenizer and every length: those that `embd lock`
/// takes if it is given none.
std::vector<std::string> default_probes();

}  // namespace embd
