#include "tokenizer/wordpiece/wordpiece_tokenizer.h"

#include <gtest/gtest.h>
#include <utf8proc.h>

#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <random>
#include <thread>

#include "base/path_text.h"
#include "tests/support/gzip.h"
#include "tests/support/shared_data.h"
#include "tests/support/split.h"
#include "tests/tokenizer/wordpiece/table_tokenizer.h"
#include "tests/tokenizer/wordpiece/test_vocabulary.h"
#include "tokenizer/tokenizer_worker.h"
#include "tokenizer/wordpiece/pretokenize.h"
#include "tokenizer/wordpiece/vocabulary.h"

namespace embd {
namespace {

using Ids = std::vector<std::int32_t>;
using testing::read_gzip;
using testing::split;
using testing::TableTokenizer;

const std::string data = EMBD_TEST_DATA "/tokenizer/";

const WordPieceTokenizer& bert() {
  static const WordPieceTokenizer tokenizer(testing::bert_vocabulary());
  return tokenizer;
}

const TableTokenizer& twin() {
  static const TableTokenizer tokenizer(data + "codepoints_class.tsv.gz", data + "vocab.txt.gz");
  return tokenizer;
}

Ids encode(std::string_view text, const TextOptions& options = {}) {
  TokenizerWorker worker(bert());
  Ids ids;
  const auto encoding = worker.encode(text, options, {&ids});
  EXPECT_TRUE(encoding);
  return ids;
}

/// Without [CLS] and [SEP].
Ids inner(std::string_view text) {
  const Ids ids = encode(text);
  return {ids.begin() + 1, ids.end() - 1};
}

std::string utf8(const std::u32string& code_points) {
  std::string text;
  for (const char32_t c : code_points) {
    std::array<utf8proc_uint8_t, 4> bytes;
    const auto size = utf8proc_encode_char(static_cast<utf8proc_int32_t>(c), bytes.data());
    text.append(reinterpret_cast<const char*>(bytes.data()), static_cast<std::size_t>(size));
  }
  return text;
}

void check_golden(const std::string& path, std::size_t num_texts) {
  const std::string lines = read_gzip(path);
  TokenizerWorker worker(bert());
  std::size_t checked = 0;
  for (const std::string_view line : split(lines, '\n')) {
    const auto row = nlohmann::json::parse(line);
    const auto text = row["text"].get<std::string>();
    const Ids expected = row["ids"].get<Ids>();
    Ids ids;
    const auto whole = worker.encode(text, {}, {&ids});
    ASSERT_TRUE(whole);
    EXPECT_EQ(ids, expected) << row["kind"] << " " << line.substr(0, 200);
    EXPECT_EQ(whole->tokens, expected.size());
    EXPECT_FALSE(whole->truncated);

    ids.clear();
    const auto cut = worker.encode(text, {.max_length = 256}, {&ids});
    ASSERT_TRUE(cut);
    EXPECT_EQ(ids, row.contains("ids256") ? row["ids256"].get<Ids>() : expected);
    EXPECT_EQ(cut->tokens, expected.size());
    EXPECT_EQ(cut->truncated, row.contains("ids256"));
    ++checked;
  }
  EXPECT_EQ(checked, num_texts);
}

TEST(WordPieceTokenizer, GivesTheIdsOfTheRealOne) {
  check_golden(data + "tokens.jsonl.gz", 1722);
}

TEST(WordPieceTokenizer, GivesTheIdsOfTheRealOneOnTextsThatCannotBeCommitted) {
  const std::filesystem::path path = test::shared_data("golden/tokens_visible.jsonl.gz");
  if (path.empty()) GTEST_SKIP() << "no golden/tokens_visible.jsonl.gz in EMBD_SHARED_DATA";
  check_golden(text_of_path(path), 2565);
}

TEST(WordPieceTokenizer, GivesTheIdsOfTheRealOneAroundEveryCodePoint) {
  const std::string table = read_gzip(data + "codepoints_ids.tsv.gz");
  TokenizerWorker worker(bert());
  Ids ids;
  std::size_t checked = 0;
  for (const std::string_view line : split(table, '\n')) {
    if (line.starts_with('#')) continue;
    auto fields = split(line, '\t');
    fields.resize(4);
    const auto parse = [](std::string_view numbers) {
      Ids parsed{101};
      for (const std::string_view number : split(numbers, ' ')) {
        parsed.push_back(std::stoi(std::string(number)));
      }
      parsed.push_back(102);
      return parsed;
    };
    const Ids in_word = parse(fields[2]);
    const Ids alone = parse(fields[3]);
    const auto last = static_cast<char32_t>(std::stoul(std::string(fields[1]), nullptr, 16));
    for (auto c = static_cast<char32_t>(std::stoul(std::string(fields[0]), nullptr, 16)); c <= last;
         ++c, ++checked) {
      ids.clear();
      ASSERT_TRUE(worker.encode(utf8({U'a', c, U'b'}), {}, {&ids}));
      ASSERT_EQ(ids, in_word) << "a U+" << std::hex << static_cast<std::uint32_t>(c) << " b";
      ids.clear();
      ASSERT_TRUE(worker.encode(utf8({U' ', c, U' '}), {}, {&ids}));
      ASSERT_EQ(ids, alone) << "U+" << std::hex << static_cast<std::uint32_t>(c);
    }
  }
  EXPECT_EQ(checked, 1'112'064U);
}

TEST(WordPieceTokenizer, FindsSpecialTokensInTheText) {
  EXPECT_EQ(inner("a[SEP]b"), (Ids{1037, 102, 1038}));
  EXPECT_EQ(inner("[[SEP]]"), (Ids{1031, 102, 1033}));
  EXPECT_EQ(inner("[PAD][UNK][CLS][SEP][MASK]"), (Ids{0, 100, 101, 102, 103}));
  EXPECT_EQ(inner("[sep]"), (Ids{1031, 19802, 1033}));
  EXPECT_EQ(inner("[unused0]"), (Ids{1031, 15171, 2692, 1033}));
  // Removed later than special tokens are sought.
  for (const std::string_view between : {"\u200d", "\u0301", "\xff", "\xf0\x9f", "\ufffd"}) {
    EXPECT_EQ(inner("[S" + std::string(between) + "EP]"), inner("[SEP ]")) << between;
  }
  // A malformed part ends before the bracket.
  EXPECT_EQ(inner("\xf0\x9f[SEP]"), Ids{102});
}

TEST(WordPieceTokenizer, AnythingThatVanishesIsAnEmptyText) {
  for (const std::string_view text :
       {std::string_view(), std::string_view(" \r\n"), std::string_view("\0", 1),
        std::string_view("\u200b"), std::string_view("\u0301"), std::string_view("\xff\xfe")}) {
    EXPECT_EQ(encode(text), (Ids{101, 102}));
  }
}

TEST(WordPieceTokenizer, MalformedBytesAreLeftOutUnlessStrict) {
  EXPECT_EQ(inner("hel\xfflo"), inner("hello"));
  TokenizerWorker worker(bert());
  Ids ids{7};
  const auto refused = worker.encode("hel\xfflo", {.strict_utf8 = true}, {&ids});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::invalid_utf8);
  EXPECT_EQ(refused.error().offset(), 3U);
  EXPECT_EQ(ids, Ids{7});
  EXPECT_TRUE(worker.encode("hello", {.strict_utf8 = true}, {&ids}));
}

TEST(WordPieceTokenizer, CutsToTheLengthAndStillCounts) {
  TokenizerWorker worker(bert());
  const std::string text = "embedding [MASK] embedding";  // 3 + 1 + 3 ids
  const Ids whole = encode(text);
  ASSERT_EQ(whole.size(), 9U);
  for (std::uint32_t max_length = 2; max_length < 12; ++max_length) {
    Ids ids;
    const auto encoding = worker.encode(text, {.max_length = max_length}, {&ids});
    ASSERT_TRUE(encoding);
    EXPECT_EQ(encoding->tokens, 9U);
    EXPECT_EQ(encoding->truncated, max_length < 9);
    Ids expected = whole;
    if (max_length < 9) {
      expected.resize(max_length - 1);
      expected.push_back(102);
    }
    EXPECT_EQ(ids, expected);
  }
  Ids ids;
  EXPECT_EQ(worker.encode(text, {.max_length = 1}, {&ids}).error().code(),
            ErrorCode::invalid_argument);
  EXPECT_TRUE(ids.empty());
}

TEST(WordPieceTokenizer, CutsTheLeftSideIfAsked) {
  TokenizerWorker worker(bert());
  // More tokens than are held before the first ones are dropped.
  for (const std::size_t words : {0U, 1U, 3U, 7U, 8U, 500U, 5000U}) {
    std::string text;
    for (std::size_t i = 0; i < words; ++i) text += "embedding" + std::to_string(i % 13) + ". ";
    const Ids whole = encode(text);
    for (const std::uint32_t max_length : {0U, 2U, 3U, 10U, 256U}) {
      Ids ids{7};
      std::vector<ByteRange> ranges(1);
      const auto encoding =
          worker.encode(text, {.max_length = max_length, .truncation_side = TruncationSide::left},
                        {&ids, nullptr, &ranges});
      ASSERT_TRUE(encoding);
      EXPECT_EQ(encoding->tokens, whole.size());
      const bool cut = max_length != 0 && whole.size() > max_length;
      EXPECT_EQ(encoding->truncated, cut);
      Ids expected = {7, 101};
      const auto kept = static_cast<std::ptrdiff_t>((cut ? max_length : whole.size()) - 1);
      expected.insert(expected.end(), whole.end() - kept, whole.end());
      EXPECT_EQ(ids, expected) << words << " words, cut to " << max_length;

      std::vector<ByteRange> whole_ranges;
      ids.clear();
      ASSERT_TRUE(worker.encode(text, {}, {&ids, nullptr, &whole_ranges}));
      std::vector<ByteRange> expected_ranges(2);
      expected_ranges.insert(expected_ranges.end(), whole_ranges.end() - kept, whole_ranges.end());
      EXPECT_EQ(ranges, expected_ranges);
    }
  }
}

TEST(WordPieceTokenizer, RangesAreCutAsIdsAre) {
  TokenizerWorker worker(bert());
  const std::string text = "embedding [MASK] embedding";
  std::vector<ByteRange> whole;
  Ids ids;
  ASSERT_TRUE(worker.encode(text, {}, {&ids, nullptr, &whole}));
  EXPECT_EQ(whole,
            (std::vector<ByteRange>{
                {0, 0}, {0, 2}, {2, 5}, {5, 9}, {10, 16}, {17, 19}, {19, 22}, {22, 26}, {0, 0}}));
  for (std::uint32_t max_length = 2; max_length < 12; ++max_length) {
    std::vector<ByteRange> ranges;
    ids.clear();
    ASSERT_TRUE(worker.encode(text, {.max_length = max_length}, {&ids, nullptr, &ranges}));
    std::vector<ByteRange> expected = whole;
    if (max_length < 9) {
      expected.resize(max_length - 1);
      expected.emplace_back();
    }
    EXPECT_EQ(ranges, expected);
  }
}

TEST(WordPieceTokenizer, RangesBeginBehindThePrompt) {
  TokenizerWorker worker(bert());
  Ids ids;
  std::vector<ByteRange> ranges;
  ASSERT_TRUE(worker.encode("ding it", {.prompt = "a embed"}, {&ids, nullptr, &ranges}));
  EXPECT_EQ(ranges,
            (std::vector<ByteRange>{{0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 4}, {5, 7}, {0, 0}}));
}

/// Texts with the ids and the places, in characters, that the real tokenizer gives.
TEST(WordPieceTokenizer, GivesTheRangesOfTheRealOne) {
  const std::string lines = read_gzip(data + "ranges.jsonl.gz");
  TokenizerWorker worker(bert());
  std::size_t checked = 0;
  for (const std::string_view line : split(lines, '\n')) {
    const auto row = nlohmann::json::parse(line);
    const auto text = row["text"].get<std::string>();
    // Where each character begins, and the end.
    std::vector<std::size_t> starts;
    for (std::size_t i = 0; i <= text.size(); ++i) {
      if (i == text.size() || (static_cast<unsigned char>(text[i]) & 0xc0U) != 0x80U)
        starts.push_back(i);
    }
    std::vector<ByteRange> expected;
    for (const auto& [begin, end] : row["offsets"].get<std::vector<std::pair<int, int>>>()) {
      expected.emplace_back(starts.at(static_cast<std::size_t>(begin)),
                            starts.at(static_cast<std::size_t>(end)));
    }
    Ids ids;
    std::vector<ByteRange> ranges;
    ASSERT_TRUE(worker.encode(text, {}, {&ids, nullptr, &ranges}));
    ASSERT_EQ(ids, row["ids"].get<Ids>()) << line;
    expected.front() = expected.back() = {};
    for (std::size_t i = 0; i < ids.size(); ++i) {
      ASSERT_EQ(ranges[i], expected[i]) << "token " << i << " of " << line;
    }
    ++checked;
  }
  EXPECT_GT(checked, 3000U);
}

/// Malformed bytes are replaced by characters that vanish, and so do their ranges.
TEST(WordPieceTokenizer, RangesSpanMalformedBytes) {
  TokenizerWorker worker(bert());
  Ids ids;
  std::vector<ByteRange> ranges;
  ASSERT_TRUE(worker.encode("\xff he\xc0llo\xe2\x82 [SEP]\xf0\x9f", {}, {&ids, nullptr, &ranges}));
  EXPECT_EQ(ids, (Ids{101, 7592, 102, 102}));
  EXPECT_EQ(ranges, (std::vector<ByteRange>{{0, 0}, {2, 8}, {11, 16}, {0, 0}}));
}

TEST(WordPieceTokenizer, APromptIsTheBeginningOfTheText) {
  EXPECT_EQ(encode("text", {.prompt = "query: "}), encode("query: text"));
  EXPECT_EQ(encode("ding", {.prompt = "embed"}), encode("embedding"));
  EXPECT_EQ(encode("EP]", {.prompt = "[S"}), (Ids{101, 102, 102}));
  TokenizerWorker worker(bert());
  Ids ids;
  EXPECT_EQ(
      worker.encode("a\xff", {.strict_utf8 = true, .prompt = "query: "}, {&ids}).error().offset(),
      1U);
}

TEST(WordPieceTokenizer, AppendsToWhatIsThere) {
  TokenizerWorker worker(bert());
  Ids ids;
  ASSERT_TRUE(worker.encode("a", {}, {&ids}));
  ASSERT_TRUE(worker.encode("b", {}, {&ids}));
  EXPECT_EQ(ids, (Ids{101, 1037, 102, 101, 1038, 102}));
}

TEST(WordPieceTokenizer, CasedKeepsCase) {
  const std::vector<std::string_view> tokens = {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]",
                                                "a",     "A",     "é",     "##B",   "##b"};
  const SpecialTokenIds special{.pad = 0, .unk = 1, .cls = 2, .sep = 3, .mask = 4};
  const WordPieceTokenizer cased(wordpiece::Vocabulary::create(tokens, special).value(),
                                 {.lower_case = false});
  const WordPieceTokenizer uncased(wordpiece::Vocabulary::create(tokens, special).value(),
                                   {.lower_case = true});
  Ids ids;
  ASSERT_TRUE(TokenizerWorker(cased).encode("AB aB é É", {}, {&ids}));
  EXPECT_EQ(ids, (Ids{2, 6, 8, 5, 8, 7, 1, 3}));
  ids.clear();
  ASSERT_TRUE(TokenizerWorker(uncased).encode("AB aB", {}, {&ids}));
  EXPECT_EQ(ids, (Ids{2, 5, 9, 5, 9, 3}));
}

