#pragma once

#include <filesystem>

#include "embd/convert_model.h"
#include "formats/weights/embd/embd_reader.h"

namespace embd::huggingface {

/// The EMBD file that convert_model() makes of a folder by default, in memory that belongs to the
/// system's cache of files and is as large as that file. Errors: those of convert_model().
Result<WeightFile> open_model_folder(const std::filesystem::path& folder,
                                     WeightFileOptions options = {});

}  // namespace embd::huggingface
