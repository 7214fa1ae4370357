#include "formats/numpy/npy_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/byte_reader.h"
#include "base/elements.h"
#include "base/mapped_file.h"
#include "base/try.h"
#include "formats/numpy/npy_layout.h"
#include "formats/plain_rows.h"

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
    return std::unexpected(Error(ErrorCode::bad_magic, "expected \\x93NUMPY").at_offset(0));
  Array array;
  array.version = EMBD_TRY(reader.u8("version"));
  const int minor = EMBD_TRY(reader.u8("minor version"));
  if (array.version < 1 || array.version > 3 || minor != 0) {
    return std::unexpected(Error(ErrorCode::unsupported_version,
                                 fmt::format("{}.{}, expected 1.0 to 3.0", array.version, minor))
                               .at_offset(magic.size()));
  }
  const std::uint32_t header_bytes = array.version == 1 ? EMBD_TRY(reader.u16("header length"))
                                                        : EMBD_TRY(reader.u32("header length"));
  if (header_bytes > max_header_bytes) {
    return std::unexpected(
        Error(ErrorCode::bad_count, fmt::format("header of {} bytes, expected at most {}",
                                                header_bytes, max_header_bytes))
            .at_offset(magic.size() + 2));
  }
  const std::uint64_t header_offset = reader.offset();
  const std::string_view text = EMBD_TRY(reader.text(header_bytes, "header"));
  array.header = EMBD_TRY(parse_header(text, header_offset));

  const Header& header = array.header;
  const std::uint64_t element_bytes = element_bits(header.type) / 8;
  if (header.rows > reader.remaining() / element_bytes / header.dim) {
    return std::unexpected(
        Error(ErrorCode::file_too_short,
              fmt::format("{} rows of {} {} need more than the {} bytes left", header.rows,
                          header.dim, element_name(header.type), reader.remaining()))
            .at_offset(reader.offset()));
  }
  array.elements = EMBD_TRY(reader.array(header.rows * header.dim, element_bytes, "elements"));
  if (reader.remaining() != 0) {
    return std::unexpected(
        Error(ErrorCode::trailing_bytes, fmt::format("{} after the array", reader.remaining()))
            .at_offset(reader.offset()));
  }
  return array;
}

class NpyReader final : public VectorReader {
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

  Result<void> read(std::uint64_t first, std::uint64_t count, std::span<float> out) const override {
    EMBD_TRY(check_read(info_, first, count, out.size()));
    if (lies_ready()) return rows_.read(first, count, out);
    std::vector<std::byte> elements;
    EMBD_TRY(read_raw(first, count, elements));
    floats_from_elements(header_.type, elements, out);
    return {};
  }

  std::optional<MatrixView> view() const noexcept override {
    return lies_ready() ? rows_.view() : std::nullopt;
  }

  Result<bool> read_raw(std::uint64_t first, std::uint64_t count,
                        std::vector<std::byte>& out) const override {
    EMBD_TRY(check_range(info_, first, count));
    if (lies_ready()) {
      EMBD_TRY(rows_.read_raw(first, count, out));
      return true;
    }
    out.resize(count * rows_.row_bytes());
    for (std::uint64_t i = 0; i < count; ++i)
      gather_row(first + i, std::span(out).subspan(i * rows_.row_bytes(), rows_.row_bytes()));
    return true;
  }

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

 private:
  /// True if the elements lie in the file in the order and byte order of memory.
  bool lies_ready() const noexcept { return !header_.big_endian && !header_.fortran_order; }

  /// Row `i` as little-endian elements one after the other.
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

}  // namespace

Result<std::unique_ptr<VectorReader>> open_npy(const std::filesystem::path& path,
                                               const ReadOptions&) {
  MappedFile file = EMBD_TRY(MappedFile::open(path));
  auto array = parse(file.bytes());
  if (!array) return std::unexpected(std::move(array).error().in_file(path.native()));
  return std::make_unique<NpyReader>(std::move(file), *array);
}

}  // namespace embd::numpy
