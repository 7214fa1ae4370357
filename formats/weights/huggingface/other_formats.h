#pragma once

#include <filesystem>
#include <string>

#include "embd/error.h"

// Names what embd does not read, for the messages that refuse it.
namespace embd::huggingface {

/// Returns the files of a folder that have weights in a format that embd does not read, each with
/// the name of its format, such as "pytorch_model.bin (a pickle of PyTorch)". The text is empty if
/// there are none.
std::string weights_of_other_formats(const std::filesystem::path& folder);

/// Checks that a folder without modules.json is not the encoder of a model of another kind, such as
/// a sparse or a generating one. `architecture` is the first of its architectures; empty if it
/// names none. Fails with unsupported, naming the kind.
Result<void> check_use(const std::filesystem::path& folder, std::string_view architecture);

}  // namespace embd::huggingface