TEST(WordPieceTokenizer, TheHashCoversVocabularySpecialIdsAndRules) {
  auto tokens =
      std::vector<std::string_view>{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "a", "bc"};
  const auto hash = [&tokens](SpecialTokenIds special, bool lower_case) {
    return WordPieceTokenizer(wordpiece::Vocabulary::create(tokens, special).value(),
                              {.lower_case = lower_case})
        .hash();
  };
  const SpecialTokenIds special{.pad = 0, .unk = 1, .cls = 2, .sep = 3, .mask = 4};
  SpecialTokenIds other = special;
  std::swap(other.cls, other.sep);
  const std::string first = hash(special, true);
  EXPECT_EQ(first.size(), 64U);
  EXPECT_EQ(hash(special, true), first);
  EXPECT_NE(hash(special, false), first);
  EXPECT_NE(hash(other, true), first);
  tokens[5] = "ab";
  tokens[6] = "c";
  EXPECT_NE(hash(special, true), first);
}

/// Random texts: most code points from where the tokenizer has something to decide, all classes of
/// the table, special tokens, malformed bytes, words that repeat.
class RandomText {
 public:
  explicit RandomText(std::uint32_t seed) : random_(seed) {}

  std::string next() {
    std::string text;
    for (std::size_t parts = below(40); parts > 0; --parts) append_part(text);
    return text;
  }

