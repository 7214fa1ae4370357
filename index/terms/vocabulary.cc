#include "index/terms/vocabulary.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/json_text.h"
#include "base/messages.h"
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

Result<TermVocabulary> TermVocabulary::parse(Bytes file) {
  const std::string_view text = as_text(file);
  EMBD_TRY(require_utf8(text));
  TermVocabulary vocabulary({});
  if (!text.starts_with('{')) return fail_at(0, ErrorCode::bad_json, "expected {{");
  std::size_t at = 1;
  std::string written;
  while (at < text.size() && text[at] != '}') {
    const std::size_t column = vocabulary.size();
    const std::size_t quote = at + (column > 0 ? 1 : 0);  // after the comma
    if (quote >= text.size() || text[quote] != '"')
      return fail_at(at, ErrorCode::bad_json, "expected a term in quotes, its column, or the end");
    const std::size_t end = string_end(text, quote + 1);
    std::string_view term = text.substr(quote + 1, end - quote - 1);
    if (term.contains('\\')) {
      const nlohmann::json value = EMBD_TRY(parse_json(text.substr(quote, end + 1 - quote), quote));
      if (!value.is_string()) return fail_at(quote, ErrorCode::bad_json, "expected a term");
      term = vocabulary.unescaped_.emplace_back(value.get_ref<const std::string&>());
    }
    if (column > 0 && term <= vocabulary.terms_.back())
      return fail_at(quote, ErrorCode::bad_value,
                     "the term of column {} is not behind the one before, in the order of bytes",
                     column);
    vocabulary.terms_.push_back(term);
    written.clear();
    vocabulary.append_member(column, written);
    if (text.substr(at, written.size()) != written)
      return fail_at(at, ErrorCode::bad_value, "expected a term and its column, {}", column);
    at += written.size();
  }
  if (text.substr(std::min(at, text.size())) != "}")
    return fail_at(at, ErrorCode::bad_json, "expected }} and the end of the file");
  return vocabulary;
}

std::optional<std::size_t> TermVocabulary::find(std::string_view term) const noexcept {
  const auto found = std::ranges::lower_bound(terms_, term);
  if (found == terms_.end() || *found != term) return std::nullopt;
  return static_cast<std::size_t>(found - terms_.begin());
}

}  // namespace embd
