#include "formats/numpy/npy_writer.h"

#include <fmt/format.h>

#include "base/elements.h"
#include "base/output_file.h"
#include "base/try.h"
#include "formats/numpy/npy_layout.h"
#include "formats/plain_rows.h"

namespace embd::numpy {
namespace {

class NpyWriter final : public VectorWriter {
 public:
  NpyWriter(OutputFile file, std::uint64_t dim, ElementType type)
      : file_(std::move(file)), dim_(dim), type_(type) {}

  Result<void> append(MatrixView rows, const Ids&) override {
    EMBD_TRY(check_append(rows, dim_));
    elements_.clear();
    EMBD_TRY(elements_from_floats(type_, rows.values(), elements_));
    num_rows_ += rows.rows();
    return file_.write(elements_);
  }

  Result<void> finish() override {
    EMBD_TRY(file_.write_at(0, as_bytes(format_header(type_, num_rows_, dim_))));
    return file_.finish();
  }

 private:
  OutputFile file_;
  std::uint64_t dim_;
  ElementType type_;
  std::uint64_t num_rows_ = 0;
  std::vector<std::byte> elements_;
};

}  // namespace

Result<std::unique_ptr<VectorWriter>> create_npy(const std::filesystem::path& path,
                                                 std::uint64_t dim, const WriteOptions& options) {
  if (type_descr(options.element_type).empty()) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("NumPy has no type {}", element_name(options.element_type)));
  }
  OutputFile file = EMBD_TRY(OutputFile::create(path, WriteOrder::any));
  EMBD_TRY(file.write(as_bytes(format_header(options.element_type, 0, dim))));
  return std::make_unique<NpyWriter>(std::move(file), dim, options.element_type);
}

}  // namespace embd::numpy