 private:
  std::size_t below(std::size_t bound) { return random_() % bound; }

  void append_part(std::string& text) {
    switch (below(9)) {
      case 0: {  // any place of any row of the table
        const auto& rows = twin().rows();
        const auto& row = rows[below(rows.size())];
        text += utf8({static_cast<char32_t>(row.first + below(row.last - row.first + 1))});
        break;
      }
      case 1:
        for (std::size_t n = below(30); n > 0; --n) text.push_back(static_cast<char>(below(128)));
        break;
      case 2:
        for (std::size_t n = below(4); n > 0; --n) text.push_back(static_cast<char>(below(256)));
        break;
      case 3:
        text += bert().vocabulary().token(static_cast<std::int32_t>(below(5) ? 100 + below(4) : 0));
        break;
      case 4:
        text.append(below(110), static_cast<char>('a' + below(26)));
        break;
      case 5:
        text += utf8({static_cast<char32_t>(0xa0 + below(0x500))});
        break;
      case 6:
        text.append(below(3), ' ');
        break;
      default:
        text +=
            bert().vocabulary().token(static_cast<std::int32_t>(below(bert().vocabulary().size())));
        if (below(2) == 0) text.push_back(' ');
    }
  }

  std::mt19937 random_;
};

TEST(WordPieceTokenizer, AgreesWithItsTwinOnRandomTexts) {
  TokenizerWorker worker(bert());
  RandomText texts(20'260'101);
  Ids ids;
  for (int i = 0; i < 4000; ++i) {
    const std::string text = texts.next();
    ids.clear();
    ASSERT_TRUE(worker.encode(text, {}, {&ids}));
    ASSERT_EQ(ids, twin().encode(text)) << ::testing::PrintToString(text);

    Ids again;
    std::vector<ByteRange> ranges;
    ASSERT_TRUE(worker.encode(text, {}, {&again, nullptr, &ranges}));
    ASSERT_EQ(again, ids);
    ASSERT_EQ(ranges.size(), ids.size());
    for (std::size_t token = 1; token + 1 < ids.size(); ++token) {
      ASSERT_LT(ranges[token].begin, ranges[token].end);
      ASSERT_LE(ranges[token].end, text.size());
      ASSERT_GE(ranges[token].begin, ranges[token - 1].begin);
      ASSERT_GE(ranges[token].end, ranges[token - 1].end);
    }
  }
}

