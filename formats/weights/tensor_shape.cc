#include "formats/weights/tensor_shape.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace embd {

TensorShape::TensorShape(std::initializer_list<std::uint32_t> list)
    : rank(static_cast<unsigned>(std::min(list.size(), dims.size()))) {
  std::copy_n(list.begin(), rank, dims.begin());
}

std::string TensorShape::text() const {
  return fmt::format("[{}]", fmt::join(view(), ", "));
}

}  // namespace embd
