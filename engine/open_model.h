#pragma once

#include <filesystem>
#include <memory>

#include "embd/model.h"
#include "engine/loaded_model.h"

namespace embd {

/// Opens the file or the folder at `path` as LoadOptions say, for whatever class of models. Errors:
/// those of the file's reader or of the folder's conversion, those of LoadedModel::load().
Result<std::unique_ptr<const LoadedModel>> open_model(const std::filesystem::path& path,
                                                      const LoadOptions& options);

}  // namespace embd
