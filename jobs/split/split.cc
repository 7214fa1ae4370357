#include "embd/split.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>

#include "base/path_text.h"
#include "base/try.h"
#include "base/utf8.h"
#include "jobs/split/blocks.h"
#include "tokenizer/unicode_class.h"

namespace embd {
namespace {

using splitting::Block;
using splitting::BlockKind;
using splitting::Lines;

constexpr std::uint32_t least_max_tokens = 32;
/// A passage with fewer tokens takes a part of the next block that does not fit as a whole.
constexpr std::size_t few_tokens = 20;
constexpr std::size_t max_passage_bytes = std::size_t{1} << 14;
/// The bytes for each token of a passage that are looked at to find where a text without lines is
/// divided.
constexpr std::size_t window_bytes_per_token = 16;
constexpr std::string_view white_space = " \t\r\v\f\n";

/// Counts the tokens of texts.
class TokenCounter {
 public:
  /// Fails with the errors of Model::tokenize().
  static Result<TokenCounter> create(const Model& model) {
    TokenCounter counter(model);
    counter.special_ = EMBD_TRY(counter.tokenize("")).ids.size();
    return counter;
  }

  Result<Tokens> tokenize(std::string_view text) const {
    return model_->tokenize(text, {.max_length = 0, .prompt = ""});
  }
  /// Returns the number of tokens of a text, without special tokens.
  Result<std::size_t> count(std::string_view text) const {
    return EMBD_TRY(tokenize(text)).ids.size() - special_;
  }

 private:
  explicit TokenCounter(const Model& model) : model_(&model) {}

  const Model* model_;
  std::size_t special_ = 0;
};

/// Returns the most tokens that a passage and its context have together.
Result<std::size_t> room_of(const Model& model, const SplitOptions& options) {
  if (options.max_tokens < least_max_tokens)
    return fail(ErrorCode::invalid_argument,
                "the limit of {} tokens is too small, expected {} or more", options.max_tokens,
                least_max_tokens);
  // The special tokens, and the prompt that the model puts before every text.
  const std::size_t around = EMBD_TRY(model.tokenize("", {.max_length = 0})).ids.size();
  if (around >= model.max_length())
    return fail(ErrorCode::invalid_argument,
                "the model reads {} tokens at a time, and its prompt takes all of them",
                model.max_length());
  return std::min<std::size_t>(options.max_tokens, model.max_length() - around);
}

/// Returns true if a line has a letter, a digit or a mark that is part of words.
bool has_word(std::string_view line) noexcept {
  for (std::size_t at = 0; at < line.size();) {
    const auto [code_point, size] = decode_utf8(line.data() + at, line.data() + line.size());
    if (is_word_character(code_point)) return true;
    at += size;
  }
  return false;
}

/// Puts blocks together to passages.
class PassageMaker {
 public:
  PassageMaker(const Document& document, const Lines& lines, DocumentKind kind, TokenCounter tokens,
               std::size_t room, const PassageSink& sink)
      : document_(document),
        lines_(lines),
        kind_(kind),
        tokens_(tokens),
        room_(room),
        sink_(sink) {}

  Result<void> add(const std::vector<Block>& blocks);

 private:
  struct Heading {
    std::string text;
    std::uint8_t level = 0;
    std::size_t begin = 0;  // its first byte
  };
  /// A passage that is not complete.
  struct OpenPassage {
    ByteRange bytes;
    std::size_t tokens = 0;  // the sum of those of its pieces
    std::size_t limit = 0;
    bool has_text = true;    // more than headings
    bool is_joined = false;  // of several pieces
  };

  Result<void> add_heading(const Block& heading);
  Result<void> add_group(std::span<const Block> group);
  Result<void> add_block(const Block& block);
  /// Adds a piece to the open passage or begins a new one with it. If neither has room for it, or
  /// if the open passage has few tokens and the piece need not stay whole, calls divide().
  template <class Divide>
  Result<void> place(ByteRange piece, bool stays_whole, const Divide& divide);
  Result<void> add_sentences(ByteRange range);
  Result<void> add_lines(ByteRange range);
  /// Adds lines that repeat the first `num_head` lines in their contexts.
  Result<void> add_lines_with_head(const Block& block, std::uint32_t num_head);
  /// Adds a text that has no better places to be divided at white space, or else between
  /// characters.
  Result<void> add_words(ByteRange range);
  /// Returns the beginning of a part that has at most `room` tokens and ends before white space.
  /// If not even the first word has room, returns the beginning of that word, at least one
  /// character, or nothing if a word must not be cut.
  Result<ByteRange> words_within(ByteRange range, std::size_t room, bool may_cut_word) const;
  /// Adds a piece to the open passage.
  void extend(ByteRange piece, std::size_t tokens);
  /// Ends the open passage, if there is one, and hands it to the sink.
  Result<void> finish();
  Result<void> emit(ByteRange bytes);

