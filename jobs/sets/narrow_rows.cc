#include "jobs/sets/narrow_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/temporary_files.h"
#include "base/try.h"
#include "formats/vectors/ids.h"

namespace embd {
namespace {

constexpr std::size_t rows_at_once = 1024;

/// A writer for known ranges. No row has to wait.
class FixedInt8Rows final : public VectorWriter {
 public:
  FixedInt8Rows(std::unique_ptr<VectorWriter> writer, Int8Ranges ranges)
      : VectorWriter(writer->dim(), KeptValues::codes),
        writer_(std::move(writer)),
        ranges_(std::move(ranges)) {}

 private:
  Result<void> append_rows(MatrixView rows, const Ids& ids) override {
    return writer_->append(int8_codes(rows, ranges_), ids);
  }
  Result<void> prepare_file() override {
    if (CodeSink* codes = writer_->codes()) EMBD_TRY(codes->set_ranges(ranges_));
    return writer_->prepare();
  }
  Result<void> finish_file() override { return writer_->finish(); }

  std::unique_ptr<VectorWriter> writer_;
  Int8Ranges ranges_;
};

/// A writer whose rows wait until the ranges of all rows are known.
class Int8Rows final : public VectorWriter {
 public:
  Int8Rows(std::unique_ptr<VectorWriter> writer, std::uint64_t dim,
           const std::filesystem::path& path)
      : VectorWriter(dim, KeptValues::codes),
        writer_(std::move(writer)),
        rows_(SpillFile::beside(path)),
        ranges_(2, static_cast<std::size_t>(dim)) {
    std::ranges::fill(ranges_.row(0), std::numeric_limits<float>::infinity());
    std::ranges::fill(ranges_.row(1), -std::numeric_limits<float>::infinity());
  }

 private:
  Result<void> append_rows(MatrixView rows, const Ids& ids) override {
    for (std::size_t r = 0; r < rows.rows(); ++r) {
      for (std::size_t i = 0; i < rows.cols(); ++i) {
        ranges_.row(0)[i] = std::min(ranges_.row(0)[i], rows.row(r)[i]);
        ranges_.row(1)[i] = std::max(ranges_.row(1)[i], rows.row(r)[i]);
      }
    }
    append_ids(ids);
    return rows_.write(std::as_bytes(rows.values()));
  }

  Result<void> prepare_file() override {
    if (num_rows() == 1) {
      return fail(ErrorCode::bad_count,
                  "there is only one row, which is too few to find ranges for int8 codes: give the "
                  "ranges of other rows");
    }
    CodeSink* codes = writer_->codes();
    if (codes != nullptr && num_rows() > 0) EMBD_TRY(codes->set_ranges(ranges_));
    Matrix rows;
    for (std::size_t first = 0; first < num_rows(); first += rows.rows()) {
      rows = Matrix(std::min(rows_at_once, num_rows() - first), ranges_.cols());
      EMBD_TRY(rows_.read(first * ranges_.cols() * sizeof(float),
                          std::as_writable_bytes(rows.values())));
      EMBD_TRY(writer_->append(int8_codes(rows, ranges_), slice_ids(ids_, first, rows.rows())));
    }
    return writer_->prepare();
  }
  Result<void> finish_file() override { return writer_->finish(); }

  void append_ids(const Ids& ids) {
    if (num_rows() == 0) {
      ids_ = ids;
    } else if (const auto* numbers = std::get_if<std::vector<std::uint64_t>>(&ids)) {
      auto& all = std::get<std::vector<std::uint64_t>>(ids_);
      all.insert(all.end(), numbers->begin(), numbers->end());
    } else if (const auto* strings = std::get_if<std::vector<std::string>>(&ids)) {
      auto& all = std::get<std::vector<std::string>>(ids_);
      all.insert(all.end(), strings->begin(), strings->end());
    }
  }

  std::unique_ptr<VectorWriter> writer_;
  SpillFile rows_;
  Int8Ranges ranges_;
  Ids ids_;
};

class BinaryRows final : public VectorWriter {
 public:
  BinaryRows(std::unique_ptr<VectorWriter> writer, std::uint64_t dim)
      : VectorWriter(dim, KeptValues::codes), writer_(std::move(writer)) {}

