#pragma once

#include <string>
#include <vector>

#include "embd/error.h"
#include "embd/model.h"

namespace embd {

/// Texts that between them meet every rule of a tokenizer and every length: those that `embd lock`
/// takes if it is given none.
std::vector<std::string> default_probes();

/// SHA-256 of each text's vector, its float32 values as little-endian bytes.
Result<std::vector<std::string>> hashes_of(const Model& model,
                                           const std::vector<std::string>& texts,
                                           const EncodeOptions& options);

}  // namespace embd
