#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "embd/convert_model.h"
#include "embd/model.h"
#include "tests/engine/families/families.h"

// The modules of sentence-transformers behind an encoder, and settings of the families before
// rotation.

namespace embd {
namespace {

using test::copy_folder;
using test::FamilySettingsTest;

TEST_F(FamilySettingsTest, OthersThanThoseOfTheClassAreRefusedByName) {
  expect_refused("mpnet_mean", "config.json", {{"relative_attention_num_buckets", 16}},
                 "relative_attention_num_buckets: 16, expected 32");
  expect_refused("mpnet_mean", "config.json", {{"hidden_act", "relu"}}, "hidden_act: relu");
  expect_refused("mpnet_mean", "tokenizer.json", nullptr, "MPNetTokenizer needs a tokenizer.json");
  expect_refused("roberta_mean", "config.json", {{"pad_token_id", 3}}, "leave out token 3");
  expect_refused("roberta_mean", "tokenizer_config.json",
                 {{"tokenizer_class", "GPT2TokenizerFast"}}, "tokenizer_class: GPT2Tokenizer");
  expect_refused("roberta_space", "merges.txt", nullptr, "nor merges.txt is there");
  expect_refused("roberta_space", "vocab.json", {{"<mask>", nullptr}}, "special token <mask>");
  expect_refused("distilbert_mean", "config.json", {{"activation", "relu"}}, "activation: relu");
  expect_refused("distilbert_mean", "config.json", {{"n_heads", 5}}, "n_heads: 5 does not divide");
}

TEST_F(FamilySettingsTest, OfModulesAreRefusedByName) {
  const auto refused = [&](const nlohmann::json& change, std::string_view what) {
    expect_refused("dense_gelu", "2_Dense/config.json", change, what);
  };
  refused({{"use_residual", true}}, "use_residual");
  refused({{"module_output_name", "token_embeddings"}}, "module_output_name: token_embeddings");
  refused({{"activation_function", "torch.nn.modules.activation.Softmax"}},
          "torch.nn.modules.activation.Softmax, expected one of Identity, Tanh, GELU");
  refused({{"in_features", 25}}, "Dense takes 25 components, but the vector before it has 24");
  refused({{"out_features", 1u << 31}}, "has the shape [24, 24], expected [2147483648, 24]");
  expect_refused("layer_norm", "2_LayerNorm/config.json", {{"dimension", 12}},
                 "LayerNorm takes 12 components");
  expect_refused("pool_three", "1_Pooling/config.json", {{"pooling_mode", {"mean", "mean"}}},
                 "pooling_mode: mean, expected mean, cls, max, mean_sqrt_len_tokens");
  expect_refused("pool_three", "1_Pooling/config.json", {{"pooling_mode", nlohmann::json::array()}},
                 "pooling_mode: []");
}

/// Modules of sentence-transformers without an equivalent, and modules in another order.
TEST_F(FamilySettingsTest, OtherModulesAreRefusedByName) {
  const auto refused = [&](const nlohmann::json& kinds, std::string_view what) {
    SCOPED_TRACE(what);
    copy_folder("dense_two", path("folder"));
    auto list = nlohmann::json::array();
    for (const std::string kind : kinds)
      list.push_back({{"type", "sentence_transformers.models." + kind},
                      {"path", kind == "Transformer" ? ""
                               : kind == "Dense"     ? "2_Dense"
                                                     : "1_Pooling"}});
    std::ofstream(path("folder") / "modules.json") << list;
    const auto model = Model::open(path("folder"));
    ASSERT_FALSE(model);
    EXPECT_NE(model.error().message().find(what), std::string::npos) << model.error().message();
  };
  refused({"Transformer", "Dense", "Pooling"}, "the modules are Transformer, Dense, Pooling");
  refused({"Transformer", "Pooling", "Dense", "Pooling"}, "the modules are Transformer, Pooling");
  refused({"Transformer", "Pooling", "LSTM"}, "models.LSTM, expected Transformer");
  refused({"Transformer", "WeightedLayerPooling", "Pooling"}, "models.WeightedLayerPooling");
}

/// The error about a module whose weights are a pickle says how to convert them.
TEST_F(FamilySettingsTest, APickleOfAModuleIsRefusedWithTheRemedy) {
  copy_folder("dense_two", path("folder"));
  const std::filesystem::path module = path("folder") / "2_Dense";
  std::filesystem::rename(module / "model.safetensors", module / "pytorch_model.bin");
  const std::string message = Model::open(path("folder")).error().message();
  EXPECT_NE(message.find("pytorch_model.bin (a pickle of PyTorch)"), std::string::npos) << message;
  EXPECT_NE(message.find("SentenceTransformer(FOLDER).save_pretrained"), std::string::npos);
}

/// A class that is none of PyTorch stands for Tanh, as in sentence-transformers.
TEST_F(FamilySettingsTest, AnActivationOfNoKnownClassIsTanh) {
  copy_folder("labse", path("folder"));
  const auto expected = Model::open(path("folder"))->encode("a text").value();
  for (const nlohmann::json& named : {nlohmann::json(nullptr), nlohmann::json("mine.Gelu")}) {
    const std::filesystem::path config = path("folder") / "2_Dense" / "config.json";
    auto settings = nlohmann::json::parse(std::ifstream(config));
    settings["activation_function"] = named;
    std::ofstream(config) << settings;
    EXPECT_EQ(Model::open(path("folder"))->encode("a text").value(), expected);
  }
}

class ModulesTest : public test::TemporaryDirectory {
 protected:
  Model open(const char* name) {
    copy_folder(name, path(name));
    return Model::open(path(name)).value();
  }
};

TEST_F(ModulesTest, AreShownAsTheyAre) {
  const Model two = open("dense_two");
  using enum VectorModuleKind;
  EXPECT_EQ(two.modules(),
            (std::vector<VectorModule>{{.kind = dense, .in = 24, .out = 40, .bias = false},
                                       {.kind = dense, .in = 40, .out = 12, .bias = false}}));
  EXPECT_EQ(two.dim(), 12U);
  EXPECT_EQ(two.full_dim(), 12U);
  EXPECT_EQ(two.hidden(), 24U);
  EXPECT_EQ(open("dense_after_norm").modules().front(),
            (VectorModule{.kind = normalize, .in = 24, .out = 24}));
  EXPECT_EQ(open("pool_three").poolings(),
            (std::vector{Pooling::cls, Pooling::max, Pooling::mean}));
  EXPECT_EQ(two.poolings(), std::vector{Pooling::mean});
}

/// Components are left out behind the last module, and before a last scaling that the call asks
/// for.
TEST_F(ModulesTest, VectorsAreCutBehindThem) {
  for (const char* name : {"dense_two", "pool_three"}) {
    const Model model = open(name);
    const auto whole = model.encode("a text", {.normalize = false}).value();
    const auto cut = model.encode("a text", {.normalize = false, .truncate_dim = 5}).value();
    EXPECT_TRUE(std::ranges::equal(cut, std::span(whole).first(5)));
    double squares = 0;
    const auto scaled = model.encode("a text", {.normalize = true, .truncate_dim = 5}).value();
    for (const float value : scaled) squares += static_cast<double>(value) * value;
    EXPECT_NEAR(squares, 1, 1e-6);
    const auto too_many = model.encode("a text", {.truncate_dim = model.full_dim() + 1});
    EXPECT_NE(too_many.error().message().find("truncate_dim"), std::string::npos);
  }
}

/// Another pooling is possible if the modules behind it can take its result.
TEST_F(ModulesTest, AnotherPoolingMustFitThem) {
  const Model three = open("pool_three");
  const auto joined = three.encode("a text", {.normalize = false}).value();
  ASSERT_EQ(joined.size(), 72U);
  const auto mean = three.encode("a text", {.pooling = Pooling::mean, .normalize = false}).value();
  EXPECT_TRUE(std::ranges::equal(mean, std::span(joined).last(24)));
  const auto two = open("dense_two").encode("a text", {.pooling = Pooling::joined});
  ASSERT_FALSE(two);
  EXPECT_NE(two.error().message().find("lists only mean"), std::string::npos);
  EXPECT_EQ(open("dense_two").encode("a text", {.pooling = Pooling::cls})->size(), 12U);
}

/// A reader of version 1.1 does not know the modules and must not leave them out.
TEST_F(ModulesTest, AnOlderReaderRefusesTheFile) {
  for (const char* name : {"dense_two", "layer_norm", "pool_three"}) {
    copy_folder(name, path(name));
    ASSERT_TRUE(convert_model(path(name), path("model.weights"), {}));
    std::ifstream file(path("model.weights"), std::ios::binary);
    std::array<char, 8> header{};
    file.read(header.data(), header.size());
    EXPECT_EQ(header[4], 1);
    EXPECT_EQ(header[6], 2) << name;
  }
}

}  // namespace
}  // namespace embd
