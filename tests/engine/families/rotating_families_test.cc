#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "embd/convert_model.h"
#include "embd/model.h"
#include "engine/encoder/encoder.h"
#include "engine/kernels/choose.h"
#include "tests/engine/families/families.h"
#include "tests/support/weights_with_metadata.h"

// NomicBERT, GTE, ModernBERT, Qwen3 and Gemma 3: their settings, and the same bytes however a text
// is computed.

namespace embd {
namespace {

using test::copy_folder;
using test::families;
using test::FamilySettingsTest;
using test::largest_of;
using test::read_cases;
using test::vector_bar;

/// The families that rotate. Long texts of theirs are computed in parts by a team, and in blocks in
/// layers with a window and in causal ones.
class RotatingFamilyTest : public test::TemporaryDirectory,
                           public ::testing::WithParamInterface<const char*> {
 protected:
  /// Returns the texts of the reference and one that is cut at the model's greatest length.
  static std::vector<std::string> texts() {
    std::vector<std::string> texts = test::Golden(GetParam()).texts;
    std::string words;
    for (int i = 0; i < 600; ++i) words += i % 7 == 0 ? " light" : " a";
    texts.push_back(words);
    return texts;
  }
};

INSTANTIATE_TEST_SUITE_P(Networks, RotatingFamilyTest,
                         ::testing::Values("nomic_mean", "modernbert_old", "modernbert_new",
                                           "qwen3_last", "gemma3_mean"),
                         [](const auto& network) { return std::string(network.param); });

TEST_P(RotatingFamilyTest, ATextHasTheSameBytesInAnyBatchAndOrderOnAnyThreads) {
  const std::vector<std::string> all = texts();
  std::mt19937 random(7);
  for (const Compute compute : {Compute::f32, Compute::bf16, Compute::int8}) {
    SCOPED_TRACE(static_cast<int>(compute));
    const Model model = Model::open(families / GetParam(), {.compute = compute}).value();
    ASSERT_GT(model.tokenize(all.back())->ids.size(), 512U);
    std::vector<std::vector<float>> alone;
    for (const std::string& text : all) {
      alone.push_back(model.encode(text, {.threads = 1}).value());
      // Teams wait for each other long if the cores have other work, so not all texts have one.
      if (alone.size() % 8 != 0 && alone.size() != all.size()) continue;
      ASSERT_EQ(model.encode(text, {.threads = 2}).value(), alone.back()) << text;
    }
    std::vector<std::size_t> order(all.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (const std::size_t batch_tokens : {1, 100, 2000}) {
      std::ranges::shuffle(order, random);
      std::vector<std::string_view> batch;
      for (const std::size_t i : order) batch.push_back(all[i]);
      const Matrix rows = model.encode(batch, {.threads = 2, .batch_tokens = batch_tokens}).value();
      for (std::size_t i = 0; i < order.size(); ++i)
        ASSERT_TRUE(std::ranges::equal(rows.row(i), alone[order[i]])) << all[order[i]];
    }
  }
}

/// With members that compute parts of heads, and with more members than parts of a short text.
TEST_P(RotatingFamilyTest, TeamsOfAnySizeGiveTheSameBytes) {
  const std::filesystem::path path_of_file = path("model.weights");
  ASSERT_TRUE(convert_model(families / GetParam(), path_of_file, {}));
  const WeightFile file = WeightFile::open(path_of_file).value();
  const kernels::Kernels& kernels = *kernels::choose_kernels().value();
  for (const kernels::Arithmetic arithmetic :
       {kernels::Arithmetic::f32, kernels::Arithmetic::bf16, kernels::Arithmetic::int8}) {
    const auto weights = Weights::load(file, kernels, 1, arithmetic);
    ASSERT_TRUE(weights) << weights.error().message();
    const Encoder encoder(*weights, kernels);
    PackedTexts texts;
    texts.lengths = {519, 19, 130};
    for (std::int32_t i = 0; i < 519 + 19 + 130; ++i) texts.ids.push_back(5 + i * 97 % 390);
    texts.types.assign(texts.ids.size(), 0);
    Activations activations;
    encoder.forward(texts, activations);
    const auto size = static_cast<std::size_t>(texts.tokens()) * encoder.hidden();
    const std::vector<float> one(activations.hidden(), activations.hidden() + size);
    for (const int threads : {2, 3, 5, 13}) {
      encoder.forward(texts, activations, threads);
      ASSERT_EQ(std::memcmp(activations.hidden(), one.data(), one.size() * sizeof(float)), 0)
          << threads << " threads";
    }
  }
}

TEST_F(FamilySettingsTest, OfRotatingFamiliesAreRefusedByName) {
  const auto refused = [&](const nlohmann::json& change, std::string_view what) {
    expect_refused("nomic_hub", "config.json", change, what);
  };
  refused({{"rotary_emb_interleaved", true}}, "rotary_emb_interleaved: true");
  refused({{"rotary_scaling_factor", 2}}, "rotary_scaling_factor: 2");
  refused({{"rotary_emb_fraction", 0.5}}, "rotary_emb_fraction: expected 1");
  refused({{"moe_every_n_layers", 2}}, "moe_every_n_layers");
  refused({{"activation_function", "gelu"}}, "activation_function: gelu, expected silu");
  refused({{"rope_parameters", {{"rope_type", "yarn"}}}}, "rope_type is \"yarn\"");
  refused({{"rope_parameters", {{"rope_theta", 0}}}}, "rope_theta: 0, expected a number");
  refused({{"num_attention_heads", 32}}, "heads have 1 components, expected an even number");
  refused({{"max_position_embeddings", 1 << 20}}, "positions are 1048576, expected at most 131072");
  expect_refused("roberta_mean", "config.json", {{"auto_map", {{"AutoModel", "a.B"}}}}, "auto_map");
}

TEST_F(FamilySettingsTest, OfModernBertAreRefusedByName) {
  const auto refused = [&](const nlohmann::json& change, std::string_view what) {
    expect_refused("modernbert_old", "config.json", change, what);
  };
  refused({{"attention_bias", true}}, "attention_bias: true");
  refused({{"mlp_bias", true}}, "mlp_bias: true");
  refused({{"norm_bias", true}}, "norm_bias: true");
  refused({{"hidden_activation", "relu"}}, "hidden_activation: relu, expected gelu");
  refused({{"norm_eps", 2}}, "norm_eps: expected 0 to 1");
  refused({{"num_hidden_layers", 1 << 20}}, "num_hidden_layers: 1048576, expected at most 4096");
  refused({{"local_attention", 1}}, "local_attention: 1, expected at least 2");
  refused({{"layer_types", {"full_attention"}}}, "layer_types: expected a type for each of 4");
  refused({{"layer_types", {"full_attention", "chunked", "full_attention", "full_attention"}}},
          "layer_types: \"chunked\", expected full_attention");
  refused({{"rope_parameters", {{"full_attention", {{"rope_type", "yarn"}}}}}}, "\"yarn\"");
  refused({{"rope_parameters", 5}}, "rope_parameters: expected an object");
  refused({{"global_rope_theta", 0}}, "global_rope_theta: 0, expected a number");
  expect_refused("modernbert_old", "tokenizer.json", {{"normalizer", {{"type", "NFKC"}}}}, "NFKC");
}

/// Both forms of the settings state the same: which layers have windows, and how each kind rotates.
TEST_F(FamilySettingsTest, BothFormsOfModernBertMeanTheSame) {
  const auto vector_of = [&](const nlohmann::json& change) {
    const std::filesystem::path folder = path("folder");
    copy_folder("modernbert_old", folder);
    auto settings = nlohmann::json::parse(std::ifstream(folder / "config.json"));
    settings.merge_patch(change);
    // A patch removes what is null.
    if (settings.contains("null")) settings[settings["null"].get<std::string>()] = nullptr;
    std::ofstream(folder / "config.json") << settings;
    // A class that no file of this family needs.
    auto tokenizer = nlohmann::json::parse(std::ifstream(folder / "tokenizer_config.json"));
    tokenizer["tokenizer_class"] = "GPTNeoXTokenizerFast";
    std::ofstream(folder / "tokenizer_config.json") << tokenizer;
    std::string text;
    for (int i = 0; i < 100; ++i) text += " some words";
    const auto model = Model::open(folder);
    EXPECT_TRUE(model) << model.error().message();
    return model->encode(text).value();
  };
  const auto expected = vector_of(nlohmann::json::object());
  const nlohmann::json newer = {
      {"global_attn_every_n_layers", nullptr},
      {"layer_types",
       {"full_attention", "sliding_attention", "sliding_attention", "full_attention"}},
      {"global_rope_theta", 5},
      {"local_rope_theta", 5},
      {"rope_parameters",
       {{"full_attention", {{"rope_theta", 160000}}},
        {"sliding_attention", {{"rope_theta", 1e4}}}}}};
  EXPECT_EQ(vector_of(newer), expected);
  EXPECT_EQ(vector_of({{"global_rope_theta", nullptr}, {"global_attn_every_n_layers", nullptr}}),
            expected);
  EXPECT_EQ(vector_of({{"rope_parameters", nlohmann::json::object()}, {"global_rope_theta", 5}}),
            expected);
  EXPECT_EQ(vector_of({{"null", "local_rope_theta"}}), vector_of({{"local_rope_theta", 160000}}));
  EXPECT_NE(vector_of({{"null", "local_rope_theta"}}), expected);
  EXPECT_NE(vector_of({{"local_attention", 126}}), expected);
  EXPECT_EQ(vector_of({{"local_attention", 129}}), expected);
}

/// Windows are a rule of their own, which an EMBD file may state for any family.
TEST_F(FamilySettingsTest, AFileMayStateWindowsThatNoFolderHas) {
  const std::filesystem::path plain = path("plain.weights");
  int num_files = 0;
  for (const char* name : {"nomic_mean", "distilbert_mean"}) {
    SCOPED_TRACE(name);
    ASSERT_TRUE(convert_model(families / name, plain, {}));
    const auto with_windows = [&](const char* windows) {
      const std::filesystem::path file = path(std::to_string(num_files++) + ".weights");
      EXPECT_TRUE(test::copy_with_metadata(
          plain, file, {{"windows", windows}, {"rotation_local_theta", "1000"}}));
      return Model::open(file);
    };
    std::string text;
    for (int i = 0; i < 60; ++i) text += " a b";
    const Model wide = Model::open(plain).value();
    const Model narrow = with_windows("0,4").value();
    EXPECT_EQ(narrow.encode("a b").value(), wide.encode("a b").value());
    EXPECT_NE(narrow.encode(text).value(), wide.encode(text).value());
    EXPECT_EQ(with_windows("0,0")->encode(text).value(), wide.encode(text).value());
    EXPECT_EQ(with_windows("0,4096")->encode("a b").value(), wide.encode("a b").value());
    for (const auto& [windows, what] :
         {std::pair{"4", "windows are 1, expected one for each of 2 layers"},
          {"4,5", "layers have windows of several sizes"},
          {"4,x", "windows: 'x' is not a whole number"}}) {
      const std::string message = with_windows(windows).error().message();
      EXPECT_NE(message.find(what), std::string::npos) << message;
    }
  }
}

/// The first files of NomicBERT have other keys for the same sizes.
TEST_F(FamilySettingsTest, TheFirstKeysOfNomicBertMeanTheSame) {
  copy_folder("nomic_hub", path("folder"));
  const auto expected = Model::open(path("folder"))->encode("a text").value();
  const std::filesystem::path config = path("folder") / "config.json";
  auto settings = nlohmann::json::parse(std::ifstream(config));
  for (const char* key :
       {"hidden_size", "num_hidden_layers", "num_attention_heads", "head_dim", "intermediate_size",
        "max_position_embeddings", "layer_norm_eps", "rope_parameters", "hidden_act"})
    settings.erase(key);
  std::ofstream(config) << settings;
  const auto model = Model::open(path("folder"));
  ASSERT_TRUE(model) << model.error().message();
  EXPECT_EQ(model->encode("a text").value(), expected);
  EXPECT_EQ(model->max_positions(), 8192U);
}

/// Copies the folder of GTE, which has no tokenizer.
void copy_gte(const std::filesystem::path& folder) {
  std::filesystem::copy(families / "gte_rows", folder);
  std::ofstream vocab(folder / "vocab.txt");
  vocab << "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n";
  for (int i = 5; i < 400; ++i) vocab << "word" << i << '\n';
}

/// Expects that the vectors of a folder are the means of the rows of the reference.
void expect_rows(const std::filesystem::path& folder, const std::string& reference) {
  const auto model = Model::open(folder);
  ASSERT_TRUE(model) << model.error().message();
  const auto rows = test::read_npy(families / (reference + ".rows.npy")).as<double>();
  const double bar = vector_bar * largest_of(rows);
  std::size_t at = 0;
  for (const nlohmann::json& one : read_cases(reference)) {
    const auto ids = one["ids"].get<std::vector<std::int32_t>>();
    const std::vector<std::span<const std::int32_t>> texts = {ids};
    const auto found = model->encode_ids(texts, {.normalize = false});
    ASSERT_TRUE(found) << found.error().message();
    for (std::size_t k = 0; k < found->cols(); ++k) {
      double mean = 0;
      for (std::size_t i = 0; i < ids.size(); ++i) mean += rows[at + i * found->cols() + k];
      mean /= static_cast<double>(ids.size());
      EXPECT_NEAR(found->row(0)[k], mean, bar) << ids.size();
    }
    at += ids.size() * found->cols();
  }
  EXPECT_EQ(at, rows.size());
}

/// Gives the tensors of a safetensors file the prefix that task models have.
void add_prefix(const std::filesystem::path& path, const std::string& prefix) {
  std::ifstream in(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(in)), {});
  std::uint64_t size = 0;
  std::memcpy(&size, bytes.data(), sizeof(size));
  const auto old_header = nlohmann::json::parse(bytes.substr(8, size));
  nlohmann::json header;
  for (const auto& [name, tensor] : old_header.items())
    header[name == "__metadata__" ? name : prefix + name] = tensor;
  const std::string text = header.dump();
  const std::uint64_t new_size = text.size();
  std::ofstream(path, std::ios::binary)
      << std::string(reinterpret_cast<const char*>(&new_size), sizeof(new_size)) << text
      << bytes.substr(8 + size);
}

TEST_F(FamilySettingsTest, GteHasTheRowsOfTheReference) {
  copy_gte(path("gte"));
  expect_rows(path("gte"), "gte_rows");
}

/// A folder that lists no modules has the mean of the rows, here of all of a causal model.
TEST_F(FamilySettingsTest, Qwen3HasTheRowsOfTheReference) {
  copy_folder("qwen3_last", path("qwen3"));
  std::filesystem::remove(path("qwen3") / "modules.json");
  expect_rows(path("qwen3"), "qwen3_rows");
  add_prefix(path("qwen3") / "model.safetensors", "model.");
  expect_rows(path("qwen3"), "qwen3_rows");
}

TEST_F(FamilySettingsTest, Gemma3HasTheRowsOfTheReference) {
  copy_folder("gemma3_mean", path("gemma3"));
  std::filesystem::remove(path("gemma3") / "modules.json");
  expect_rows(path("gemma3"), "gemma3_rows");
}

/// EmbeddingGemma lists a token for images, for which its word table has no row.
TEST_F(FamilySettingsTest, ATokenOfGemma3WithoutARowIsText) {
  const auto open_with_token = [&](const char* name) {
    copy_folder(name, path(name));
    const std::filesystem::path file = path(name) / "tokenizer.json";
    auto tokenizer = nlohmann::json::parse(std::ifstream(file));
    nlohmann::json token = tokenizer["added_tokens"][0];
    token["id"] = 400;
    token["content"] = "<image>";
    tokenizer["added_tokens"].push_back(token);
    std::ofstream(file) << tokenizer;
    return Model::open(path(name));
  };
  const auto model = open_with_token("gemma3_mean");
  ASSERT_TRUE(model) << model.error().message();
  EXPECT_EQ(model->tokenize("a <image>")->ids,
            Model::open(families / "gemma3_mean")->tokenize("a <image>")->ids);
  const auto refused = open_with_token("qwen3_last");
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message().find("has 401 tokens, but vocab_size"), std::string::npos)
      << refused.error().message();
}

TEST_F(FamilySettingsTest, OfGemma3AreRefusedByName) {
  const auto refused = [&](const nlohmann::json& change, std::string_view what) {
    expect_refused("gemma3_mean", "config.json", change, what);
  };
  refused({{"use_bidirectional_attention", false}}, "use_bidirectional_attention: expected true");
  refused({{"use_bidirectional_attention", nullptr}}, "use_bidirectional_attention: expected true");
  refused({{"query_pre_attn_scalar", 32}}, "query_pre_attn_scalar: expected head_dim, which is 16");
  refused({{"attn_logit_softcapping", 50}}, "attn_logit_softcapping: 50");
  refused({{"final_logit_softcapping", 30}}, "final_logit_softcapping: 30");
  refused({{"attention_bias", true}}, "attention_bias: true");
  refused({{"rope_scaling", {{"factor", 8}}}}, "rope_scaling");
  refused({{"hidden_activation", "gelu"}}, "hidden_activation: gelu, expected gelu_pytorch_tanh");
  refused({{"sliding_window", 1}}, "sliding_window: 1, expected at least 2");
  refused({{"sliding_window", nullptr}}, "sliding_window");
  refused({{"layer_types", nullptr}}, "layer_types: expected a type for each of 7 layers");
  refused({{"num_key_value_heads", 2}}, "attention.self.key.weight");
  refused({{"num_hidden_layers", 1 << 30}}, "layer_types: expected a type for each");
}

TEST_F(FamilySettingsTest, OfQwen3AreRefusedByName) {
  const auto refused = [&](const nlohmann::json& change, std::string_view what) {
    expect_refused("qwen3_last", "config.json", change, what);
  };
  refused({{"num_key_value_heads", 3}}, "num_key_value_heads: 3 does not divide the 4 heads");
  refused({{"num_key_value_heads", 8}}, "num_key_value_heads: 8 does not divide the 4 heads");
  refused({{"num_key_value_heads", 0}}, "num_key_value_heads");
  refused({{"num_key_value_heads", nullptr}}, "num_key_value_heads");
  refused({{"num_key_value_heads", 4}}, "attention.self.key.weight");
  refused({{"head_dim", nullptr}}, "head_dim");
  refused({{"head_dim", 8}}, "attention.self.query.weight");
  refused({{"head_dim", 1 << 30}}, "4 heads of 1073741824 components, expected at most 1048576");
  refused({{"num_attention_heads", 8}}, "attention.self.query.weight");
  refused({{"attention_bias", true}}, "attention_bias: true");
  refused({{"use_sliding_window", true}}, "use_sliding_window: true");
  refused({{"layer_types", {"full_attention", "sliding_attention", "full_attention"}}},
          "layer_types: \"sliding_attention\", expected full_attention");
  refused({{"hidden_act", "gelu"}}, "hidden_act: gelu, expected silu");
  refused({{"rope_parameters", {{"rope_type", "yarn"}}}}, "rope_type is \"yarn\"");
  refused({{"rope_scaling", {{"type", "yarn"}}}}, "rope_scaling");
  refused({{"rms_norm_eps", 2}}, "rms_norm_eps: expected 0 to 1");
}

/// Rules of Qwen3 that an EMBD file may state for other families, too.
TEST_F(FamilySettingsTest, AFileMayStateRulesThatNoFolderHas) {
  const std::filesystem::path plain = path("plain.weights");
  int num_files = 0;
  const auto with = [&](const std::vector<std::pair<std::string, std::string>>& keys) {
    const std::filesystem::path file = path(std::to_string(num_files++) + ".weights");
    EXPECT_TRUE(test::copy_with_metadata(plain, file, keys));
    return Model::open(file);
  };
  const auto refused = [&](const std::vector<std::pair<std::string, std::string>>& keys,
                           std::string_view what) {
    const auto model = with(keys);
    ASSERT_FALSE(model) << what;
    EXPECT_NE(model.error().message().find(what), std::string::npos) << model.error().message();
  };
  ASSERT_TRUE(convert_model(families / "distilbert_mean", plain, {}));
  const auto causal = with({{"causal", "true"}});
  ASSERT_TRUE(causal) << causal.error().message();
  EXPECT_NE(causal->encode("a b").value(), Model::open(plain)->encode("a b").value());
  refused({{"causal", "true"}, {"windows", "0,4"}}, "causal is true, which embd cannot compute");
  refused({{"norm_kind", "rms_norm"}}, "norm_kind is rms_norm, which embd cannot compute yet");
  refused({{"head_size", "64"}}, "attention.self.query");
  refused({{"num_key_value_heads", "1"}}, "attention.self.key");
  ASSERT_TRUE(convert_model(families / "mpnet_mean", plain, {}));
  refused({{"causal", "true"}}, "relative_bias is buckets");
}

/// The first models of GTE come with code that computes what transformers' own class computes, from
/// tensors with the same names. Only their settings differ.
TEST_F(FamilySettingsTest, TheFirstModelsOfGteAreTheSameNetwork) {
  copy_gte(path("gte"));
  const std::vector<std::int32_t> ids = {2, 7, 300, 41, 9, 5, 3};
  const std::vector<std::span<const std::int32_t>> texts = {ids};
  const auto vector_of = [&](const Result<Model>& model) {
    EXPECT_TRUE(model) << model.error().message();
    const Matrix rows = model->encode_ids(texts).value();
    return std::vector<float>(rows.values().begin(), rows.values().end());
  };
  const auto expected = vector_of(Model::open(path("gte")));
  const auto settings = nlohmann::json::parse(std::ifstream(path("gte") / "config.json"));
  const auto open = [&](const nlohmann::json& change) {
    nlohmann::json first = {
        {"model_type", "new"},
        {"architectures", {"NewModel"}},
        {"auto_map", {{"AutoModel", "Alibaba-NLP/new-impl--modeling.NewModel"}}},
        {"position_embedding_type", "rope"},
        {"rope_theta", settings.at("rope_parameters").at("rope_theta")},
        {"rope_scaling", nullptr},
        {"layer_norm_type", "layer_norm"},
        {"pack_qkv", true}};
    for (const char* key : {"hidden_size", "num_hidden_layers", "num_attention_heads",
                            "intermediate_size", "vocab_size", "max_position_embeddings",
                            "type_vocab_size", "hidden_act", "layer_norm_eps"})
      if (settings.contains(key)) first[key] = settings[key];
    first.update(change);
    std::ofstream(path("gte") / "config.json") << first;
    return Model::open(path("gte"));
  };
  EXPECT_EQ(vector_of(open(nlohmann::json::object())), expected);
  add_prefix(path("gte") / "model.safetensors", "new.");
  EXPECT_EQ(vector_of(open(nlohmann::json::object())), expected);
  const auto scaled = open({{"rope_scaling", {{"type", "ntk"}, {"factor", 2}}}});
  EXPECT_NE(vector_of(scaled), expected);
  ASSERT_TRUE(convert_model(path("gte"), path("gte.weights"), {}));
  EXPECT_EQ(vector_of(Model::open(path("gte.weights"))), vector_of(scaled));
  for (const auto& [change, what] :
       {std::pair{R"({"rope_scaling":{"type":"linear"}})", "linear"},
        {R"({"rope_scaling":{"type":"ntk","factor":0.5}})", "factor from 1 on"},
        {R"({"rope_scaling":{"type":"ntk","factor":2,"mixed_b":1}})", "mixed_b"},
        {R"({"position_embedding_type":"absolute"})", "position_embedding_type: absolute"},
        {R"({"layer_norm_type":"rms_norm"})", "layer_norm_type: rms_norm"},
        {R"({"logn_attention_scale":true})", "logn_attention_scale: true"},
        {R"({"rope_theta":"many"})", "rope_theta: \"many\""},
        {R"({"architectures":["NewForSequenceClassification"]})", "ForSequenceClassification"}}) {
    const auto refused = open(nlohmann::json::parse(change));
    ASSERT_FALSE(refused) << what;
    EXPECT_NE(refused.error().message().find(what), std::string::npos) << refused.error().message();
  }
}

}  // namespace
}  // namespace embd
