#include "tests/tokenizer/wordpiece/table_tokenizer.h"

#include <algorithm>
#include <array>
#include <utility>

#include "tests/support/gzip.h"
#include "tests/support/split.h"

namespace embd::testing {
namespace {

char32_t parse_hex(std::string_view digits) {
  return static_cast<char32_t>(std::stoul(std::string(digits), nullptr, 16));
}

/// A code point on its way to a word.
struct Item {
  char32_t code_point;
  int combining_class;
  char character_class;
};

constexpr std::array<std::pair<std::u32string_view, std::int32_t>, 5> special_tokens{
    {{U"[PAD]", 0}, {U"[UNK]", 100}, {U"[CLS]", 101}, {U"[SEP]", 102}, {U"[MASK]", 103}}};

}  // namespace

std::u32string decode_with_replacement(std::string_view utf8) {
  std::u32string text;
  std::size_t i = 0;
  while (i < utf8.size()) {
    const auto lead = static_cast<unsigned char>(utf8[i++]);
    // How many bytes follow, and the range of the first of them (Unicode, table 3-7).
    int following = 0;
    unsigned low = 0x80;
    unsigned high = 0xbf;
    char32_t value = lead;
    if (lead >= 0xc2 && lead <= 0xdf) {
      following = 1;
      value = lead & 0x1fU;
    } else if (lead >= 0xe0 && lead <= 0xef) {
      following = 2;
      value = lead & 0x0fU;
      if (lead == 0xe0) low = 0xa0;
      if (lead == 0xed) high = 0x9f;
    } else if (lead >= 0xf0 && lead <= 0xf4) {
      following = 3;
      value = lead & 0x07U;
      if (lead == 0xf0) low = 0x90;
      if (lead == 0xf4) high = 0x8f;
    } else if (lead >= 0x80) {
      value = 0xfffd;
    }
    for (; following > 0; --following, ++i, low = 0x80, high = 0xbf) {
      const unsigned next = i < utf8.size() ? static_cast<unsigned char>(utf8[i]) : 0;
      if (next < low || next > high) {
        value = 0xfffd;
        break;
      }
      value = value << 6 | (next & 0x3fU);
    }
    text.push_back(value);
  }
  return text;
}

TableTokenizer::TableTokenizer(const std::string& class_table, const std::string& vocabulary) {
  const std::string table = read_gzip(class_table);
  for (const std::string_view line : split(table, '\n')) {
    if (line.starts_with('#')) continue;
    auto fields = split(line, '\t');
    fields.resize(5);
    rows_.push_back({parse_hex(fields[0]), parse_hex(fields[1]), fields[2].front(),
                     std::stoi(std::string(fields[3])), std::string(fields[4])});
  }
  const std::string tokens = read_gzip(vocabulary);
  std::int32_t id = 0;
  for (const std::string_view token : split(tokens, '\n')) {
    vocabulary_.emplace(decode_with_replacement(token), id++);
  }
}

const TableTokenizer::Row& TableTokenizer::row(char32_t code_point) const {
  return *std::prev(std::ranges::upper_bound(rows_, code_point, {}, &Row::first));
}

std::u32string TableTokenizer::output(const Row& row, char32_t code_point) {
  if (row.character_class == 'H') {
    const char32_t syllable = code_point - 0xac00;
    std::u32string jamo{0x1100 + syllable / 588, 0x1161 + syllable % 588 / 28};
    if (syllable % 28 != 0) jamo.push_back(0x11a7 + syllable % 28);
    return jamo;
  }
  if (row.output == "=") return {code_point};
  if (row.output.front() == '+' || row.output.front() == '-') {
    return {static_cast<char32_t>(static_cast<int>(code_point) + std::stoi(row.output))};
  }
  std::u32string parts;
  for (const std::string_view part : split(row.output, ' ')) parts.push_back(parse_hex(part));
  return parts;
}

std::vector<std::u32string> TableTokenizer::words(std::u32string_view text) const {
  std::vector<Item> items;
  for (const char32_t c : text) {
    const Row& own = row(c);
    switch (own.character_class) {
      case 'D':
        break;
      case 'S':
      case 'M':
        items.push_back({c, own.combining_class, own.character_class});
        break;
      default: {
        const std::u32string parts = output(own, c);
        for (const char32_t part : parts) {
          const int combining_class =
              parts.size() == 1 ? own.combining_class : row(part).combining_class;
          items.push_back({part, combining_class, own.character_class});
        }
      }
    }
  }

  // Canonical order: every run of combining marks sorted by class, stripped ones taking part.
  for (auto first = items.begin(); first != items.end();) {
    const auto combines = [](const Item& item) { return item.combining_class != 0; };
    first = std::find_if(first, items.end(), combines);
    const auto last = std::find_if_not(first, items.end(), combines);
    for (auto item = first; item != last; ++item) {
      std::rotate(
          std::ranges::upper_bound(first, item, item->combining_class, {}, &Item::combining_class),
          item, std::next(item));
    }
    first = last;
  }

  std::vector<std::u32string> words(1);
  for (const Item& item : items) {
    switch (item.character_class) {
      case 'M':
        break;
      case 'K':
      case 'H':
        words.back().push_back(item.code_point);
        break;
      case 'S':
        words.emplace_back();
        break;
      default:
        words.push_back({item.code_point});
        words.emplace_back();
    }
  }
  std::erase_if(words, [](const std::u32string& word) { return word.empty(); });
  return words;
}

void TableTokenizer::append_pieces(std::u32string_view word, std::vector<std::int32_t>& ids) const {
  constexpr std::int32_t unknown = 100;
  std::vector<std::int32_t> pieces;
  for (std::size_t begin = 0; begin < word.size() && word.size() <= 100;) {
    std::size_t end = word.size();
    auto found = vocabulary_.end();
    for (; end > begin; --end) {
      std::u32string piece(begin == 0 ? U"" : U"##");
      piece += word.substr(begin, end - begin);
      found = vocabulary_.find(piece);
      if (found != vocabulary_.end()) break;
    }
    if (end == begin) {
      pieces.clear();
      break;
    }
    pieces.push_back(found->second);
    begin = end;
  }
  if (pieces.empty()) pieces.push_back(unknown);
  ids.insert(ids.end(), pieces.begin(), pieces.end());
}

std::vector<std::int32_t> TableTokenizer::encode(std::string_view utf8) const {
  const std::u32string text = decode_with_replacement(utf8);
  std::vector<std::int32_t> ids{101};
  const auto append_words = [&](std::u32string_view plain) {
    for (const std::u32string& word : words(plain)) append_pieces(word, ids);
  };
  std::u32string_view rest = text;
  for (std::size_t i = 0; i < rest.size();) {
    const auto special = std::ranges::find_if(
        special_tokens, [&](const auto& token) { return rest.substr(i).starts_with(token.first); });
    if (special == special_tokens.end()) {
      ++i;
      continue;
    }
    append_words(rest.substr(0, i));
    ids.push_back(special->second);
    rest.remove_prefix(i + special->first.size());
    i = 0;
  }
  append_words(rest);
  ids.push_back(102);
  return ids;
}

}  // namespace embd::testing
