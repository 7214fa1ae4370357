#include "base/json_text.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/byte_reader.h"
#include "base/elements.h"

namespace embd {

void append_json_string(std::string_view text, std::string& out) {
  out += nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void append_json_float(float value, std::string& out) {
  out += std::isfinite(value) ? fmt::to_string(value) : "null";
}

void append_json_number(ElementType type, Bytes element, std::string& out) {
  const auto append_integer = [&]<class Integer>(Integer) {
    out += fmt::to_string(load<Integer>(element));
  };
  switch (type) {
    case ElementType::i8:
      return append_integer(std::int8_t{});
    case ElementType::u8:
      return append_integer(std::uint8_t{});
    case ElementType::i16:
      return append_integer(std::int16_t{});
    case ElementType::u16:
      return append_integer(std::uint16_t{});
    case ElementType::i32:
      return append_integer(std::int32_t{});
    case ElementType::u32:
      return append_integer(std::uint32_t{});
    case ElementType::i64:
      return append_integer(std::int64_t{});
    case ElementType::u64:
      return append_integer(std::uint64_t{});
    default:
      break;
  }
  float value = 0;
  floats_from_elements(type, element, std::span(&value, 1));
  const std::size_t begin = out.size();
  append_json_float(value, out);
  if (out.find_first_of(".en", begin) == std::string::npos) out += ".0";
}

}  // namespace embd
