#include "tokenizer/unigram/unigram_tokenizer.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>
#include <thread>

#include "tests/support/gzip.h"
#include "tests/support/split.h"
#include "tests/tokenizer/unigram/slow_unigram.h"
#include "tests/tokenizer/unigram/tokenizer_json.h"
#include "tokenizer/tokenizer_worker.h"

namespace embd {
namespace {

using Ids = std::vector<std::int32_t>;
using Ranges = std::vector<ByteRange>;
using testing::golden_tokenizer_json;
using testing::read_gzip;
using testing::SlowUnigram;
using testing::split;
using unigram::Layout;
using unigram::PrependScheme;
using unigram::WordOptions;

const UnigramTokenizer& golden() {
  static const auto tokenizer = golden_tokenizer_json().tokenizer();
  return *tokenizer;
}

/// The ids of texts without special tokens around them.
Ids encode(TokenizerWorker& worker, std::string_view text) {
  Ids ids;
  EXPECT_TRUE(worker.encode_plain(text, {}, {&ids}));
  return ids;
}

Ids encode(std::string_view text) {
  TokenizerWorker worker(golden());
  return encode(worker, text);
}

/// The cases of ids.jsonl.gz, pairs and limits among them; returns their number.
std::size_t check_golden(const UnigramTokenizer& tokenizer, const char* ids_of_layout) {
  const std::string lines = read_gzip(EMBD_TEST_DATA "/unigram/ids.jsonl.gz");
  TokenizerWorker worker(tokenizer);
  std::size_t checked = 0;
  for (const std::string_view line : split(lines, '\n')) {
    const auto row = nlohmann::json::parse(line);
    // The pairs' ids are those of layout words, which tells U+0085 from spaces.
    if (row.contains("pair") && ids_of_layout == std::string_view("ids_spaces")) continue;
    const std::string first = row["text"];
    const std::string second = row.value("pair", "");
    const TextOptions options = {.max_length = row.value("max_length", 0U)};
    const auto tokens = row.contains("pair") ? worker.tokenize(TextPair{first, second}, options)
                                             : worker.tokenize(first, options);
    EXPECT_EQ(tokens.value().ids,
              row[row.contains(ids_of_layout) ? ids_of_layout : "ids"].get<Ids>())
        << row["kind"] << " " << line.substr(0, 200);
    ++checked;
  }
  return checked;
}

TEST(UnigramTokenizer, GivesTheIdsOfTheRealOneInLayoutWords) {
  EXPECT_EQ(check_golden(golden(), "ids"), 1252U);
}

TEST(UnigramTokenizer, GivesTheIdsOfTheRealOneInLayoutSpaces) {
  const auto tokenizer = golden_tokenizer_json().tokenizer({.layout = Layout::spaces});
  EXPECT_EQ(check_golden(*tokenizer, "ids_spaces"), 1092U);
}

TEST(UnigramTokenizer, CutsAddedTokensOutFirst) {
  EXPECT_EQ(encode("x<mask>"), (Ids{5, 279, 1713}));
  EXPECT_EQ(encode(" <mask>"), (Ids{1713}));
  EXPECT_EQ(encode("<s></s><pad><unk>"), (Ids{0, 2, 1, 3}));
}

/// Full-width letters spell a special piece only after normalization.
TEST(UnigramTokenizer, MatchesSpecialPiecesAfterNormalization) {
  EXPECT_EQ(encode("\uff1cs\uff1e"), (Ids{5, 0}));
  EXPECT_EQ(encode("\uff1cmask\uff1e"), (Ids{5, 1713}));
}

TEST(UnigramTokenizer, DecodesAsTheRealOneDoes) {
  const auto decode = [](const Ids& ids, bool skip_special = true) {
    return golden().decode(ids, skip_special);
  };
  EXPECT_EQ(decode({0, 375, 376, 514, 340, 6, 2}), "The cat sat.");
  EXPECT_EQ(decode({0, 375, 376, 514, 340, 6, 2}, false), "<s> The cat sat.</s>");
  EXPECT_EQ(decode({0, 0, 48, 139, 1713, 545, 2}), "a b c");
  EXPECT_EQ(decode({5, 5, 279, 1713, 99999, -1}), " x");
  EXPECT_EQ(decode({5, 5, 279, 1713, 99999, -1}, false), " x<mask>");
  EXPECT_EQ(decode({}), "");
}

TEST(UnigramTokenizer, AnotherHashForEveryPartThatDecidesAboutIds) {
  const auto& json = golden_tokenizer_json();
  const std::string hash = golden().hash();
  EXPECT_EQ(json.tokenizer()->hash(), hash);
  EXPECT_NE(json.tokenizer({.layout = Layout::spaces})->hash(), hash);
  EXPECT_NE(json.tokenizer({.prepend_scheme = PrependScheme::never})->hash(), hash);
  EXPECT_NE(json.tokenizer({.split = false})->hash(), hash);
  const auto source =
      nlohmann::json::parse(read_gzip(EMBD_TEST_DATA "/unigram/tokenizer_words.json.gz"));
  const auto hash_with = [&](const char* pointer, const nlohmann::json& value) {
    auto changed = source;
    changed[nlohmann::json::json_pointer(pointer)] = value;
    return testing::TokenizerJson(changed).tokenizer()->hash();
  };
  EXPECT_NE(hash_with("/normalizer", nullptr), hash);
  EXPECT_NE(hash_with("/model/vocab/100/0", "another piece"), hash);
  EXPECT_NE(hash_with("/model/vocab/100/1", -2.5), hash);
  EXPECT_NE(hash_with("/model/unk_id", 4), hash);
  EXPECT_NE(hash_with("/model/byte_fallback", true), hash);
  EXPECT_NE(hash_with("/added_tokens/4/lstrip", false), hash);
}

TEST(UnigramTokenizer, RefusesWordsWithSchemeFirst) {
  const auto& json = golden_tokenizer_json();
  const auto made = UnigramTokenizer::create(
      {.pieces = json.tables()},
      {.words = {.layout = Layout::words, .prepend_scheme = PrependScheme::first}});
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code(), ErrorCode::unsupported);
}

TEST(UnigramTokenizer, KnowsWhereTokensComeFrom) {
  TokenizerWorker worker(golden());
  const auto ranges = [&](std::string_view text) {
    Ids ids;
    Ranges found;
    EXPECT_TRUE(worker.encode_plain(text, {}, {.ids = &ids, .ranges = &found}));
    EXPECT_EQ(ids.size(), found.size());
    return found;
  };
  EXPECT_EQ(ranges("  cat"), (Ranges{{2, 5}}));
  EXPECT_EQ(ranges(" \U0001f600\U0001f601 "), (Ranges{{0, 0}, {1, 9}}));  // ▁, <unk>
  EXPECT_EQ(ranges("  <mask>x"), (Ranges{{2, 8}, {0, 0}, {8, 9}}));
  EXPECT_EQ(ranges(""), Ranges{});
}

TEST(UnigramTokenizer, FailsAtAnUnknownCharacterWithoutAPieceForThese) {
  auto json = nlohmann::json::parse(read_gzip(EMBD_TEST_DATA "/unigram/tokenizer_words.json.gz"));
  json["model"]["unk_id"] = nullptr;
  const testing::TokenizerJson without_unk(json);
  const auto tokenizer = without_unk.tokenizer();
  TokenizerWorker worker(*tokenizer);
  Ids ids{7};
  Ranges ranges{{1, 2}};
  const TokenOutput with_ranges = {.ids = &ids, .ranges = &ranges};
  for (const TokenOutput& out : {TokenOutput{&ids}, with_ranges}) {
    const auto failed = worker.encode_plain("cat cat \U0001f600", {}, out);
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().code(), ErrorCode::unsupported);
    EXPECT_EQ(ids, Ids{7});
    EXPECT_EQ(ranges, (Ranges{{1, 2}}));
  }
  EXPECT_TRUE(worker.encode_plain("cat", {}, with_ranges));
}

