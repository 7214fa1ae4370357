// Any bytes as a safetensors file: as they are, and with the header's length moved to the last
// brace, so that a header that grew or shrank is still read as one.
#include <cstring>
#include <vector>

#include "formats/weights/huggingface/safetensors.h"
#include "tests/fuzz/require.h"

namespace {

using namespace embd;
using fuzz::require;

std::vector<std::byte> repaired(Bytes input) {
  std::vector<std::byte> bytes(input.begin(), input.end());
  constexpr std::size_t length_bytes = sizeof(std::uint64_t);
  const std::size_t brace = as_text(bytes).rfind('}');
  if (brace == std::string_view::npos || brace < length_bytes) return bytes;
  const std::uint64_t length = brace + 1 - length_bytes;
  std::memcpy(bytes.data(), &length, length_bytes);
  return bytes;
}

void open(Bytes bytes) {
  const auto file = huggingface::SafetensorsFile::from_bytes(bytes);
  if (!file) {
    require(!file.error().message().empty());
    return;
  }
  std::size_t data_bytes = 0;
  std::vector<float> values;
  for (const huggingface::SourceTensor& tensor : file->tensors()) {
    require(file->find(tensor.name) == &tensor);
    data_bytes += tensor.data.size();
    if (!tensor.is_float()) continue;
    values.resize(tensor.num_values());
    tensor.to_floats(values);
  }
  require(data_bytes <= bytes.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Bytes input(reinterpret_cast<const std::byte*>(data), size);
  open(input);
  open(repaired(input));
  return 0;
}
