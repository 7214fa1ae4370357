// Private to jobs/split
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "embd/tokens.h"

namespace embd::splitting {

/// The white space of Markdown and of blank lines, apart from line ends.
inline constexpr std::string_view blanks = " \t\r\v\f";

/// The lines of a text of fewer than 2^32 bytes, which must outlive them. A line ends with LF or
/// CRLF. A byte order mark is in no line.
class Lines {
 public:
  explicit Lines(std::string_view text);

  std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(begins_.size()) - 1; }
  std::string_view text() const noexcept { return text_; }
  /// Returns a line without its line end.
  std::string_view operator[](std::uint32_t line) const noexcept {
    return text_.substr(begins_[line], end(line) - begins_[line]);
  }
  std::size_t begin(std::uint32_t line) const noexcept { return begins_[line]; }
  /// Returns the end of a line without its line end.
  std::size_t end(std::uint32_t line) const noexcept;
  /// Returns the number of the line that a byte is in, from 0.
  std::uint32_t line_of(std::size_t byte) const noexcept;
  bool is_blank(std::uint32_t line) const noexcept {
    return (*this)[line].find_first_not_of(blanks) == std::string_view::npos;
  }

 private:
  std::string_view text_;
  std::vector<std::uint32_t> begins_;  // of each line, and the size of the text
};

enum class BlockKind : std::uint8_t {
  heading,
  prose,  ///< divided into sentences
  lines,  ///< divided into lines
  fence,  ///< divided into lines; the first line opens it
  table,  ///< divided into lines; the first two lines are its head
};

/// Lines of a document that belong together. The last line is not blank.
struct Block {
  std::uint32_t first = 0;  ///< the first line, from 0
  std::uint32_t end = 0;    ///< the line after the last
  BlockKind kind = BlockKind::prose;
  std::uint8_t level = 0;  ///< of a heading, from 1 to 6
  /// The block belongs to the same list, quote or run of code as the block before.
  bool continues = false;
};

// Return the blocks of a document, in order. Every line from `first` on that is not blank is in
// exactly one.

/// Finds the blocks of CommonMark, and tables. Headings inside lists and quotes are prose. Quotes
/// and list items more than 32 deep are prose, too.
std::vector<Block> markdown_blocks(const Lines& lines, std::uint32_t first);
/// Finds paragraphs, which are lines between blank lines.
std::vector<Block> text_blocks(const Lines& lines, std::uint32_t first);
/// Finds lines between blank lines. A block whose first line is indented continues the one before.
std::vector<Block> code_blocks(const Lines& lines, std::uint32_t first);

/// Returns the number of lines of front matter with which a document in Markdown begins; 0 if it
/// has none.
std::uint32_t front_matter_lines(const Lines& lines);

/// Returns the text of a heading in one line, without markup of links, code and emphasis, cut to
/// 120 bytes.
std::string heading_text(const Lines& lines, const Block& heading);

/// Returns the end of the sentence that begins at `begin` within [begin, end) of a text, without
/// the white space behind it.
std::size_t sentence_end(std::string_view text, std::size_t begin, std::size_t end);

}  // namespace embd::splitting
