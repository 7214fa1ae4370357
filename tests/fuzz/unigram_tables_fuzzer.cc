// Hostile tables of a Unigram vocabulary: good ones of which the input changes some bytes, and the
// rest of the input as the text. The input is
//
//     u8     how many changes, of four bytes each
//     u8     table   the trie, the scores, the character map or the pieces' texts
//     u16    place   within that table, little-endian, wrapped around its end
//     u8     value   of the byte there from now on
//     bytes  text
//
// Whatever the tables are, they are refused or give ids of the vocabulary and ranges of the text.
#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "tests/fuzz/require.h"
#include "tests/tokenizer/unigram/character_map_bytes.h"
#include "tokenizer/double_array.h"
#include "tokenizer/tokenizer_worker.h"
#include "tokenizer/unigram/unigram_tokenizer.h"

namespace {

using namespace embd;
using fuzz::require;

constexpr std::size_t change_bytes = 4;

struct Piece {
  std::string_view text;
  float score;
};

constexpr std::array<Piece, 18> good_pieces{{
    {"<s>", 0},
    {"<pad>", 0},
    {"</s>", 0},
    {"<unk>", 0},
    {"\xe2\x96\x81", -2},
    {"a", -3},
    {"\xe2\x96\x81"
     "a",
     -1.5F},
    {"b", -3.25F},
    {"ab", -3.5F},
    {"abab", -6},
    {"e", -3},
    {"\xc3\xa9", -4},
    {"\xe4\xb8\xad", -4},
    {"<0x41>", -8},
    {"<0xE4>", -8},
    {"<0xB8>", -8},
    {"<0xAD>", -8},
    {"<mask>", 0},
}};

/// The tables of a vocabulary as bytes that may be changed.
struct Tables {
  std::vector<std::uint32_t> trie;
  std::vector<float> scores;
  std::string character_map;
  std::string texts;

  Tables() {
    std::vector<std::string_view> keys;
    for (const Piece& piece : good_pieces) {
      keys.push_back(piece.text);
      scores.push_back(piece.score);
      texts += piece.text;
    }
    trie = build_double_array(keys).value();
    character_map = testing::character_map_bytes(
        {{"A", "a"}, {"\xc3\x89", "\xc3\xa9"}, {"\xef\xac\x81", "fi"}, {"\x7f", ""}});
  }

  std::span<std::byte> table(std::uint8_t number) {
    switch (number % 4) {
      case 0:
        return std::as_writable_bytes(std::span(trie));
      case 1:
        return std::as_writable_bytes(std::span(scores));
      case 2:
        return std::as_writable_bytes(std::span(character_map));
      default:
        return std::as_writable_bytes(std::span(texts));
    }
  }
  /// The pieces' texts, each as long as the good one.
  std::vector<std::string_view> pieces() const {
    std::vector<std::string_view> pieces;
    std::size_t begin = 0;
    for (const Piece& piece : good_pieces) {
      pieces.push_back(std::string_view(texts).substr(begin, piece.text.size()));
      begin += piece.text.size();
    }
    return pieces;
  }
};

/// Makes the changes at the front of `input`, and returns what is behind them.
std::string_view change(Tables& tables, std::string_view input) {
  if (input.empty()) return input;
  const std::size_t fits = (input.size() - 1) / change_bytes;
  const std::size_t changes = std::min<std::size_t>(static_cast<std::uint8_t>(input[0]), fits);
  input.remove_prefix(1);
  for (std::size_t i = 0; i < changes; ++i, input.remove_prefix(change_bytes)) {
    const std::span<std::byte> table = tables.table(static_cast<std::uint8_t>(input[0]));
    std::uint16_t place = 0;
    std::memcpy(&place, input.data() + 1, sizeof(place));
    table[place % table.size()] = static_cast<std::byte>(input[3]);
  }
  return input;
}

void tokenize(const UnigramTokenizer& tokenizer, std::string_view text) {
  TokenizerWorker worker(tokenizer);
  std::vector<std::int32_t> ids;
  std::vector<ByteRange> ranges;
  const auto encoded = worker.encode(text, {}, {.ids = &ids, .ranges = &ranges});
  if (!encoded) return require(!encoded.error().message().empty());
  require(encoded->tokens == ids.size() && ranges.size() == ids.size());
  for (const std::int32_t id : ids) {
    require(id >= 0 && static_cast<std::size_t>(id) < good_pieces.size());
  }
  for (const ByteRange& range : ranges) {
    require(range.begin <= range.end && range.end <= text.size());
  }
  (void)tokenizer.decode(ids, false);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Tables good;
  Tables tables = good;
  const std::string_view text =
      change(tables, std::string_view(reinterpret_cast<const char*>(data), size));
  const auto characters = unigram::CharacterMap::create(as_bytes(tables.character_map));
  if (!characters) {
    require(characters.error().offset().has_value());
    return 0;
  }
  const std::vector<std::string_view> pieces = tables.pieces();
  const std::vector<double> wide_scores(tables.scores.begin(), tables.scores.end());
  for (const unigram::Layout layout : {unigram::Layout::words, unigram::Layout::spaces}) {
    const auto tokenizer = UnigramTokenizer::create(
        {.pieces = {.texts = pieces,
                    .scores = layout == unigram::Layout::words ? unigram::Scores(tables.scores)
                                                               : unigram::Scores(wide_scores),
                    .trie = std::as_bytes(std::span(tables.trie))},
         .characters = *characters,
         .special = {.pad = 1, .unk = 3, .cls = 0, .sep = 2, .mask = 17},
         .added = {{.id = 17, .lstrip = true}}},
        {.words = {.layout = layout}, .pieces = {.unk = 3, .byte_fallback = true}});
    if (!tokenizer) {
      require(!tokenizer.error().message().empty());
      continue;
    }
    tokenize(**tokenizer, text);
  }
  return 0;
}
