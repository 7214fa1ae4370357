#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "embd/error.h"
#include "formats/weights/embd/embd_sections.h"
#include "formats/weights/embd/embd_tensor.h"

namespace embd {

/// The tensors of a file, in the order of its index, and by name. Views into the file.
struct TensorIndex {
  std::vector<Tensor> tensors;
  std::vector<std::uint32_t> by_name;  ///< positions in `tensors`, sorted by name

  /// nullptr if there is none of that name.
  const Tensor* find(std::string_view name) const noexcept;
  /// True if a tensor's name begins so.
  bool has_prefix(std::string_view prefix) const noexcept;
};

/// Reads the index: types, shapes and places are good, names are distinct and have their hashes,
/// and no two tensors share bytes.
Result<TensorIndex> read_index(Bytes file, const EmbdSections& sections);

}  // namespace embd
