#include "index/terms/vocabulary.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <iterator>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/json_text.h"
#include "base/try.h"
#include "base/utf8.h"

namespace embd {
namespace {

/// Returns the offset of the quote that ends the JSON string whose characters begin at `at`; the
/// size of the text if there is none.
std::size_t string_end(std::string_view text, std::size_t at) noexcept {
  while (true) {
    const std::size_t quote = std::min(text.find('"', at), text.size());
    std::size_t backslashes = 0;
    while (quote - backslashes > at && text[quote - backslashes - 1] == '\\') ++backslashes;
    if (backslashes % 2 == 0 || quote == text.size()) return quote;
    at = quote + 1;
  }
}

}  // namespace

void TermVocabulary::append_member(std::size_t column, std::string& json) const {
  if (column > 0) json += ',';
  append_json_string(terms_[column], json);
  fmt::format_to(std::back_inserter(json), ":{}", column);
}

/// Reads the members of the object one after the other. Each has one form only, so no JSON parser
/// is needed, but for the few terms with a backslash.
class TermVocabulary::Parser {
 public:
  Parser(std::string_view text, std::size_t num_terms) : text_(text) { terms().reserve(num_terms); }

  Result<TermVocabulary> parse() {
    if (!skip("{")) return expected("{");
    while (!is_at('}')) {
      if (!terms().empty() && !skip(",")) return expected(",");
      if (!skip("\"")) return expected("\"");
      const std::string_view term = EMBD_TRY(read_term());
      if (!terms().empty() && term <= terms().back()) {
        return fail_at(at_, ErrorCode::bad_value,
                       "the term of column {} is not behind the one before, in the order of bytes",
                       terms().size());
      }
      if (!skip("\":")) return expected("\":");
      std::array<char, 20> digits;
      const char* const end = std::to_chars(digits.begin(), digits.end(), terms().size()).ptr;
      const std::string_view column(digits.begin(), end);
      if (!skip(column)) return expected(column);
      terms().push_back(term);
    }
    ++at_;
    if (at_ == text_.size()) return std::move(vocabulary_);
    return fail_at(at_, ErrorCode::trailing_bytes, "text follows the object, expected none");
  }

 private:
  std::vector<std::string_view>& terms() noexcept { return vocabulary_.terms_; }

  bool is_at(char c) const noexcept { return at_ < text_.size() && text_[at_] == c; }
  /// Moves behind `token`, if the text goes on with it.
  bool skip(std::string_view token) noexcept {
    if (text_.size() - at_ < token.size()) return false;
    for (std::size_t i = 0; i < token.size(); ++i)
      if (text_[at_ + i] != token[i]) return false;
    at_ += token.size();
    return true;
  }
  std::unexpected<Error> expected(std::string_view token) const {
    return fail_at(at_, ErrorCode::bad_json, "expected {} at term {}", token,
                   vocabulary_.terms_.size());
  }

  /// Reads up to the quote that ends a term.
  Result<std::string_view> read_term() {
    const std::size_t begin = at_;
    at_ = std::min(text_.find('"', begin), text_.size());
    const std::string_view plain = text_.substr(begin, at_ - begin);
    if (!plain.contains('\\')) return plain;
    at_ = string_end(text_, begin);
    const std::string_view string = text_.substr(begin - 1, at_ + 1 - (begin - 1));
    const nlohmann::json value = EMBD_TRY(parse_json(string, begin - 1));
    std::string written;
    if (value.is_string()) append_json_string(value.get_ref<const std::string&>(), written);
    if (written != string)
      return fail_at(begin, ErrorCode::bad_json, "the term is not written as embd writes it");
    return vocabulary_.unescaped_.emplace_back(value.get_ref<const std::string&>());
  }

  std::string_view text_;
  std::size_t at_ = 0;
  TermVocabulary vocabulary_{{}};
};

Result<TermVocabulary> TermVocabulary::parse(Bytes file, std::size_t num_terms) {
  const std::string_view text = as_text(file);
  EMBD_TRY(require_utf8(text));
  std::uint8_t least = ' ';
  for (const char c : text) least = std::min(least, static_cast<std::uint8_t>(c));
  if (least < ' ')
    return fail(ErrorCode::bad_json, "the file has control characters, expected none");
  return Parser(text, num_terms).parse();
}

std::optional<std::size_t> TermVocabulary::find(std::string_view term) const noexcept {
  const auto found = std::ranges::lower_bound(terms_, term);
  if (found == terms_.end() || *found != term) return std::nullopt;
  return static_cast<std::size_t>(found - terms_.begin());
}

}  // namespace embd
