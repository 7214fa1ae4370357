#include "faces/server/json_answer.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <charconv>

#include "base/json_text.h"

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

void append_base64(std::span<const std::byte> bytes, std::string& out) {
  const std::size_t start = out.size();
  out.resize(start + (bytes.size() + 2) / 3 * 4 + 1);  // with the NUL that OpenSSL appends
  const int written = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(out.data() + start),
                                      reinterpret_cast<const unsigned char*>(bytes.data()),
                                      static_cast<int>(bytes.size()));
  out.resize(start + static_cast<std::size_t>(written));
}

void append_json_numbers(std::span<const std::uint32_t> values, std::string& out) {
  out += '[';
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i != 0) out += ',';
    out += fmt::to_string(values[i]);
  }
  out += ']';
}

std::string json_string(std::string_view text) {
  std::string json;
  append_json_string(text, json);
  return json;
}

}  // namespace embd::server
