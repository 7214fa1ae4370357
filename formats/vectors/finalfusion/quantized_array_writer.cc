#include "formats/vectors/finalfusion/quantized_array_writer.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/try.h"
#include "formats/vectors/finalfusion/padded_chunk.h"
#include "formats/vectors/finalfusion/product_quantizer.h"
#include "formats/vectors/finalfusion/unit_length.h"

namespace embd::finalfusion {
namespace {

constexpr std::uint64_t max_training_rows = 32768;
constexpr std::uint64_t rows_at_once = 4096;

std::uint32_t default_slices(std::uint64_t dim) {
  return static_cast<std::uint32_t>(dim % 2 == 0 ? dim / 2 : dim);
}

/// Adds up the quantization error of rows.
class LossSum {
 public:
  /// Adds a row. It was encoded at length 1; its decoded form is `decoded` × `length`.
  void add(std::span<const float> row, std::span<const float> decoded, float length) {
    double dot = 0;
    double row_squares = 0;
    double decoded_squares = 0;
    double difference_squares = 0;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const double found = double{decoded[i]} * length;
      dot += row[i] * found;
      row_squares += double{row[i]} * row[i];
      decoded_squares += found * found;
      difference_squares += (row[i] - found) * (row[i] - found);
    }
    const double lengths = std::sqrt(row_squares) * std::sqrt(decoded_squares);
    if (lengths > 0) cosine_ += 1 - dot / lengths;
    euclidean_ += std::sqrt(difference_squares);
  }
  QuantizationLoss mean(std::uint64_t rows) const {
    const auto count = static_cast<double>(std::max<std::uint64_t>(rows, 1));
    return {.cosine = cosine_ / count, .euclidean = euclidean_ / count};
  }

 private:
  double cosine_ = 0;
  double euclidean_ = 0;
};

class QuantizedArrayWriter {
 public:
  QuantizedArrayWriter(SpillFile& rows, std::uint64_t num_rows, std::uint64_t dim,
                       const FinalfusionOptions& options, OutputFile& file)
      : rows_(rows), num_rows_(num_rows), dim_(dim), options_(options), file_(file) {}

  Result<QuantizationLoss> write();

 private:
  /// Calls `use(first row, rows)` for all rows, block by block.
  Result<void> for_each_block(
      const std::function<Result<void>(std::uint64_t first, MatrixView rows)>& use);
  Result<ProductQuantizer> train_quantizer();
  Result<void> write_quantizer(const ProductQuantizer& quantizer);

  SpillFile& rows_;
  const std::uint64_t num_rows_;
  const std::uint64_t dim_;
  const FinalfusionOptions& options_;
  OutputFile& file_;
};

Result<void> QuantizedArrayWriter::for_each_block(
    const std::function<Result<void>(std::uint64_t, MatrixView)>& use) {
  Matrix block(std::min(num_rows_, rows_at_once), dim_);
  for (std::uint64_t first = 0; first < num_rows_; first += rows_at_once) {
    const std::size_t count = std::min(num_rows_ - first, rows_at_once);
    const std::span<float> values = block.values().first(count * dim_);
    EMBD_TRY(rows_.read(first * dim_ * sizeof(float), std::as_writable_bytes(values)));
    EMBD_TRY(use(first, block.view().slice(0, count)));
  }
  return {};
}

Result<ProductQuantizer> QuantizedArrayWriter::train_quantizer() {
  // The rows of the sample are spread evenly over all rows and scaled to length 1, like all rows
  // that are encoded.
  const std::uint64_t num_training = std::min(num_rows_, max_training_rows);
  Matrix training(num_training, dim_);
  for (std::uint64_t i = 0; i < num_training; ++i) {
    // ⌊i × rows / training⌋, without the product, which could overflow.
    const std::uint64_t row =
        num_rows_ / num_training * i + num_rows_ % num_training * i / num_training;
    EMBD_TRY(rows_.read(row * dim_ * sizeof(float), std::as_writable_bytes(training.row(i))));
    normalize(training.row(i));
  }
  const std::uint32_t num_slices =
      options_.subquantizers == 0 ? default_slices(dim_) : options_.subquantizers;
  return ProductQuantizer::train(
      training, {.num_slices = num_slices,
                 .bits = options_.bits,
                 .projection = options_.quantizer == FinalfusionOptions::Quantizer::opq});
}

/// Writes the chunk up to the norms of the rows.
Result<void> QuantizedArrayWriter::write_quantizer(const ProductQuantizer& quantizer) {
  const std::uint64_t num_floats =
      quantizer.projection().size() + quantizer.codebooks().size() + num_rows_;
  ByteWriter fields;
  fields.u32(quantizer.projection().empty() ? 0 : 1);
  fields.u32(1);
  fields.u32(quantizer.num_slices());
  fields.u32(static_cast<std::uint32_t>(dim_));
  fields.u32(quantizer.num_centroids());
  fields.u64(num_rows_);
  fields.u32(type_u8);
  fields.u32(type_f32);
  EMBD_TRY(begin_padded_chunk(ChunkId::quantized_array, fields.view(),
                              num_floats * sizeof(float) + num_rows_ * quantizer.num_slices(),
                              file_));
  EMBD_TRY(file_.write(std::as_bytes(quantizer.projection())));
  return file_.write(std::as_bytes(quantizer.codebooks()));
}

Result<QuantizationLoss> QuantizedArrayWriter::write() {
  const ProductQuantizer quantizer = EMBD_TRY(train_quantizer());
  EMBD_TRY(write_quantizer(quantizer));

  Matrix unit(std::min(num_rows_, rows_at_once), dim_);
  const auto normalized_copy = [&](MatrixView rows, std::span<float> lengths) {
    std::ranges::copy(rows.values(), unit.values().begin());
    for (std::size_t i = 0; i < rows.rows(); ++i) lengths[i] = normalize(unit.row(i));
    return unit.view().slice(0, rows.rows());
  };
  std::vector<float> lengths(num_rows_);
  EMBD_TRY(for_each_block([&](std::uint64_t first, MatrixView rows) -> Result<void> {
    normalized_copy(rows, std::span(lengths).subspan(first, rows.rows()));
    return {};
  }));
  EMBD_TRY(file_.write(std::as_bytes(std::span(lengths))));

  std::vector<std::uint8_t> codes(unit.rows() * quantizer.num_slices());
  Matrix decoded(unit.rows(), dim_);
  LossSum sum;
  EMBD_TRY(for_each_block([&](std::uint64_t first, MatrixView rows) -> Result<void> {
    const std::span block_codes = std::span(codes).first(rows.rows() * quantizer.num_slices());
    const std::span block_lengths = std::span(lengths).subspan(first, rows.rows());
    EMBD_TRY(quantizer.encode(normalized_copy(rows, block_lengths), block_codes));
    quantizer.decode(block_codes, decoded.values());
    for (std::size_t i = 0; i < rows.rows(); ++i)
      sum.add(rows.row(i), decoded.row(i), block_lengths[i]);
    return file_.write(std::as_bytes(block_codes));
  }));
  return sum.mean(num_rows_);
}

}  // namespace

Result<QuantizationLoss> write_quantized_array(SpillFile& rows, std::uint64_t num_rows,
                                               std::uint64_t dim, const FinalfusionOptions& options,
                                               OutputFile& file) {
  return QuantizedArrayWriter(rows, num_rows, dim, options, file).write();
}

}  // namespace embd::finalfusion
