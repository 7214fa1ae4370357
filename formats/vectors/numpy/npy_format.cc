#include "formats/vectors/formats.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/bytes.h"
#include "base/elements.h"
#include "base/os/mapped_file.h"
#include "base/output_file.h"
#include "base/try.h"
#include "formats/vectors/format.h"
#include "formats/vectors/numpy/npy_header.h"

namespace embd::numpy {
namespace {

struct Array {
  Header header;
  int version = 1;
  Bytes elements;
};

Result<Array> parse(Bytes file) {
  ByteReader reader(file);
  if (as_text(EMBD_TRY(reader.bytes(magic.size(), "magic"))) != magic)
    return fail_at(0, ErrorCode::bad_magic, "the file does not begin with \\x93NUMPY");
  Array array;
  array.version = EMBD_TRY(reader.u8("version"));
  const int minor = EMBD_TRY(reader.u8("minor version"));
  if (array.version < 1 || array.version > 3 || minor != 0) {
    return fail_at(magic.size(), ErrorCode::unsupported_version,
                   "the version is {}.{}, expected 1.0 to 3.0", array.version, minor);
  }
  const std::uint32_t header_bytes = array.version == 1 ? EMBD_TRY(reader.u16("header length"))
                                                        : EMBD_TRY(reader.u32("header length"));
  if (header_bytes > max_header_bytes) {
    return fail_at(magic.size() + 2, ErrorCode::bad_count,
                   "the header has {} bytes, expected at most {}", header_bytes, max_header_bytes);
  }
  const std::uint64_t header_offset = reader.offset();
  const std::string_view text = EMBD_TRY(reader.text(header_bytes, "header"));
  array.header = EMBD_TRY(parse_header(text, header_offset));

  const Header& header = array.header;
  const std::uint64_t element_bytes = element_bits(header.type) / 8;
  if (header.rows > reader.remaining() / element_bytes / header.dim) {
    return fail_at(reader.offset(), ErrorCode::file_too_short,
                   "the array has {} rows of {} values of type {}, which need more than the "
                   "{} bytes that are left",
                   header.rows, header.dim, element_name(header.type), reader.remaining());
  }
  array.elements = EMBD_TRY(reader.array(header.rows * header.dim, element_bytes, "elements"));
  if (reader.remaining() != 0) {
    return fail_at(reader.offset(), ErrorCode::trailing_bytes,
                   "{} bytes follow the array, expected none", reader.remaining());
  }
  return array;
}

class NpyReader final : public VectorReader, private PlainRowSource {
 public:
  NpyReader(MappedFile file, const Array& array)
      : file_(std::move(file)), header_(array.header), version_(array.version) {
    info_ = {.format = "npy",
             .encoding = std::string(element_name(header_.type)),
             .num_rows = header_.rows,
             .dim = header_.dim,
             .element_type = header_.type};
    rows_ = {.bytes = array.elements,
             .num_rows = header_.rows,
             .dim = header_.dim,
             .type = header_.type};
    rows_.stride = rows_.row_bytes();
  }

  const VectorSetInfo& info() const noexcept override { return info_; }

  std::string describe() const override {
    return nlohmann::ordered_json{
        {"format", "npy"},
        {"version", fmt::format("{}.0", version_)},
        {"element_type", header_.is_bool ? "bool" : info_.encoding},
        {"byte_order", header_.big_endian ? "big" : "little"},
        {"fortran_order", header_.fortran_order},
        {"num_rows", info_.num_rows},
        {"dim", info_.dim},
        {"file_bytes", file_.bytes().size()},
    }
        .dump();
  }
  /// Nothing to do: opening has checked everything.
  Result<void> verify() const override { return {}; }
  const PlainRowSource* plain_rows() const noexcept override { return this; }

