#include "formats/vectors/formats.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>

#include "base/bytes.h"
#include "base/elements.h"
#include "base/os/mapped_file.h"
#include "base/output_file.h"
#include "base/path_text.h"
#include "base/try.h"
#include "formats/vectors/format.h"

namespace embd::vecs {
namespace {

/// The bytes before each row of .fvecs and similar files (TEXMEX): the number of its elements, u32.
constexpr std::size_t row_header_bytes = 4;

/// The bytes before the rows of .fbin and similar files (big-ann-benchmarks): the number of rows
/// and the number of elements of a row, both u32.
constexpr std::size_t bin_header_bytes = 8;

Result<PlainRows> parse_vecs(Bytes file, ElementType type) {
  ByteReader reader(file);
  PlainRows rows = {.type = type};
  rows.dim = EMBD_TRY(reader.u32("length of row 0"));
  if (rows.dim == 0)
    return fail(ErrorCode::bad_count, "row 0 has 0 elements, expected at least one");
  rows.stride = row_header_bytes + rows.row_bytes();
  rows.num_rows = file.size() / rows.stride;
  if (file.size() % rows.stride != 0) {
    return fail(ErrorCode::file_size_mismatch,
                "the file has {} bytes, expected a multiple of {}, the bytes of a row "
                "({} values of type {})",
                file.size(), rows.stride, rows.dim, element_name(type));
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
    return fail_at(4, ErrorCode::bad_count, "the rows have 0 elements, expected at least one");
  }
  rows.stride = rows.row_bytes();
  // Both counts are below 2^32 and elements have at most 4 bytes, so only the last product could
  // overflow.
  if (rows.num_rows > reader.remaining() / rows.stride ||
      rows.num_rows * rows.stride != reader.remaining()) {
    return fail(
        ErrorCode::file_size_mismatch,
        "{} rows of {} values of type {} do not take {} bytes, as many as follow the header",
        rows.num_rows, rows.dim, element_name(type), reader.remaining());
  }
  rows.bytes = file.subspan(bin_header_bytes);
  return rows;
}

class RawReader final : public VectorReader, private PlainRowSource {
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

  const PlainRowSource* plain_rows() const noexcept override { return this; }

 private:
  Result<void> read_rows(std::uint64_t first, std::uint64_t count,
                         std::span<float> out) const override {
    EMBD_TRY(check_lengths(first, count));
    rows_.read(first, count, out);
    return {};
  }
  std::optional<MatrixView> view() const noexcept override { return rows_.view(); }
  Result<void> read_stored(std::uint64_t first, std::uint64_t count,
                           std::vector<std::byte>& out) const override {
    EMBD_TRY(rows_.read_stored(first, count, out));
    return check_lengths(first, count);
  }

  Result<void> check_lengths(std::uint64_t first, std::uint64_t count) const {
    if (rows_.stride == rows_.row_bytes()) return {};
    for (std::uint64_t i = first; i < first + count; ++i) {
      const std::uint64_t offset = i * rows_.stride;
      const auto length = load<std::uint32_t>(file_.bytes().subspan(offset));
      if (length == rows_.dim) continue;
      return std::unexpected(Error(ErrorCode::bad_count,
                                   fmt::format("row {} has {} elements, expected {}, as row 0 has",
                                               i, length, rows_.dim))
                                 .at_offset(offset)
                                 .in_file(text_of_path(file_.path())));
    }
    return {};
  }

  MappedFile file_;
  PlainRows rows_;
  VectorSetInfo info_;
};

constexpr std::uint64_t max_u32 = std::numeric_limits<std::uint32_t>::max();

class VecsWriter final : public VectorWriter {
 public:
  VecsWriter(OutputFile file, std::uint64_t dim, ElementType type)
      : VectorWriter(dim, kept_as(type)), file_(std::move(file)), type_(type) {}

 private:
  Result<void> append_rows(MatrixView rows, const Ids&) override {
    const auto length = static_cast<std::uint32_t>(dim());
    for (std::size_t i = 0; i < rows.rows(); ++i) {
      EMBD_TRY(file_.write(std::as_bytes(std::span(&length, 1))));
      elements_.clear();
      EMBD_TRY(elements_from_floats(type_, rows.row(i), elements_));
      EMBD_TRY(file_.write(elements_));
    }
    return {};
  }

