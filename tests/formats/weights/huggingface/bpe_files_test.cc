#include "formats/weights/huggingface/folder_tokenizer.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <tuple>

#include "tests/support/folder_tokenizer.h"
#include "tests/support/temporary_directory.h"

namespace embd::huggingface {
namespace {

using nlohmann::json;

/// A folder with a small vocabulary, and what becomes of it when its files change.
class BpeFilesTest : public test::TemporaryDirectory {
 protected:
  void SetUp() override {
    TemporaryDirectory::SetUp();
    const std::vector<std::string> tokens = {"<s>", "<pad>", "</s>", "<unk>", "a",
                                             "b",   "ab",    "Ġ",    "Ġab",   "<mask>"};
    for (std::size_t id = 0; id < tokens.size(); ++id) vocab_[tokens[id]] = id;
    const auto added = [&](const char* token, bool normalized) {
      return json{{"id", vocab_[token]}, {"content", token}, {"normalized", normalized},
                  {"lstrip", false},     {"rstrip", false},  {"single_word", false},
                  {"special", true}};
    };
    tokenizer_ = {{"added_tokens",
                   {added("<s>", true), added("<pad>", true), added("</s>", true),
                    added("<unk>", true), added("<mask>", false)}},
                  {"normalizer", nullptr},
                  {"pre_tokenizer", {{"type", "ByteLevel"}, {"add_prefix_space", true}}},
                  {"post_processor",
                   {{"type", "RobertaProcessing"}, {"cls", {"<s>", 0}}, {"sep", {"</s>", 2}}}},
                  {"model",
                   {{"type", "BPE"},
                    {"dropout", nullptr},
                    {"unk_token", "<unk>"},
                    {"continuing_subword_prefix", ""},
                    {"vocab", vocab_},
                    {"merges", {"a b", "Ġ ab"}}}}};
    write("tokenizer.json", tokenizer_.dump());
    set_class("PreTrainedTokenizerFast");
  }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
  }
  void set_class(const std::string& name) const {
    write("tokenizer_config.json", json{{"tokenizer_class", name}}.dump());
  }
  /// Writes the tokenizer.json with another value at a place.
  void change(const std::string& place, const json& value) const {
    json changed = tokenizer_;
    changed[json::json_pointer(place)] = value;
    write("tokenizer.json", changed.dump());
  }
  FolderTokenizer read() const {
    auto made = read_folder_tokenizer(directory(), "");
    EXPECT_TRUE(made) << made.error().message();
    return made ? *std::move(made) : FolderTokenizer();
  }
  void expect_refused(ErrorCode code, const std::string& mentions) const {
    const auto made = read_folder_tokenizer(directory(), "");
    ASSERT_FALSE(made) << mentions;
    EXPECT_EQ(made.error().code(), code) << made.error().message();
    EXPECT_NE(made.error().message().find(mentions), std::string::npos) << made.error().message();
  }

