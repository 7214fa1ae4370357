#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "embd/model.h"
#include "engine/loaded_model.h"

namespace embd {

/// Opens the weight file or the model folder at `path` for the class of models that has this head.
/// Fails with the errors of reading the file or converting the folder, with the errors of
/// LoadedModel::load(), and with unsupported for a model with another head, saying what it is.
Result<std::unique_ptr<const LoadedModel>> open_model(const std::filesystem::path& path,
                                                      const LoadOptions& options, HeadKind head);

/// Returns a note if converting a folder has taken more than a second.
std::optional<ModelNote> note_slow_opening(double seconds);

/// Returns the head of the model at `path`, which tells the class of models that it belongs to.
/// Fails with the errors of reading the file or the configuration of the folder.
Result<HeadKind> head_of(const std::filesystem::path& path, const LoadOptions& options);

}  // namespace embd
