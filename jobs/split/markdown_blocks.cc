#include <algorithm>
#include <array>
#include <optional>

#include "base/utf8.h"
#include "jobs/split/blocks.h"

namespace embd::splitting {
namespace {

constexpr std::size_t max_depth = 32;  // of quotes and list items
constexpr std::size_t code_indent = 4;

bool is_space(char c) noexcept {
  return c == ' ' || c == '\t';
}

std::string_view trimmed(std::string_view text) noexcept {
  return embd::trimmed(text, blanks);
}

/// A place in a line, counted in columns as well as in bytes, because a tab reaches to the next
/// column that is divisible by four, and only a part of it may belong to a marker.
class Cursor {
 public:
  explicit Cursor(std::string_view line) : line_(line) {}

  /// Returns the rest of the line from the first character that is no space or tab.
  std::string_view rest() const noexcept { return line_.substr(next().byte); }
  bool is_blank() const noexcept { return trimmed(line_.substr(byte_)).empty(); }
  /// Returns the columns of spaces and tabs before the next character.
  std::size_t indent() const noexcept { return next().column - column_; }

  /// Moves to the next character that is no space or tab.
  void skip_indent() noexcept {
    const Place to = next();
    byte_ = to.byte;
    column_ = to.column;
  }
  /// Moves over `count` characters that are neither spaces nor tabs.
  void skip_characters(std::size_t count) noexcept {
    byte_ += count;
    column_ += count;
  }
  /// Moves over at most `count` columns of spaces and tabs.
  void skip_columns(std::size_t count) noexcept {
    const std::size_t to = column_ + count;
    while (column_ < to && byte_ < line_.size() && is_space(line_[byte_])) {
      const std::size_t behind = column_behind(line_[byte_], column_);
      column_ = std::min(to, behind);
      if (behind <= to) ++byte_;
    }
  }

 private:
  struct Place {
    std::size_t byte;
    std::size_t column;
  };
  static std::size_t column_behind(char space, std::size_t column) noexcept {
    return space == '\t' ? column + 4 - column % 4 : column + 1;
  }
  Place next() const noexcept {
    Place place = {byte_, column_};
    for (; place.byte < line_.size() && is_space(line_[place.byte]); ++place.byte)
      place.column = column_behind(line_[place.byte], place.column);
    return place;
  }

  std::string_view line_;
  std::size_t byte_ = 0;
  std::size_t column_ = 0;
};

/// Returns the level of an ATX heading, "## like this"; 0 if the text is none.
std::uint8_t atx_level(std::string_view text) noexcept {
  const std::size_t level = std::min(text.find_first_not_of('#'), text.size());
  if (level < 1 || level > 6) return 0;
  return level == text.size() || is_space(text[level]) ? static_cast<std::uint8_t>(level) : 0;
}

/// Returns the level of a heading that a line under it makes; 0 if the text is no such line.
std::uint8_t setext_level(std::string_view text) noexcept {
  text = trimmed(text);
  if (text.empty() || (text[0] != '=' && text[0] != '-')) return 0;
  if (text.find_first_not_of(text[0]) != std::string_view::npos) return 0;
  return text[0] == '=' ? 1 : 2;
}

bool is_thematic_break(std::string_view text) noexcept {
  if (text.empty() || (text[0] != '*' && text[0] != '-' && text[0] != '_')) return false;
  std::size_t count = 0;
  for (const char c : text) {
    if (c == text[0])
      ++count;
    else if (blanks.find(c) == std::string_view::npos)
      return false;
  }
  return count >= 3;
}

/// The marks that open a block of code, ``` or ~~~.
struct Fence {
  char mark = 0;
  std::size_t length = 0;
};

std::optional<Fence> opening_fence(std::string_view text) noexcept {
  if (text.empty() || (text[0] != '`' && text[0] != '~')) return std::nullopt;
  const std::size_t length = std::min(text.find_first_not_of(text[0]), text.size());
  if (length < 3) return std::nullopt;
  if (text[0] == '`' && text.find('`', length) != std::string_view::npos) return std::nullopt;
  return Fence{text[0], length};
}

bool closes(const Fence& fence, std::string_view text) noexcept {
  text = trimmed(text);
  return text.size() >= fence.length &&
         text.find_first_not_of(fence.mark) == std::string_view::npos;
}

/// A quote, or an item of a list.
struct Container {
  char marker = '>';      ///< of items: the bullet, or the character after the number
  std::size_t width = 0;  ///< of items: the columns before its content
  bool is_empty = false;  ///< of items: nothing but its marker so far