/// Does what TokenizerWorker does, without its cache and its way around ASCII words.
Ids encode_by_stages(std::string_view text) {
  const SpecialTokenIds& special = bert().vocabulary().special();
  Ids ids{special.cls};
  wordpiece::Word word;
  wordpiece::WordPieces pieces;
  for (AddedTokens::Cuts cuts(bert().added_tokens(), text); cuts.next();) {
    for (std::size_t position = 0; next_word(bert().normalizer(), cuts.before(), position, word);) {
      const std::size_t count = wordpiece::split_word(bert().vocabulary(), word, pieces);
      ids.insert(ids.end(), pieces.begin(), pieces.begin() + static_cast<std::ptrdiff_t>(count));
    }
    if (cuts.token() != nullptr) ids.push_back(cuts.token()->id);
  }
  ids.push_back(special.sep);
  return ids;
}

TEST(WordPieceTokenizer, TheFastPathChangesNoId) {
  TokenizerWorker worker(bert());
  std::mt19937 random(11);
  const std::string_view separators[] = {" ",    "",       "-", ".",  "\n",
                                         "\x01", "\u0301", "é", "中", "\xff"};
  for (int i = 0; i < 3000; ++i) {
    std::string text;
    for (std::size_t words = random() % 60; words > 0; --words) {
      // A few words over and over, of all lengths around 16, in mixed case.
      std::string word(random() % 20, static_cast<char>('a' + random() % 3));
      if (!word.empty() && random() % 3 == 0) word[random() % word.size()] = 'Q';
      text.append(word).append(
          separators[random() % 3 != 0 ? 0 : random() % std::size(separators)]);
    }
    Ids ids;
    const auto encoding = worker.encode(text, {}, {&ids});
    ASSERT_TRUE(encoding);
    ASSERT_EQ(ids, encode_by_stages(text)) << ::testing::PrintToString(text);
    ASSERT_EQ(encoding->tokens, ids.size());
  }
}

TEST(WordPieceTokenizer, IsSharedBetweenThreads) {
  const WordPieceTokenizer tokenizer(testing::bert_vocabulary());
  std::vector<std::vector<Ids>> results(3);
  {
    std::vector<std::jthread> threads;
    for (auto& result : results) {
      threads.emplace_back([&] {
        TokenizerWorker worker(tokenizer);
        RandomText texts(7);
        for (int i = 0; i < 300; ++i) {
          result.emplace_back();
          EXPECT_TRUE(worker.encode(texts.next(), {}, {&result.back()}));
        }
      });
    }
  }
  EXPECT_EQ(results[0], results[1]);
  EXPECT_EQ(results[0], results[2]);
}

}  // namespace
}  // namespace embd
