#include "formats/weights/embd/embd_vocabulary.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>

#include "base/try.h"
#include "base/utf8.h"

namespace embd {

namespace layout = embd_layout;
using layout::Field;

namespace {

/// Finds the first token that occurs twice. Returns its id and the error without its place.
std::optional<std::pair<std::size_t, Error>> find_repeated_token(
    std::span<const std::string_view> tokens) {
  std::unordered_map<std::string_view, std::size_t> ids;
  ids.reserve(tokens.size());
  for (std::size_t id = 0; id < tokens.size(); ++id) {
    const auto [first, is_new] = ids.try_emplace(tokens[id], id);
    if (is_new) continue;
    return std::pair(id, Error(ErrorCode::duplicate_token,
                               fmt::format("token: '{}' has the ids {} and {}",
                                           printable(tokens[id]), first->second, id)));
  }
  return std::nullopt;
}

class VocabularyParser : private EmbdParser {
 public:
  VocabularyParser(Bytes file, const EmbdSection& section, std::uint32_t expected,
                   TokenizerKind kind)
      : EmbdParser(file), section_(section), expected_(expected), kind_(kind) {}

  Result<EmbdVocabulary> parse();

 private:
  Result<std::uint64_t> place_special_ids(std::uint32_t stated) const;
  Result<void> read_tokens(std::uint64_t at, std::uint64_t end, std::uint32_t count);
  Result<void> check_tokens_distinct() const;
  Result<void> read_special_ids(std::uint64_t at);