  bool is_quote() const noexcept { return marker == '>'; }
};

/// The marker with which an item begins.
struct ItemMarker {
  char kind = 0;
  std::size_t length = 0;
  bool begins_at_one = true;  ///< false for a number other than 1
};

std::optional<ItemMarker> item_marker(std::string_view text) noexcept {
  ItemMarker marker;
  if (text.empty()) return std::nullopt;
  if (text[0] == '*' || text[0] == '-' || text[0] == '+') {
    marker = {text[0], 1};
  } else {
    std::size_t digits = 0;
    while (digits < text.size() && digits < 10 && is_ascii_digit(text[digits])) ++digits;
    if (digits < 1 || digits > 9 || digits == text.size()) return std::nullopt;
    if (text[digits] != '.' && text[digits] != ')') return std::nullopt;
    const std::string_view number = text.substr(0, digits);
    const std::size_t zeros = std::min(number.find_first_not_of('0'), digits);
    marker = {text[digits], digits + 1, number.substr(zeros) == "1"};
  }
  const bool ends =
      marker.length == text.size() || blanks.find(text[marker.length]) != std::string_view::npos;
  return ends ? std::optional(marker) : std::nullopt;
}

// HTML blocks: section 4.6 of CommonMark 0.29, which gives these tags and ends.

constexpr auto block_tags = std::to_array<std::string_view>(
    {"address", "article",  "aside",   "base",     "basefont", "blockquote", "body",
     "caption", "center",   "col",     "colgroup", "dd",       "details",    "dialog",
     "dir",     "div",      "dl",      "dt",       "fieldset", "figcaption", "figure",
     "footer",  "form",     "frame",   "frameset", "h1",       "h2",         "h3",
     "h4",      "h5",       "h6",      "head",     "header",   "hr",         "html",
     "iframe",  "legend",   "li",      "link",     "main",     "menu",       "menuitem",
     "nav",     "noframes", "ol",      "optgroup", "option",   "p",          "param",
     "section", "source",   "summary", "table",    "tbody",    "td",         "tfoot",
     "th",      "thead",    "title",   "tr",       "track",    "ul"});
constexpr auto verbatim_tags =
    std::to_array<std::string_view>({"script", "pre", "style", "textarea"});

/// Returns the letters and digits at the beginning of a text in lower case, at most 16.
std::string tag_name(std::string_view text) {
  text = text.substr(0, 16);
  const auto end = std::ranges::find_if(text, [](char c) { return !is_ascii_alphanumeric(c); });
  return in_small_letters({text.begin(), end});
}

template <std::size_t size>
bool is_among(const std::array<std::string_view, size>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

/// Returns the rest of the text behind an attribute of a tag and the white space before it; the
/// text itself if there is no attribute.
std::string_view behind_attribute(std::string_view text) noexcept {
  constexpr std::string_view name_characters =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.:-";
  std::string_view rest = text.substr(std::min(text.find_first_not_of(blanks), text.size()));
  if (rest.size() == text.size() || rest.empty()) return text;
  if (!is_ascii_letter(rest[0]) && rest[0] != '_' && rest[0] != ':') return text;
  rest.remove_prefix(std::min(rest.find_first_not_of(name_characters), rest.size()));
  const std::string_view value = trimmed(rest);
  if (!value.starts_with('=')) return rest;
  rest = trimmed(value.substr(1));
  if (rest.starts_with('"') || rest.starts_with('\'')) {
    const std::size_t close = rest.find(rest[0], 1);
    return close == std::string_view::npos ? text : rest.substr(close + 1);
  }
  const std::size_t length = std::min(rest.find_first_of(" \t\r\v\f\"'=<>`"), rest.size());
  return length == 0 ? text : rest.substr(length);
}

/// Returns true if a text is one whole opening or closing tag, and nothing else.
bool is_whole_tag(std::string_view text) noexcept {
  const bool closing = text.starts_with("</");
  text.remove_prefix(closing ? 2 : 1);
  if (text.empty() || !is_ascii_letter(text[0])) return false;
  const auto in_name = [](char c) { return is_ascii_alphanumeric(c) || c == '-'; };
  text.remove_prefix(
      static_cast<std::size_t>(std::ranges::find_if_not(text, in_name) - text.begin()));
  for (std::string_view rest = text; !closing; text = rest) {
    rest = behind_attribute(text);
    if (rest.size() == text.size()) break;
  }
  text = trimmed(text);
  if (!closing && text.starts_with('/')) text.remove_prefix(1);
  return text == ">";
}

/// The end of an HTML block: a text in its last line, or a blank line.
enum class HtmlEnd : std::uint8_t {
  verbatim_tag,
  comment,
  instruction,
  declaration,
  cdata,
  blank_line
};

bool ends_html(HtmlEnd end, std::string_view line) {
  const auto has = [&](std::string_view text) { return line.find(text) != std::string_view::npos; };
  switch (end) {
    case HtmlEnd::verbatim_tag:
      for (std::size_t at = line.find("</"); at != std::string_view::npos;
           at = line.find("</", at + 2)) {
        const std::string name = tag_name(line.substr(at + 2));
        if (is_among(verbatim_tags, name) && line.substr(at + 2 + name.size()).starts_with('>'))
          return true;
      }
      return false;
    case HtmlEnd::comment:
      return has("-->");
    case HtmlEnd::instruction:
      return has("?>");
    case HtmlEnd::declaration:
      return has(">");
    case HtmlEnd::cdata:
      return has("]]>");
    case HtmlEnd::blank_line:
      return false;
  }
  return false;
}

/// Returns the end of the HTML block that a text begins; nothing if it begins none.
std::optional<HtmlEnd> opening_html(std::string_view text, bool interrupts_paragraph) {
  if (!text.starts_with('<') || text.size() < 2) return std::nullopt;
  if (text.starts_with("<!--")) return HtmlEnd::comment;
  if (text.starts_with("<?")) return HtmlEnd::instruction;
  if (text.starts_with("<![CDATA[")) return HtmlEnd::cdata;
  if (text.starts_with("<!"))
    return text.size() > 2 && is_ascii_letter(text[2]) ? std::optional(HtmlEnd::declaration)
                                                       : std::nullopt;
  const bool closing = text[1] == '/';
  const std::string name = tag_name(text.substr(closing ? 2 : 1));
  const std::string_view behind = text.substr(name.size() + (closing ? 2 : 1));
  const bool name_ends = behind.empty() || is_space(behind[0]) || behind[0] == '>';
  if (!closing && name_ends && is_among(verbatim_tags, name)) return HtmlEnd::verbatim_tag;
  if ((name_ends || behind.starts_with("/>")) && is_among(block_tags, name))
    return HtmlEnd::blank_line;
  if (!interrupts_paragraph && is_whole_tag(trimmed(text))) return HtmlEnd::blank_line;
  return std::nullopt;
}

/// Returns the number of cells in a row of a table.
std::size_t count_cells(std::string_view row) noexcept {
  row = trimmed(row);
  if (row.starts_with('|')) row.remove_prefix(1);
  std::size_t bars = 0;
  bool ends_with_bar = false;
  for (std::size_t i = 0; i < row.size(); ++i) {
    ends_with_bar = row[i] == '|';
    if (row[i] == '\\')
      ++i;
    else
      bars += ends_with_bar ? 1 : 0;
  }
  return ends_with_bar ? bars : bars + 1;
}

/// Returns true if a line is a row such as |---|:-:|, which makes the line above it the head of a
/// table.
bool is_delimiter_row(std::string_view row) noexcept {
  row = trimmed(row);
  bool has_dash = false;
  bool is_cell_done = false;
  for (std::size_t i = 0; i < row.size(); ++i) {
    const char c = row[i];
    if (c == '|') {
      if (!has_dash && i != 0) return false;
      has_dash = is_cell_done = false;
    } else if (c == '-') {
      if (is_cell_done) return false;
      has_dash = true;
    } else if (c == ':') {
      if (is_cell_done) return false;
      is_cell_done = has_dash;
    } else if (is_space(c)) {
      is_cell_done = has_dash;
    } else {
      return false;
    }
  }
  return row.find('-') != std::string_view::npos && (has_dash || row.ends_with('|'));
}

/// Finds the blocks line by line. It keeps the quotes and list items that are open, and the block
/// that the line before is in.
class MarkdownScanner {
 public:
  MarkdownScanner(const Lines& lines, std::vector<Block>& blocks)
      : lines_(lines), blocks_(blocks) {}

  void add(std::uint32_t line);

 private:
  enum class Leaf : std::uint8_t { none, paragraph, indented, fence, html, table };

  /// Moves over the markers of the open containers that go on in this line; returns their number.
  std::size_t match_containers(Cursor& cursor) const;
  /// Takes a line of an open block of code or HTML. Returns false if none is open.
  bool add_verbatim(const Cursor& cursor);
  /// Opens containers, and a block if the line begins one that is no paragraph.
  void open_blocks(Cursor& cursor);
  bool open_quote(Cursor& cursor);
  bool open_item(Cursor& cursor);
  bool open_leaf(const Cursor& cursor);
  void add_paragraph_line(const Cursor& cursor);
  /// Makes the last line of a paragraph the head of a table.
  void begin_table();
  void push(Container container);
  /// Ends the containers that do not go on in this line.
  void close_unmatched();
  void begin(BlockKind kind, Leaf leaf, std::uint8_t level = 0);
  bool is_in_paragraph() const noexcept { return all_matched_ && leaf_ == Leaf::paragraph; }

  const Lines& lines_;
  std::vector<Block>& blocks_;
  std::vector<Container> containers_;
  Leaf leaf_ = Leaf::none;
  Fence fence_;
  HtmlEnd html_end_ = HtmlEnd::blank_line;

  // The state of the line at hand.
  std::uint32_t line_ = 0;
  std::size_t matched_ = 0;    // containers that go on
  bool all_matched_ = false;   // and none was opened
  bool is_new_top_ = false;    // the outermost container was opened in this line
  bool is_line_done_ = false;  // the line is in a block

  char list_ = 0;  // the marker of the list at the outermost level; 0: none
};

void MarkdownScanner::begin(BlockKind kind, Leaf leaf, std::uint8_t level) {
  close_unmatched();
  const bool is_inside = !containers_.empty();
  if (!is_inside) list_ = 0;
  if (is_inside && kind == BlockKind::heading) {
    kind = BlockKind::prose;
    level = 0;
  }
  const bool continues = is_inside && !is_new_top_ && !blocks_.empty();
  blocks_.push_back({line_, line_ + 1, kind, level, continues});
  is_new_top_ = false;
  leaf_ = leaf;
  is_line_done_ = true;
}

void MarkdownScanner::close_unmatched() {
  containers_.resize(matched_);
  all_matched_ = true;
}

void MarkdownScanner::push(Container container) {
  close_unmatched();
  if (containers_.empty()) {
    const bool same_list = !container.is_quote() && container.marker == list_;
    is_new_top_ = !same_list;
    list_ = container.is_quote() ? '\0' : container.marker;
  }
  for (Container& outer : containers_) outer.is_empty = false;
  containers_.push_back(container);
  ++matched_;
  leaf_ = Leaf::none;
}

std::size_t MarkdownScanner::match_containers(Cursor& cursor) const {
  std::size_t matched = 0;
  for (; matched < containers_.size(); ++matched) {
    const Container& container = containers_[matched];
    if (container.is_quote()) {
      if (cursor.indent() >= code_indent || !cursor.rest().starts_with('>')) break;
      cursor.skip_indent();
      cursor.skip_characters(1);
      cursor.skip_columns(1);
    } else if (cursor.is_blank()) {
      if (container.is_empty) break;
    } else {
      if (cursor.indent() < container.width) break;
      cursor.skip_columns(container.width);
    }
  }
  return matched;
}

bool MarkdownScanner::add_verbatim(const Cursor& cursor) {
  if (!all_matched_ || (leaf_ != Leaf::fence && leaf_ != Leaf::html)) return false;
  const std::string_view rest = cursor.rest();
  bool is_end = false;
  if (leaf_ == Leaf::fence)
    is_end = cursor.indent() < code_indent && closes(fence_, rest);
  else if (html_end_ == HtmlEnd::blank_line)
    is_end = cursor.is_blank();
  else
    is_end = ends_html(html_end_, rest);
  if (is_end) leaf_ = Leaf::none;
  return true;
}

bool MarkdownScanner::open_quote(Cursor& cursor) {
  if (!cursor.rest().starts_with('>') || matched_ >= max_depth) return false;
  cursor.skip_indent();
  cursor.skip_characters(1);
  cursor.skip_columns(1);
  push({});
  return true;
}

bool MarkdownScanner::open_item(Cursor& cursor) {
  const auto marker = item_marker(cursor.rest());
  if (!marker || matched_ >= max_depth) return false;
  Cursor behind = cursor;
  const std::size_t indent = behind.indent();
  behind.skip_indent();
  behind.skip_characters(marker->length);
  const bool is_empty = behind.is_blank();
  if (is_in_paragraph() && (is_empty || !marker->begins_at_one)) return false;
  std::size_t spaces = behind.indent();
  if (is_empty || spaces > code_indent) spaces = 1;
  behind.skip_columns(spaces);
  cursor = behind;
  push({marker->kind, indent + marker->length + spaces, is_empty});
  return true;
}

bool MarkdownScanner::open_leaf(const Cursor& cursor) {
  const std::string_view rest = cursor.rest();
  if (const std::uint8_t level = atx_level(rest)) {
    begin(BlockKind::heading, Leaf::none, level);
  } else if (const auto fence = opening_fence(rest)) {
    fence_ = *fence;
    begin(BlockKind::fence, Leaf::fence);
  } else if (const auto html = opening_html(rest, is_in_paragraph())) {
    html_end_ = *html;
    begin(BlockKind::prose, ends_html(*html, rest) ? Leaf::none : Leaf::html);
  } else if (const std::uint8_t setext = is_in_paragraph() ? setext_level(rest) : 0) {
    if (containers_.empty()) {
      blocks_.back().kind = BlockKind::heading;
      blocks_.back().level = setext;
    }
    leaf_ = Leaf::none;
    is_line_done_ = true;
  } else if (is_thematic_break(rest)) {
    begin(BlockKind::prose, Leaf::none);
  } else {
    return false;
  }
  return true;
}

void MarkdownScanner::open_blocks(Cursor& cursor) {
  while (!cursor.is_blank()) {
    if (cursor.indent() >= code_indent) {
      if (leaf_ == Leaf::paragraph) return;  // the line goes on with it
      if (all_matched_ && leaf_ == Leaf::indented)
        is_line_done_ = true;
      else
        begin(BlockKind::lines, Leaf::indented);
      return;
    }
    if (open_quote(cursor)) continue;
    if (open_leaf(cursor)) return;
    if (!open_item(cursor)) return;
  }
}

void MarkdownScanner::begin_table() {
  Block& paragraph = blocks_.back();
  if (paragraph.first + 1 == line_) {
    paragraph.kind = BlockKind::table;
  } else {
    paragraph.end = line_ - 1;
    blocks_.push_back({line_ - 1, line_, BlockKind::table, 0, !containers_.empty()});
  }
  leaf_ = Leaf::table;
}

void MarkdownScanner::add_paragraph_line(const Cursor& cursor) {
  if (leaf_ == Leaf::paragraph && !all_matched_) return;  // without the markers of its containers
  if (all_matched_ && leaf_ == Leaf::table) return;
  if (!is_in_paragraph()) return begin(BlockKind::prose, Leaf::paragraph);
  const std::string_view row = cursor.rest();
  if (cursor.indent() >= code_indent || !is_delimiter_row(row)) return;
  // The head may have the markers of quotes before it.
  Cursor head(lines_[line_ - 1]);
  match_containers(head);
  if (count_cells(head.rest()) == count_cells(row)) begin_table();
}

void MarkdownScanner::add(std::uint32_t line) {
  line_ = line;
  is_new_top_ = is_line_done_ = false;
  Cursor cursor(lines_[line]);
  matched_ = match_containers(cursor);
  all_matched_ = matched_ == containers_.size();
  if (!add_verbatim(cursor)) {
    const std::size_t matched = matched_;
    open_blocks(cursor);
    if (!cursor.is_blank() && !is_line_done_) {
      add_paragraph_line(cursor);
    } else if (cursor.is_blank()) {
      if (leaf_ != Leaf::indented || !all_matched_) leaf_ = Leaf::none;
      close_unmatched();
      if (matched_ > matched)
        begin(BlockKind::prose, Leaf::none);  // a marker with nothing behind it
    }
  }
  if (!cursor.is_blank())
    for (Container& container : containers_) container.is_empty = false;
  if (!lines_.is_blank(line) && !blocks_.empty()) blocks_.back().end = line + 1;
}

}  // namespace

std::vector<Block> markdown_blocks(const Lines& lines, std::uint32_t first) {
  std::vector<Block> blocks;
  MarkdownScanner scanner(lines, blocks);
  for (std::uint32_t line = first; line < lines.size(); ++line) scanner.add(line);
  return blocks;
}

}  // namespace embd::splitting
