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

/// A file's statements about its model: the numbers, the entries they come from, and the tensors.
struct ModelContents {
  const ModelSpec& spec;
  std::span<const MetadataEntry> metadata;
  const TensorIndex& index;
  std::uint64_t index_at;  ///< the index's offset, named for a missing tensor
};

/// The weight matrices and tables that the model needs, sorted by name, each with its scale and
/// smooth; one that the file has in a packed layout alone is left out. Errors:
/// metadata_contradiction where the tensors tell other numbers than the metadata; tensor_missing,
/// tensor_wrong_shape, tensor_wrong_type; bad_value for a scale or smooth.
Result<std::vector<WeightMatrix>> model_matrices(const ModelContents& contents);

}  // namespace embd
