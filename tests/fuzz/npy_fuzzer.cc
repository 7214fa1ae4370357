// Any bytes as an .npy file: opened, described, every row decoded.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "formats/vectors/formats.h"
#include "tests/fuzz/memory_file.h"
#include "tests/fuzz/require.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace embd;
  using fuzz::require;
  const fuzz::MemoryFile file(data, size);
  const auto reader = numpy::format.open(file.path(), {});
  if (!reader) {
    require(reader.error().offset().has_value());
    return 0;
  }
  const VectorSetInfo& info = (*reader)->info();
  require(nlohmann::json::accept((*reader)->describe()));
  require(info.num_rows <= size / info.dim);
  std::vector<float> row(info.dim);
  std::vector<std::byte> raw;
  for (std::uint64_t i = 0; i < info.num_rows; ++i) {
    require((*reader)->read(i, 1, row).has_value());
    require((*reader)->plain_rows()->read_stored(i, 1, raw).has_value());
    require(raw.size() == info.dim * element_bits(info.element_type) / 8);
  }
  return 0;
}
