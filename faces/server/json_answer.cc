#include "faces/server/json_answer.h"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <vector>

#include "base/base64.h"
#include "base/json_text.h"
#include "formats/vectors/usearch/usearch_scalar.h"
#include "jobs/sets/narrow_rows.h"

namespace embd::server {

void append_json_floats(std::span<const float> values, std::string& out) {
  constexpr std::size_t most_digits = 24;  // "-1.17549435e-38," and more
  out += '[';
  const std::size_t start = out.size();
  out.resize(start + values.size() * most_digits);
  char* at = out.data() + start;
  for (const float value : values) {
    at = std::to_chars(at, at + most_digits, value).ptr;
    *at++ = ',';
  }
  if (!values.empty()) --at;
  out.resize(static_cast<std::size_t>(at - out.data()));
  out += ']';
}

void append_json_numbers(std::span<const std::uint32_t> values, std::string& out) {
  out += '[';
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i != 0) out += ',';
    out += fmt::to_string(values[i]);
  }
  out += ']';
}

namespace {

std::vector<int> directions(std::span<const float> vector) {
  std::vector<std::int8_t> codes(vector.size());
  usearch::encode_row(ElementType::i8, vector, reinterpret_cast<std::byte*>(codes.data()));
  return {codes.begin(), codes.end()};
}

std::vector<int> signs(std::span<const float> vector) {
  const Matrix codes = binary_codes(MatrixView(vector.data(), 1, vector.size()));
  std::vector<int> values;
  for (const float code : codes.row(0)) values.push_back(static_cast<int>(code));
  return values;
}

/// Returns the values of a vector in a type other than floats.
std::vector<int> codes_of(ValueType type, std::span<const float> vector) {
  const bool is_bits = type == ValueType::binary || type == ValueType::ubinary;
  std::vector<int> codes = is_bits ? signs(vector) : directions(vector);
  if (type == ValueType::uint8 || type == ValueType::ubinary)
    for (int& code : codes) code += 128;
  return codes;
}

}  // namespace

std::size_t json_bytes(ValueType type, std::size_t dim) noexcept {
  constexpr std::size_t code_bytes = 5;  // "-128,"
  switch (type) {
    case ValueType::floats:
      break;
    case ValueType::int8:
    case ValueType::uint8:
      return dim * code_bytes + 2;
    case ValueType::binary:
    case ValueType::ubinary:
      return (dim + 7) / 8 * code_bytes + 2;
  }
  return dim * json_float_bytes + 2;
}

void append_json_values(ValueType type, std::span<const float> vector, std::string& out) {
  if (type == ValueType::floats) return append_json_floats(vector, out);
  out += fmt::format("[{}]", fmt::join(codes_of(type, vector), ","));
}

void append_base64_values(ValueType type, std::span<const float> vector, std::string& out) {
  static_assert(std::endian::native == std::endian::little);
  if (type == ValueType::floats) return append_base64(std::as_bytes(vector), out);
  std::vector<std::byte> bytes;
  for (const int code : codes_of(type, vector)) bytes.push_back(static_cast<std::byte>(code));
  append_base64(bytes, out);
}

}  // namespace embd::server
