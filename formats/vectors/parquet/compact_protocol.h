#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "embd/error.h"

// The compact protocol of Thrift, as far as Parquet uses it. Parquet stores its footer and the
// headers of its pages in it (docs/formats/parquet.md).
namespace embd::parquet {

/// The types of fields and list elements, with their numbers in the protocol.
enum class CompactType : std::uint8_t {
  stop = 0,
  true_ = 1,  ///< The type of a boolean field is its value.
  false_ = 2,
  i8 = 3,
  i16 = 4,
  i32 = 5,
  i64 = 6,
  double_ = 7,
  binary = 8,
  list = 9,
  set = 10,
  map = 11,
  struct_ = 12,
};

/// Write and read numbers of seven bits a byte, the lowest first. Signed numbers are mapped to
/// unsigned ones, so that small magnitudes stay small: 0, −1, 1, −2, … Fails with bad_value for
/// more than 64 bits; `name` is what messages call the number.
void write_varint(ByteWriter& out, std::uint64_t value);
void write_signed_varint(ByteWriter& out, std::int64_t value);
Result<std::uint64_t> read_varint(ByteReader& in, std::string_view name);
Result<std::int64_t> read_signed_varint(ByteReader& in, std::string_view name);

/// Writes structs field by field, in ascending order of their numbers.
class CompactWriter {
 public:
  void i8(std::int16_t field, std::int8_t value);
  void i32(std::int16_t field, std::int32_t value);
  void i64(std::int16_t field, std::int64_t value);
  void boolean(std::int16_t field, bool value);
  void text(std::int16_t field, std::string_view value);

  /// Begins a field that is a list of `count` elements. The functions below write the elements.
  void begin_list(std::int16_t field, CompactType element, std::size_t count);
  void i32_element(std::int32_t value);
  void text_element(std::string_view value);

  /// Begins a field, or an element of a list, that is a struct.
  void begin_struct(std::int16_t field);
  void begin_struct_element();
  void end_struct();

  /// Ends the outermost struct and returns the bytes written so far.
  Bytes finish();

 private:
  void header(std::int16_t field, CompactType type);

  ByteWriter out_;
  std::int16_t last_field_ = 0;
  std::vector<std::int16_t> outer_fields_;  // The value of last_field_ of each enclosing struct.
};

/// Reads structs field by field. Every size is compared with the remaining bytes. Structs may be
/// nested up to 16 deep. Fails with file_too_short, bad_type or bad_count; the error has the
/// offset.
class CompactReader {
 public:
  explicit CompactReader(ByteReader bytes) : bytes_(bytes) {}

  struct Field {
    std::int16_t number = 0;
    CompactType type = CompactType::stop;  ///< The type; stop at the end of the struct.
  };
  struct List {
    CompactType element = CompactType::stop;
    std::uint64_t count = 0;  ///< The number of elements, at most the number of remaining bytes.
  };

  /// Reads the header of the next field. `last` is the number of the field before, 0 for the first
  /// field.
  Result<Field> field(std::int16_t last);
  /// Checks that the type of the field `name` is the one that the format wants. Fails with bad_type
  /// if not.
  Result<void> expect(CompactType found, CompactType wanted, std::string_view name) const;
  Result<std::int64_t> integer(Field field, std::string_view name);
  Result<bool> boolean(Field field, std::string_view name) const;
  Result<std::string_view> binary(Field field, std::string_view name);
  Result<std::string_view> binary_element(std::string_view name);
  Result<List> list(Field field, CompactType element, std::string_view name);
  /// Skips a value.
  Result<void> skip(CompactType type);

  /// Reads a struct. Calls `visit(field)` for each field, which must read or skip the value.
  template <class Visit>
  Result<void> for_each_field(std::string_view name, Visit&& visit) {
    if (++depth_ > max_depth) return too_deep(name);
    for (std::int16_t last = 0;;) {
      auto next = field(last);
      if (!next) return std::unexpected(std::move(next).error());
      if (next->type == CompactType::stop) break;
      last = next->number;
      if (auto done = visit(*next); !done) return std::unexpected(std::move(done).error());
    }
    --depth_;
    return {};
  }

  std::uint64_t offset() const noexcept { return bytes_.offset(); }
  std::size_t remaining() const noexcept { return bytes_.remaining(); }

 private:
  static constexpr int max_depth = 16;
  Result<List> list_header(std::string_view name);
  std::unexpected<Error> too_deep(std::string_view name) const;

  ByteReader bytes_;
  int depth_ = 0;
};

}  // namespace embd::parquet
