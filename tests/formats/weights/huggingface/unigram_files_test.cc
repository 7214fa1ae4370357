#include "formats/weights/huggingface/folder_tokenizer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <nlohmann/json.hpp>
#include <span>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "formats/weights/embd/embd_reader.h"
#include "formats/weights/huggingface/convert_folder.h"
#include "tests/support/multilingual_folder.h"
#include "tests/support/temporary_directory.h"

namespace embd::huggingface {
namespace {

using nlohmann::json;
using unigram::Layout;
using unigram::PrependScheme;

/// The folder of a small XLM-RoBERTa, and what becomes of it when its files change.
class UnigramFilesTest : public test::TemporaryDirectory {
 protected:
  void SetUp() override {
    TemporaryDirectory::SetUp();
    test::copy_multilingual_folder("xlmr_cls", folder());
    tokenizer_ = read("tokenizer.json");
  }

  std::filesystem::path folder() const { return path("folder"); }
  std::filesystem::path out() const { return path("out.weights"); }

  json read(const std::string& name) const {
    std::ifstream file(folder() / name);
    return json::parse(file);
  }
  void write(const std::string& name, const json& value) const {
    std::ofstream(folder() / name) << value;
  }
  /// Sets a value of a file, or removes it if it is null.
  void set(const std::string& name, const std::string& key, const json& value) const {
    json file = read(name);
    file[key] = value;
    if (value.is_null()) file.erase(key);
    write(name, file);
  }
  /// Writes the tokenizer.json with another value at a place.
  void change(const std::string& place, const json& value) const {
    json changed = tokenizer_;
    changed[json::json_pointer(place)] = value;
    write("tokenizer.json", changed);
  }
  /// The file is taken as it is, whatever its layout.
  void take_as_it_is() const {
    set("tokenizer_config.json", "tokenizer_class", "TokenizersBackend");
  }

  ModelSpec converted() const {
    const auto done = huggingface::convert_folder(folder(), out());
    EXPECT_TRUE(done) << done.error().message();
    return done ? WeightFile::open(out(), {.vocab = {}, .verify = true}).value().spec()
                : ModelSpec();
  }
  void expect_refused(ErrorCode code, const std::string& mentions) const {
    const auto done = huggingface::convert_folder(folder(), out());
    ASSERT_FALSE(done) << mentions;
    EXPECT_EQ(done.error().code(), code) << done.error().message();
    EXPECT_NE(done.error().message().find(mentions), std::string::npos) << done.error().message();
    EXPECT_LT(done.error().message().size(), 1000U);
  }

  json metaspace() const { return tokenizer_["pre_tokenizer"]["pretokenizers"][1]; }
  json normalizer_with(const std::vector<json>& steps) const {
    json all = json::array({tokenizer_["normalizer"]});
    for (const json& step : steps) all.push_back(step);
    return {{"type", "Sequence"}, {"normalizers", all}};
  }

