#include "formats/vectors/parquet/arrow_schema.h"

#include <flatbuffers/flatbuffers.h>
#include <openssl/evp.h>

#include <utility>

#include "base/byte_writer.h"

namespace embd::parquet {
namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;

/// The types of Arrow, with their numbers in Schema.fbs.
enum class ArrowType : std::uint8_t { integer = 2, floating = 3, utf8 = 5, fixed_size_list = 16 };

constexpr std::int16_t metadata_version_5 = 4;
constexpr std::uint8_t header_is_schema = 1;

/// Returns the place of a table's field from its number in the schema.
constexpr flatbuffers::voffset_t slot(int field) {
  return static_cast<flatbuffers::voffset_t>(4 + 2 * field);
}

struct Type {
  ArrowType kind;
  Offset<void> table;
};

Offset<void> end_table(FlatBufferBuilder& builder, flatbuffers::uoffset_t start) {
  return {builder.EndTable(start)};
}

Type number_type(FlatBufferBuilder& builder, ElementType type) {
  const auto start = builder.StartTable();
  if (type == ElementType::f32 || type == ElementType::f16) {
    builder.AddElement<std::int16_t>(slot(0), type == ElementType::f16 ? 0 : 1, 0);  // precision
    return {ArrowType::floating, end_table(builder, start)};
  }
  const bool is_signed =
      type == ElementType::i8 || type == ElementType::i32 || type == ElementType::i64;
  builder.AddElement<std::int32_t>(slot(0), static_cast<std::int32_t>(element_bits(type)), 0);
  builder.AddElement<std::uint8_t>(slot(1), is_signed ? 1 : 0, 0);
  return {ArrowType::integer, end_table(builder, start)};
}

using Fields = flatbuffers::Vector<Offset<void>>;

Offset<void> field(FlatBufferBuilder& builder, std::string_view name, Type type,
                   const std::vector<Offset<void>>& children) {
  const auto name_at = builder.CreateString(name.data(), name.size());
  const Offset<Fields> children_at = builder.CreateVector(children);
  const auto start = builder.StartTable();
  builder.AddOffset(slot(0), name_at);
  builder.AddElement<std::uint8_t>(slot(2), std::to_underlying(type.kind), 0);
  builder.AddOffset(slot(3), type.table);
  builder.AddOffset(slot(5), children_at);
  return end_table(builder, start);
}

Offset<void> column_field(FlatBufferBuilder& builder, const Column& column) {
  switch (column.kind) {
    case ColumnKind::numbers:
      return field(builder, column.name, number_type(builder, column.type), {});
    case ColumnKind::strings: {
      const auto start = builder.StartTable();
      return field(builder, column.name, {ArrowType::utf8, end_table(builder, start)}, {});
    }
    case ColumnKind::vectors:
      break;
  }
  const auto element = field(builder, "element", number_type(builder, column.type), {});
  const auto start = builder.StartTable();
  builder.AddElement<std::int32_t>(slot(0), static_cast<std::int32_t>(column.dim), 0);
  return field(builder, column.name, {ArrowType::fixed_size_list, end_table(builder, start)},
               {element});
}

std::string base64(Bytes bytes) {
  // With room for the zero that OpenSSL adds.
  std::string text((bytes.size() + 2) / 3 * 4 + 1, '\0');
  const int size = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                                   reinterpret_cast<const unsigned char*>(bytes.data()),
                                   static_cast<int>(bytes.size()));
  text.resize(static_cast<std::size_t>(size));
  return text;
}

}  // namespace

std::string arrow_schema(std::span<const Column> columns) {
  FlatBufferBuilder builder;
  std::vector<Offset<void>> fields;
  for (const Column& column : columns) fields.push_back(column_field(builder, column));
  const Offset<Fields> fields_at = builder.CreateVector(fields);
  const auto schema_start = builder.StartTable();
  builder.AddOffset(slot(1), fields_at);
  const Offset<void> schema = end_table(builder, schema_start);
  const auto message_start = builder.StartTable();
  builder.AddElement<std::int16_t>(slot(0), metadata_version_5, 0);
  builder.AddElement<std::uint8_t>(slot(1), header_is_schema, 0);
  builder.AddOffset(slot(2), schema);
  builder.Finish(end_table(builder, message_start));

  const std::size_t padded = (builder.GetSize() + 7) / 8 * 8;
  ByteWriter message;
  message.u32(0xFFFFFFFF);  // A message follows, not the end of the stream.
  message.u32(static_cast<std::uint32_t>(padded));
  message.bytes(std::as_bytes(std::span(builder.GetBufferPointer(), builder.GetSize())));
  message.zeros(padded - builder.GetSize());
  return base64(message.view());
}

}  // namespace embd::parquet
