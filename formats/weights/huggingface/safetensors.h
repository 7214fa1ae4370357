#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/os/mapped_file.h"
#include "formats/weights/embd/embd_tensor.h"

namespace embd::huggingface {

/// A tensor of a safetensors file. A view: it lives as long as the file object.
struct SourceTensor {
  std::string name;
  std::string dtype;  ///< "F32", "F16", "BF16", "I64", …
  std::vector<std::uint64_t> shape;
  Bytes data;

  bool is_float() const noexcept { return dtype == "F32" || dtype == "F16" || dtype == "BF16"; }
  std::uint64_t num_values() const noexcept;
  /// The values as float32, exactly. The tensor is_float(); `out` holds num_values().
  void to_floats(std::span<float> out) const noexcept;
};

/// A safetensors file: u64 header length, a JSON object of names, types, shapes and extents, then
/// the data. Everything is checked when it is opened: the header's length (at most 100 MB) and
/// JSON, each shape against its extent, and that the extents cover the data one after the other
/// without gap or overlap.
class SafetensorsFile {
 public:
  static Result<SafetensorsFile> open(const std::filesystem::path& path);
  /// The same over bytes in memory, which must outlive the object.
  static Result<SafetensorsFile> from_bytes(Bytes bytes);

  const std::vector<SourceTensor>& tensors() const noexcept {
    return tensors_;
  }  ///< in the order of the data
  /// nullptr if there is none of that name.
  const SourceTensor* find(std::string_view name) const noexcept;
  Bytes bytes() const noexcept { return bytes_; }

 private:
  SafetensorsFile() = default;

  std::optional<MappedFile> map_;
  Bytes bytes_;
  std::vector<SourceTensor> tensors_;
};

}  // namespace embd::huggingface
