#include "tokenizer/bpe/nfc.h"

#include <span>
#include <string>

#include "base/utf8.h"
#include "tokenizer/wordpiece/unicode.h"

namespace embd::bpe {

namespace unicode = wordpiece::unicode;

bool Composer::may_change(std::string_view text) noexcept {
  for (const char* at = text.data(); at < text.data() + text.size();) {
    if (static_cast<std::uint8_t>(*at) < 0x80) {
      ++at;
      continue;
    }
    const DecodedCodePoint decoded = decode_utf8(at, text.data() + text.size());
    if (composition_of(decoded.code_point) == Composition::changes) return true;
    at += decoded.size;
  }
  return false;
}

void Composer::decompose(char32_t code_point) {
  if (composition_of(code_point) == Composition::inert) {
    parts_.push_back({code_point, 0});
    return;
  }
  const auto whole = unicode::decompose(code_point);
  for (const char32_t part : std::span(whole.code_points).first(whole.size))
    parts_.push_back({part, combining_class(part)});
}

void Composer::reorder() {
  const auto is_mark = [](const Part& part) { return part.combining_class != 0; };
  for (auto begin = parts_.begin(); begin != parts_.end();) {
    begin = std::find_if(begin, parts_.end(), is_mark);
    const auto end = std::find_if_not(begin, parts_.end(), is_mark);
    std::stable_sort(begin, end, [](const Part& a, const Part& b) {
      return a.combining_class < b.combining_class;
    });
    begin = end;
  }
}

void Composer::compose() {
  std::optional<std::size_t> starter;
  unsigned last_class = 0;  // that of the last part behind the starter that was kept
  bool is_behind_starter = false;
  std::size_t kept = 0;
  for (const Part part : parts_) {
    // A part is blocked by one of its class between it and the starter, and by another starter.
    const bool is_blocked = !is_behind_starter && last_class >= part.combining_class;
    if (starter && !is_blocked) {
      if (const auto composite = composite_of(parts_[*starter].code_point, part.code_point)) {
        parts_[*starter].code_point = *composite;
        continue;
      }
    }
    if (part.combining_class == 0) starter = kept;
    is_behind_starter = part.combining_class == 0;
    last_class = part.combining_class;
    parts_[kept++] = part;
  }
  parts_.resize(kept);
}

void Composer::normalize(std::string_view text, AlignedText& out) {
  out.clear();
  const char* const end = text.data() + text.size();
  std::string composed;
  for (const char* begin = text.data(); begin < end;) {
    // A stretch reaches to the next code point that is joined with nothing before it.
    const char* at = begin;
    parts_.clear();
    bool changes = false;
    do {
      const DecodedCodePoint decoded = decode_utf8(at, end);
      const bool may_move = composition_of(decoded.code_point) == Composition::changes;
      if (!may_move && at > begin) break;
      changes |= may_move;
      decompose(decoded.code_point);
      at += decoded.size;
    } while (at < end);
    const std::string_view source(begin, static_cast<std::size_t>(at - begin));
    begin = at;
    if (changes) {
      reorder();
      compose();
      composed.clear();
      for (const Part& part : parts_) append_utf8(part.code_point, composed);
    }
    out.append(!changes || composed == source ? source : composed, source);
  }
}

}  // namespace embd::bpe
