#include "formats/numpy/npy_format.h"

#include <array>

#include "formats/numpy/npy_layout.h"
#include "formats/numpy/npy_reader.h"
#include "formats/numpy/npy_writer.h"

namespace embd::numpy {
namespace {

constexpr std::array<std::string_view, 1> extensions = {".npy"};

bool has_magic(const std::filesystem::path&, Bytes head) {
  return as_text(head).starts_with(magic);
}

}  // namespace

const Format format = {
    .name = "npy",
    .extensions = extensions,
    .has_magic = has_magic,
    .open = open_npy,
    .create = create_npy,
};

}  // namespace embd::numpy