 private:
  Result<void> append_rows(MatrixView rows, const Ids& ids) override {
    return writer_->append(binary_codes(rows), ids);
  }
  Result<void> prepare_file() override { return writer_->prepare(); }
  Result<void> finish_file() override { return writer_->finish(); }

  std::unique_ptr<VectorWriter> writer_;
};

}  // namespace

Result<Int8Ranges> read_ranges(const std::filesystem::path& path, std::uint64_t dim) {
  const auto file = EMBD_TRY(open_vectors(path));
  const VectorSetInfo& info = file->info();
  if (info.num_rows != 2 || info.dim != dim) {
    return fail_in(path, ErrorCode::bad_count,
                   "the file has {} rows of {} values, expected two rows, the least and the "
                   "greatest value of each of the {} components",
                   info.num_rows, info.dim, dim);
  }
  Int8Ranges ranges(2, static_cast<std::size_t>(dim));
  EMBD_TRY(file->read(0, 2, ranges.values()));
  return ranges;
}

Matrix int8_codes(MatrixView rows, const Int8Ranges& ranges) {
  const auto least = ranges.row(0);
  const auto greatest = ranges.row(1);
  Matrix codes(rows.rows(), rows.cols());
  for (std::size_t r = 0; r < rows.rows(); ++r) {
    for (std::size_t i = 0; i < rows.cols(); ++i) {
      const float step = (greatest[i] - least[i]) / 255;
      const float steps = std::floor((rows.row(r)[i] - least[i]) / (step == 0 ? 1 : step));
      codes.row(r)[i] = std::clamp(steps, 0.0F, 255.0F) - 128;
    }
  }
  return codes;
}

std::uint64_t binary_dim(std::uint64_t dim) noexcept {
  return dim / 8 + (dim % 8 != 0 ? 1 : 0);
}

Matrix binary_codes(MatrixView rows) {
  Matrix codes(rows.rows(), static_cast<std::size_t>(binary_dim(rows.cols())));
  for (std::size_t r = 0; r < rows.rows(); ++r) {
    for (std::size_t first = 0; first < rows.cols(); first += 8) {
      unsigned bits = 0;
      for (std::size_t i = 0; i < std::min<std::size_t>(8, rows.cols() - first); ++i) {
        if (rows.row(r)[first + i] > 0) bits |= 0x80U >> i;
      }
      codes.row(r)[first / 8] = static_cast<float>(bits) - 128;
    }
  }
  return codes;
}

std::vector<std::byte> bits_of(MatrixView codes) {
  const auto values = codes.values();
  std::vector<std::byte> bits(values.size());
  std::ranges::transform(values, bits.begin(), [](float code) {
    const bool is_code = code >= -128 && code <= 127;  // Other programs may have written any value.
    return static_cast<std::byte>(is_code ? static_cast<int>(code) + 128 : 0);
  });
  return bits;
}

Matrix signs_of(MatrixView codes, std::size_t dim) {
  const std::vector<std::byte> bits = bits_of(codes);
  Matrix signs(codes.rows(), dim);
  for (std::size_t r = 0; r < codes.rows(); ++r) {
    for (std::size_t i = 0; i < dim; ++i) {
      const auto byte = std::to_integer<unsigned>(bits[r * codes.cols() + i / 8]);
      signs.row(r)[i] = (byte & (0x80U >> (i % 8))) != 0 ? 1 : -1;
    }
  }
  return signs;
}

std::unique_ptr<VectorWriter> int8_rows(std::unique_ptr<VectorWriter> codes, std::uint64_t dim,
                                        std::optional<Int8Ranges> ranges,
                                        const std::filesystem::path& path) {
  if (ranges) return std::make_unique<FixedInt8Rows>(std::move(codes), std::move(*ranges));
  return std::make_unique<Int8Rows>(std::move(codes), dim, path);
}

std::unique_ptr<VectorWriter> binary_rows(std::unique_ptr<VectorWriter> codes, std::uint64_t dim) {
  return std::make_unique<BinaryRows>(std::move(codes), dim);
}

}  // namespace embd
