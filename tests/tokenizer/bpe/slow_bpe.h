#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/utf8.h"
#include "tokenizer/bpe/byte_letters.h"
#include "tokenizer/bpe/vocabulary.h"
#include "tokenizer/unicode_class.h"

namespace embd::testing {

/// A second, independent implementation of the merges: it looks for the best of all pairs again
/// after each merge. Slow.
class SlowMerges {
 public:
  SlowMerges(const bpe::Tables& tables, std::optional<std::int32_t> unk) : unk_(unk) {
    std::map<std::string_view, std::int32_t> all;
    for (std::size_t id = 0; id < tables.tokens.size(); ++id)
      all[tables.tokens[id]] = static_cast<std::int32_t>(id);
    for (int byte = 0; byte < 256; ++byte) {
      const auto found = all.find(bpe::ByteLetters::letter(static_cast<char>(byte)));
      of_bytes_.push_back(found == all.end() ? -1 : found->second);
    }
    for (std::size_t i = 0; i + 1 < tables.merges.size(); i += 2) {
      const auto left = tables.merges[i];
      const auto right = tables.merges[i + 1];
      const std::string whole =
          std::string(tables.tokens[left]) + std::string(tables.tokens[right]);
      ranks_[{static_cast<std::int32_t>(left), static_cast<std::int32_t>(right)}] = {i / 2,
                                                                                     all.at(whole)};
    }
  }

  std::vector<std::int32_t> merge(std::string_view word) const {
    std::vector<std::int32_t> ids;
    for (const char byte : word) {
      const std::int32_t id = of_bytes_[static_cast<std::uint8_t>(byte)];
      if (id >= 0) {
        ids.push_back(id);
      } else if (unk_) {
        ids.push_back(*unk_);
      }
    }
    while (true) {
      std::size_t best = ids.size();
      std::pair<std::size_t, std::int32_t> merge;
      for (std::size_t i = 0; i + 1 < ids.size(); ++i) {
        const auto found = ranks_.find({ids[i], ids[i + 1]});
        if (found == ranks_.end() || (best < ids.size() && found->second.first >= merge.first))
          continue;
        best = i;
        merge = found->second;
      }
      if (best == ids.size()) return ids;
      ids[best] = merge.second;
      ids.erase(ids.begin() + static_cast<std::ptrdiff_t>(best) + 1);
    }
  }

 private:
  std::optional<std::int32_t> unk_;
  std::vector<std::int32_t> of_bytes_;
  std::map<std::pair<std::int32_t, std::int32_t>, std::pair<std::size_t, std::int32_t>> ranks_;
};

/// A second, independent division of a text into words by GPT-2's regular expression: each of its
/// alternatives is tried in turn, on a text of code points. Malformed parts are U+FFFD.
inline std::vector<std::string> slow_words(std::string_view text) {
  struct Character {
    std::string utf8;
    UnicodeClass of;
  };
  std::vector<Character> all;
  for (const char* at = text.data(); at < text.data() + text.size();) {
    const DecodedCodePoint c = decode_utf8(at, text.data() + text.size());
    all.push_back({c.code_point == 0xfffd ? "\xef\xbf\xbd" : std::string(at, c.size),
                   unicode_class(c.code_point)});
    at += c.size;
  }
  const auto run = [&](std::size_t at, UnicodeClass of) {
    std::size_t end = at;
    while (end < all.size() && all[end].of == of) ++end;
    return end;
  };
  const auto find_end = [&](std::size_t at) {
    for (const std::string_view form : {"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"}) {
      std::size_t i = 0;
      while (i < form.size() && at + i < all.size() && all[at + i].utf8 == form.substr(i, 1)) ++i;
      if (i == form.size()) return at + i;
    }
    for (const UnicodeClass of :
         {UnicodeClass::letter, UnicodeClass::number, UnicodeClass::other}) {
      const std::size_t first = all[at].utf8 == " " ? at + 1 : at;
      if (const std::size_t end = run(first, of); end > first) return end;
    }
    const std::size_t end = run(at, UnicodeClass::white_space);
    return end == all.size() || end == at + 1 ? end : end - 1;
  };
  std::vector<std::string> words;
  for (std::size_t at = 0; at < all.size();) {
    std::string& word = words.emplace_back();
    for (const std::size_t end = find_end(at); at < end; ++at) word += all[at].utf8;
  }
  return words;
}

}  // namespace embd::testing