  const json strip = {{"type", "Strip"}, {"strip_left", false}, {"strip_right", true}};
  const json merge = {{"type", "Replace"}, {"pattern", {{"Regex", " {2,}"}}}, {"content", "▁"}};
  json tokenizer_;
};

TEST_F(UnigramFilesTest, TheFileHoldsWhatTheFolderSays) {
  const ModelSpec spec = converted();
  EXPECT_EQ(spec.tokenizer, TokenizerKind::unigram);
  EXPECT_EQ(spec.words, unigram::WordOptions());
  EXPECT_EQ(spec.vocab_size, 1714U);
  EXPECT_EQ(spec.position_offset, 2U);
  EXPECT_EQ(spec.token_types, 1U);
  EXPECT_EQ(spec.max_seq_length, 128U);
  const auto file = WeightFile::open(out());
  EXPECT_EQ(file->special_tokens(),
            (SpecialTokenIds{.pad = 1, .unk = 3, .cls = 0, .sep = 2, .mask = 1713}));
  EXPECT_EQ(unigram::size_of(file->unigram_tables().scores), 1714U);
}

/// Rows of the word table without a token are left out; tokens without a row are an error.
TEST_F(UnigramFilesTest, TheWordTableMayBeLongerThanTheVocabulary) {
  std::filesystem::remove_all(folder());
  test::copy_multilingual_folder("bert_mean", folder());
  EXPECT_EQ(converted().vocab_size, 1714U);
  EXPECT_EQ(WeightFile::open(out())->matrix("embeddings.word_embeddings.weight")->rows(), 1714U);
  set("config.json", "vocab_size", 1750);
  expect_refused(ErrorCode::tensor_wrong_shape, "1749 rows, but config.json says 1750");
  set("config.json", "vocab_size", 1713);
  expect_refused(ErrorCode::tensor_wrong_shape, "1749 rows, but config.json says 1713");
}

TEST_F(UnigramFilesTest, LengthsAreThoseThatThePositionsAllow) {
  set("tokenizer_config.json", "model_max_length", nullptr);
  EXPECT_EQ(converted().max_seq_length, 512U);
  json settings = read("sentence_bert_config.json");
  settings["max_seq_length"] = 514;
  write("sentence_bert_config.json", settings);
  EXPECT_EQ(converted().max_seq_length, 512U);
  settings["max_seq_length"] = 513;
  write("sentence_bert_config.json", settings);
  expect_refused(ErrorCode::bad_value, "max_seq_length is 513, expected 3 to 512");
}

TEST_F(UnigramFilesTest, PositionsNeedOnePadding) {
  set("config.json", "pad_token_id", 3);
  expect_refused(ErrorCode::unsupported, "leave out token 3, the padding token (pad_token_id");
  set("config.json", "pad_token_id", 513);
  expect_refused(ErrorCode::bad_value, "pad_token_id");
  set("config.json", "pad_token_id", -1);
  expect_refused(ErrorCode::bad_value, "pad_token_id");
}

/// transformers makes an XLMRobertaTokenizer anew from vocabulary and character map.
TEST_F(UnigramFilesTest, AnXlmRobertaTokenizerIsOfTheLayoutWords) {
  json changed = tokenizer_;
  changed["normalizer"] = normalizer_with({strip, merge});
  changed["pre_tokenizer"] = metaspace();
  write("tokenizer.json", changed);
  EXPECT_EQ(converted().words, unigram::WordOptions());
  set("tokenizer_config.json", "tokenizer_class", "XLMRobertaTokenizerFast");
  EXPECT_EQ(converted().words, unigram::WordOptions());
  set("tokenizer_config.json", "tokenizer_class", nullptr);  // that of the encoder
  EXPECT_EQ(converted().words, unigram::WordOptions());
  take_as_it_is();
  EXPECT_EQ(converted().words.layout, Layout::spaces);
}

TEST_F(UnigramFilesTest, AGeneralTokenizerHasTheLayoutOfItsFile) {
  take_as_it_is();
  EXPECT_EQ(converted().words, unigram::WordOptions());
  json changed = tokenizer_;
  changed["pre_tokenizer"] = metaspace();
  const auto words_with = [&](const std::vector<json>& steps) {
    changed["normalizer"] = normalizer_with(steps);
    write("tokenizer.json", changed);
    return converted().words;
  };
  EXPECT_EQ(words_with({strip, merge}), (unigram::WordOptions{.layout = Layout::spaces}));
  EXPECT_EQ(words_with({merge}),
            (unigram::WordOptions{.layout = Layout::spaces, .strip_right = false}));
  EXPECT_EQ(words_with({}),
            (unigram::WordOptions{
                .layout = Layout::spaces, .strip_right = false, .merge_spaces = false}));
  for (const auto& [key, value, scheme] :
       {std::tuple{"prepend_scheme", json("never"), PrependScheme::never},
        {"prepend_scheme", json("first"), PrependScheme::first},
        {"prepend_scheme", json(), PrependScheme::always},
        {"add_prefix_space", json(false), PrependScheme::never}}) {
    changed["pre_tokenizer"] = metaspace();
    changed["pre_tokenizer"]["prepend_scheme"] = nullptr;
    changed["pre_tokenizer"][key] = value;
    EXPECT_EQ(words_with({strip, merge}).prepend_scheme, scheme);
  }
  changed["pre_tokenizer"]["split"] = false;
  EXPECT_FALSE(words_with({strip, merge}).split);
}

TEST_F(UnigramFilesTest, StepsThatTheEngineHasNotAreNamed) {
  take_as_it_is();
  for (const auto& [place, value, mentions] : {
           std::tuple{"/normalizer", json(), "normalizer: null"},
           {"/normalizer", json({{"type", "NFKC"}}), "NFKC"},
           {"/normalizer", normalizer_with({{{"type", "Lowercase"}}}), "Lowercase"},
           {"/normalizer", normalizer_with({merge, strip}), "Strip"},
           {"/normalizer", normalizer_with({strip}), "pre_tokenizer"},
           {"/pre_tokenizer", json({{"type", "ByteLevel"}}), "ByteLevel"},
           {"/pre_tokenizer", json(), "pre_tokenizer: null"},
           {"/pre_tokenizer/pretokenizers/1/replacement", json("_"), "replacement"},
           {"/pre_tokenizer/pretokenizers/1/prepend_scheme", json("first"), "pre_tokenizer"},
           {"/pre_tokenizer/pretokenizers/1/prepend_scheme", json("last"), "prepend_scheme"},
           {"/post_processor", json(), "post_processor"},
           {"/post_processor/single/0/SpecialToken/id", json("</s>"), "post_processor"},
           {"/post_processor/pair/4/Sequence/type_id", json(1), "post_processor"},
           {"/post_processor/special_tokens/<s>/ids/0", json(5), "post_processor"},
           {"/model/nbest_size", json(64), "nbest_size"},
           {"/model/unk_id", json(), "unk_id"},
           {"/model/unk_id", json(4), "unk_id"},
       }) {
    change(place, value);
    expect_refused(ErrorCode::unsupported, mentions);
  }
  write("tokenizer.json", tokenizer_);
  set("tokenizer_config.json", "tokenizer_class", "T5Tokenizer");
  expect_refused(ErrorCode::unsupported, "T5Tokenizer");
  set("tokenizer_config.json", "tokenizer_class", nullptr);
  set("sentence_bert_config.json", "do_lower_case", true);
  expect_refused(ErrorCode::unsupported, "do_lower_case");
}

/// Returns the scores of a file, which are float64.
std::vector<double> wide_scores(const std::filesystem::path& path) {
  const auto file = WeightFile::open(path, {.vocab = {}, .verify = true});
  const unigram::Scores scores = file->unigram_tables().scores;
  const auto* values = std::get_if<std::span<const double>>(&scores);
  if (values == nullptr) return {};
  return {values->begin(), values->end()};
}

/// transformers reads scores exactly. `tokenizers` rounds digits and quotient.
TEST_F(UnigramFilesTest, ScoresAreThoseOfTheLibraryThatReadsThem) {
  const std::size_t pieces = tokenizer_["model"]["vocab"].size();
  json& vocab = tokenizer_["model"]["vocab"];
  const std::array<std::pair<double, double>, 6> read = {
      {{-12.458033897794039, -12.45803389779404},
       {-15.903871311313933, -15.903871311313932},
       {-9.312453087562107, -9.312453087562108},
       {-1.1, -1.1},
       {-1e300, -1e300},
       {-5e-324, -5e-324}}};
  for (std::size_t i = 0; i < read.size(); ++i) vocab[9 + i][1] = read[i].first;
  write("tokenizer.json", tokenizer_);
  converted();
  const std::vector<double> exact = wide_scores(out());
  ASSERT_EQ(exact.size(), pieces);
  take_as_it_is();
  converted();
  const std::vector<double> rounded = wide_scores(out());
  ASSERT_EQ(rounded.size(), pieces);
  for (std::size_t i = 0; i < read.size(); ++i) {
    EXPECT_EQ(exact[9 + i], read[i].first);
    EXPECT_EQ(rounded[9 + i], read[i].second);
  }
}

/// Also a number of float32 may be rounded to another one, which only float64 holds.
TEST_F(UnigramFilesTest, ScoresOfFloat32MayBeReadAsOthers) {
  change("/model/vocab/9/1", -9.733123779296875);
  converted();
  EXPECT_TRUE(wide_scores(out()).empty());
  take_as_it_is();
  converted();
  const std::vector<double> rounded = wide_scores(out());
  ASSERT_EQ(rounded.size(), tokenizer_["model"]["vocab"].size());
  EXPECT_EQ(rounded[9], -9.733123779296877);
}

/// A token outside the pieces gets the next id, which must be that of the file and have a row.
TEST_F(UnigramFilesTest, TokensMayBeAddedWithRulesOfTheirOwn) {
  std::filesystem::remove_all(folder());
  test::copy_multilingual_folder("bert_mean", folder());
  const auto token = [](const char* content, int id) {
    return json{{"content", content}, {"id", id},         {"lstrip", false},    {"rstrip", true},
                {"normalized", true}, {"special", false}, {"single_word", true}};
  };
  const auto add = [&](const json& one) {
    json changed = tokenizer_;
    changed["added_tokens"].push_back(token("<e>", 1714));
    changed["added_tokens"].push_back(one);
    write("tokenizer.json", changed);
  };
  add(token("<f>", 1715));
  const ModelSpec spec = converted();
  const AddedToken rules = {.normalized = true,
                            .rstrip = true,
                            .single_word = true,
                            .special = false,
                            .only_added = true};
  AddedToken first = rules;
  first.id = 1714;
  AddedToken second = rules;
  second.id = 1715;
  EXPECT_EQ(spec.added_tokens, (std::vector{first, second}));
  EXPECT_EQ(spec.vocab_size, 1716U);
  const auto file = WeightFile::open(out(), {.vocab = {}, .verify = true});
  EXPECT_EQ(unigram::size_of(file->unigram_tables().scores), 1714U);
  const auto tokenizer = make_unigram_tokenizer(*file);
  ASSERT_TRUE(tokenizer) << tokenizer.error().message();
  EXPECT_EQ((*tokenizer)->token(1715), "<f>");
  std::vector<std::int32_t> ids;
  const auto text = (*tokenizer)->make_text_tokenizer();
  TokenSink sink({}, ids, nullptr, "");
  EXPECT_TRUE(text->tokenize("<e> <f>\uFF1Ce\uFF1E<f>x", sink));
  sink.finish();
  EXPECT_EQ(std::ranges::count(ids, 1714), 2);  // normalized: full-width letters, too
  EXPECT_EQ(std::ranges::count(ids, 1715), 1);  // x stands beside the second one

  add(token("<f>", 1714));
  expect_refused(ErrorCode::bad_value, "1714 as the id of \"<f>\", expected 1715");
}

TEST_F(UnigramFilesTest, WhatIsNoVocabularyIsNamed) {
  for (const auto& [place, value, code, mentions] : {
           std::tuple{"/model/vocab/9", json("piece"), ErrorCode::bad_type, "entry 9"},
           {"/model/vocab/9/0", json(7), ErrorCode::bad_type, "entry 9"},
           {"/model/vocab/9/1", json("x"), ErrorCode::bad_type, "entry 9"},
           {"/model/vocab/9/0", tokenizer_["model"]["vocab"][8][0], ErrorCode::duplicate_token, ""},
           {"/model/vocab/9/0", json(std::string("a\0b", 3)), ErrorCode::bad_value, "byte 0"},
           {"/model/vocab/9/0", json(std::string(256, 'a')), ErrorCode::unsupported,
            "at most 255 bytes"},
           {"/model/vocab/2/0", json("another"), ErrorCode::bad_value, "2 as the id of \"</s>\""},
           {"/normalizer/precompiled_charsmap", json("A"), ErrorCode::bad_value, "base64"},
           {"/normalizer/precompiled_charsmap", json("////////"), ErrorCode::bad_value,
            "character map"},
       }) {
    change(place, value);
    expect_refused(code, mentions);
  }
  std::filesystem::remove(folder() / "tokenizer.json");
  std::ofstream(folder() / "sentencepiece.bpe.model") << "x";
  expect_refused(ErrorCode::missing, "sentencepiece.bpe.model is, which has to be saved");
}

}  // namespace
}  // namespace embd::huggingface