  json vocab_ = json::object();
  json tokenizer_;
};

TEST_F(BpeFilesTest, AGeneralTokenizerHasTheRulesOfItsFile) {
  FolderTokenizer made = read();
  EXPECT_EQ(made.kind, TokenizerKind::bpe);
  EXPECT_EQ(made.vocab.size(), 10U);
  EXPECT_EQ(made.merges, (std::vector<std::uint32_t>{4, 5, 7, 6}));
  EXPECT_EQ(made.bpe, (bpe::Rules{.add_prefix_space = true, .keeps_unknown = true}));
  EXPECT_EQ(made.special, (SpecialTokenIds{.pad = 1, .unk = 3, .cls = 0, .sep = 2, .mask = 9}));
  EXPECT_EQ(made.added_tokens, (std::vector<AddedToken>{{.id = 0, .normalized = true},
                                                        {.id = 1, .normalized = true},
                                                        {.id = 2, .normalized = true},
                                                        {.id = 3, .normalized = true}}));
  change("/model/merges", json::array({{"a", "b"}, {"Ġ", "ab"}}));
  EXPECT_EQ(read().merges, made.merges);
  change("/model/ignore_merges", true);
  EXPECT_TRUE(read().bpe.ignore_merges);
  change("/model/unk_token", nullptr);
  EXPECT_FALSE(read().bpe.keeps_unknown);
  change("/model/type", nullptr);
  EXPECT_EQ(read().kind, TokenizerKind::bpe);
}

TEST_F(BpeFilesTest, ARobertaTokenizerHasTheRulesOfItsClass) {
  set_class("RobertaTokenizerFast");
  change("/normalizer", json{{"type", "NFC"}});
  EXPECT_EQ(read().bpe, bpe::Rules());
  write("tokenizer_config.json",
        R"({"tokenizer_class":"RobertaTokenizer","add_prefix_space":true})");
  EXPECT_EQ(read().bpe, bpe::Rules{.add_prefix_space = true});
}

/// Texts of a static model have no special tokens, so its file may list any.
TEST_F(BpeFilesTest, AStaticModelHasTheSpecialTokensOfItsFile) {
  const json all = tokenizer_["added_tokens"];
  tokenizer_["post_processor"] = nullptr;
  tokenizer_["added_tokens"] = json::array({all[3], all[4]});
  write("tokenizer.json", tokenizer_.dump());
  auto made = read_static_tokenizer(directory());
  ASSERT_TRUE(made) << made.error().message();
  EXPECT_EQ(made->kind, TokenizerKind::bpe);
  EXPECT_EQ(made->pair_template, PairTemplate::none);
  EXPECT_EQ(made->special, (SpecialTokenIds{.pad = 3, .unk = 3, .cls = 3, .sep = 3, .mask = 9}));

  tokenizer_["added_tokens"] = json::array({all[2]});
  write("tokenizer.json", tokenizer_.dump());
  made = read_static_tokenizer(directory());
  ASSERT_FALSE(made);
  EXPECT_NE(made.error().message().find("<unk> is not among them"), std::string::npos);
  change("/model/unk_token", nullptr);
  made = read_static_tokenizer(directory());
  ASSERT_TRUE(made) << made.error().message();
  EXPECT_EQ(made->special, (SpecialTokenIds{.pad = 2, .unk = 2, .cls = 2, .sep = 2, .mask = 2}));
  tokenizer_["model"]["unk_token"] = nullptr;
  change("/added_tokens", json::array());
  EXPECT_FALSE(read_static_tokenizer(directory()));
}

/// The rules of ModernBERT: composed texts, and pairs in the form of BERT. The family takes them
/// from the file, whatever class the folder names.
TEST_F(BpeFilesTest, TextsMayBeComposedAndPairsHaveTwoTypes) {
  change("/normalizer", json{{"type", "NFC"}});
  EXPECT_TRUE(read().bpe.composes);
  const auto step = [](const char* kind, const char* id, int type) {
    return json{{kind, {{"id", id}, {"type_id", type}}}};
  };
  const json cls = step("SpecialToken", "<s>", 0);
  const json sep = step("SpecialToken", "</s>", 0);
  const json a = step("Sequence", "A", 0);
  const json pair = {cls, a, sep, step("Sequence", "B", 1), step("SpecialToken", "</s>", 1)};
  tokenizer_["post_processor"] = {
      {"type", "TemplateProcessing"},
      {"single", {cls, a, sep}},
      {"pair", pair},
      {"special_tokens", {{"<s>", {{"ids", {0}}}}, {"</s>", {{"ids", {2}}}}}}};
  write("tokenizer.json", tokenizer_.dump());
  EXPECT_EQ(read().pair_template, PairTemplate::bert);
  set_class("GPTNeoXTokenizerFast");
  expect_refused(ErrorCode::unsupported, "tokenizer_class: GPTNeoXTokenizer");
  EXPECT_EQ(read_folder_tokenizer(directory(), as_it_is)->pair_template, PairTemplate::bert);
  set_class("PreTrainedTokenizerFast");
  change("/post_processor/pair/4/SpecialToken/type_id", 0);
  expect_refused(ErrorCode::unsupported, "where B and the </s> behind it have type 1");
}

/// The rules of Qwen2 and Qwen3: a pattern of their own, and one special token, behind texts.
TEST_F(BpeFilesTest, ASplitMayHaveThePatternOfQwen2) {
  const json qwen =
      json::parse(std::ifstream(EMBD_TEST_DATA "/families/qwen3_last/tokenizer.json"));
  const auto step = [](const char* kind, const char* id) {
    return json{{kind, {{"id", id}, {"type_id", 0}}}};
  };
  const json a = step("Sequence", "A");
  const json end = step("SpecialToken", "</s>");
  tokenizer_["pre_tokenizer"] = qwen["pre_tokenizer"];
  tokenizer_["post_processor"] = {{"type", "Sequence"},
                                  {"processors",
                                   {{{"type", "ByteLevel"}},
                                    {{"type", "TemplateProcessing"},
                                     {"single", {a, end}},
                                     {"pair", {a, step("Sequence", "B")}},
                                     {"special_tokens", {{"</s>", {{"ids", {2}}}}}}}}}};
  tokenizer_["model"]["unk_token"] = nullptr;
  tokenizer_["added_tokens"] = json::array({tokenizer_["added_tokens"][2]});
  write("tokenizer.json", tokenizer_.dump());
  const FolderTokenizer made = read();
  EXPECT_EQ(made.bpe, bpe::Rules{.pattern = bpe::WordPattern::qwen2});
  EXPECT_EQ(made.pair_template, PairTemplate::behind);
  EXPECT_EQ(made.special, (SpecialTokenIds{.pad = 2, .unk = 2, .cls = 2, .sep = 2, .mask = 2}));
  for (const auto& [place, value, mentions] :
       {std::tuple{"/pre_tokenizer/pretokenizers/0/pattern/Regex", json(".+"), "pre_tokenizer"},
        {"/pre_tokenizer/pretokenizers/0/behavior", json("Removed"), "pre_tokenizer"},
        {"/pre_tokenizer/pretokenizers/0/invert", json(true), "pre_tokenizer"},
        {"/pre_tokenizer/pretokenizers/1/use_regex", json(true), "pre_tokenizer"},
        {"/pre_tokenizer/pretokenizers/1/add_prefix_space", json(true), "pre_tokenizer"},
        {"/post_processor/processors/1/single/0/Sequence/type_id", json(1), "or A </s>"},
        {"/post_processor/processors/1/special_tokens/<~1s>/ids/0", json(3), "post_processor"},
        {"/post_processor/processors/1/single/1/SpecialToken/id", json("x"), "post_processor"},
        {"/post_processor/processors", json("x"), "post_processor"}}) {
    change(place, value);
    expect_refused(ErrorCode::unsupported, mentions);
  }
}

/// The rules of Gemma: the BPE of SentencePiece.
TEST_F(BpeFilesTest, ATextMayBeOneWordWithoutSpaces) {
  tokenizer_ = json::parse(std::ifstream(EMBD_TEST_DATA "/families/gemma3_mean/tokenizer.json"));
  write("tokenizer.json", tokenizer_.dump());
  const FolderTokenizer made = read();
  EXPECT_TRUE(made.bpe.is_sentencepiece());
  EXPECT_EQ(made.pair_template, PairTemplate::roberta);
  EXPECT_EQ(made.special, (SpecialTokenIds{.pad = 0, .unk = 3, .cls = 2, .sep = 1, .mask = 4}));
  change("/pre_tokenizer", nullptr);
  EXPECT_EQ(read().bpe, made.bpe);
  for (const auto& [place, value, mentions] :
       {std::tuple{"/normalizer/content", json("_"), "normalizer"},
        {"/normalizer/pattern", json{{"Regex", " "}}, "normalizer"},
        {"/pre_tokenizer/behavior", json("Isolated"), "normalizer"},
        {"/model/byte_fallback", json(false), "byte_fallback: false, expected true"},
        {"/post_processor/single/0/SpecialToken/id", json("x"), "post_processor"}}) {
    change(place, value);
    expect_refused(ErrorCode::unsupported, mentions);
  }
}

TEST_F(BpeFilesTest, VocabularyAndMergesMayBeFilesOfTheirOwn) {
  std::filesystem::remove(path("tokenizer.json"));
  set_class("RobertaTokenizer");
  write("vocab.json", vocab_.dump());
  write("merges.txt", "#version: 0.2\na b\r\nĠ ab\n");
  const FolderTokenizer made = read();
  EXPECT_EQ(made.merges, (std::vector<std::uint32_t>{4, 5, 7, 6}));
  EXPECT_EQ(made.added_tokens, std::vector<AddedToken>());
  write("special_tokens_map.json", R"({"mask_token":{"content":"<mask>","lstrip":true}})");
  EXPECT_EQ(read().added_tokens, (std::vector<AddedToken>{{.id = 9, .lstrip = true}}));
  for (const auto& [text, mentions] :
       {std::tuple{"a b\nab\n", "merges.txt: line 2: \"ab\" is not two tokens"},
        {"a b\n\n", "line 2"},
        {"a b c\n", "line 1"},
        {"a c\n", "\"c\" is not in the vocabulary"},
        {"b a\n", "\"ba\" is not in the vocabulary"},
        {"#version: 0.2\n", "there are no merges"}}) {
    write("merges.txt", text);
    const auto refused = read_folder_tokenizer(directory(), "");
    ASSERT_FALSE(refused) << text;
    EXPECT_EQ(refused.error().code(), ErrorCode::bad_value) << refused.error().message();
  }
  std::filesystem::remove(path("merges.txt"));
  expect_refused(ErrorCode::missing, "nor merges.txt is there");
  set_class("PreTrainedTokenizerFast");
  expect_refused(ErrorCode::missing, "needs a tokenizer.json");
}

TEST_F(BpeFilesTest, WhatEmbdDoesNotHaveIsNamed) {
  for (const auto& [place, value, mentions] : {
           std::tuple{"/normalizer", json{{"type", "NFKC"}}, "normalizer"},
           {"/pre_tokenizer/type", json("Whitespace"), "pre_tokenizer"},
           {"/pre_tokenizer/use_regex", json(false), "pre_tokenizer"},
           {"/pre_tokenizer", json{{"type", "Sequence"}}, "pre_tokenizer"},
           {"/post_processor/type", json("BertProcessing"), "post_processor"},
           {"/post_processor/cls/1", json(4), "post_processor"},
           {"/model/continuing_subword_prefix", json("##"), "continuing_subword_prefix"},
           {"/model/end_of_word_suffix", json("</w>"), "end_of_word_suffix"},
           {"/model/byte_fallback", json(true), "byte_fallback"},
           {"/model/fuse_unk", json(true), "fuse_unk"},
           {"/model/dropout", json(0.1), "dropout"},
           {"/model/vocab", json::array(), "vocab"},
           {"/model/merges", json::array(), "merges"},
       }) {
    change(place, value);
    expect_refused(ErrorCode::unsupported, mentions);
  }
  write("tokenizer.json", tokenizer_.dump());
  set_class("GPT2Tokenizer");
  expect_refused(ErrorCode::unsupported, "tokenizer_class: GPT2Tokenizer");
}

TEST_F(BpeFilesTest, WhatIsNoVocabularyIsNamed) {
  for (const auto& [place, value, code, mentions] : {
           std::tuple{"/model/vocab/a", json(99), ErrorCode::bad_value, "id 99 of \"a\""},
           {"/model/vocab/a", json(5), ErrorCode::bad_value, "expected each of 0 to 9 once"},
           {"/model/merges/0", json("a b c"), ErrorCode::bad_value, "entry 0"},
           {"/model/merges/1", json(7), ErrorCode::bad_type, "entry 1"},
           {"/model/merges/1", json("b a"), ErrorCode::bad_value, "\"ba\" is not in"},
           {"/model/merges/0", json::array({"a", "b", "c"}), ErrorCode::bad_type, "entry 0"},
           {"/model/unk_token", json("none"), ErrorCode::unsupported, "none is not among them"},
           {"/added_tokens/0/id", json(4), ErrorCode::bad_value, "4 as the id of \"<s>\""},
       }) {
    change(place, value);
    expect_refused(code, mentions);
  }
}

}  // namespace
}  // namespace embd::huggingface
