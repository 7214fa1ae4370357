#include "tests/tokenizer/unigram/slow_unigram.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <span>

#include "tests/tokenizer/wordpiece/table_tokenizer.h"

namespace embd::testing {
namespace {

constexpr char32_t mark = 0x2581;

bool is_white(char32_t c) {
  static const std::u32string white =
      U"\t\n\v\f\r \u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009"
      U"\u200a\u2028\u2029\u202f\u205f\u3000";
  return white.contains(c);
}

/// Bytes of a code point of well-formed UTF-8, by its first.
std::size_t width(char lead) {
  const auto byte = static_cast<std::uint8_t>(lead);
  return byte < 0x80 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
}

std::u32string code_points(std::span<const SlowCharacter> text) {
  std::u32string result;
  for (const SlowCharacter& c : text) result += c.code_point;
  return result;
}

SlowText part(const SlowText& text, std::size_t begin, std::size_t end) {
  return {text.begin() + static_cast<std::ptrdiff_t>(begin),
          text.begin() + static_cast<std::ptrdiff_t>(end)};
}

}  // namespace

SlowText slow_text(std::string_view bytes) {
  SlowText text;
  for (std::size_t i = 0; i < bytes.size();) {
    // As many bytes as are one code point, whole or malformed.
    std::size_t size = std::min<std::size_t>(4, bytes.size() - i);
    while (decode_with_replacement(bytes.substr(i, size)).size() > 1) --size;
    text.push_back({decode_with_replacement(bytes.substr(i, size)).front(), {i, i + size}});
    i += size;
  }
  return text;
}

std::string to_utf8(std::u32string_view text) {
  std::string bytes;
  const auto append = [&](char32_t byte) { bytes += static_cast<char>(byte); };
  for (const char32_t c : text) {
    if (c < 0x80) {
      append(c);
      continue;
    }
    if (c < 0x800) {
      append(0xc0 | c >> 6);
    } else {
      if (c < 0x10000) {
        append(0xe0 | c >> 12);
      } else {
        append(0xf0 | c >> 18);
        append(0x80 | (c >> 12 & 0x3f));
      }
      append(0x80 | (c >> 6 & 0x3f));
    }
    append(0x80 | (c & 0x3f));
  }
  return bytes;
}

std::string to_utf8(const SlowText& text) {
  return to_utf8(code_points(text));
}

SlowCharacterMap::SlowCharacterMap(std::string_view bytes, const SlowGraphemes& graphemes)
    : graphemes_(graphemes) {
  std::uint32_t units_bytes = 0;
  std::memcpy(&units_bytes, bytes.data(), sizeof(units_bytes));
  units_.resize(units_bytes / 4);
  if (units_bytes != 0) std::memcpy(units_.data(), bytes.data() + 4, units_bytes);
  strings_ = bytes.substr(4 + units_bytes);
}

std::optional<std::string> SlowCharacterMap::shortest(std::string_view key) const {
  const auto offset = [](std::uint32_t unit) { return (unit >> 10) << ((unit & 0x200) >> 6); };
  if (units_.empty()) return std::nullopt;
  std::uint32_t at = offset(units_[0]);
  for (const char c : key) {
    const auto byte = static_cast<std::uint8_t>(c);
    at ^= byte;
    if (byte == 0 || at >= units_.size() || (units_[at] & 0x800000ff) != byte) return std::nullopt;
    const std::uint32_t unit = units_[at];
    at ^= offset(unit);
    if ((unit & 0x100) == 0) continue;
    const std::size_t begin = units_.at(at) & 0x7fffffff;
    return strings_.substr(begin, strings_.find('\0', begin) - begin);
  }
  return std::nullopt;
}

SlowText SlowCharacterMap::normalize(const SlowText& text) const {
  const std::u32string all = code_points(text);
  SlowText normalized;
  const auto append = [&](std::string_view became, ByteRange source) {
    for (const char32_t c : decode_with_replacement(became)) normalized.push_back({c, source});
  };
  std::size_t at = 0;
  for (const std::u32string_view cluster : graphemes_.split(all)) {
    const std::size_t end = at + cluster.size();
    const std::string utf8 = to_utf8(cluster);
    const auto whole = utf8.size() < 6 ? shortest(utf8) : std::nullopt;
    if (whole) append(*whole, {text[at].source.begin, text[end - 1].source.end});
    for (; at < end; ++at) {
      if (whole) continue;
      const std::string alone = to_utf8({&all[at], 1});
      append(shortest(alone).value_or(alone), text[at].source);
    }
  }
  return normalized;
}

SlowUnigram::SlowUnigram(const TokenizerJson& json, const unigram::WordOptions& options)
    : graphemes_(EMBD_TEST_DATA "/unigram/graphemes_unicode17.tsv.gz"),
      options_(options),
      piece_options_(json.piece_options()),
      added_tokens_(json.added_tokens()) {
  if (json.has_character_map()) map_.emplace(json.character_map(), graphemes_);
  for (const AddedToken& token : added_tokens_) added_texts_.push_back(json.tokens()[token.id]);
  const auto tables = json.tables();
  scores_.assign(json.scores().begin(), json.scores().end());
  for (std::size_t i = 0; i < tables.texts.size(); ++i) {
    pieces_[std::string(tables.texts[i])] = static_cast<std::int32_t>(i);
  }
}

std::optional<std::int32_t> SlowUnigram::find(std::string_view piece) const {
  const auto found = pieces_.find(piece);
  if (found == pieces_.end()) return std::nullopt;
  return found->second;
}

std::vector<SlowText> SlowUnigram::words(const SlowText& raw, bool begins_text) const {
  SlowText text = map_ ? map_->normalize(raw) : raw;
  std::vector<SlowText> parts(1);
  if (options_.layout == unigram::Layout::words) {
    for (const SlowCharacter& c : text) {
      if (is_white(c.code_point)) {
        parts.emplace_back();
      } else {
        parts.back().push_back(c);
      }
    }
  } else {
    while (options_.strip_right && !text.empty() && is_white(text.back().code_point)) {
      text.pop_back();
    }
    for (const SlowCharacter& c : text) {
      SlowText& merged = parts.back();
      const bool repeats =
          c.code_point == ' ' && !merged.empty() && merged.back().code_point == ' ';
      if (!options_.merge_spaces || !repeats) merged.push_back(c);
    }
  }
  std::vector<SlowText> words;
  for (SlowText& whole : parts) {
    if (whole.empty()) continue;
    for (SlowCharacter& c : whole) {
      if (c.code_point == ' ') c = {mark, {}};
    }
    const bool prepends = options_.prepend_scheme == unigram::PrependScheme::always ||
                          (options_.prepend_scheme == unigram::PrependScheme::first && begins_text);
    if (prepends && whole.front().code_point != mark) whole.insert(whole.begin(), {mark, {}});
    std::size_t start = 0;
    for (std::size_t i = 1; i <= whole.size(); ++i) {
      if (i < whole.size() && !(options_.split && whole[i].code_point == mark)) continue;
      words.push_back(part(whole, start, i));
      start = i;
    }
  }
  return words;
}

std::optional<std::vector<SlowUnigram::Piece>> SlowUnigram::cut(std::string_view word) const {
  struct Node {
    double score;
    std::size_t start;
    std::int32_t id;
  };
  const double unknown_score = scores_.empty() ? 0 : *std::ranges::min_element(scores_) - 10.0;
  std::vector<std::optional<Node>> best(word.size() + 1);
  best[0] = Node{0, 0, 0};
  for (std::size_t start = 0; start < word.size(); start += width(word[start])) {
    bool single = false;
    const auto improve = [&](std::size_t size, std::int32_t id, double score) {
      auto& end = best[start + size];
      const double sum = score + best[start]->score;
      if (end && sum <= end->score) return false;
      end = Node{sum, start, id};
      return true;
    };
    for (std::size_t size = 1; size <= std::min<std::size_t>(255, word.size() - start); ++size) {
      const auto id = find(word.substr(start, size));
      if (!id) continue;
      improve(size, *id, scores_[static_cast<std::size_t>(*id)]);
      single = single || size == width(word[start]);
    }
    if (!single && improve(width(word[start]), piece_options_.unk.value_or(-1), unknown_score) &&
        !piece_options_.unk) {
      return std::nullopt;
    }
  }
  std::vector<std::string> strings;  // last first
  bool after_unknown = false;
  for (std::size_t end = word.size(); end > 0; end = best[end]->start) {
    const bool unknown = best[end]->id == piece_options_.unk;
    const std::string piece(word.substr(best[end]->start, end - best[end]->start));
    if (unknown && after_unknown) {
      strings.back() = piece + strings.back();
    } else {
      strings.push_back(piece);
    }
    after_unknown = unknown;
  }
  std::vector<Piece> pieces;
  for (auto i = strings.rbegin(); i != strings.rend(); ++i) {
    if (const auto id = find(*i)) {
      pieces.push_back({*id, i->size()});
      continue;
    }
    std::vector<Piece> bytes;
    for (const char byte : *i) {
      const auto id = find(fmt::format("<0x{:02X}>", static_cast<std::uint8_t>(byte)));
      if (id && piece_options_.byte_fallback) bytes.push_back({*id, 1});
    }
    if (bytes.size() == i->size()) {
      pieces.insert(pieces.end(), bytes.begin(), bytes.end());
    } else {
      pieces.push_back({*piece_options_.unk, i->size()});
    }
  }
  return pieces;
}

bool SlowUnigram::append_word(const SlowText& word, Tokens& tokens) const {
  const auto pieces = cut(to_utf8(word));
  if (!pieces) return false;
  std::vector<ByteRange> sources;  // of each byte
  for (const SlowCharacter& c : word) {
    sources.insert(sources.end(), to_utf8({&c.code_point, 1}).size(), c.source);
  }
  std::size_t at = 0;
  for (const Piece& piece : *pieces) {
    ByteRange range;
    for (std::size_t i = at; i < at + piece.size; ++i) {
      if (sources[i] == ByteRange()) continue;
      if (range == ByteRange()) range.begin = sources[i].begin;
      range.end = sources[i].end;
    }
    tokens.ids.push_back(piece.id);
    tokens.ranges.push_back(range);
    at += piece.size;
  }
  return true;
}

std::optional<SlowUnigram::Tokens> SlowUnigram::encode(std::string_view bytes) const {
  const SlowText text = slow_text(bytes);
  const std::u32string all = code_points(text);
  Tokens tokens;
  std::size_t at = 0;
  while (at < text.size()) {
    std::size_t begin = text.size();  // of the next added token
    std::size_t size = 0;
    const AddedToken* token = nullptr;
    for (std::size_t i = 0; i < added_tokens_.size(); ++i) {
      const AddedToken& added = added_tokens_[i];
      const std::u32string content = decode_with_replacement(added_texts_[i]);
      const std::size_t place = all.find(content, at);
      if (place < begin || (place == begin && content.size() > size)) {
        begin = place;
        size = content.size();
        token = &added;
      }
    }
    std::size_t end = begin;
    while (token != nullptr && token->lstrip && end > at && is_white(all[end - 1])) --end;
    for (const SlowText& word : words(part(text, at, end), at == 0)) {
      if (!append_word(word, tokens)) return std::nullopt;
    }
    if (token == nullptr) break;
    tokens.ids.push_back(token->id);
    tokens.ranges.push_back({text[begin].source.begin, text[begin + size - 1].source.end});
    at = begin + size;
  }
  return tokens;
}

}  // namespace embd::testing