  Result<void> finish_file() override {
    if (num_rows() == 0) {
      return fail(ErrorCode::unsupported,
                  "this format cannot store a vector set without rows, because the dimension "
                  "stands in the rows");
    }
    return file_.finish();
  }

  OutputFile file_;
  ElementType type_;
  std::vector<std::byte> elements_;
};

class BinWriter final : public VectorWriter {
 public:
  BinWriter(OutputFile file, std::uint64_t dim, ElementType type)
      : VectorWriter(dim, kept_as(type)), file_(std::move(file)), type_(type) {}

  Result<void> write_header() { return file_.write(header()); }

 private:
  Result<void> append_rows(MatrixView rows, const Ids&) override {
    if (rows.rows() > max_u32 - num_rows())
      return fail(ErrorCode::bad_count,
                  "this format stores at most 2^32 - 1 rows, but more were appended");
    elements_.clear();
    EMBD_TRY(elements_from_floats(type_, rows.values(), elements_));
    return file_.write(elements_);
  }

  Result<void> finish_file() override {
    EMBD_TRY(file_.write_at(0, header()));
    return file_.finish();
  }

  Bytes header() {
    header_ = {static_cast<std::uint32_t>(num_rows()), static_cast<std::uint32_t>(dim())};
    return std::as_bytes(std::span(header_));
  }

  OutputFile file_;
  ElementType type_;
  std::array<std::uint32_t, 2> header_ = {};
  std::vector<std::byte> elements_;
};

Result<void> check_dim(std::uint64_t dim) {
  if (dim <= max_u32) return {};
  return fail(ErrorCode::invalid_argument, "rows have {} values, expected at most 2^32 - 1", dim);
}

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

/// A format of one of the two families: its extension, whose letters are its name, and its element
/// type.
struct Kind {
  std::string_view extension;
  ElementType type;
  decltype(parse_vecs)* parse;
  decltype(create_vecs)* create;

  constexpr std::string_view name() const { return extension.substr(1); }
};

constexpr Kind fvecs = {".fvecs", ElementType::f32, parse_vecs, create_vecs};
constexpr Kind ivecs = {".ivecs", ElementType::i32, parse_vecs, create_vecs};
constexpr Kind bvecs = {".bvecs", ElementType::u8, parse_vecs, create_vecs};
constexpr Kind hvecs = {".hvecs", ElementType::f16, parse_vecs, create_vecs};
constexpr Kind fbin = {".fbin", ElementType::f32, parse_bin, create_bin};
constexpr Kind u8bin = {".u8bin", ElementType::u8, parse_bin, create_bin};
constexpr Kind i8bin = {".i8bin", ElementType::i8, parse_bin, create_bin};

Result<void> check_type(const Kind& kind, std::optional<ElementType> wanted) {
  if (!wanted || *wanted == kind.type) return {};
  return fail(ErrorCode::invalid_argument,
              "a file {} stores elements of type {}, but the type {} was asked for", kind.name(),
              element_name(kind.type), element_name(*wanted));
}

template <const Kind& kind>
constexpr Format make_format() {
  return {
      .name = kind.name(),
      .extensions = {&kind.extension, 1},
      .has_magic = nullptr,
      .open = [](const std::filesystem::path& path,
                 const ReadOptions& options) -> Result<std::unique_ptr<VectorReader>> {
        EMBD_TRY(check_type(kind, options.element_type));
        MappedFile file = EMBD_TRY(MappedFile::open(path));
        const auto rows = EMBD_TRY(in_file(path, kind.parse(file.bytes(), kind.type)));
        return std::make_unique<RawReader>(std::move(file), rows, kind.name());
      },
      .create = [](const std::filesystem::path& path, std::uint64_t dim,
                   const WriteOptions& options) -> Result<std::unique_ptr<VectorWriter>> {
        // f32 is the default of WriteOptions.
        if (options.element_type != ElementType::f32)
          EMBD_TRY(check_type(kind, options.element_type));
        return kind.create(path, dim, kind.type);
      },
      .stored_type = [](const WriteOptions&) { return kind.type; },
  };
}

}  // namespace

const std::array<Format, 4> vecs_formats = {make_format<fvecs>(), make_format<ivecs>(),
                                            make_format<bvecs>(), make_format<hvecs>()};
const std::array<Format, 3> bin_formats = {make_format<fbin>(), make_format<u8bin>(),
                                           make_format<i8bin>()};

}  // namespace embd::vecs