/// Parts that random texts are made of: of every kind that some rule treats in its own way.
std::string random_text(std::mt19937& random) {
  static const std::vector<std::string> parts = [] {
    std::vector<std::string> all = {" ",
                                    " ",
                                    "  ",
                                    "\t",
                                    "\r\n",
                                    "\r",
                                    "\u0085",
                                    "\u00a0",
                                    "\u2581",
                                    "\u200b",
                                    "\u3000",
                                    "\u200d",
                                    "\u0301",
                                    "\u0306",
                                    "\u0323",
                                    "\u3099",
                                    "\u093c",
                                    "\u094d",
                                    "\u0915",
                                    "\u0937",
                                    "\u0600",
                                    "\u1100",
                                    "\u1161",
                                    "\u11a8",
                                    "\uac00",
                                    "\u00aa",
                                    "\u2122",
                                    "\ufdfa",
                                    "\uff21",
                                    "\uff76",
                                    "\ufb01",
                                    "\u1e9b",
                                    "e",
                                    "a",
                                    "\U0001f600",
                                    "\U0001f468",
                                    "\U0001f1e9",
                                    "\ufe0f",
                                    "\u9f98",
                                    "<s>",
                                    "</s>",
                                    "<unk>",
                                    "<mask>",
                                    "<pad>",
                                    "<ma",
                                    "\uff1cs\uff1e",
                                    "\uff1cunk\uff1e",
                                    "<0x41>",
                                    "\ufffd",
                                    "\x01",
                                    "\xff",
                                    "\xe2\x82",
                                    "\xf0\x9f",
                                    "\x80"};
    all.push_back(std::string(1, '\0'));
    for (const auto text : golden_tokenizer_json().tables().texts) all.emplace_back(text);
    return all;
  }();
  std::string text;
  const std::size_t count = random() % 30;
  const bool odd = random() % 2 == 0;
  for (std::size_t i = 0; i < count; ++i) text += parts[random() % (odd ? 55 : parts.size())];
  return text;
}

