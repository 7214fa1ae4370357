#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "base/os/file_descriptor.h"
#include "embd/convert_model.h"
#include "embd/model_types.h"
#include "formats/weights/embd/embd_reader.h"
#include "formats/weights/model_tensors.h"

namespace embd::huggingface {

/// A model folder that was opened as a weight file.
struct OpenedFolder {
  WeightFile file;
  std::vector<ModelNote> notes;
  /// The open file with all weights; nullptr if they lie in several files. WeightFile::sha256() is
  /// determined by its bytes and WeightFile::front_sha256().
  std::shared_ptr<const FileDescriptor> weights;
};

/// Opens a model folder as the file that convert_model() makes of it by default, without writing
/// it. Tensors of float32 stay in the mapped files of the folder; others are converted in memory.
/// Fails with the errors of convert_model().
Result<OpenedFolder> open_model_folder(const std::filesystem::path& folder,
                                       WeightFileOptions options = {});

/// Converts a model folder as convert_model() does, with these smoothing factors for matrices that
/// are stored as int8; without factors, they are not smoothed.
Result<void> convert_folder(const std::filesystem::path& folder, const std::filesystem::path& out,
                            const ConvertModelOptions& options = {},
                            const SmoothingFactors& smoothing = {});

}  // namespace embd::huggingface