  ByteRange bytes_of(std::uint32_t first_line, std::uint32_t end_line) const noexcept {
    return {lines_.begin(first_line), lines_.end(end_line - 1)};
  }
  std::string_view text_of(ByteRange bytes) const noexcept {
    return lines_.text().substr(bytes.begin, bytes.end - bytes.begin);
  }
  /// Returns the number of tokens of a part of the document; nothing if it has too many bytes for a
  /// passage.
  Result<std::optional<std::size_t>> count(ByteRange bytes) const {
    if (bytes.end - bytes.begin > max_passage_bytes) return std::nullopt;
    return EMBD_TRY(tokens_.count(text_of(bytes)));
  }
  bool wants_more() const noexcept {
    return open_ && (!open_->has_text || open_->tokens < few_tokens);
  }
  Result<std::string> context_of(ByteRange bytes) const;
  /// Returns the most tokens of a passage with these bytes.
  Result<std::size_t> limit_of(ByteRange bytes);

  const Document& document_;
  const Lines& lines_;
  DocumentKind kind_;
  TokenCounter tokens_;
  std::size_t room_;
  const PassageSink& sink_;

  std::optional<Heading> title_;
  std::vector<Heading> path_;  // the headings over the block at hand
  std::string head_;           // the lines that the passages of a divided block repeat
  std::size_t head_end_ = 0;   // their end in the document
  std::optional<OpenPassage> open_;
  std::string counted_context_;  // the context whose tokens were counted last, and their number
  std::size_t context_tokens_ = 0;
};

Result<std::string> PassageMaker::context_of(ByteRange bytes) const {
  std::vector<std::string_view> parts;
  const std::string path = generic_text_of_path(document_.path);
  const std::string stem = text_of_path(document_.path.stem());
  if (kind_ == DocumentKind::code)
    parts.push_back(path);
  else if (!title_)
    parts.push_back(stem);
  else if (title_->begin < bytes.begin || title_->begin >= bytes.end)
    parts.push_back(title_->text);
  for (const Heading& heading : path_)
    if (heading.begin < bytes.begin && !(title_ && heading.begin == title_->begin))
      parts.push_back(heading.text);
  std::string context;
  for (std::size_t first = 0; first < parts.size(); ++first) {
    context.clear();
    for (std::size_t i = first; i < parts.size(); ++i)
      context.append(i == first ? "" : " > ").append(parts[i]);
    if (EMBD_TRY(tokens_.count(context)) <= room_ / 4) break;
    context.clear();
  }
  if (!head_.empty() && bytes.begin >= head_end_)
    context.append(context.empty() ? "" : "\n").append(head_);
  return context;
}

Result<std::size_t> PassageMaker::limit_of(ByteRange bytes) {
  std::string context = EMBD_TRY(context_of(bytes));
  if (context.empty()) return room_;
  if (context != counted_context_) {
    context_tokens_ = EMBD_TRY(tokens_.count(context + "\n"));
    counted_context_ = std::move(context);
  }
  return context_tokens_ < room_ ? room_ - context_tokens_ : 1;
}

Result<void> PassageMaker::emit(ByteRange bytes) {
  const std::uint32_t first = lines_.line_of(bytes.begin);
  Passage passage = {.bytes = bytes,
                     .text = text_of(bytes),
                     .first_line = first + 1,
                     .last_line = lines_.line_of(bytes.end - 1) + 1,
                     .column = bytes.begin - lines_.begin(first) + 1,
                     .title = title_ ? std::string_view(title_->text) : std::string_view()};
  passage.context = EMBD_TRY(context_of(bytes));
  for (const Heading& heading : path_) passage.headings.push_back(heading.text);
  return sink_(passage);
}

Result<void> PassageMaker::finish() {
  if (!open_) return {};
  const OpenPassage passage = *std::exchange(open_, std::nullopt);
  // Only with WordPiece are the tokens of a text exactly those of its pieces.
  if (passage.is_joined && EMBD_TRY(tokens_.count(text_of(passage.bytes))) > passage.limit) {
    EMBD_TRY(add_words(passage.bytes));
    return finish();
  }
  return emit(passage.bytes);
}

template <class Divide>
Result<void> PassageMaker::place(ByteRange piece, bool stays_whole, const Divide& divide) {
  const auto tokens = EMBD_TRY(count(piece));
  if (tokens && open_ && open_->tokens + *tokens <= open_->limit &&
      piece.end - open_->bytes.begin <= max_passage_bytes) {
    extend(piece, *tokens);
    return {};
  }
  if (tokens && (stays_whole || !wants_more())) {
    const std::size_t limit = EMBD_TRY(limit_of(piece));
    if (*tokens <= limit) {
      EMBD_TRY(finish());
      open_ = {.bytes = piece, .tokens = *tokens, .limit = limit};
      return {};
    }
  }
  return divide();
}

Result<void> PassageMaker::add_heading(const Block& heading) {
  if (open_ && open_->has_text) EMBD_TRY(finish());
  const ByteRange bytes = bytes_of(heading.first, heading.end);
  const auto tokens = EMBD_TRY(count(bytes));
  ByteRange joined = bytes;
  std::size_t sum = tokens.value_or(0);
  if (open_) {
    joined.begin = open_->bytes.begin;
    sum += open_->tokens;
  }
  if (!tokens || sum > room_ / 2 || joined.end - joined.begin > max_passage_bytes / 2) {
    EMBD_TRY(finish());
    joined = bytes;
    sum = tokens.value_or(0);
  }
  while (!path_.empty() && path_.back().level >= heading.level) path_.pop_back();
  if (std::string text = splitting::heading_text(lines_, heading); !text.empty())
    path_.push_back({std::move(text), heading.level, bytes.begin});
  const std::size_t limit = EMBD_TRY(limit_of(joined));
  if (!tokens || sum > limit) return add_sentences(bytes);
  open_ = {.bytes = joined,
           .tokens = sum,
           .limit = limit,
           .has_text = false,
           .is_joined = joined.begin != bytes.begin};
  return {};
}

void PassageMaker::extend(ByteRange piece, std::size_t tokens) {
  open_->bytes.end = piece.end;
  open_->tokens += tokens;
  open_->has_text = open_->is_joined = true;
}

Result<void> PassageMaker::add_words(ByteRange range) {
  range.begin = lines_.text().find_first_not_of(white_space, range.begin);
  while (range.begin < range.end) {
    const std::size_t limit = open_ ? open_->limit : EMBD_TRY(limit_of(range));
    const std::size_t room = open_ ? limit - std::min(limit, open_->tokens) : limit;
    const ByteRange piece = EMBD_TRY(words_within(range, room, !open_));
    if (piece.begin == piece.end) {
      EMBD_TRY(finish());
      continue;
    }
    const std::size_t tokens = EMBD_TRY(tokens_.count(text_of(piece)));
    if (open_)
      extend(piece, tokens);
    else
      open_ = {.bytes = piece, .tokens = tokens, .limit = limit};
    range.begin = std::min(lines_.text().find_first_not_of(white_space, piece.end), range.end);
    if (range.begin < range.end) EMBD_TRY(finish());
  }
  return {};
}

Result<ByteRange> PassageMaker::words_within(ByteRange range, std::size_t room,
                                             bool may_cut_word) const {
  std::string_view window = text_of(range);
  const std::size_t window_bytes = window_bytes_per_token * room_;
  if (window.size() > window_bytes) {
    const std::string_view whole = utf8_prefix(window, window_bytes);
    window = window.substr(0, whole.empty() ? window_bytes : whole.size());
  }
  const bool is_rest = window.size() == range.end - range.begin;
  const Tokens tokens = EMBD_TRY(tokens_.tokenize(window));
  std::size_t size = window.size();
  if (const auto& first = tokens.first; first.end - first.begin > room)
    size = tokens.ranges[first.begin + room].begin;
  else if (is_rest)
    return range;
  // Back to the white space before the word that is cut.
  const std::size_t word = window.find_first_not_of(white_space);
  const std::size_t space = window.find_last_of(white_space, size);
  if (space != std::string_view::npos && word < space)
    size = window.find_last_not_of(white_space, space) + 1;
  else if (!may_cut_word)
    return ByteRange{range.begin, range.begin};
  const std::size_t one = decode_utf8(window.data(), window.data() + window.size()).size;
  size = std::max(size, one);
  // A part of a word may have more tokens by itself than within the word.
  while (size > one && EMBD_TRY(tokens_.count(window.substr(0, size))) > room)
    size = std::max(one, utf8_prefix(window, size * 7 / 8).size());
  return ByteRange{range.begin, range.begin + size};
}

Result<void> PassageMaker::add_lines(ByteRange range) {
  const std::uint32_t end = lines_.line_of(range.end - 1) + 1;
  for (std::uint32_t line = lines_.line_of(range.begin); line < end;) {
    if (lines_.is_blank(line)) {
      ++line;
      continue;
    }
    ByteRange piece = {std::max(range.begin, lines_.begin(line)), lines_.end(line)};
    ++line;
    // Lines of brackets and marks alone stay with the line above.
    for (; line < end && !lines_.is_blank(line) && !has_word(lines_[line]); ++line)
      piece.end = lines_.end(line);
    piece.end = std::min(piece.end, range.end);
    EMBD_TRY(place(piece, false, [&] { return add_words(piece); }));
  }
  return {};
}

Result<void> PassageMaker::add_sentences(ByteRange range) {
  for (std::size_t begin = range.begin; begin < range.end;) {
    const std::size_t end = splitting::sentence_end(lines_.text(), begin, range.end);
    const ByteRange sentence = {begin, end};
    EMBD_TRY(place(sentence, false, [&] { return add_lines(sentence); }));
    begin = std::min(lines_.text().find_first_not_of(white_space, end), range.end);
  }
  return {};
}

Result<void> PassageMaker::add_lines_with_head(const Block& block, std::uint32_t num_head) {
  if (!wants_more()) EMBD_TRY(finish());
  const ByteRange head = bytes_of(block.first, std::min(block.first + num_head, block.end));
  const auto tokens = EMBD_TRY(count(head));
  if (tokens && *tokens <= room_ / 4) {
    head_ = text_of(head);
    head_end_ = head.end;
  }
  EMBD_TRY(add_lines(bytes_of(block.first, block.end)));
  EMBD_TRY(finish());
  head_.clear();
  return {};
}

Result<void> PassageMaker::add_block(const Block& block) {
  const ByteRange bytes = bytes_of(block.first, block.end);
  return place(bytes, block.kind != BlockKind::prose, [&]() -> Result<void> {
    switch (block.kind) {
      case BlockKind::heading:
      case BlockKind::prose:
        return add_sentences(bytes);
      case BlockKind::lines:
        if (!wants_more()) EMBD_TRY(finish());
        return add_lines(bytes);
      case BlockKind::fence:
        return add_lines_with_head(block, 1);
      case BlockKind::table:
        return add_lines_with_head(block, 2);
    }
    return {};
  });
}

Result<void> PassageMaker::add_group(std::span<const Block> group) {
  if (group.size() == 1) return add_block(group.front());
  const ByteRange bytes = bytes_of(group.front().first, group.back().end);
  return place(bytes, kind_ == DocumentKind::code, [&]() -> Result<void> {
    for (const Block& block : group) EMBD_TRY(add_block(block));
    return {};
  });
}

Result<void> PassageMaker::add(const std::vector<Block>& blocks) {
  const auto title = std::ranges::find(blocks, 1, &Block::level);
  if (title != blocks.end())
    title_ = {splitting::heading_text(lines_, *title), 1, lines_.begin(title->first)};
  if (title_ && title_->text.empty()) title_.reset();
  for (auto block = blocks.begin(); block != blocks.end();) {
    if (block->kind == BlockKind::heading) {
      EMBD_TRY(add_heading(*block++));
      continue;
    }
    const auto end = std::find_if(block + 1, blocks.end(), [](const Block& next) {
      return !next.continues || next.kind == BlockKind::heading;
    });
    EMBD_TRY(add_group({block, end}));
    block = end;
  }
  return finish();
}

std::vector<Block> blocks_of(const Lines& lines, DocumentKind kind) {
  switch (kind) {
    case DocumentKind::markdown:
      return splitting::markdown_blocks(lines, splitting::front_matter_lines(lines));
    case DocumentKind::text:
      return splitting::text_blocks(lines, 0);
    case DocumentKind::code:
      return splitting::code_blocks(lines, 0);
  }
  return {};
}

Result<void> check_text(std::string_view text, const SplitOptions& options) {
  if (text.size() > max_document_bytes)
    return fail(ErrorCode::bad_value, "the document has {} bytes, expected at most {}", text.size(),
                max_document_bytes);
  if (const std::size_t nul = text.find('\0'); nul != std::string_view::npos)
    return fail_at(nul, ErrorCode::unsupported, "the file has a NUL byte, so it is no text");
  if (options.invalid_text == InvalidText::replace) return {};
  if (const auto invalid = find_invalid_utf8(text)) {
    const auto line = std::ranges::count(text.substr(0, *invalid), '\n') + 1;
    return std::unexpected(Error(ErrorCode::invalid_utf8, "a byte that is not UTF-8")
                               .at_line(static_cast<std::uint64_t>(line)));
  }
  return {};
}

Result<void> split_document(const Document& document, const Model& model,
                            const SplitOptions& options, const PassageSink& sink) {
  const std::size_t room = EMBD_TRY(room_of(model, options));
  const DocumentKind kind = options.kind ? *options.kind : EMBD_TRY(document_kind(document.path));
  EMBD_TRY(check_text(document.text, options));
  const Lines lines(document.text);
  const auto tokens = EMBD_TRY(TokenCounter::create(model));
  return PassageMaker(document, lines, kind, tokens, room, sink).add(blocks_of(lines, kind));
}

}  // namespace

Result<void> split(const Document& document, const Model& model, const SplitOptions& options,
                   const PassageSink& sink) {
  return guarded(
      [&] { return in_file(document.path, split_document(document, model, options, sink)); });
}

}  // namespace embd
