#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/os/mapped_file.h"
#include "formats/weights/embd/embd_tensors.h"

namespace embd::huggingface {

/// How the rows of a table are made of other rows. Row i is weights[i] times row rows[i] of the
/// table, in float32.
struct RowRecipe {
  std::vector<std::uint32_t> rows;  ///< Empty if row i is made of row i.
  std::vector<float> weights;       ///< Empty if all weights are 1.
};

/// A tensor of a safetensors file. Valid as long as the object of the file.
struct SourceTensor {
  std::string name;
  std::string dtype;  ///< "F32", "F16", "BF16", "I64", …
  std::vector<std::uint64_t> shape;
  Bytes data;
  /// The recipe of a table whose rows are computed, of which `shape` is the shape; else nullptr.
  std::shared_ptr<const RowRecipe> recipe = nullptr;

  bool is_float() const noexcept { return dtype == "F32" || dtype == "F16" || dtype == "BF16"; }
  std::uint64_t num_values() const noexcept;
  /// Converts the values to float32, exactly. Requires is_float(), or the type I8 with a recipe;
  /// `out` must have num_values() values.
  void to_floats(std::span<float> out) const noexcept;
  /// Returns part number `number` of `count` parts of equal size that the tensor has one below the
  /// other, such as the matrices of queries, keys and values. It refers to the same bytes. Fails
  /// with tensor_wrong_shape if the rows are not divisible by `count`.
  Result<SourceTensor> part(std::uint32_t number, std::uint32_t count) const;
};

/// An open safetensors file: the header's length (u64), a JSON object with names, types, shapes and
/// places, and the data. Opening checks the length (at most 100 MB) and the JSON of the header, the
/// shape of each tensor against its size, and that the tensors fill the data without gap or
/// overlap.
class SafetensorsFile {
 public:
  static Result<SafetensorsFile> open(const std::filesystem::path& path);
  /// Reads a file that is mapped already. Errors name its path.
  static Result<SafetensorsFile> from_map(MappedFile map);
  /// Reads a file from bytes in memory, which must outlive the object.
  static Result<SafetensorsFile> from_bytes(Bytes bytes);

  /// Returns the tensors in the order of the data.
  const std::vector<SourceTensor>& tensors() const noexcept { return tensors_; }
  /// Returns the tensor with this name; nullptr if there is none.
  const SourceTensor* find(std::string_view name) const noexcept;
  Bytes bytes() const noexcept { return bytes_; }

 private:
  SafetensorsFile() = default;

  std::optional<MappedFile> map_;
  Bytes bytes_;
  std::vector<SourceTensor> tensors_;
};

}  // namespace embd::huggingface
