#include "formats/vectors/numpy/npy_header.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <utility>
#include <vector>

#include "base/try.h"

namespace embd::numpy {
namespace {

constexpr std::array<std::pair<std::string_view, ElementType>, 11> descrs = {{
    {"<f4", ElementType::f32},
    {"<f8", ElementType::f64},
    {"<f2", ElementType::f16},
    {"|i1", ElementType::i8},
    {"|u1", ElementType::u8},
    {"<i2", ElementType::i16},
    {"<u2", ElementType::u16},
    {"<i4", ElementType::i32},
    {"<u4", ElementType::u32},
    {"<i8", ElementType::i64},
    {"<u8", ElementType::u64},
}};

/// Reads the Python literals of which a header consists.
class HeaderText {
 public:
  HeaderText(std::string_view text, std::uint64_t offset) : text_(text), offset_(offset) {}

  /// Skips `token` if it comes next. Returns true if it did.
  bool take(std::string_view token) {
    skip_space();
    if (!text_.substr(at_).starts_with(token)) return false;
    at_ += token.size();
    return true;
  }

  Result<void> expect(std::string_view token) {
    if (take(token)) return {};
    return error(ErrorCode::bad_value, fmt::format("expected {:?}", token));
  }

  Result<std::string_view> string() {
    skip_space();
    const char quote = at_ < text_.size() ? text_[at_] : '\0';
    const std::size_t end =
        quote == '\'' || quote == '"' ? text_.find(quote, at_ + 1) : std::string_view::npos;
    if (end == std::string_view::npos)
      return error(ErrorCode::bad_value, "expected a quoted string");
    const std::string_view value = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return value;
  }

  Result<bool> boolean() {
    if (take("True")) return true;
    if (take("False")) return false;
    return error(ErrorCode::bad_value, "expected True or False");
  }

  Result<std::uint64_t> number() {
    skip_space();
    std::uint64_t value = 0;
    const char* first = text_.data() + at_;
    const auto [end, code] = std::from_chars(first, text_.data() + text_.size(), value);
    if (code != std::errc()) return error(ErrorCode::bad_value, "expected a number below 2^64");
    at_ += static_cast<std::size_t>(end - first);
    take("L");  // Python 2 wrote some numbers with an L.
    return value;
  }

  Result<void> end() {
    skip_space();
    if (at_ == text_.size()) return {};
    return error(ErrorCode::bad_value, "text follows the dictionary, expected none");
  }

  std::unexpected<Error> error(ErrorCode code, std::string_view what) const {
    return fail_at(offset_ + at_, code, "NumPy header: {}", what);
  }

 private:
  void skip_space() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").contains(text_[at_])) ++at_;
  }

  std::string_view text_;
  std::uint64_t offset_;
  std::size_t at_ = 0;
};

Result<void> parse_descr(HeaderText& text, Header& header) {
  if (text.take("["))
    return text.error(ErrorCode::unsupported, "the array consists of records, expected numbers");
  const std::string_view descr = EMBD_TRY(text.string());
  if (descr == "|b1") {
    header.type = ElementType::u8;
    header.is_bool = true;
    return {};
  }
  for (const auto& [known, type] : descrs) {
    const bool swapped = known[0] == '<' && descr.starts_with('>');
    if (descr != known && !(swapped && descr.substr(1) == known.substr(1))) continue;
    header.type = type;
    header.big_endian = swapped;
    return {};
  }
  return text.error(
      ErrorCode::bad_type,
      fmt::format("descr is {:?}, expected a type of numbers such as \"<f4\"", descr));
}

Result<void> parse_shape(HeaderText& text, Header& header) {
  EMBD_TRY(text.expect("("));
  std::vector<std::uint64_t> shape;
  while (!text.take(")")) {
    shape.push_back(EMBD_TRY(text.number()));
    if (text.take(")")) break;
    EMBD_TRY(text.expect(","));
  }
  if (shape.size() != 2) {
    return text.error(
        ErrorCode::unsupported,
        fmt::format("the array has {} dimensions, expected 2, [rows, dim]", shape.size()));
  }
  header.rows = shape[0];
  header.dim = shape[1];
  if (header.dim == 0)
    return text.error(ErrorCode::bad_value, "the rows have 0 values, expected at least one");
  return {};
}

/// Returns everything before the elements of an array of this shape, whose first number is `rows`.
std::string header_of(ElementType type, std::uint64_t rows, std::string_view shape) {
  std::string dictionary = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}",
                                       type_descr(type), shape);
  dictionary.append(max_row_digits - fmt::to_string(rows).size(), ' ');
  constexpr std::size_t prefix_bytes = magic.size() + 2 + 2;
  const std::size_t used = prefix_bytes + dictionary.size() + 1;
  dictionary.append((alignment - used % alignment) % alignment, ' ');
  dictionary += '\n';

  std::string header(magic);
  header += '\x01';
  header += '\x00';
  header += static_cast<char>(dictionary.size() & 0xff);
  header += static_cast<char>(dictionary.size() >> 8);
  return header + dictionary;
}

}  // namespace

Result<Header> parse_header(std::string_view source, std::uint64_t offset) {
  HeaderText text(source, offset);
  Header header;
  bool has_descr = false;
  bool has_order = false;
  bool has_shape = false;
  EMBD_TRY(text.expect("{"));
  while (!text.take("}")) {
    const std::string_view key = EMBD_TRY(text.string());
    bool* seen = key == "descr"           ? &has_descr
                 : key == "fortran_order" ? &has_order
                 : key == "shape"         ? &has_shape
                                          : nullptr;
    if (seen == nullptr)
      return text.error(
          ErrorCode::bad_value,
          fmt::format("the key {:?} is unknown, expected descr, fortran_order and shape", key));
    if (*seen)
      return text.error(ErrorCode::duplicate,
                        fmt::format("the key {:?} occurs twice, expected once", key));
    *seen = true;
    EMBD_TRY(text.expect(":"));
    if (seen == &has_descr) EMBD_TRY(parse_descr(text, header));
    if (seen == &has_order) header.fortran_order = EMBD_TRY(text.boolean());
    if (seen == &has_shape) EMBD_TRY(parse_shape(text, header));
    if (text.take("}")) break;
    EMBD_TRY(text.expect(","));
  }
  EMBD_TRY(text.end());
  if (!has_descr || !has_order || !has_shape)
    return text.error(ErrorCode::missing,
                      "descr, fortran_order or shape is missing, expected all three");
  return header;
}

std::string format_header(ElementType type, std::uint64_t rows, std::uint64_t dim) {
  return header_of(type, rows, fmt::format("({}, {})", rows, dim));
}

std::string format_header(ElementType type, std::uint64_t size) {
  return header_of(type, size, fmt::format("({},)", size));
}

std::string_view type_descr(ElementType type) noexcept {
  for (const auto& [descr, known] : descrs) {
    if (known == type) return descr;
  }
  return "";
}

}  // namespace embd::numpy
