#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "embd/error.h"
#include "formats/weights/embd/embd_index.h"
#include "formats/weights/embd/embd_metadata.h"
#include "formats/weights/embd/embd_tensor.h"
#include "formats/weights/model_spec.h"

namespace embd {

/// The content of a file that describes its model: the numbers, the entries from which they come,
/// and the tensors.
struct ModelContents {
  const ModelSpec& spec;
  std::span<const MetadataEntry> metadata;
  const TensorIndex& index;
  /// The place of the index in the file, for messages about a missing tensor.
  std::uint64_t index_at;
};

/// Returns the weight matrices and tables that the model needs, sorted by name, each with its scale
/// and smoothing factors. A matrix of which the file has only a packed layout is left out. Fails
/// with metadata_contradiction if the tensors disagree with the numbers of the metadata, with
/// tensor_missing, tensor_wrong_shape or tensor_wrong_type, and with bad_value for a bad scale or
/// smoothing factor.
Result<std::vector<WeightMatrix>> model_matrices(const ModelContents& contents);

}  // namespace embd
