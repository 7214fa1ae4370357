#include "formats/vecs/vecs_reader.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/byte_reader.h"
#include "base/mapped_file.h"
#include "base/try.h"
#include "formats/plain_rows.h"
#include "formats/vecs/vecs_layout.h"

namespace embd::vecs {
namespace {

Result<PlainRows> parse_vecs(Bytes file, ElementType type) {
  ByteReader reader(file);
  PlainRows rows = {.type = type};
  rows.dim = EMBD_TRY(reader.u32("length of row 0"));
  if (rows.dim == 0) return std::unexpected(Error(ErrorCode::bad_count, "a row of 0 elements"));
  rows.stride = row_header_bytes + rows.row_bytes();
  rows.num_rows = file.size() / rows.stride;
  if (file.size() % rows.stride != 0) {
    return std::unexpected(
        Error(ErrorCode::file_size_mismatch,
              fmt::format("{} bytes are no whole number of rows of {} bytes ({} {} each)",
                          file.size(), rows.stride, rows.dim, element_name(type))));
  }
  rows.bytes = file.subspan(row_header_bytes);
  return rows;
}

Result<PlainRows> parse_bin(Bytes file, ElementType type) {
  ByteReader reader(file);
  PlainRows rows = {.type = type};
  rows.num_rows = EMBD_TRY(reader.u32("rows"));
  rows.dim = EMBD_TRY(reader.u32("elements a row"));
  if (rows.dim == 0) {
    return std::unexpected(Error(ErrorCode::bad_count, "rows of 0 elements").at_offset(4));
  }
  rows.stride = rows.row_bytes();
  // Both counts are below 2^32 and elements at most 4 bytes, so only the last product could wrap.
  if (rows.num_rows > reader.remaining() / rows.stride ||
      rows.num_rows * rows.stride != reader.remaining()) {
    return std::unexpected(Error(ErrorCode::file_size_mismatch,
                                 fmt::format("{} rows of {} {} in {} bytes", rows.num_rows,
                                             rows.dim, element_name(type), reader.remaining())));
  }
  rows.bytes = file.subspan(bin_header_bytes);
  return rows;
}

class RawReader final : public VectorReader {
 public:
  RawReader(MappedFile file, PlainRows rows, std::string_view format)
      : file_(std::move(file)), rows_(rows) {
    info_ = {.format = std::string(format),
             .encoding = std::string(element_name(rows.type)),
             .num_rows = rows.num_rows,
             .dim = rows.dim,
             .element_type = rows.type};
  }

  const VectorSetInfo& info() const noexcept override { return info_; }

  Result<void> read(std::uint64_t first, std::uint64_t count, std::span<float> out) const override {
    EMBD_TRY(check_read(info_, first, count, out.size()));
    EMBD_TRY(check_lengths(first, count));
    return rows_.read(first, count, out);
  }
  std::optional<MatrixView> view() const noexcept override { return rows_.view(); }
  Result<bool> read_raw(std::uint64_t first, std::uint64_t count,
                        std::vector<std::byte>& out) const override {
    EMBD_TRY(check_range(info_, first, count));
    EMBD_TRY(check_lengths(first, count));
    EMBD_TRY(rows_.read_raw(first, count, out));
    return true;
  }
  Result<void> verify() const override { return check_lengths(0, info_.num_rows); }

  std::string describe() const override {
    return nlohmann::ordered_json{
        {"format", info_.format},
        {"element_type", info_.encoding},
        {"num_rows", info_.num_rows},
        {"dim", info_.dim},
        {"file_bytes", file_.bytes().size()},
    }
        .dump();
  }

 private:
  Result<void> check_lengths(std::uint64_t first, std::uint64_t count) const {
    if (rows_.stride == rows_.row_bytes()) return {};
    for (std::uint64_t i = first; i < first + count; ++i) {
      const std::uint64_t offset = i * rows_.stride;
      const auto length = load<std::uint32_t>(file_.bytes().subspan(offset));
      if (length == rows_.dim) continue;
      return std::unexpected(
          Error(ErrorCode::bad_count,
                fmt::format("row {} has {} elements, expected {} as row 0", i, length, rows_.dim))
              .at_offset(offset)
              .in_file(file_.path().native()));
    }
    return {};
  }

  MappedFile file_;
  PlainRows rows_;
  VectorSetInfo info_;
};

Result<std::unique_ptr<VectorReader>> open_with(Result<PlainRows> (*parse)(Bytes, ElementType),
                                                const std::filesystem::path& path,
                                                std::string_view format, ElementType type) {
  MappedFile file = EMBD_TRY(MappedFile::open(path));
  auto rows = parse(file.bytes(), type);
  if (!rows) return std::unexpected(std::move(rows).error().in_file(path.native()));
  return std::make_unique<RawReader>(std::move(file), *rows, format);
}

}  // namespace

Result<std::unique_ptr<VectorReader>> open_vecs(const std::filesystem::path& path,
                                                std::string_view format, ElementType type) {
  return open_with(parse_vecs, path, format, type);
}

Result<std::unique_ptr<VectorReader>> open_bin(const std::filesystem::path& path,
                                               std::string_view format, ElementType type) {
  return open_with(parse_bin, path, format, type);
}

}  // namespace embd::vecs
