#pragma once

#include <filesystem>

#include "embd/convert_model.h"
#include "formats/weights/embd/embd_reader.h"

namespace embd::huggingface {

/// Converts a model folder as convert_model() does by default and opens the result. The EMBD file
/// is kept in memory of the system's file cache and is as large as a file on disk. Fails with the
/// errors of convert_model().
Result<WeightFile> open_model_folder(const std::filesystem::path& folder,
                                     WeightFileOptions options = {});

}  // namespace embd::huggingface
