#include "base/os/text_conversion.h"

#include <iconv.h>

#include <array>
#include <cerrno>

namespace embd::os {
namespace {

iconv_t open_conversion(const std::string& name) {
  const auto none = reinterpret_cast<iconv_t>(-1);
  const iconv_t conversion = ::iconv_open("UTF-8", name.c_str());
  return conversion == none ? nullptr : conversion;
}

}  // namespace

void TextConversion::Close::operator()(void* conversion) const noexcept {
  ::iconv_close(conversion);
}

std::optional<TextConversion> TextConversion::from(const std::string& encoding) {
  iconv_t conversion = open_conversion(encoding);
  if (conversion == nullptr) {
    // iconv knows latin-1 as latin1.
    std::string without_hyphens = encoding;
    std::erase(without_hyphens, '-');
    conversion = open_conversion(without_hyphens);
  }
  if (conversion == nullptr) return std::nullopt;
  return TextConversion(conversion);
}

void TextConversion::reset() noexcept {
  ::iconv(conversion_.get(), nullptr, nullptr, nullptr, nullptr);
}

std::size_t TextConversion::convert(std::string_view text, std::string& out) {
  char* in = const_cast<char*>(text.data());  // iconv only reads it.
  std::size_t num_in = text.size();
  while (num_in > 0) {
    std::array<char, 4096> piece;
    char* end = piece.data();
    std::size_t num_out = piece.size();
    const bool is_whole =
        ::iconv(conversion_.get(), &in, &num_in, &end, &num_out) != std::size_t(-1);
    const int error = errno;
    out.append(piece.data(), end);
    if (!is_whole && error != E2BIG) break;
  }
  return text.size() - num_in;
}

}  // namespace embd::os
