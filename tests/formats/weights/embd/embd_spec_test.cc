#include "formats/weights/embd/embd_spec.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

namespace embd {
namespace {

using Entries = std::vector<std::pair<std::string, std::string>>;

/// A spec in which nothing has the usual value.
const ModelSpec rare = {.name = "rare",
                        .version = "2.0.0",
                        .created_at = "2000-01-01T00:00:00Z",
                        .source_sha256 = "00ff",
                        .license = "mit",
                        .hidden = 6,
                        .num_layers = 1,
                        .num_heads = 2,
                        .intermediate = 10,
                        .layer_norm_eps = 1e-5,
                        .vocab_size = 7,
                        .max_positions = 14,
                        .position_offset = 2,
                        .token_types = 1,
                        .do_lower_case = false,
                        .max_seq_length = 12,
                        .truncation_side = TruncationSide::left,
                        .prompts = {{.name = "query", .text = "q: "},
                                    {.name = "document", .text = {}},
                                    {.name = "task", .text = "t: "}},
                        .default_prompt_name = "task",
                        .pooling = Pooling::cls,
                        .normalize = false,
                        .dim = 4,
                        .similarity = "dot"};

/// A spec of a model that scores pairs.
ModelSpec cross_encoder() {
  ModelSpec of_pairs = rare;
  of_pairs.pooling = Pooling::mean;
  of_pairs.normalize = true;
  of_pairs.dim = of_pairs.hidden;
  of_pairs.similarity = "";
  of_pairs.head = HeadKind::classifier;
  of_pairs.token_types = 2;
  of_pairs.num_labels = 2;
  of_pairs.labels = {"no", "ye\"s, é"};
  of_pairs.score_activation = ScoreActivation::sigmoid;
  return of_pairs;
}

Result<ModelSpec> read(const Entries& entries) {
  std::vector<MetadataEntry> views;
  for (std::size_t i = 0; i < entries.size(); ++i)
    views.push_back({entries[i].first, entries[i].second, 1000 + i});
  return read_spec(views, 64);
}

Entries with(Entries entries, const std::string& key, const std::string& value) {
  const auto found = std::ranges::find(entries, key, &Entries::value_type::first);
  if (found == entries.end()) {
    entries.emplace_back(key, value);
  } else {
    found->second = value;
  }
  return entries;
}

TEST(EmbdSpec, ItsMetadataMakeTheSameSpec) {
  const auto again = read(metadata_of(rare));
  ASSERT_TRUE(again) << again.error().message();
  EXPECT_EQ(*again, rare);
}

/// A spec of a Unigram model in which nothing has the usual value.
ModelSpec rare_unigram() {
  ModelSpec spec = rare;
  spec.tokenizer = TokenizerKind::unigram;
  spec.pair_template = PairTemplate::roberta;
  spec.do_lower_case = true;
  spec.words = {.layout = unigram::Layout::spaces,
                .prepend_scheme = unigram::PrependScheme::first,
                .split = false,
                .strip_right = false,
                .merge_spaces = false};
  spec.byte_fallback = true;
  spec.mask_lstrip = false;
  return spec;
}

TEST(EmbdSpec, AUnigramTokenizerHasKeysOfItsOwn) {
  const Entries all = metadata_of(rare_unigram());
  EXPECT_EQ(read(all).value(), rare_unigram());
  ModelSpec usual = rare_unigram();
  usual.words = {};
  usual.byte_fallback = false;
  usual.mask_lstrip = true;
  EXPECT_EQ(metadata_of(usual).size(), all.size() - 6);
  EXPECT_EQ(read(metadata_of(usual)).value(), usual);
  for (const char* key : {"do_lower_case", "normalizer_rule", "pre_tokenizer"}) {
    Entries some = all;
    std::erase_if(some, [&](const auto& entry) { return entry.first == key; });
    const auto spec = read(some);
    ASSERT_FALSE(spec);
    EXPECT_EQ(spec.error().code(), ErrorCode::metadata_key_missing);
    EXPECT_EQ(spec.error().what(), key);
  }
  for (const char* key : {"normalizer_rule", "pre_tokenizer", "prepend_scheme", "split_words",
                          "strip_right", "merge_spaces", "byte_fallback", "mask_lstrip"}) {
    EXPECT_EQ(read(with(all, key, "another")).error().code(), ErrorCode::metadata_value) << key;
  }
}

/// Versions that know no other architecture refuse the file, because its minor version is higher.
TEST(EmbdSpec, AnArchitectureHasKeysOfItsOwn) {
  ModelSpec other = cross_encoder();
  other.architecture = {.positions = Positions::rotation,
                        .relative_bias = RelativeBias::buckets,
                        .norm_place = NormPlace::before,
                        .norm_kind = NormKind::rms_norm,
                        .feed_forward = FeedForward::gated,
                        .activation = Activation::silu,
                        .biases = Biases::none,
                        .theta = 160000,
                        .ntk_factor = 2,
                        .local_theta = 500.5,
                        .windows = {0, 64, 128},
                        .causal = true,
                        .query_key_norms = true,
                        .scaled_embeddings = true};
  other.head_size = 3;
  other.num_key_heads = 1;
  other.token_types = 0;
  other.pair_template = PairTemplate::roberta;
  other.added_tokens = {{.id = 3, .normalized = true},
                        {.id = 4, .normalized = true},
                        {.id = 6},
                        {.id = 5,
                         .lstrip = true,
                         .rstrip = true,
                         .single_word = true,
                         .special = false,
                         .only_added = true}};
  other.strip_accents = !other.do_lower_case;
  other.head_activation = HeadActivation::gelu;
  other.head_norm = true;
  other.classifier_pooling = Pooling::mean;
  const Entries all = metadata_of(other);
  const auto again = read(all);
  ASSERT_TRUE(again) << again.error().message();
  EXPECT_EQ(*again, other);
  EXPECT_EQ(needed_minor(all), 2);
  other.architecture.theta = other.architecture.local_theta = Architecture().theta;
  other.architecture.ntk_factor = 1;
  other.architecture.causal = other.architecture.query_key_norms = false;
  other.architecture.scaled_embeddings = false;
  other.head_size = other.num_key_heads = 0;
  other.head_norm = false;
  other.classifier_pooling = Pooling::cls;
  EXPECT_EQ(needed_minor(metadata_of(other)), 1);
  EXPECT_EQ(needed_minor(metadata_of(rare)), 0);
  EXPECT_EQ(needed_minor(metadata_of(rare_unigram())), 0);

  for (const char* key :
       {"positions", "relative_bias", "norm_place", "norm_kind", "feed_forward", "biases",
        "pair_template", "head_activation", "head_norm", "classifier_pooling", "added_tokens",
        "strip_accents", "causal", "query_key_norms", "scaled_embeddings"}) {
    EXPECT_EQ(read(with(all, key, "another")).error().code(), ErrorCode::metadata_value) << key;
  }
  EXPECT_EQ(read(with(all, "classifier_pooling", "max")).error().code(), ErrorCode::metadata_value);
  for (const auto& [key, value] : {std::pair{"head_size", "1073741824"},
                                   {"head_size", "1048576"},
                                   {"num_key_value_heads", "3"},
                                   {"num_key_value_heads", "4294967295"}})
    EXPECT_EQ(read(with(all, key, value)).error().code(), ErrorCode::metadata_contradiction);
  for (const char* windows : {"a", "1,,2", "1,-2", "1,2,99999999999"})
    EXPECT_EQ(read(with(all, "windows", windows)).error().code(), ErrorCode::metadata_number);
  for (const char* tokens :
       {R"({"id":3})", R"([3])", R"([{"id":3}])", R"([{"id":-3,"normalized":true}])",
        R"([{"id":7,"normalized":true}])", R"([{"id":3,"normalized":1}])",
        R"([{"id":3,"normalized":true,"other":true}])",
        R"([{"id":3,"normalized":true,"lstrip":0}])", R"([{"id":3,"normalized":true,"count":0}])",
        R"([{"id":3,"normalized":true,"count":5}])",
        R"([{"id":3,"normalized":true,"count":-1}])"}) {
    EXPECT_EQ(read(with(all, "added_tokens", tokens)).error().code(), ErrorCode::metadata_value)
        << tokens;
  }
}

/// A spec of a BPE model in which nothing has the usual value.
ModelSpec rare_bpe() {
  ModelSpec spec = rare;
  spec.tokenizer = TokenizerKind::bpe;
  spec.pair_template = PairTemplate::roberta;
  spec.do_lower_case = true;
  spec.bpe = {.add_prefix_space = true, .ignore_merges = true, .keeps_unknown = true};
  return spec;
}

/// An embd that knows no BPE refuses the file by its version.
TEST(EmbdSpec, ABpeTokenizerHasKeysOfItsOwn) {
  const Entries all = metadata_of(rare_bpe());
  EXPECT_EQ(read(all).value(), rare_bpe());
  EXPECT_EQ(needed_minor(all), 2);
  ModelSpec usual = rare_bpe();
  usual.bpe = {};
  EXPECT_EQ(metadata_of(usual).size(), all.size() - 3);
  EXPECT_EQ(needed_minor(metadata_of(usual)), 2);
  for (const char* key : {"do_lower_case", "word_pattern"}) {
    Entries some = all;
    std::erase_if(some, [&](const auto& entry) { return entry.first == key; });
    EXPECT_EQ(read(some).error().code(), ErrorCode::metadata_key_missing) << key;
  }
  for (const char* key : {"word_pattern", "add_prefix_space", "ignore_merges", "unknown_bytes"})
    EXPECT_EQ(read(with(all, key, "another")).error().code(), ErrorCode::metadata_value) << key;
}

/// Versions that know of WordPiece alone do not know the word, and refuse the file.
TEST(EmbdSpec, LowerCaseIsNoneWithoutWordPiece) {
  const Entries all = metadata_of(rare_unigram());
  EXPECT_EQ(std::ranges::find(all, "do_lower_case", &Entries::value_type::first)->second, "none");
  EXPECT_EQ(read(with(all, "do_lower_case", "true")).error().code(),
            ErrorCode::metadata_contradiction);
  EXPECT_EQ(read(with(metadata_of(rare), "do_lower_case", "none")).error().code(),
            ErrorCode::metadata_contradiction);
}

/// Keys that older readers do not know are in files that need them alone.
TEST(EmbdSpec, WhatIsUsualIsNotWritten) {
  ModelSpec usual = rare;
  usual.position_offset = 0;
  usual.token_types = 2;
  usual.prompts = {{.name = "query", .text = {}}, {.name = "document", .text = {}}};
  usual.default_prompt_name = "";
  usual.truncation_side = TruncationSide::right;
  usual.dim = usual.hidden;
  usual.similarity = usual.license = usual.source_sha256 = "";
  const Entries entries = metadata_of(usual);
  EXPECT_EQ(entries.size(), 16U);
  EXPECT_EQ(entries.back().first, "hidden_act");
  EXPECT_EQ(read(entries).value(), usual);
}

TEST(EmbdSpec, AMissingKeyIsNamedUnlessItHasAUsualValue) {
  const Entries all = metadata_of(rare);
  for (std::size_t i = 0; i < all.size(); ++i) {
    Entries some = all;
    some.erase(some.begin() + static_cast<std::ptrdiff_t>(i));
    const auto spec = read(some);
    if (i < 10) {
      ASSERT_FALSE(spec);
      EXPECT_EQ(spec.error().code(), ErrorCode::metadata_key_missing);
      EXPECT_EQ(spec.error().what(), all[i].first);
      EXPECT_EQ(spec.error().offset(), 64U);
    } else if (all[i].first == "prompt.task") {
      EXPECT_EQ(spec.error().code(), ErrorCode::metadata_value);  // the default prompt is none
    } else {
      EXPECT_TRUE(spec) << all[i].first << ": " << spec.error().message();
    }
  }
}

TEST(EmbdSpec, PositionsBeginAtTheOffset) {
  const Entries entries = metadata_of(rare);
  EXPECT_EQ(read(entries)->max_tokens(), 12U);
  const auto code = [&](const char* key, const char* value) {
    const auto spec = read(with(entries, key, value));
    return spec ? std::string_view("good") : describe(spec.error().code());
  };
  EXPECT_EQ(code("max_seq_length", "13"), describe(ErrorCode::metadata_contradiction));
  EXPECT_EQ(code("position_offset", "3"), describe(ErrorCode::metadata_contradiction));
  EXPECT_EQ(code("position_offset", "4294967295"), describe(ErrorCode::metadata_contradiction));
  EXPECT_EQ(code("position_offset", "1"), "good");
  EXPECT_EQ(code("position_offset", "-1"), describe(ErrorCode::metadata_number));
}

/// A spec whose vectors go through modules.
ModelSpec with_modules() {
  ModelSpec spec = rare;
  spec.pooling = Pooling::joined;
  spec.joined_poolings = {Pooling::lasttoken, Pooling::weightedmean};
  spec.modules = {{.kind = VectorModuleKind::normalize, .in = 12, .out = 12},
                  {.kind = VectorModuleKind::dense,
                   .in = 12,
                   .out = 5,
                   .bias = false,
                   .activation = DenseActivation::gelu},
                  {.kind = VectorModuleKind::layer_norm, .in = 5, .out = 5}};
  return spec;
}

/// Versions that do not know modules refuse the file, because its minor version is higher.
TEST(EmbdSpec, ModulesHaveKeysOfTheirOwn) {
  const Entries entries = metadata_of(with_modules());
  const auto again = read(entries);
  ASSERT_TRUE(again) << again.error().message();
  EXPECT_EQ(*again, with_modules());
  EXPECT_EQ(needed_minor(entries), 2);
  EXPECT_EQ(needed_minor(metadata_of(rare)), 0);
  const auto code = [&](const char* key, const char* value) {
    const auto spec = read(with(entries, key, value));
    return spec ? std::string_view("good") : describe(spec.error().code());
  };
  const std::string_view wrong = describe(ErrorCode::metadata_value);
  for (const char* poolings :
       {"", "joined", "mean,joined", "mean,,cls", "first", "mean,mean,mean,mean,mean,mean,mean"})
    EXPECT_EQ(code("joined_poolings", poolings), wrong) << poolings;
  const char* const dense = R"({"type":"Dense","out_features":5,"bias":true,"activation":"Tanh"})";
  EXPECT_EQ(code("modules", (std::string("[") + dense + "]").c_str()), "good");
  for (const char* modules :
       {"", "{}", "[1]", R"([{"type":"LSTM"}])", R"([{"type":"Normalize","more":1}])",
        R"([{"type":"Dense"}])",
        R"([{"type":"Dense","out_features":0,"bias":true,"activation":"Tanh"}])",
        R"([{"type":"Dense","out_features":4294967296,"bias":true,"activation":"Tanh"}])",
        R"([{"type":"Dense","out_features":5,"bias":1,"activation":"Tanh"}])",
        R"([{"type":"Dense","out_features":5,"bias":true,"activation":"tanh"}])"})
    EXPECT_EQ(code("modules", modules), wrong) << modules;
  EXPECT_EQ(code("embedding_dim", "6"), describe(ErrorCode::metadata_contradiction));
  EXPECT_EQ(code("modules", "[]"), describe(ErrorCode::metadata_contradiction));
  EXPECT_EQ(code("truncate_dim", "6"), describe(ErrorCode::metadata_contradiction));
  Entries some = entries;
  std::erase_if(some, [](const auto& entry) { return entry.first == "joined_poolings"; });
  EXPECT_EQ(read(some).error().code(), ErrorCode::metadata_key_missing);
}

TEST(EmbdSpec, AUnigramMayHaveAnotherUnknownPiece) {
  ModelSpec spec = rare_unigram();
  spec.unknown_piece = 3;
  const Entries entries = metadata_of(spec);
  EXPECT_EQ(read(entries).value(), spec);
  EXPECT_EQ(needed_minor(entries), 2);
  EXPECT_EQ(read(with(entries, "unknown_piece", "7")).error().code(), ErrorCode::metadata_value);
}

TEST(EmbdSpec, ACrossEncoderIsSaidByItsHead) {
  const Entries entries = metadata_of(cross_encoder());
  const auto again = read(entries);
  ASSERT_TRUE(again) << again.error().message();
  EXPECT_EQ(*again, cross_encoder());
  for (const auto& [key, value] : entries) {
    EXPECT_NE(key, "normalize");
    // The word that versions without cross-encoders refuse.
    if (key == "pooling") {
      EXPECT_EQ(value, "none");
    }
  }
  // Keys of the other class of models mean nothing.
  EXPECT_EQ(read(with(entries, "truncate_dim", "3")).value(), cross_encoder());
  EXPECT_EQ(read(with(metadata_of(rare), "labels", "[]")).value(), rare);
}

TEST(EmbdSpec, AHeadIsSaidCompletely) {
  const Entries entries = metadata_of(cross_encoder());
  const auto code = [&](const char* key, const char* value) {
    return describe(read(with(entries, key, value)).error().code());
  };
  EXPECT_EQ(code("pooling", "mean"), describe(ErrorCode::metadata_contradiction));
  EXPECT_EQ(code("head", "pooling"), describe(ErrorCode::metadata_contradiction));
  EXPECT_EQ(code("head", "lm"), describe(ErrorCode::metadata_value));
  EXPECT_EQ(code("score_activation", "tanh"), describe(ErrorCode::metadata_value));
  for (const char* labels : {"", "[]", "{}", "[1]", "[\"a\"", "no", "[\"a\", null]"})
    EXPECT_EQ(code("labels", labels), describe(ErrorCode::metadata_value)) << labels;
  EXPECT_EQ(read(with(metadata_of(rare), "pooling", "none")).error().code(),
            ErrorCode::metadata_contradiction);
  for (const std::string_view key : {"labels", "score_activation"}) {
    Entries some = entries;
    std::erase_if(some, [&](const auto& entry) { return entry.first == key; });
    EXPECT_EQ(read(some).error().code(), ErrorCode::metadata_key_missing);
    EXPECT_EQ(read(some).error().what(), key);
  }
}

/// A token of the second text has type 1 in a BERT, 0 in an XLM-RoBERTa.
TEST(EmbdSpec, EveryTypeThatATextHasIsOneOfTheTable) {
  const auto code = [](ModelSpec spec, TokenizerKind tokenizer, std::uint32_t types) {
    spec.tokenizer = tokenizer;
    spec.pair_template = usual_pair_template(tokenizer);
    spec.token_types = types;
    const auto read_again = read(metadata_of(spec));
    return read_again ? std::string_view("good") : describe(read_again.error().code());
  };
  const std::string_view refused = describe(ErrorCode::metadata_contradiction);
  EXPECT_EQ(code(cross_encoder(), TokenizerKind::wordpiece, 2), "good");
  EXPECT_EQ(code(cross_encoder(), TokenizerKind::wordpiece, 1), refused);
  EXPECT_EQ(code(cross_encoder(), TokenizerKind::unigram, 1), "good");
  EXPECT_EQ(code(rare, TokenizerKind::wordpiece, 1), "good");
  // Without a table of types, all tokens have type 0.
  EXPECT_EQ(code(cross_encoder(), TokenizerKind::wordpiece, 0), "good");
  EXPECT_EQ(code(rare, TokenizerKind::wordpiece, 0), "good");
}

TEST(EmbdSpec, NumbersOfTheSpecHaveKeys) {
  EXPECT_EQ(key_of(&ModelSpec::num_layers), "num_layers");
  EXPECT_EQ(key_of(&ModelSpec::max_positions), "max_position_emb");
  EXPECT_EQ(key_of(&ModelSpec::token_types), "type_vocab_size");
  EXPECT_EQ(key_of(&ModelSpec::num_labels), "labels");
}

}  // namespace
}  // namespace embd
