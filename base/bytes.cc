#include "base/bytes.h"

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
    return fail_at(start + *bad, ErrorCode::invalid_utf8, std::string(field));
  }
  return out;
}

Result<Bytes> ByteReader::array(std::uint64_t count, std::uint64_t element_size,
                                std::string_view field) {
  if (element_size != 0 && count > remaining() / element_size) {
    return fail_at(offset(), ErrorCode::file_too_short,
                   "{} takes {} × {} bytes, but only {} are left", field, count, element_size,
                   remaining());
  }
  return bytes(count * element_size, field);
}

Result<void> ByteReader::skip(std::uint64_t size, std::string_view field) {
  EMBD_TRY(bytes(size, field));
  return {};
}

}  // namespace embd