 private:
  Result<void> read_rows(std::uint64_t first, std::uint64_t count,
                         std::span<float> out) const override {
    if (lies_ready()) {
      rows_.read(first, count, out);
      return {};
    }
    std::vector<std::byte> elements;
    EMBD_TRY(read_stored(first, count, elements));
    floats_from_elements(header_.type, elements, out);
    return {};
  }
  std::optional<MatrixView> view() const noexcept override {
    return lies_ready() ? rows_.view() : std::nullopt;
  }
  Result<void> read_stored(std::uint64_t first, std::uint64_t count,
                           std::vector<std::byte>& out) const override {
    if (lies_ready()) return rows_.read_stored(first, count, out);
    EMBD_TRY(check_rows(first, count, info_.num_rows));
    out.resize(count * rows_.row_bytes());
    for (std::uint64_t i = 0; i < count; ++i)
      gather_row(first + i, std::span(out).subspan(i * rows_.row_bytes(), rows_.row_bytes()));
    return {};
  }

  /// Returns true if the file has the elements in the order and byte order of memory.
  bool lies_ready() const noexcept { return !header_.big_endian && !header_.fortran_order; }

  /// Collects row `i` as little-endian elements.
  void gather_row(std::uint64_t i, std::span<std::byte> out) const noexcept {
    const std::uint64_t size = element_bits(header_.type) / 8;
    for (std::uint64_t column = 0; column < info_.dim; ++column) {
      const std::uint64_t index =
          header_.fortran_order ? column * info_.num_rows + i : i * info_.dim + column;
      const auto element = out.subspan(column * size, size);
      std::ranges::copy(rows_.bytes.subspan(index * size, size), element.begin());
      if (header_.big_endian) std::ranges::reverse(element);
    }
  }

  MappedFile file_;
  Header header_;
  int version_;
  VectorSetInfo info_;
  PlainRows rows_;
};

Result<std::unique_ptr<VectorReader>> open(const std::filesystem::path& path, const ReadOptions&) {
  MappedFile file = EMBD_TRY(MappedFile::open(path));
  const auto array = EMBD_TRY(in_file(path, parse(file.bytes())));
  return std::make_unique<NpyReader>(std::move(file), array);
}

/// Writes rows as they come; the number of rows is filled in at the end.
class NpyWriter final : public VectorWriter {
 public:
  NpyWriter(OutputFile file, std::uint64_t dim, ElementType type)
      : VectorWriter(dim, kept_as(type)), file_(std::move(file)), type_(type) {}

 private:
  Result<void> append_rows(MatrixView rows, const Ids&) override {
    elements_.clear();
    EMBD_TRY(elements_from_floats(type_, rows.values(), elements_));
    return file_.write(elements_);
  }
  Result<void> finish_file() override {
    EMBD_TRY(file_.write_at(0, as_bytes(format_header(type_, num_rows(), dim()))));
    return file_.finish();
  }

  OutputFile file_;
  ElementType type_;
  std::vector<std::byte> elements_;
};

Result<std::unique_ptr<VectorWriter>> create(const std::filesystem::path& path, std::uint64_t dim,
                                             const WriteOptions& options) {
  if (type_descr(options.element_type).empty()) {
    return fail(ErrorCode::invalid_argument, "a NumPy file cannot store elements of type {}",
                element_name(options.element_type));
  }
  OutputFile file = EMBD_TRY(OutputFile::create(path, WriteOrder::any));
  EMBD_TRY(file.write(as_bytes(format_header(options.element_type, 0, dim))));
  return std::make_unique<NpyWriter>(std::move(file), dim, options.element_type);
}

constexpr std::array<std::string_view, 1> extensions = {".npy"};

bool has_magic(const std::filesystem::path&, Bytes head) {
  return as_text(head).starts_with(magic);
}

}  // namespace

const Format format = {
    .name = "npy",
    .extensions = extensions,
    .has_magic = has_magic,
    .open = open,
    .create = create,
    .keeps_codes = true,
};

}  // namespace embd::numpy