  const EmbdSection section_;
  const std::uint32_t expected_;
  const TokenizerKind kind_;
  EmbdVocabulary found_;
};

Result<EmbdVocabulary> VocabularyParser::parse() {
  namespace v = layout::vocab;
  constexpr std::uint64_t fixed = layout::vocab_header_bytes + layout::special_ids_bytes;
  if (section_.size < fixed) {
    return fail_at(
        ErrorCode::vocabulary_size, 0, layout::header::vocab_size,
        fmt::format("the section has {} bytes, but its header and the special ids alone take {}",
                    section_.size, fixed));
  }
  const std::uint64_t start = section_.start;
  const auto count = field<std::uint32_t>(start, v::token_count);
  const std::uint64_t total = field<std::uint32_t>(start, v::total_size);
  const auto stated = field<std::uint32_t>(start, v::special_tokens);
  const std::uint64_t special_at = EMBD_TRY(place_special_ids(stated));

  // The ids stand directly after the header, or anywhere after the entries.
  const bool special_first = special_at == start + layout::vocab_header_bytes;
  const std::uint64_t entries_at = start + (special_first ? fixed : layout::vocab_header_bytes);
  if (total > section_.end() - entries_at) {
    return fail_at(ErrorCode::vocabulary_size, start, v::total_size,
                   fmt::format("the tokens take {} bytes, but only {} are left", total,
                               section_.end() - entries_at));
  }
  if (!special_first && special_at < entries_at + total) {
    return fail_at(ErrorCode::special_tokens_offset, start, v::special_tokens,
                   fmt::format("{} lies inside the entries of the tokens, {} to {}", stated,
                               entries_at, entries_at + total));
  }
  EMBD_TRY(read_tokens(entries_at, entries_at + total, count));
  if (count != expected_) {
    return fail_at(ErrorCode::vocabulary_count, start, v::token_count,
                   fmt::format("{}, but vocab_size in the metadata is {}", count, expected_));
  }
  EMBD_TRY(read_special_ids(special_at));
  return std::move(found_);
}

/// Returns the place of the ids in the file. A stated value below the start of the section is
/// relative to it.
Result<std::uint64_t> VocabularyParser::place_special_ids(std::uint32_t stated) const {
  const std::uint64_t at = stated < section_.start ? section_.start + stated : stated;
  if (at < section_.start + layout::vocab_header_bytes ||
      at + layout::special_ids_bytes > section_.end()) {
    return fail_at(ErrorCode::special_tokens_offset, section_.start, layout::vocab::special_tokens,
                   fmt::format("{} leaves no room for the ids in the section, {} to {}", stated,
                               section_.start, section_.end()));
  }
  return at;
}

Result<void> VocabularyParser::read_tokens(std::uint64_t at, std::uint64_t end,
                                           std::uint32_t count) {
  namespace v = layout::vocab;
  if (count > (end - at) / layout::token_header_bytes) {
    return fail_at(ErrorCode::vocabulary_entry_out_of_bounds, section_.start, v::token_count,
                   fmt::format("{} tokens do not fit in {} bytes", count, end - at));
  }
  found_.tokens.reserve(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    if (end - at < layout::token_header_bytes) {
      return fail_at(ErrorCode::vocabulary_entry_out_of_bounds, section_.start, v::token_count,
                     fmt::format("{}, but the entries end before token {}", count, i));
    }
    const std::uint64_t length = load<std::uint16_t>(bytes_.subspan(at));
    const std::uint64_t left = end - at - layout::token_header_bytes;
    if (length > left) {
      return fail_at(
          ErrorCode::vocabulary_entry_out_of_bounds, at, {"token_length", 0},
          fmt::format("{} bytes are needed for token {}, but only {} are left", length, i, left));
    }
    at += layout::token_header_bytes;
    const std::string_view token = text(at, length);
    if (const auto bad = find_invalid_utf8(token)) {
      return fail_at(ErrorCode::invalid_utf8, at, {"token", 0},
                     fmt::format("token {} from its byte {} on", i, *bad));
    }
    found_.tokens.push_back(token);
    at += length;
  }
  if (at != end) {
    return fail_at(
        ErrorCode::vocabulary_size, section_.start, v::total_size,
        fmt::format("after {} tokens, {} bytes are left, expected none", count, end - at));
  }
  return check_tokens_distinct();
}

Result<void> VocabularyParser::check_tokens_distinct() const {
  if (kind_ != TokenizerKind::wordpiece) return {};
  auto repeated = find_repeated_token(found_.tokens);
  if (!repeated) return {};
  auto& [id, error] = *repeated;
  return std::unexpected(std::move(error).at_offset(place_of(found_.tokens[id])));
}

Result<void> VocabularyParser::read_special_ids(std::uint64_t at) {
  namespace s = layout::special;
  const auto read = [&](const Field& where) -> Result<std::int32_t> {
    const auto id = field<std::uint32_t>(at, where);
    if (id >= found_.tokens.size()) {
      return fail_at(ErrorCode::special_token_id, at, where,
                     fmt::format("{}, but there are {} tokens", id, found_.tokens.size()));
    }
    return static_cast<std::int32_t>(id);
  };
  found_.special.pad = EMBD_TRY(read(s::pad_id));
  found_.special.unk = EMBD_TRY(read(s::unk_id));
  found_.special.cls = EMBD_TRY(read(s::cls_id));
  found_.special.sep = EMBD_TRY(read(s::sep_id));
  found_.special.mask = EMBD_TRY(read(s::mask_id));
  return {};
}

}  // namespace

Result<EmbdVocabulary> read_vocabulary(Bytes file, const EmbdSection& section,
                                       std::uint32_t expected, TokenizerKind kind) {
  return VocabularyParser(file, section, expected, kind).parse();
}

Result<EmbdVocabulary> given_vocabulary(std::span<const std::string> tokens, TokenizerKind kind) {
  EmbdVocabulary found;
  found.tokens.assign(tokens.begin(), tokens.end());
  if (auto repeated = find_repeated_token(found.tokens))
    return std::unexpected(std::move(repeated->second));
  const auto find = [&](std::string_view token) -> Result<std::int32_t> {
    const auto it = std::ranges::find(found.tokens, token);
    if (it != found.tokens.end()) return static_cast<std::int32_t>(it - found.tokens.begin());
    return fail(
        ErrorCode::special_token_id,
        fmt::format("the vocabulary that was given does not contain the special token {}", token));
  };
  const auto [pad, unk, cls, sep, mask] = special_token_names(kind);
  found.special.pad = EMBD_TRY(find(pad));
  found.special.unk = EMBD_TRY(find(unk));
  found.special.cls = EMBD_TRY(find(cls));
  found.special.sep = EMBD_TRY(find(sep));
  found.special.mask = EMBD_TRY(find(mask));
  return found;
}

}  // namespace embd