void check_against_slow(const testing::TokenizerJson& json, const WordOptions& options,
                        int num_texts) {
  const auto tokenizer = json.tokenizer(options);
  const SlowUnigram slow(json, options);
  TokenizerWorker worker(*tokenizer);
  std::mt19937 random(1);
  for (int i = 0; i < num_texts; ++i) {
    const std::string text = random_text(random);
    const auto expected = slow.encode(text);
    Ids ids;
    Ids ids_with_ranges;
    Ranges ranges;
    ASSERT_EQ(worker.encode_plain(text, {}, {&ids}).has_value(), expected.has_value());
    const auto with_ranges =
        worker.encode_plain(text, {}, {.ids = &ids_with_ranges, .ranges = &ranges});
    ASSERT_EQ(with_ranges.has_value(), expected.has_value());
    if (!expected) continue;
    ASSERT_EQ(ids, expected->ids) << ::testing::PrintToString(text);
    ASSERT_EQ(ids_with_ranges, expected->ids) << ::testing::PrintToString(text);
    ASSERT_EQ(ranges, expected->ranges) << ::testing::PrintToString(text);
  }
}

TEST(UnigramTokenizer, AgreesWithItsSlowTwinWhateverTheOptions) {
  for (const PrependScheme scheme :
       {PrependScheme::always, PrependScheme::first, PrependScheme::never}) {
    for (const bool split : {true, false}) {
      if (scheme != PrependScheme::first) {
        check_against_slow(golden_tokenizer_json(), {.prepend_scheme = scheme, .split = split},
                           500);
      }
      for (const bool strip : {true, false}) {
        for (const bool merge : {true, false}) {
          check_against_slow(golden_tokenizer_json(),
                             {.layout = Layout::spaces,
                              .prepend_scheme = scheme,
                              .split = split,
                              .strip_right = strip,
                              .merge_spaces = merge},
                             200);
        }
      }
    }
  }
}

TEST(UnigramTokenizer, AgreesWithItsSlowTwinWhateverTheModel) {
  auto json = nlohmann::json::parse(read_gzip(EMBD_TEST_DATA "/unigram/tokenizer_words.json.gz"));
  auto changed = json;
  changed["model"]["unk_id"] = nullptr;
  check_against_slow(testing::TokenizerJson(changed), {}, 500);
  changed = json;
  changed["normalizer"] = nullptr;
  check_against_slow(testing::TokenizerJson(changed), {}, 500);
  check_against_slow(testing::TokenizerJson(changed), {.layout = Layout::spaces}, 500);
  changed = json;
  changed["model"]["byte_fallback"] = true;
  for (int byte = 0; byte < 0xf0; ++byte) {
    changed["model"]["vocab"].push_back(
        nlohmann::json::array({fmt::format("<0x{:02X}>", byte), -3.0}));
  }
  check_against_slow(testing::TokenizerJson(changed), {}, 500);
}

TEST(UnigramTokenizer, MayWorkInManyThreads) {
  std::vector<Ids> expected;
  std::vector<std::string> texts;
  std::mt19937 random(3);
  for (int i = 0; i < 200; ++i) {
    texts.push_back(random_text(random));
    expected.push_back(encode(texts.back()));
  }
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      TokenizerWorker worker(golden());
      for (int round = 0; round < 3; ++round) {
        for (std::size_t i = 0; i < texts.size(); ++i) {
          EXPECT_EQ(encode(worker, texts[i]), expected[i]);
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

/// Texts on which anything that looks back, or ahead, more than once would take hours.
TEST(UnigramTokenizer, IsLinearInAnyText) {
  const auto repeated = [](std::string_view part) {
    std::string text;
    while (text.size() < 2000000) text += part;
    return text;
  };
  const auto spaces = golden_tokenizer_json().tokenizer({.layout = Layout::spaces});
  for (const std::string_view part : {"x",
                                      " ",
                                      "\u0301",
                                      "\u0085",
                                      "\u4e2d",
                                      "\u0915\u094d",
                                      "\u0915\u093e",
                                      "\U0001f1e9",
                                      "\U0001f468\u200d",
                                      "\u0600",
                                      "<",
                                      "<mask",
                                      "<mask> ",
                                      " \u0085",
                                      "\u2581",
                                      "\ufdfa",
                                      "\xf0\x9f",
                                      "\u9f98",
                                      "e\u0301",
                                      "\u0915\u0301"}) {
    for (const UnigramTokenizer* tokenizer : {&golden(), spaces.get()}) {
      TokenizerWorker worker(*tokenizer);
      Ids ids;
      Ranges ranges;
      EXPECT_TRUE(worker.encode_plain(repeated(part), {}, {&ids}));
      Ids again;
      const TokenOutput out = {.ids = &again, .ranges = &ranges};
      EXPECT_TRUE(worker.encode_plain(repeated(part) + "x", {}, out));
      EXPECT_EQ(again.size(), ranges.size());
    }
  }
}

}  // namespace
}  // namespace embd
