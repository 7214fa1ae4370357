#include "tokenizer/bpe/bpe_tokenizer.h"

#include <gtest/gtest.h>

#include <set>

#include "base/checksum.h"
#include "tests/support/split.h"
#include "tests/tokenizer/bpe/small_bpe.h"
#include "tokenizer/bpe/byte_letters.h"
#include "tokenizer/tokenizer_worker.h"

namespace embd {
namespace {

using Ids = std::vector<std::int32_t>;

Ids plain_ids(TokenizerWorker& worker, std::string_view text) {
  Ids ids;
  EXPECT_TRUE(worker.encode_plain(text, {}, {&ids}));
  return ids;
}

/// The ids of `tokenizers` 0.23.3 for texts of many scripts and random ones.
TEST(BpeTokenizer, IdsAreThoseOfTokenizers) {
  for (const char* name : {"roberta", "probe", "crossed", "modernbert", "qwen2", "gemma"}) {
    const testing::BpeJson json(name);
    const auto tokenizer = json.tokenizer();
    TokenizerWorker worker(*tokenizer);
    const std::string lines =
        testing::read_gzip(std::string(EMBD_TEST_DATA "/bpe/ids_") + name + ".jsonl.gz");
    std::size_t checked = 0;
    for (const std::string_view line : testing::split(lines, '\n')) {
      const auto row = nlohmann::json::parse(line);
      const std::string text = row["text"];
      const auto tokens = worker.tokenize(text, {});
      EXPECT_EQ(tokens->ids, row["ids"].get<Ids>()) << name << " " << text;
      Ids again;  // without ranges, and from the cache
      EXPECT_TRUE(worker.encode(text, {}, {&again}));
      EXPECT_EQ(again, tokens->ids);
      ++checked;
    }
    EXPECT_GT(checked, 250U);
  }
}

/// The recorded ids of each code point in three surroundings. ModernBERT's texts are composed.
class BpeCodePointsTest : public ::testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(Tokenizers, BpeCodePointsTest, ::testing::Values("probe", "modernbert"),
                         [](const auto& name) { return std::string(name.param); });

TEST_P(BpeCodePointsTest, EveryRecordedCodePointHasTheIdsOfTokenizers) {
  const std::string name = GetParam();
  const testing::BpeJson json(name);
  const auto tokenizer = json.tokenizer();
  TokenizerWorker worker(*tokenizer);
  const std::string file = testing::read_gzip(EMBD_TEST_DATA "/bpe/codepoints_" + name + ".tsv.gz");
  std::size_t checked = 0;
  for (const std::string_view line : testing::split(file, '\n')) {
    if (line.starts_with('#')) continue;
    const auto cells = testing::split(line, '\t');
    const auto first = std::stoul(std::string(cells[0]), nullptr, 16);
    const auto last = std::stoul(std::string(cells[1]), nullptr, 16);
    std::string outputs[3];
    for (auto c = first; c <= last; ++c) {
      if (c >= 0xd800 && c < 0xe000) continue;
      std::string utf8;
      if (c < 0x80) {
        utf8 = {static_cast<char>(c)};
      } else if (c < 0x800) {
        utf8 = {static_cast<char>(0xc0 | c >> 6), static_cast<char>(0x80 | (c & 0x3f))};
      } else if (c < 0x10000) {
        utf8 = {static_cast<char>(0xe0 | c >> 12), static_cast<char>(0x80 | (c >> 6 & 0x3f)),
                static_cast<char>(0x80 | (c & 0x3f))};
      } else {
        utf8 = {static_cast<char>(0xf0 | c >> 18), static_cast<char>(0x80 | (c >> 12 & 0x3f)),
                static_cast<char>(0x80 | (c >> 6 & 0x3f)), static_cast<char>(0x80 | (c & 0x3f))};
      }
      const std::string texts[] = {"a" + utf8 + "b", " " + utf8 + " ", "1" + utf8 + "'s"};
      for (int i = 0; i < 3; ++i) {
        std::string joined;
        for (const std::int32_t id : plain_ids(worker, texts[i]))
          joined += (joined.empty() ? "" : " ") + std::to_string(id);
        outputs[i] += joined + "\n";
      }
      ++checked;
    }
    for (int i = 0; i < 3; ++i)
      ASSERT_EQ(sha256_hex(as_bytes(outputs[i])).substr(0, 16), cells[2 + i]) << cells[0];
  }
  EXPECT_GT(checked, 100'000U);
}

class SmallBpeTest : public ::testing::Test {
 protected:
  SmallBpeTest() {
    bytes_ = {"<s>", "<pad>", "</s>", "<unk>", "<mask>"};
    for (int byte = 0; byte < 256; ++byte)
      bytes_.emplace_back(bpe::ByteLetters::letter(static_cast<char>(byte)));
    merge("\u0120", "a");
    merge("b", "c");
    merge("\u0120a", "bc");
    vocabulary_.special = {.pad = 1, .unk = 3, .cls = 0, .sep = 2, .mask = 4};
    vocabulary_.added = {{.id = 0}, {.id = 4, .lstrip = true}, {.id = 2, .normalized = true}};
  }

  std::unique_ptr<const BpeTokenizer> tokenizer(const bpe::Rules& rules = {}) {
    texts_.assign(bytes_.begin(), bytes_.end());
    vocabulary_.tables = {texts_, merges_};
    return BpeTokenizer::create(vocabulary_, {.rules = rules}).value();
  }
  std::int32_t id(std::string_view token) const {
    return static_cast<std::int32_t>(std::ranges::find(bytes_, token) - bytes_.begin());
  }
  void merge(const std::string& left, const std::string& right) {
    merges_.push_back(static_cast<std::uint32_t>(id(left)));
    merges_.push_back(static_cast<std::uint32_t>(id(right)));
    bytes_.push_back(left + right);
  }

  std::vector<std::string> bytes_;
  std::vector<std::string_view> texts_;
  std::vector<std::uint32_t> merges_;
  BpeVocabulary vocabulary_;
};

TEST_F(SmallBpeTest, ASpaceBelongsToTheWordBehindIt) {
  const auto made = tokenizer();
  TokenizerWorker worker(*made);
  EXPECT_EQ(plain_ids(worker, "abc abc"), (Ids{id("a"), id("bc"), id("\u0120abc")}));
  EXPECT_EQ(plain_ids(worker, "a <mask>abc"), (Ids{id("a"), 4, id("a"), id("bc")}));
  EXPECT_EQ(plain_ids(worker, "abc</s> a<s>"), (Ids{id("a"), id("bc"), 2, id("\u0120a"), 0}));
  EXPECT_EQ(plain_ids(worker, ""), Ids{});
}

TEST_F(SmallBpeTest, ASpaceMayBePutBeforeEachPart) {
  const auto made = tokenizer({.add_prefix_space = true});
  TokenizerWorker worker(*made);
  const std::int32_t word = id("\u0120abc");
  EXPECT_EQ(plain_ids(worker, "abc abc"), (Ids{word, word}));
  EXPECT_EQ(plain_ids(worker, " abc<s>abc"), (Ids{word, 0, word}));
  EXPECT_EQ(plain_ids(worker, "<s></s>"), (Ids{0, 2}));
  EXPECT_EQ(plain_ids(worker, "\n"), (Ids{id("\u0120"), id("\u010a")}));
  const auto tokens = worker.tokenize("abc<s>abc", {});
  EXPECT_EQ(tokens->ranges[1], (ByteRange{0, 3}));
  EXPECT_EQ(tokens->ranges[2], (ByteRange{3, 6}));
  EXPECT_EQ(tokens->ranges[3], (ByteRange{6, 9}));
}

TEST_F(SmallBpeTest, RangesHaveWholeCharactersAndNoSpaces) {
  const auto made = tokenizer();
  TokenizerWorker worker(*made);
  const auto ranges = [&](std::string_view text) {
    auto tokens = worker.tokenize(text, {});
    return std::vector(tokens->ranges.begin() + 1, tokens->ranges.end() - 1);
  };
  using Ranges = std::vector<ByteRange>;
  EXPECT_EQ(ranges("abc  abc"), (Ranges{{0, 1}, {1, 3}, {}, {5, 8}}));
  EXPECT_EQ(ranges("\u00e9x"), (Ranges{{0, 2}, {0, 2}, {2, 3}}));
  EXPECT_EQ(ranges("a \t<mask>"), (Ranges{{0, 1}, {3, 9}}));
  EXPECT_EQ(ranges("\xff"
                   "a"),
            (Ranges{{0, 1}, {0, 1}, {0, 1}, {1, 2}}));  // U+FFFD for what is no UTF-8
}

/// A token of a composed text stands for the whole stretch of which its characters were made.
TEST_F(SmallBpeTest, TextsMayBeComposed) {
  const auto made = tokenizer({.composes = true});
  const auto plain = tokenizer();
  TokenizerWorker worker(*made);
  TokenizerWorker plain_worker(*plain);
  for (const auto& [text, composed] : {std::pair{"e\u0301a", "\u00e9a"},
                                       {"a\u0323\u0307b", "\u1ea1\u0307b"},
                                       {"a\u0307\u0323b", "\u1ea1\u0307b"},
                                       {"\u212b", "\u00c5"},
                                       {"\u1100\u1161\u11a8\u11a8", "\uac01\u11a8"},
                                       {"\u0958", "\u0915\u093c"},
                                       {"\u0301", "\u0301"},
                                       {"a\u0898\u0316", "a\u0898\u0316"}}) {
    EXPECT_EQ(plain_ids(worker, text), plain_ids(plain_worker, composed)) << text;
    EXPECT_EQ(plain_ids(worker, composed), plain_ids(plain_worker, composed)) << composed;
  }
  const auto tokens = worker.tokenize("a be\u0301c<mask>\u0301", {});
  const std::vector<ByteRange> expected = {{0, 1}, {}, {2, 3}, {3, 6}, {3, 6}, {6, 7}, {7, 13}};
  EXPECT_EQ(std::vector(tokens->ranges.begin() + 1, tokens->ranges.begin() + 8), expected);
}

TEST_F(SmallBpeTest, ATokenThatNoComposedTextHasIsRefused) {
  vocabulary_.added.push_back({.id = static_cast<std::int32_t>(bytes_.size()), .normalized = true});
  bytes_.emplace_back("e\u0301");
  texts_.assign(bytes_.begin(), bytes_.end());
  vocabulary_.tables = {texts_, merges_};
  const auto refused = BpeTokenizer::create(vocabulary_, {.rules = {.composes = true}});
  EXPECT_EQ(refused.error().code(), ErrorCode::unsupported);
  EXPECT_TRUE(BpeTokenizer::create(vocabulary_, {}));
}

TEST_F(SmallBpeTest, AWordThatIsATokenMayStayWhole) {
  bytes_.emplace_back("cab");
  EXPECT_EQ(tokenizer()->hash().size(), 64U);
  const auto merged = tokenizer();
  TokenizerWorker worker(*merged);
  EXPECT_EQ(plain_ids(worker, "cab"), (Ids{id("c"), id("a"), id("b")}));
  const auto whole = tokenizer({.ignore_merges = true});
  TokenizerWorker whole_worker(*whole);
  EXPECT_EQ(plain_ids(whole_worker, "cab cab"),
            (Ids{id("cab"), id("\u0120"), id("c"), id("a"), id("b")}));
  EXPECT_EQ(plain_ids(whole_worker, "cab"), (Ids{id("cab")}));
  EXPECT_EQ(whole_worker.tokenize("cab", {})->ranges[1], (ByteRange{0, 3}));
}

TEST_F(SmallBpeTest, MalformedBytesBecomeReplacementCharacters) {
  const auto made = tokenizer();
  TokenizerWorker worker(*made);
  EXPECT_EQ(plain_ids(worker,
                      "a\xe3\x80"
                      "b"),
            plain_ids(worker, "a\ufffdb"));
  EXPECT_EQ(plain_ids(worker,
                      "<\xff"
                      "s>"),
            plain_ids(worker, "<\ufffds>"));
}

TEST_F(SmallBpeTest, TokensAreTextAgain) {
  vocabulary_.added.push_back({.id = static_cast<std::int32_t>(bytes_.size()), .special = false});
  bytes_.emplace_back("new word");
  const auto made = tokenizer();
  TokenizerWorker worker(*made);
  for (const std::string_view text : {"abc abc \u00e9\U0001f600 x\n", "a new word", " b"}) {
    Ids ids;
    EXPECT_TRUE(worker.encode(text, {}, {&ids}));
    EXPECT_EQ(made->decode(ids, true), text);
  }
  EXPECT_EQ(made->decode(Ids{0, id("a"), 2}, false), "<s>a</s>");
  EXPECT_EQ(made->decode(Ids{id("\u00c3"), -1, 5000}, true), "\ufffd");
  EXPECT_EQ(made->token(id("bc")), "bc");
  EXPECT_EQ(made->token(9999), "");
}

TEST_F(SmallBpeTest, TheHashIsThatOfEverythingThatChangesIds) {
  std::set<std::string> hashes;
  for (const bpe::Rules& rules : {bpe::Rules{},
                                  {.add_prefix_space = true},
                                  {.ignore_merges = true},
                                  {.keeps_unknown = true},
                                  {.composes = true}})
    hashes.insert(tokenizer(rules)->hash());
  vocabulary_.added.front().lstrip = true;
  hashes.insert(tokenizer()->hash());
  std::swap(merges_[0], merges_[2]);
  std::swap(merges_[1], merges_[3]);
  hashes.insert(tokenizer()->hash());
  bytes_.emplace_back("x y");
  hashes.insert(tokenizer()->hash());
  EXPECT_EQ(hashes.size(), 8U);
}

TEST_F(SmallBpeTest, TokensOutsideTheVocabularyAreRefused) {
  EXPECT_NE(tokenizer(), nullptr);
  vocabulary_.added.push_back({.id = 9999});
  EXPECT_EQ(BpeTokenizer::create(vocabulary_, {}).error().code(), ErrorCode::special_token_id);
  vocabulary_.added.pop_back();
  vocabulary_.special.unk = 9999;
  EXPECT_EQ(BpeTokenizer::create(vocabulary_, {}).error().code(), ErrorCode::special_token_id);
}

/// Neither a word of a million letters nor a million words of one kind take long.
TEST_F(SmallBpeTest, LongTextsOfOneKindAreTokenized) {
  const auto made = tokenizer();
  TokenizerWorker worker(*made);
  for (const std::string_view part : {"a", " ", "bc", "1", "'", "a1", "\u4e2d", "\n", "'s"}) {
    std::string text;
    while (text.size() < 1'000'000) text += part;
    EXPECT_GT(plain_ids(worker, text).size(), 100'000U) << part;
  }
}

/// The BPE of SentencePiece.
TEST(SentencePieceBpe, CharactersAreTokensAndOthersAreBytes) {
  const testing::BpeJson json("gemma");
  const auto made = json.tokenizer();
  TokenizerWorker worker(*made);
  for (const std::string_view text : {"  a\u2603 b\n\n", "<0x0A>\u00e9", " ", "x  <unused0>  "})
    EXPECT_EQ(made->decode(plain_ids(worker, text), false), text);
  const auto tokens = worker.tokenize("\u2603b b", {});
  ASSERT_GE(tokens->ids.size(), 7U);
  EXPECT_EQ(made->token(tokens->ids[1]), "<0xE2>");
  const std::vector<ByteRange> expected = {{0, 3}, {0, 3}, {0, 3}, {3, 4}};
  EXPECT_EQ(std::vector(tokens->ranges.begin() + 1, tokens->ranges.begin() + 5), expected);
  EXPECT_EQ(*(tokens->ranges.end() - 2), (ByteRange{5, 6}));
}

TEST(SentencePieceBpe, WhatItCannotFindIsRefused) {
  const testing::BpeJson without_bytes("roberta");
  const auto refused = bpe::Vocabulary::create(without_bytes.tables(), {}, true);
  EXPECT_EQ(refused.error().code(), ErrorCode::missing);
  const testing::BpeJson json("gemma");
  BpeVocabulary vocabulary = json.vocabulary();
  std::vector<std::string_view> tokens(vocabulary.tables.tokens.begin(),
                                       vocabulary.tables.tokens.end());
  vocabulary.added.push_back({.id = static_cast<std::int32_t>(tokens.size()), .normalized = true});
  tokens.emplace_back("a b");
  vocabulary.tables.tokens = tokens;
  const bpe::Rules rules = {.pattern = bpe::WordPattern::sentencepiece};
  EXPECT_EQ(BpeTokenizer::create(vocabulary, {.rules = rules}).error().code(),
            ErrorCode::unsupported);
  tokens.back() = "ab ";
  vocabulary.added.back().normalized = false;
  EXPECT_TRUE(BpeTokenizer::create(vocabulary, {.rules = rules}));
}

}  // namespace
}  // namespace embd
