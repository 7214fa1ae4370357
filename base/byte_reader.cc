#include "base/byte_reader.h"

#include <fmt/format.h>

#include "base/try.h"
#include "base/utf8.h"

namespace embd {

Error ByteReader::too_short(std::uint64_t size, std::string_view field) const {
  return Error(ErrorCode::file_too_short,
               fmt::format("{} takes {} bytes, but only {} are left", field, size, remaining()))
      .at_offset(offset());
}

Result<Bytes> ByteReader::bytes(std::uint64_t size, std::string_view field) {
  if (size > remaining()) return std::unexpected(too_short(size, field));
  const Bytes out = bytes_.subspan(position_, size);
  position_ += size;
  return out;
}

Result<std::string_view> ByteReader::text(std::uint64_t size, std::string_view field) {
  const std::uint64_t start = offset();
  const std::string_view out = as_text(EMBD_TRY(bytes(size, field)));
  if (const auto bad = find_invalid_utf8(out)) {
    return std::unexpected(
        Error(ErrorCode::invalid_utf8, std::string(field)).at_offset(start + *bad));
  }
  return out;
}

Result<Bytes> ByteReader::array(std::uint64_t count, std::uint64_t element_size,
                                std::string_view field) {
  if (element_size != 0 && count > remaining() / element_size) {
    return std::unexpected(
        Error(ErrorCode::file_too_short, fmt::format("{} takes {} × {} bytes, but only {} are left",
                                                     field, count, element_size, remaining()))
            .at_offset(offset()));
  }
  return bytes(count * element_size, field);
}

Result<void> ByteReader::skip(std::uint64_t size, std::string_view field) {
  EMBD_TRY(bytes(size, field));
  return {};
}

}  // namespace embd
