#include "index/terms/vocabulary.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
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
  explicit Parser(std::string_view text) : text_(text) {}

  Result<TermVocabulary> parse() {
    EMBD_TRY(expect("{"));
    while (!text_.substr(at_).starts_with('}')) {
      if (terms().size() > 0) EMBD_TRY(expect(","));
      EMBD_TRY(expect("\""));
      const std::string_view term = EMBD_TRY(read_term());
      if (!terms().empty() && term <= terms().back()) {
        return fail_at(at_, ErrorCode::bad_value,
                       "the term of column {} is not behind the one before, in the order of bytes",
                       terms().size());
      }
      std::array<char, 20> digits;
      const char* const end = std::to_chars(digits.begin(), digits.end(), terms().size()).ptr;
      EMBD_TRY(expect("\":"));
      EMBD_TRY(expect({digits.data(), end}));
      terms().push_back(term);
    }
    EMBD_TRY(expect("}"));
    if (at_ == text_.size()) return std::move(vocabulary_);
    return fail_at(at_, ErrorCode::trailing_bytes, "text follows the object, expected none");
  }

 private:
  std::vector<std::string_view>& terms() noexcept { return vocabulary_.terms_; }

  Result<void> expect(std::string_view token) {
    if (!text_.substr(at_).starts_with(token))
      return fail_at(at_, ErrorCode::bad_json, "expected {} at term {}", token, terms().size());
    at_ += token.size();
    return {};
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

Result<TermVocabulary> TermVocabulary::parse(Bytes file) {
  const std::string_view text = as_text(file);
  EMBD_TRY(require_utf8(text));
  bool has_control = false;
  for (const char c : text) has_control |= static_cast<unsigned char>(c) < ' ';
  if (has_control)
    return fail(ErrorCode::bad_json, "the file has control characters, expected none");
  return Parser(text).parse();
}

std::optional<std::size_t> TermVocabulary::find(std::string_view term) const noexcept {
  const auto found = std::ranges::lower_bound(terms_, term);
  if (found == terms_.end() || *found != term) return std::nullopt;
  return static_cast<std::size_t>(found - terms_.begin());
}

}  // namespace embd
