#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/elements.h"
#include "base/try.h"
#include "embd/error.h"
#include "embd/format_options.h"
#include "embd/index_options.h"
#include "embd/matrix.h"
#include "embd/recipe.h"
#include "formats/vectors/svs/binary_file.h"
#include "formats/vectors/svs/dataset.h"

namespace embd::svs {

/// Writes rows of one element type to a binary file.
class RowFile {
 public:
  static Result<RowFile> create(const std::filesystem::path& path, ElementType type,
                                std::uint64_t dim) {
    return RowFile(EMBD_TRY(BinaryWriter::create(path)), type, dim);
  }

  Result<void> append(MatrixView rows) {
    elements_.clear();
    EMBD_TRY(elements_from_floats(type_, rows.values(), elements_));
    num_rows_ += rows.rows();
    return binary_.append(elements_);
  }
  /// Appends `count` rows that are elements of the type already.
  Result<void> append_stored(Bytes rows, std::uint64_t count) {
    num_rows_ += count;
    return binary_.append(rows);
  }
  Result<Uuid> finish() { return binary_.finish(library_name(type_), num_rows_, dim_); }

  std::uint64_t num_rows() const noexcept { return num_rows_; }
  std::uint64_t dim() const noexcept { return dim_; }
  ElementType type() const noexcept { return type_; }

 private:
  RowFile(BinaryWriter binary, ElementType type, std::uint64_t dim)
      : binary_(std::move(binary)), type_(type), dim_(dim) {}

  BinaryWriter binary_;
  ElementType type_;
  std::uint64_t dim_;
  std::uint64_t num_rows_ = 0;
  std::vector<std::byte> elements_;
};

/// The number of bits of the primary codes and, if there are two levels, of the residual codes.
struct LvqBits {
  unsigned primary = 8;
  std::optional<unsigned> residual;
};

/// Returns the bits of a quantizer; nullopt for no quantizer.
std::optional<LvqBits> lvq_bits(SvsOptions::Quantizer quantizer) noexcept;

/// Encodes rows by LVQ around their mean and writes them sequentially packed. A row of the primary
/// file has its codes, a scale and a bias as float32, and the number of its centroid, which is
/// always 0. A row of the residual file has codes only.
class LvqEncoder {
 public:
  static Result<LvqEncoder> create(LvqBits bits, std::span<const float> mean,
                                   const std::filesystem::path& primary,
                                   const std::filesystem::path& residual);

  Result<void> append(std::span<const float> row);

  struct Uuids {
    Uuid primary;
    Uuid residual;
  };
  Result<Uuids> finish(std::uint64_t rows);

 private:
  LvqEncoder(LvqBits bits, std::span<const float> mean, BinaryWriter primary)
      : bits_(bits), mean_(mean.begin(), mean.end()), primary_(std::move(primary)) {}

  LvqBits bits_;
  std::vector<float> mean_;
  BinaryWriter primary_;
  std::optional<BinaryWriter> residual_;
  // Working memory for one row.
  std::vector<float> centred_;
  std::vector<std::uint8_t> codes_;
  std::vector<std::byte> bytes_;
};

/// Returns the text of svs_config.toml with the fields `object` in its table [object].
std::string envelope(std::string_view object, const std::optional<Recipe>& recipe = std::nullopt);

/// Returns the recipe as a TOML table after an empty line; empty without a recipe. The SVS library
/// ignores this table.
std::string recipe_text(const std::optional<Recipe>& recipe);

/// Returns the metric of an index as a TOML table after an empty line; empty without a metric.
std::string metric_text(std::optional<Metric> metric);

/// Returns the fields of a plain data set in the binary file `file`.
std::string uncompressed_fields(std::string_view file, std::uint64_t rows, std::uint64_t dim,
                                std::string_view eltype, const Uuid& uuid);

}  // namespace embd::svs
