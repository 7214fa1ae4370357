#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "embd/model.h"
#include "embd/split.h"

namespace embd::test {

/// A Passage that outlives the call of its sink.
struct KeptPassage {
  ByteRange bytes;
  std::string text;
  std::uint64_t first_line = 0;
  std::uint64_t last_line = 0;
  std::uint64_t column = 0;
  std::string title;
  std::vector<std::string> headings;
  std::string context;
};

/// Returns the passages of a document.
inline Result<std::vector<KeptPassage>> passages_of(const Document& document, const Model& model,
                                                    const SplitOptions& options) {
  std::vector<KeptPassage> passages;
  auto split_up = split(document, model, options, [&](const Passage& passage) -> Result<void> {
    passages.push_back({passage.bytes, std::string(passage.text), passage.first_line,
                        passage.last_line, passage.column, std::string(passage.title),
                        passage.headings, passage.context});
    return {};
  });
  if (!split_up) return std::unexpected(std::move(split_up).error());
  return passages;
}

/// Returns a rule that passages break, in words; empty if they keep all. `begin` is the first byte
/// of the document that must be in a passage.
inline std::string broken_rule(std::string_view text, std::size_t begin,
                               const std::vector<KeptPassage>& passages, const Model& model,
                               std::size_t max_tokens) {
  constexpr std::string_view white_space = " \t\r\v\f\n";
  const auto is_blank = [&](std::size_t from, std::size_t to) {
    return text.substr(from, to - from).find_first_not_of(white_space) == std::string_view::npos;
  };
  const auto lines_before = [&](std::size_t from, std::size_t to) {
    std::uint64_t count = 0;
    for (std::size_t i = from; i < to; ++i) count += text[i] == '\n' ? 1 : 0;
    return count;
  };
  const auto count = [&](std::string_view of) {
    return model.tokenize(of, {.max_length = 0})->ids.size();
  };
  const std::size_t special = count("");
  std::size_t at = begin;
  std::uint64_t line = 1 + lines_before(0, begin);
  std::size_t line_begin = begin;
  const auto move_line_begin = [&](std::size_t from, std::size_t to) {
    const std::size_t line_end = text.substr(from, to - from).rfind('\n');
    if (line_end != std::string_view::npos) line_begin = from + line_end + 1;
  };
  for (const KeptPassage& passage : passages) {
    const auto [first, end] = passage.bytes;
    if (first < at || end <= first || end > text.size()) return "disjoint, in order, in the file";
    if (!is_blank(at, first)) return "every byte is in a passage";
    if (passage.text != text.substr(first, end - first)) return "the text is that of the file";
    if (is_blank(first, end)) return "a passage is not blank";
    line += lines_before(at, first);
    if (passage.first_line != line) return "the first line";
    line += lines_before(first, end);
    if (passage.last_line != line) return "the last line";
    move_line_begin(at, first);
    if (passage.column != first - line_begin + 1) return "the column";
    move_line_begin(first, end);
    at = end;
    if (passage.text.size() > 16384) return "the bytes of a passage";
    const std::size_t joined =
        count(passage.context.empty() ? passage.text : passage.context + "\n" + passage.text);
    if (joined > special + max_tokens && passage.text.size() > 4)
      return "the tokens of a passage: " + std::to_string(joined - special);
    if (joined > model.max_length() && passage.text.size() > 4) return "what the model reads";
  }
  return is_blank(at, text.size()) ? "" : "every byte is in a passage, to the end";
}

}  // namespace embd::test
