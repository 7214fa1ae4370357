#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "embd/error.h"
#include "formats/weights/embd/embd_sections.h"
#include "formats/weights/embd/embd_tensor.h"

namespace embd {

/// The tensors of a file, in the order of its index and by name. Refers to the file.
struct TensorIndex {
  std::vector<Tensor> tensors;
  std::vector<std::uint32_t> by_name;  ///< The positions in `tensors`, sorted by name.

  /// Returns the tensor with this name; nullptr if there is none.
  const Tensor* find(std::string_view name) const noexcept;
  /// Returns true if the name of a tensor begins with `prefix`.
  bool has_prefix(std::string_view prefix) const noexcept;
};

/// Reads the index of a file. Checks that types, shapes and places are valid, that names are
/// distinct and have the stored hashes, and that no two tensors share bytes. If `file` ends before
/// the tensors' data, `elsewhere` has the data of each tensor, in the order of the index.
Result<TensorIndex> read_index(Bytes file, const EmbdSections& sections,
                               std::span<const Bytes> elsewhere = {});

}  // namespace embd
