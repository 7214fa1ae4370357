#include "base/os/text_conversion.h"

#include <array>
#include <charconv>
#include <cstdint>

#include "base/os/windows/windows.h"
#include "base/utf8.h"

namespace embd::os {
namespace {

struct CodePage {
  std::string_view name;  // in small letters, without hyphens and underscores
  UINT number;
};

constexpr UINT ascii = 20127;
constexpr UINT iso_8859_1 = 28591;

constexpr std::array code_pages = {
    CodePage{"ascii", ascii},       CodePage{"usascii", ascii}, CodePage{"utf8", CP_UTF8},
    CodePage{"latin1", iso_8859_1}, CodePage{"latin2", 28592},  CodePage{"latin9", 28605},
    CodePage{"koi8r", 20866},       CodePage{"koi8u", 21866},   CodePage{"macintosh", 10000},
    CodePage{"shiftjis", 932},      CodePage{"sjis", 932},      CodePage{"eucjp", 20932},
    CodePage{"gb2312", 936},        CodePage{"gbk", 936},       CodePage{"gb18030", 54936},
    CodePage{"big5", 950},          CodePage{"euckr", 949},     CodePage{"uhc", 949},
    CodePage{"tis620", 874},
};

/// Returns the number of the code page that `name`, in the form of the table, ends with: "iso8859"
/// and the part of the standard, or "windows", "cp" or "ibm" and the number itself.
UINT numbered_page(std::string_view name) {
  struct Family {
    std::string_view prefix;
    UINT base;
  };
  for (const Family& family :
       {Family{"iso8859", 28590}, Family{"windows", 0}, Family{"cp", 0}, Family{"ibm", 0}}) {
    if (!name.starts_with(family.prefix)) continue;
    const std::string_view digits = name.substr(family.prefix.size());
    UINT number = 0;
    const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (code == std::errc() && end == digits.data() + digits.size()) return family.base + number;
  }
  return 0;
}

UINT code_page_of(const std::string& encoding) {
  std::string name = in_small_letters(encoding);
  std::erase_if(name, [](char c) { return c == '-' || c == '_'; });
  for (const CodePage& page : code_pages)
    if (page.name == name) return page.number;
  return numbered_page(name);
}

/// Returns the length of the first character of `text`, as far as its bytes tell.
std::size_t length_of(UINT code_page, std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (code_page == CP_UTF8) return byte(0) < 0xC0 ? 1 : byte(0) < 0xE0 ? 2 : byte(0) < 0xF0 ? 3 : 4;
  if (code_page == 54936)  // GB18030, of whose long characters the second byte is a digit
    return byte(0) < 0x81 ? 1 : text.size() > 1 && byte(1) >= '0' && byte(1) <= '9' ? 4 : 2;
  return ::IsDBCSLeadByteEx(code_page, byte(0)) != FALSE ? 2 : 1;
}

/// Returns true if a byte became a control character because the code page has nothing for it: the
/// system says no error then. Only the pages of ISO have control characters beyond ASCII.
bool is_stopgap(UINT code_page, wchar_t character) {
  return code_page < iso_8859_1 && character >= 0x80 && character < 0xA0;
}

}  // namespace

// A code page is no object, so its number stands in the pointer.
void TextConversion::Close::operator()(void* /*conversion*/) const noexcept {}

std::optional<TextConversion> TextConversion::from(const std::string& encoding) {
  const UINT code_page = code_page_of(encoding);
  if (code_page == 0 || ::IsValidCodePage(code_page) == FALSE) return std::nullopt;
  return TextConversion(reinterpret_cast<void*>(std::uintptr_t{code_page}));
}

void TextConversion::reset() noexcept {}

std::size_t TextConversion::convert(std::string_view text, std::string& out) {
  const auto code_page = static_cast<UINT>(reinterpret_cast<std::uintptr_t>(conversion_.get()));
  std::size_t done = 0;
  while (done < text.size()) {
    const std::size_t length = length_of(code_page, text.substr(done));
    if (length > text.size() - done) break;
    // The system takes the lower seven bits of what is no ASCII.
    if (code_page == ascii && static_cast<unsigned char>(text[done]) >= 0x80) break;
    std::array<wchar_t, 4> wide;
    const int count =
        ::MultiByteToWideChar(code_page, MB_ERR_INVALID_CHARS, text.data() + done,
                              static_cast<int>(length), wide.data(), static_cast<int>(wide.size()));
    if (count == 0 || (length == 1 && is_stopgap(code_page, wide[0]))) break;
    out += utf8_of({wide.data(), static_cast<std::size_t>(count)});
    done += length;
  }
  return done;
}

}  // namespace embd::os
