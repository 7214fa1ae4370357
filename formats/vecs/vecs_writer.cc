#include "formats/vecs/vecs_writer.h"

#include <fmt/format.h>

#include <array>
#include <limits>
#include <span>

#include "base/elements.h"
#include "base/output_file.h"
#include "base/try.h"
#include "formats/plain_rows.h"
#include "formats/vecs/vecs_layout.h"

namespace embd::vecs {
namespace {

constexpr std::uint64_t max_u32 = std::numeric_limits<std::uint32_t>::max();

class VecsWriter final : public VectorWriter {
 public:
  VecsWriter(OutputFile file, std::uint64_t dim, ElementType type)
      : file_(std::move(file)), dim_(dim), type_(type) {}

  Result<void> append(MatrixView rows, const Ids&) override {
    EMBD_TRY(check_append(rows, dim_));
    const auto length = static_cast<std::uint32_t>(dim_);
    for (std::size_t i = 0; i < rows.rows(); ++i) {
      EMBD_TRY(file_.write(std::as_bytes(std::span(&length, 1))));
      elements_.clear();
      EMBD_TRY(elements_from_floats(type_, rows.row(i), elements_));
      EMBD_TRY(file_.write(elements_));
    }
    return {};
  }

  Result<void> finish() override {
    if (file_.size() == 0) {
      return fail(ErrorCode::unsupported,
                  "this format cannot hold a vector set without rows: it would have no dimension");
    }
    return file_.finish();
  }

 private:
  OutputFile file_;
  std::uint64_t dim_;
  ElementType type_;
  std::vector<std::byte> elements_;
};

class BinWriter final : public VectorWriter {
 public:
  BinWriter(OutputFile file, std::uint64_t dim, ElementType type)
      : file_(std::move(file)), dim_(dim), type_(type) {}

  Result<void> write_header() { return file_.write(header()); }

  Result<void> append(MatrixView rows, const Ids&) override {
    EMBD_TRY(check_append(rows, dim_));
    if (rows.rows() > max_u32 - num_rows_)
      return fail(ErrorCode::bad_count, "this format holds at most 2^32 - 1 rows");
    num_rows_ += rows.rows();
    elements_.clear();
    EMBD_TRY(elements_from_floats(type_, rows.values(), elements_));
    return file_.write(elements_);
  }

  Result<void> finish() override {
    EMBD_TRY(file_.write_at(0, header()));
    return file_.finish();
  }

 private:
  Bytes header() {
    header_ = {static_cast<std::uint32_t>(num_rows_), static_cast<std::uint32_t>(dim_)};
    return std::as_bytes(std::span(header_));
  }

  OutputFile file_;
  std::uint64_t dim_;
  ElementType type_;
  std::uint64_t num_rows_ = 0;
  std::array<std::uint32_t, 2> header_ = {};
  std::vector<std::byte> elements_;
};

Result<void> check_dim(std::uint64_t dim) {
  if (dim <= max_u32) return {};
  return fail(ErrorCode::invalid_argument, fmt::format("rows of {} values, at most 2^32 - 1", dim));
}

}  // namespace

Result<std::unique_ptr<VectorWriter>> create_vecs(const std::filesystem::path& path,
                                                  std::uint64_t dim, ElementType type) {
  EMBD_TRY(check_dim(dim));
  return std::make_unique<VecsWriter>(EMBD_TRY(OutputFile::create(path)), dim, type);
}

Result<std::unique_ptr<VectorWriter>> create_bin(const std::filesystem::path& path,
                                                 std::uint64_t dim, ElementType type) {
  EMBD_TRY(check_dim(dim));
  auto writer =
      std::make_unique<BinWriter>(EMBD_TRY(OutputFile::create(path, WriteOrder::any)), dim, type);
  EMBD_TRY(writer->write_header());
  return writer;
}

}  // namespace embd::vecs
