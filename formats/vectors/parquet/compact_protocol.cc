#include "formats/vectors/parquet/compact_protocol.h"

#include <utility>

#include "base/try.h"

namespace embd::parquet {
namespace {

std::string_view type_name(CompactType type) {
  constexpr std::string_view names[] = {"stop",
                                        "a boolean",
                                        "a boolean",
                                        "an 8-bit number",
                                        "a 16-bit number",
                                        "a 32-bit number",
                                        "a 64-bit number",
                                        "a double",
                                        "a string",
                                        "a list",
                                        "a set",
                                        "a map",
                                        "a struct"};
  return names[static_cast<std::size_t>(type)];
}

}  // namespace

void write_varint(ByteWriter& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) out.u8(static_cast<std::uint8_t>(value | 0x80));
  out.u8(static_cast<std::uint8_t>(value));
}

void write_signed_varint(ByteWriter& out, std::int64_t value) {
  write_varint(out,
               (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63));
}

Result<std::uint64_t> read_varint(ByteReader& in, std::string_view name) {
  const std::uint64_t at = in.offset();
  std::uint64_t value = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    const std::uint8_t byte = EMBD_TRY(in.u8(name));
    value |= std::uint64_t{byte & 0x7FU} << shift;
    if ((byte & 0x80) == 0) return value;
  }
  return fail_at(at, ErrorCode::bad_value, "{}: the number has more than 64 bits", name);
}

Result<std::int64_t> read_signed_varint(ByteReader& in, std::string_view name) {
  const std::uint64_t value = EMBD_TRY(read_varint(in, name));
  return static_cast<std::int64_t>((value >> 1) ^ (~(value & 1) + 1));
}

void CompactWriter::header(std::int16_t field, CompactType type) {
  const int delta = field - last_field_;
  if (delta > 0 && delta <= 15) {
    out_.u8(static_cast<std::uint8_t>(delta << 4 | std::to_underlying(type)));
  } else {
    out_.u8(std::to_underlying(type));
    write_signed_varint(out_, field);
  }
  last_field_ = field;
}

void CompactWriter::i8(std::int16_t field, std::int8_t value) {
  header(field, CompactType::i8);
  out_.number(value);
}

void CompactWriter::i32(std::int16_t field, std::int32_t value) {
  header(field, CompactType::i32);
  write_signed_varint(out_, value);
}

void CompactWriter::i64(std::int16_t field, std::int64_t value) {
  header(field, CompactType::i64);
  write_signed_varint(out_, value);
}

void CompactWriter::boolean(std::int16_t field, bool value) {
  header(field, value ? CompactType::true_ : CompactType::false_);
}

void CompactWriter::text(std::int16_t field, std::string_view value) {
  header(field, CompactType::binary);
  text_element(value);
}

void CompactWriter::begin_list(std::int16_t field, CompactType element, std::size_t count) {
  header(field, CompactType::list);
  const std::uint8_t type = std::to_underlying(element);
  if (count < 15) {
    out_.u8(static_cast<std::uint8_t>(count << 4 | type));
  } else {
    out_.u8(static_cast<std::uint8_t>(0xF0 | type));
    write_varint(out_, count);
  }
}

void CompactWriter::i32_element(std::int32_t value) {
  write_signed_varint(out_, value);
}

void CompactWriter::text_element(std::string_view value) {
  write_varint(out_, value.size());
  out_.text(value);
}

void CompactWriter::begin_struct(std::int16_t field) {
  header(field, CompactType::struct_);
  begin_struct_element();
}

void CompactWriter::begin_struct_element() {
  outer_fields_.push_back(std::exchange(last_field_, 0));
}

void CompactWriter::end_struct() {
  out_.u8(std::to_underlying(CompactType::stop));
  last_field_ = outer_fields_.back();
  outer_fields_.pop_back();
}

Bytes CompactWriter::finish() {
  out_.u8(std::to_underlying(CompactType::stop));
  return out_.view();
}

std::unexpected<Error> CompactReader::too_deep(std::string_view name) const {
  return fail_at(offset(), ErrorCode::unsupported,
                 "{}: lists and structs are nested more than {} levels deep", name, max_depth);
}

