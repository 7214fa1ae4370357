#include "formats/vectors/svs/binary_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <vector>

#include "base/os/file_status.h"
#include "base/path_text.h"
#include "base/try.h"

namespace embd::svs {
namespace {

constexpr std::size_t text_size = 36;

bool is_hyphen_place(std::size_t i) {
  return i == 8 || i == 13 || i == 18 || i == 23;
}

struct Header {
  Uuid uuid;
  std::uint64_t rows;
  std::uint64_t columns;
  std::uint64_t size;
};

Result<Header> read_header(Bytes bytes) {
  ByteReader reader(bytes);
  Header header = {};
  const std::uint64_t magic =
      bytes.size() < sizeof(v1_magic) ? v1_magic : EMBD_TRY(reader.u64("magic"));
  if (magic == database_magic || magic == stream_magic) {
    return fail_at(
        0, ErrorCode::unsupported,
        magic == database_magic
            ? "the file is an SVS database, expected a file of vectors"
            : "the file is an SVS index in one stream, expected an index in a directory");
  }
  if (magic != v1_magic && magic != vtest_magic) {
    return fail_at(0, ErrorCode::bad_magic, "the magic number is {:#018x}, expected {:#018x}",
                   magic, v1_magic);
  }
  header.size = magic == v1_magic ? v1_header_bytes : vtest_header_bytes;
  if (bytes.size() < header.size) {
    return fail_at(bytes.size(), ErrorCode::file_too_short,
                   "the header takes {} bytes, more than the file has", header.size);
  }
  if (magic == v1_magic) header.uuid = Uuid::from_stored(EMBD_TRY(reader.bytes(16, "uuid")));
  header.rows = EMBD_TRY(reader.u64("rows"));
  header.columns = EMBD_TRY(reader.u64("columns"));
  if (magic == vtest_magic) header.uuid = Uuid::from_stored(EMBD_TRY(reader.bytes(16, "uuid")));
  return header;
}

}  // namespace

Result<Uuid> Uuid::parse(std::string_view text) {
  if (text.size() != text_size) {
    return fail(ErrorCode::bad_value, "UUID \"{}\" has {} characters, expected {}", text,
                text.size(), text_size);
  }
  Uuid uuid;
  std::size_t byte = 0;
  for (std::size_t i = 0; i < text_size;) {
    if (is_hyphen_place(i)) {
      if (text[i] != '-')
        return fail(ErrorCode::bad_value, "UUID \"{}\" has no hyphen where one is expected", text);
      ++i;
      continue;
    }
    const char* end = text.data() + i + 2;
    const auto parsed = std::from_chars(text.data() + i, end, uuid.bytes[byte++], 16);
    if (parsed.ec != std::errc() || parsed.ptr != end) {
      return fail(ErrorCode::bad_value,
                  "UUID \"{}\" contains a character that is not a hexadecimal digit", text);
    }
    i += 2;
  }
  return uuid;
}

Uuid Uuid::from_stored(Bytes sixteen) noexcept {
  Uuid uuid;
  std::transform(sixteen.rbegin(), sixteen.rend(), uuid.bytes.begin(),
                 [](std::byte b) { return std::to_integer<std::uint8_t>(b); });
  return uuid;
}

Uuid Uuid::from_digest(std::span<const std::byte, 32> sha256) noexcept {
  Uuid uuid;
  std::transform(sha256.begin(), sha256.begin() + 16, uuid.bytes.begin(),
                 [](std::byte b) { return std::to_integer<std::uint8_t>(b); });
  uuid.bytes[6] = static_cast<std::uint8_t>((uuid.bytes[6] & 0x0fU) | 0x40U);  // version 4
  uuid.bytes[8] = static_cast<std::uint8_t>((uuid.bytes[8] & 0x3fU) | 0x80U);  // variant 1
  return uuid;
}

std::array<std::uint8_t, 16> Uuid::stored() const noexcept {
  std::array<std::uint8_t, 16> reversed;
  std::reverse_copy(bytes.begin(), bytes.end(), reversed.begin());
  return reversed;
}

std::string Uuid::text() const {
  std::string out;
  for (const std::uint8_t b : bytes) {
    if (is_hyphen_place(out.size())) out += '-';
    out += fmt::format("{:02x}", b);
  }
  return out;
}

Result<void> BinaryFile::expect_shape(std::uint64_t expected_rows,
                                      std::uint64_t expected_columns) const {
  const auto differs = [&](std::string_view field, std::uint64_t found, std::uint64_t expected,
                           std::uint64_t offset) {
    return std::unexpected(
        Error(ErrorCode::bad_count,
              fmt::format("the number of {} is {}, but the configuration says {}", field, found,
                          expected))
            .at_offset(offset)
            .in_file(text_of_path(path())));
  };
  if (rows != expected_rows) return differs("rows", rows, expected_rows, rows_offset);
  if (columns != expected_columns)
    return differs("columns", columns, expected_columns, columns_offset);
  return {};
}

Result<void> BinaryFile::expect_elements(std::uint64_t element_bytes) const {
  const auto at = [&](ErrorCode code, std::uint64_t offset) {
    return std::unexpected(
        Error(code, fmt::format("the data has {} × {} elements of {} bytes, which do not take {} "
                                "bytes, as many as follow the header",
                                rows, columns, element_bytes, data().size()))
            .at_offset(offset)
            .in_file(text_of_path(path())));
  };
  // Compared by division, because rows × columns × element_bytes could overflow.
  const std::uint64_t elements = data().size() / element_bytes;
  if (rows != 0 && columns > elements / rows)
    return at(ErrorCode::file_too_short, file.bytes().size());
  const std::uint64_t data_bytes = rows * columns * element_bytes;
  if (data().size() != data_bytes) return at(ErrorCode::trailing_bytes, data_offset + data_bytes);
  return {};
}

Result<BinaryFile> open_binary(const std::filesystem::path& path) {
  MappedFile file = EMBD_TRY(MappedFile::open(path));
  const auto header = EMBD_TRY(in_file(path, read_header(file.bytes())));
  return BinaryFile{.file = std::move(file),
                    .uuid = header.uuid,
                    .rows = header.rows,
                    .columns = header.columns,
                    .data_offset = header.size};
}

Result<Uuid> uuid_in(const TomlTable& table, std::string_view key) {
  auto uuid = Uuid::parse(EMBD_TRY(table.string(key)));
  if (!uuid) return table.fail(ErrorCode::bad_value, key, uuid.error().what());
  return uuid;
}

Result<BinaryFile> find_binary(const TomlTable& table, std::string_view key,
                               const std::filesystem::path& directory,
                               std::string_view preferred_name) {
  const Uuid uuid = EMBD_TRY(uuid_in(table, key));
  const std::filesystem::path folder = directory.empty() ? "." : directory;
  std::vector<BinaryFile> found;
  for (const std::filesystem::path& file : os::files_in(folder)) {
    auto binary = open_binary(file);
    if (binary) {
      if (binary->uuid == uuid) found.push_back(std::move(*binary));
    } else if (binary.error().code() == ErrorCode::out_of_memory) {
      return binary;
    }  // Any other file that is not a binary file is ignored.
  }
  const auto preferred = std::ranges::find_if(found, [&](const BinaryFile& b) {
    return b.path().filename() == path_of_text(preferred_name);
  });
  if (found.size() == 1) return std::move(found.front());
  if (preferred != found.end()) return std::move(*preferred);
  if (!found.empty()) {
    return table.fail(ErrorCode::duplicate, key, "{} files have the UUID {}, but none is named {}",
                      found.size(), uuid.text(), preferred_name);
  }
  const std::filesystem::path expected = folder / path_of_text(preferred_name);
  if (!preferred_name.empty() && os::is_file(expected)) {
    const BinaryFile other = EMBD_TRY(open_binary(expected));
    return std::unexpected(
        Error(ErrorCode::missing, fmt::format("the UUID is {}, but the configuration names {}",
                                              other.uuid.text(), uuid.text()))
            .at_offset(uuid_offset)
            .in_file(text_of_path(expected)));
  }
  return table.fail(ErrorCode::missing, key, "no file in the directory has the UUID {}",
                    uuid.text());
}

Result<BinaryWriter> BinaryWriter::create(const std::filesystem::path& path) {
  BinaryWriter writer(EMBD_TRY(OutputFile::create(path, WriteOrder::any)));
  ByteWriter header;
  header.zeros(v1_header_bytes);
  EMBD_TRY(writer.file_.write(header.view()));
  return writer;
}

Result<void> BinaryWriter::append(Bytes rows) {
  hash_.update(rows);
  return file_.write(rows);
}

Result<Uuid> BinaryWriter::finish(std::string_view kind, std::uint64_t rows,
                                  std::uint64_t columns) {
  ByteWriter shape;
  shape.text(kind);
  shape.u64(rows);
  shape.u64(columns);
  hash_.update(shape.view());
  const Uuid uuid = Uuid::from_digest(hash_.digest());

  ByteWriter header;
  header.u64(v1_magic);
  const auto stored_uuid = uuid.stored();
  header.bytes(std::as_bytes(std::span(stored_uuid)));
  header.u64(rows);
  header.u64(columns);
  EMBD_TRY(file_.write_at(0, header.view()));
  EMBD_TRY(file_.finish());
  return uuid;
}

}  // namespace embd::svs
