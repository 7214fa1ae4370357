#pragma once

#include <filesystem>
#include <memory>

#include "embd/model.h"
#include "engine/loaded_model.h"

namespace embd {

/// Opens the file or the folder at `path` as LoadOptions say, for the class of models with that
/// head. Errors: those of the file's reader or of the folder's conversion, those of
/// LoadedModel::load(); unsupported, which says what the model is, for another class.
Result<std::unique_ptr<const LoadedModel>> open_model(const std::filesystem::path& path,
                                                      const LoadOptions& options, HeadKind head);

/// The head of the model at `path`, which says its class. Errors: those of the file's reader or of
/// the folder's configurations.
Result<HeadKind> head_of(const std::filesystem::path& path, const LoadOptions& options);

}  // namespace embd