Result<CompactReader::Field> CompactReader::field(std::int16_t last) {
  const std::uint64_t at = bytes_.offset();
  const std::uint8_t byte = EMBD_TRY(bytes_.u8("field header"));
  const std::uint8_t type = byte & 0x0F;
  if (type > std::to_underlying(CompactType::struct_)) {
    return fail_at(at, ErrorCode::bad_type, "the type of a field is {}, expected 0 to 12", type);
  }
  if (type == 0) return Field{};
  const int delta = byte >> 4;
  const std::int64_t number =
      delta != 0 ? last + delta : EMBD_TRY(read_signed_varint(bytes_, "field number"));
  if (number <= 0 || number > INT16_MAX) {
    return fail_at(at, ErrorCode::bad_value, "the number of a field is {}, expected 1 to 32767",
                   number);
  }
  return Field{static_cast<std::int16_t>(number), static_cast<CompactType>(type)};
}

Result<void> CompactReader::expect(CompactType found, CompactType wanted,
                                   std::string_view name) const {
  if (found == wanted) return {};
  return fail_at(offset(), ErrorCode::bad_type, "{} is {}, expected {}", name, type_name(found),
                 type_name(wanted));
}

Result<std::int64_t> CompactReader::integer(Field field, std::string_view name) {
  switch (field.type) {
    case CompactType::i8:
      return static_cast<std::int8_t>(EMBD_TRY(bytes_.u8(name)));
    case CompactType::i16:
    case CompactType::i32:
    case CompactType::i64:
      return read_signed_varint(bytes_, name);
    default:
      EMBD_TRY(expect(field.type, CompactType::i64, name));
      return 0;
  }
}

Result<bool> CompactReader::boolean(Field field, std::string_view name) const {
  if (field.type != CompactType::false_) EMBD_TRY(expect(field.type, CompactType::true_, name));
  return field.type == CompactType::true_;
}

Result<std::string_view> CompactReader::binary(Field field, std::string_view name) {
  EMBD_TRY(expect(field.type, CompactType::binary, name));
  return binary_element(name);
}

Result<std::string_view> CompactReader::binary_element(std::string_view name) {
  const std::uint64_t size = EMBD_TRY(read_varint(bytes_, name));
  return as_text(EMBD_TRY(bytes_.bytes(size, name)));
}

Result<CompactReader::List> CompactReader::list_header(std::string_view name) {
  const std::uint64_t at = bytes_.offset();
  const std::uint8_t byte = EMBD_TRY(bytes_.u8(name));
  const std::uint8_t type = byte & 0x0F;
  std::uint64_t count = byte >> 4;
  if (count == 15) count = EMBD_TRY(read_varint(bytes_, name));
  if (type == 0 || type > std::to_underlying(CompactType::struct_) || count > bytes_.remaining()) {
    return fail_at(at, ErrorCode::bad_count,
                   "{}: a list has {} elements of type {}, which do "
                   "not fit in the {} bytes that are left",
                   name, count, type, bytes_.remaining());
  }
  return List{static_cast<CompactType>(type), count};
}

Result<CompactReader::List> CompactReader::list(Field field, CompactType element,
                                                std::string_view name) {
  EMBD_TRY(expect(field.type, CompactType::list, name));
  const List list = EMBD_TRY(list_header(name));
  if (list.count != 0) EMBD_TRY(expect(list.element, element, name));
  return list;
}

Result<void> CompactReader::skip(CompactType type) {
  switch (type) {
    case CompactType::stop:
    case CompactType::true_:
    case CompactType::false_:
      return {};
    case CompactType::i8:
      return bytes_.skip(1, "number");
    case CompactType::i16:
    case CompactType::i32:
    case CompactType::i64:
      static_cast<void>(EMBD_TRY(read_varint(bytes_, "number")));
      return {};
    case CompactType::double_:
      return bytes_.skip(8, "number");
    case CompactType::binary:
      EMBD_TRY(binary_element("string"));
      return {};
    case CompactType::struct_:
      return for_each_field("struct", [&](Field field) { return skip(field.type); });
    case CompactType::list:
    case CompactType::set: {
      const List list = EMBD_TRY(list_header("list"));
      // In a list, a boolean has a byte of its own.
      const bool is_boolean =
          list.element == CompactType::true_ || list.element == CompactType::false_;
      if (is_boolean) return bytes_.skip(list.count, "list");
      if (++depth_ > max_depth) return too_deep("list");
      for (std::uint64_t i = 0; i < list.count; ++i) EMBD_TRY(skip(list.element));
      --depth_;
      return {};
    }
    case CompactType::map:
      break;
  }
  return fail_at(offset(), ErrorCode::unsupported,
                 "the metadata contains a map, which Parquet does not use");
}

}  // namespace embd::parquet
