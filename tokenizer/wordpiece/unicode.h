#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace embd::wordpiece {

/// The general categories of Unicode as far as the normalizer tells them apart.
enum class Category : std::uint8_t {
  other,
  space,        ///< Zs, Zl, Zp
  control,      ///< Cc, Co
  format,       ///< Cf
  mark,         ///< Mn
  punctuation,  ///< Pc, Pd, Pe, Pf, Pi, Po, Ps
};

/// The canonical decomposition of a code point; the code point itself if it has none.
struct Decomposition {
  static constexpr std::size_t max_size = 4;  ///< the longest of Unicode

  std::array<char32_t, max_size> code_points{};
  std::size_t size = 0;
};

/// The properties from the library utf8proc.
namespace unicode_utf8proc {
Category category(char32_t code_point) noexcept;
Decomposition decompose(char32_t code_point) noexcept;
char32_t lower_case(char32_t code_point) noexcept;
}  // namespace unicode_utf8proc

/// The same properties from a table that make_unicode_table.cc writes at build time. The table has
/// a tenth of the size of utf8proc's data, for modules that are fetched over a network.
namespace unicode_table {
Category category(char32_t code_point) noexcept;
Decomposition decompose(char32_t code_point) noexcept;
char32_t lower_case(char32_t code_point) noexcept;
}  // namespace unicode_table

#ifdef EMBD_UNICODE_TABLE
namespace unicode = unicode_table;
#else
namespace unicode = unicode_utf8proc;
#endif

}  // namespace embd::wordpiece
