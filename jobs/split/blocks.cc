#include "jobs/split/blocks.h"

#include <utf8proc.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "base/utf8.h"

namespace embd::splitting {
namespace {

/// The longest text of a heading, in bytes.
constexpr std::size_t max_heading_bytes = 120;

DecodedCodePoint code_point_at(std::string_view text, std::size_t at) noexcept {
  return decode_utf8(text.data() + at, text.data() + text.size());
}

bool is_blank_or_line_end(char c) noexcept {
  return c == '\n' || blanks.find(c) != std::string_view::npos;
}

/// Returns true for marks that end a sentence only before white space.
bool is_stop(char32_t c) noexcept {
  return c == '.' || c == '!' || c == '?' || c == 0x2026;
}
/// Returns true for marks of Chinese and Japanese, which end a sentence wherever they are.
bool is_wide_stop(char32_t c) noexcept {
  return c == 0x3002 || c == 0xFF01 || c == 0xFF1F;
}
/// Returns true for quotes and brackets that close, and for marks of emphasis and code.
bool is_closing(char32_t c) noexcept {
  if (c == '"' || c == '\'' || c == '*' || c == '_' || c == '`') return true;
  const auto category = utf8proc_category(static_cast<utf8proc_int32_t>(c));
  return category == UTF8PROC_CATEGORY_PE || category == UTF8PROC_CATEGORY_PF;
}

/// Returns true if the dot at `at` belongs to a number or to an initial, such as "3." and "J.".
bool is_dot_of_abbreviation(std::string_view text, std::size_t begin, std::size_t at) noexcept {
  if (at == begin) return true;
  const auto is_alphanumeric = [](char c) {
    return is_ascii_alphanumeric(c) || static_cast<unsigned char>(c) >= 0x80;
  };
  const char before = text[at - 1];
  if (is_ascii_digit(before)) return true;
  return is_alphanumeric(before) && (at - 1 == begin || !is_alphanumeric(text[at - 2]));
}

}  // namespace

Lines::Lines(std::string_view text) : text_(text) {
  std::size_t at = text.starts_with(byte_order_mark) ? byte_order_mark.size() : 0;
  begins_.push_back(static_cast<std::uint32_t>(at));
  while (at < text.size()) {
    const std::size_t end = text.find('\n', at);
    at = end == std::string_view::npos ? text.size() : end + 1;
    begins_.push_back(static_cast<std::uint32_t>(at));
  }
}

std::size_t Lines::end(std::uint32_t line) const noexcept {
  std::size_t end = begins_[line + 1];
  if (end > begins_[line] && text_[end - 1] == '\n') --end;
  if (end > begins_[line] && text_[end - 1] == '\r') --end;
  return end;
}

std::uint32_t Lines::line_of(std::size_t byte) const noexcept {
  return static_cast<std::uint32_t>(std::ranges::upper_bound(begins_, byte) - begins_.begin()) - 1;
}

std::vector<Block> text_blocks(const Lines& lines, std::uint32_t first) {
  std::vector<Block> blocks;
  bool is_inside = false;
  for (std::uint32_t line = first; line < lines.size(); ++line) {
    const bool was_inside = std::exchange(is_inside, !lines.is_blank(line));
    if (!is_inside) continue;
    if (!was_inside) blocks.push_back({line, line});
    blocks.back().end = line + 1;
  }
  return blocks;
}

std::vector<Block> code_blocks(const Lines& lines, std::uint32_t first) {
  std::vector<Block> blocks = text_blocks(lines, first);
  for (Block& block : blocks) {
    block.kind = BlockKind::lines;
    const char begin = lines[block.first][0];
    block.continues = &block != blocks.data() && (begin == ' ' || begin == '\t');
  }
  return blocks;
}

std::uint32_t front_matter_lines(const Lines& lines) {
  if (lines.size() == 0) return 0;
  const auto without_end = [&](std::uint32_t line) {
    return lines[line].substr(0, lines[line].find_last_not_of(blanks) + 1);
  };
  const std::string_view opening = without_end(0);
  if (opening != "---" && opening != "+++") return 0;
  for (std::uint32_t line = 1; line < lines.size(); ++line) {
    const std::string_view text = without_end(line);
    if (text == opening || (opening == "---" && text == "...")) return line + 1;
  }
  return 0;
}

std::string heading_text(const Lines& lines, const Block& heading) {
  std::string_view text = lines.text().substr(
      lines.begin(heading.first), lines.end(heading.end - 1) - lines.begin(heading.first));
  const auto trim = [&] {
    while (!text.empty() && is_blank_or_line_end(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_blank_or_line_end(text.back())) text.remove_suffix(1);
  };
  trim();
  if (heading.end > heading.first + 1) {
    text = text.substr(0, text.find_last_of('\n'));  // the line of = or -
  } else {
    text.remove_prefix(std::min(text.find_first_not_of('#'), text.size()));
    const std::size_t end = text.find_last_not_of('#') + 1;
    if (end == 0 || is_blank_or_line_end(text[end - 1])) text = text.substr(0, end);
  }
  trim();
  text = text.substr(0, 8 * max_heading_bytes);
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::string_view rest = text.substr(i);
    if (rest[0] == '\\' && rest.size() > 1 && std::ispunct(static_cast<unsigned char>(rest[1]))) {
      plain += text[++i];
    } else if (rest.starts_with("](")) {
      i += std::min(rest.find(')'), rest.size() - 1);
    } else if (is_blank_or_line_end(rest[0])) {
      if (!plain.ends_with(' ')) plain += ' ';
    } else if (rest[0] == '`' || rest[0] == '*' || rest.starts_with("![")) {
      continue;
    } else if (rest[0] != '[' || rest.find("](") == std::string_view::npos) {
      plain += rest[0];
    }
  }
  return std::string(utf8_prefix(plain, max_heading_bytes));
}

std::size_t sentence_end(std::string_view text, std::size_t begin, std::size_t end) {
  text = text.substr(0, end);
  for (std::size_t at = begin; at < end;) {
    const DecodedCodePoint mark = code_point_at(text, at);
    const std::size_t mark_at = at;
    at += mark.size;
    if (!is_stop(mark.code_point) && !is_wide_stop(mark.code_point)) continue;
    if (mark.code_point == '.' && is_dot_of_abbreviation(text, begin, mark_at)) continue;
    std::size_t behind = at;
    DecodedCodePoint next = {0, 0};
    while (behind < end) {
      next = code_point_at(text, behind);
      if (!is_closing(next.code_point) && !is_stop(next.code_point) &&
          !is_wide_stop(next.code_point))
        break;
      behind += next.size;
    }
    at = behind;
    if (is_wide_stop(mark.code_point) || behind == end) return behind;
    if (!is_blank_or_line_end(text[behind])) continue;
    std::size_t word = behind;
    while (word < end && is_blank_or_line_end(text[word])) ++word;
    if (word == end) return behind;
    if (utf8proc_category(static_cast<utf8proc_int32_t>(code_point_at(text, word).code_point)) !=
        UTF8PROC_CATEGORY_LL)
      return behind;
    at = word;
  }
  return end;
}

}  // namespace embd::splitting
