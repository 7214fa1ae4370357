#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "embd/convert_model.h"
#include "embd/model.h"
#include "embd/reranker.h"
#include "engine/kernels/kernels.h"
#include "tests/support/gzip.h"
#include "tests/support/npy.h"
#include "tests/support/split.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/weights_with_metadata.h"

// Families of encoders besides BERT, from their folders to their vectors and logits, against ids of
// transformers and float64 references (tests/data/families).

namespace embd {
namespace {

const std::filesystem::path families = std::filesystem::path(EMBD_TEST_DATA) / "families";

/// The greatest difference from the reference, as a part of the largest value.
constexpr double vector_bar = 2e-6;
/// Each layer of these wild models makes rounding errors larger: float32 of transformers itself
/// differs by up to 4.3e-6, and in logits by 4.7e-6.
constexpr double modernbert_bar = 4e-6;
constexpr double logit_bar = 5e-6;
constexpr double modernbert_logit_bar = 6e-6;

std::vector<nlohmann::json> read_cases(const std::string& name) {
  std::vector<nlohmann::json> cases;
  const std::string lines = testing::read_gzip(families / (name + ".jsonl.gz"));
  for (const std::string_view line : testing::split(lines, '\n'))
    cases.push_back(nlohmann::json::parse(line));
  return cases;
}

double largest_of(std::span<const double> values) {
  double largest = 1;
  for (const double value : values) largest = std::max(largest, std::abs(value));
  return largest;
}

/// Copies a model's folder. Folders that differ only in their modules share an encoder.
void copy_folder(const std::string& name, const std::filesystem::path& to) {
  const auto copy = [&](const std::string& from) {
    std::filesystem::copy(families / from, to,
                          std::filesystem::copy_options::recursive |
                              std::filesystem::copy_options::overwrite_existing);
  };
  std::filesystem::remove_all(to);
  if (name.starts_with("dense_")) copy("dense_encoder");
  if (name.starts_with("pool_") || name == "layer_norm") copy("pool_encoder");
  copy(name);
  const std::string packed = to / "tokenizer.json.gz";
  if (std::filesystem::exists(packed))
    std::ofstream(to / "tokenizer.json") << testing::read_gzip(packed);
}

/// The texts of a sentence model, their ids and their vectors.
struct Golden {
  explicit Golden(const std::string& name)
      : rows(test::read_npy(families / (name + ".npy")).as<double>()) {
    for (const nlohmann::json& one : read_cases(name)) {
      texts.push_back(one["text"]);
      ids.push_back(one["ids"]);
    }
  }
  std::vector<std::string_view> views() const { return {texts.begin(), texts.end()}; }

  std::vector<double> rows;
  std::vector<std::string> texts;
  std::vector<std::vector<std::int32_t>> ids;
};

class FamilyTest : public test::TemporaryDirectory,
                   public ::testing::WithParamInterface<const char*> {
 protected:
  void SetUp() override {
    TemporaryDirectory::SetUp();
    folder_ = path(GetParam());
    copy_folder(GetParam(), folder_);
  }

  std::filesystem::path folder_;
  const Golden golden_ = Golden(GetParam());
};

INSTANTIATE_TEST_SUITE_P(Networks, FamilyTest,
                         ::testing::Values("mpnet_mean", "mpnet_dot", "distilbert_mean",
                                           "distilbert_sinus_cls", "distil_multi_dense", "labse",
                                           "dense_after_norm", "dense_gelu", "dense_relu",
                                           "dense_silu_sigmoid", "dense_two", "layer_norm",
                                           "pool_last", "pool_sqrt", "pool_three", "pool_weighted",
                                           "roberta_mean", "roberta_space", "camembert_mean",
                                           "nomic_mean", "nomic_hub", "modernbert_old",
                                           "modernbert_new"),
                         [](const auto& network) { return std::string(network.param); });

INSTANTIATE_TEST_SUITE_P(Tables, FamilyTest,
                         ::testing::Values("static_st", "static_st_old", "static_m2v",
                                           "static_m2v_half", "static_m2v_int8",
                                           "static_m2v_mapped", "static_m2v_unigram", "static_bpe"),
                         [](const auto& table) { return std::string(table.param); });

TEST_P(FamilyTest, IdsAndVectorsAreThoseOfTheReference) {
  const auto model = Model::open(folder_);
  ASSERT_TRUE(model) << model.error().message();
  const auto rows = model->encode(golden_.views());
  ASSERT_TRUE(rows) << rows.error().message();
  ASSERT_EQ(rows->values().size(), golden_.rows.size());
  const bool is_modernbert = std::string_view(GetParam()).starts_with("modernbert");
  const double bar = (is_modernbert ? modernbert_bar : vector_bar) * largest_of(golden_.rows);
  for (std::size_t i = 0; i < golden_.texts.size(); ++i) {
    EXPECT_EQ(model->tokenize(golden_.texts[i])->ids, golden_.ids[i]) << golden_.texts[i];
    for (std::size_t k = 0; k < rows->cols(); ++k)
      ASSERT_NEAR(rows->row(i)[k], golden_.rows[i * rows->cols() + k], bar) << golden_.texts[i];
  }
}

TEST_P(FamilyTest, ItsFileGivesTheSameBytes) {
  const std::filesystem::path file = path("model.weights");
  const auto converted = convert_model(folder_, file, {.model_name = GetParam()});
  ASSERT_TRUE(converted) << converted.error().message();
  const auto from_file = Model::open(file, {.verify = true});
  ASSERT_TRUE(from_file) << from_file.error().message();
  const auto from_folder = Model::open(folder_);
  EXPECT_EQ(from_file->recipe()->model_sha256, from_folder->recipe()->model_sha256);
  EXPECT_EQ(from_file->recipe()->tokenizer_sha256, from_folder->recipe()->tokenizer_sha256);
  EXPECT_TRUE(std::ranges::equal(from_file->encode(golden_.views())->values(),
                                 from_folder->encode(golden_.views())->values()));
}

/// int8 and bf16 round the weights of these wild models, but the vectors keep their direction:
/// the cosine is above 0.99, and 0.9897 for a ModernBERT in int8.
TEST_P(FamilyTest, TheSameBytesOnAllKernelsInEveryArithmetic) {
  const kernels::KernelList tables = kernels::available_kernels();
  const auto exact = Model::open(folder_)->encode(golden_.views());
  for (const Compute compute : {Compute::f32, Compute::bf16, Compute::int8}) {
    SCOPED_TRACE(static_cast<int>(compute));
    std::vector<float> first;
    for (const kernels::Kernels* table : std::span(tables.begin, tables.end)) {
      if (!table->supported() || table->name == std::string_view("reference")) continue;
      if (compute == Compute::bf16 && table->products(kernels::Arithmetic::bf16) == nullptr)
        continue;
      ::setenv("EMBD_KERNELS", table->name, 1);
      const auto model = Model::open(folder_, {.compute = compute});
      const auto rows = model->encode(golden_.views());
      ::unsetenv("EMBD_KERNELS");
      const std::vector<float> values(rows->values().begin(), rows->values().end());
      if (first.empty()) first = values;
      EXPECT_EQ(std::memcmp(values.data(), first.data(), first.size() * sizeof(float)), 0)
          << table->name;
    }
    double dot = 0;
    double squares = 0;
    double exact_squares = 0;
    for (std::size_t i = 0; i < first.size(); ++i) {
      dot += static_cast<double>(first[i]) * exact->values()[i];
      squares += static_cast<double>(first[i]) * first[i];
      exact_squares += static_cast<double>(exact->values()[i]) * exact->values()[i];
    }
    const double least = std::string_view(GetParam()) == "modernbert_new" ? 0.98 : 0.99;
    EXPECT_GT(dot / std::sqrt(squares * exact_squares), least);
  }
}

class FamilyPairsTest : public ::testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(Networks, FamilyPairsTest,
                         ::testing::Values("mpnet_cross", "distilbert_cross", "roberta_cross",
                                           "roberta_three", "modernbert_cross_cls",
                                           "modernbert_cross_mean"),
                         [](const auto& network) { return std::string(network.param); });

TEST_P(FamilyPairsTest, IdsAndLogitsAreThoseOfTheReference) {
  const std::string name = GetParam();
  const auto model = Reranker::open(families / name);
  ASSERT_TRUE(model) << model.error().message();
  const std::vector<nlohmann::json> cases = read_cases(name);
  const auto logits = test::read_npy(families / (name + ".logits.npy")).as<double>();
  const std::size_t labels = logits.size() / cases.size();
  ASSERT_EQ(logits.size(), labels * cases.size());
  const bool is_modernbert = name.starts_with("modernbert");
  const double bar = (is_modernbert ? modernbert_logit_bar : logit_bar) * largest_of(logits);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const std::string query = cases[i]["query"];
    const std::string text = cases[i]["text"];
    const TextPair pair = {query, text};
    EXPECT_EQ(model->tokenize(pair)->ids, cases[i]["ids"].get<std::vector<std::int32_t>>());
    const auto scores = model->score(std::span(&pair, 1));
    ASSERT_TRUE(scores) << scores.error().message();
    for (std::size_t k = 0; k < labels; ++k)
      EXPECT_NEAR(scores->logits.values()[k], logits[i * labels + k], bar) << query;
    // The slope of the sigmoid is at most a quarter.
    if (labels == 1) {
      EXPECT_NEAR(scores->scores.values()[0], 1 / (1 + std::exp(-logits[i])), bar / 4 + 1e-6);
    }
  }
}

/// A copy of a folder in which single settings are changed.
class FamilySettingsTest : public test::TemporaryDirectory {
 protected:
  /// Expects the error about a setting after `change` was applied to a file of the folder.
  void expect_refused(const char* name, const char* file, const nlohmann::json& change,
                      std::string_view what) {
    SCOPED_TRACE(what);
    const std::filesystem::path folder = path("folder");
    copy_folder(name, folder);
    if (change.is_null()) {
      std::filesystem::remove(folder / file);
    } else {
      auto settings = nlohmann::json::parse(std::ifstream(folder / file));
      settings.merge_patch(change);
      std::ofstream(folder / file) << settings;
    }
    const auto model = Model::open(folder);
    ASSERT_FALSE(model);
    EXPECT_NE(model.error().message().find(what), std::string::npos) << model.error().message();
  }
};

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
  const std::filesystem::path file = path("model.weights");
  for (const char* name : {"nomic_mean", "distilbert_mean"}) {
    SCOPED_TRACE(name);
    ASSERT_TRUE(convert_model(families / name, plain, {}));
    const auto with_windows = [&](const char* windows) {
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

/// The vectors of GTE are the means of the rows of the reference.
TEST_F(FamilySettingsTest, GteHasTheRowsOfTheReference) {
  const std::filesystem::path folder = path("gte");
  copy_gte(folder);
  const auto model = Model::open(folder);
  ASSERT_TRUE(model) << model.error().message();
  const auto rows = test::read_npy(families / "gte_rows.rows.npy").as<double>();
  const double bar = vector_bar * largest_of(rows);
  std::size_t at = 0;
  for (const nlohmann::json& one : read_cases("gte_rows")) {
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

TEST_F(FamilySettingsTest, OfTablesAreRefusedByName) {
  expect_refused("static_st", "tokenizer.json", {{"model", {{"vocab", {{"a", 5}}}}}}, "id 5 of");
  expect_refused("static_st", "tokenizer.json", {{"added_tokens", nlohmann::json::array()}},
                 "[UNK] is not among them");
  expect_refused("static_st", "tokenizer.json", {{"pre_tokenizer", {{"type", "Whitespace"}}}},
                 "pre_tokenizer: \"Whitespace\"");
  expect_refused("static_m2v", "tokenizer.json", {{"truncation", {{"max_length", 0}}}},
                 "model_max_length is 0");
  expect_refused("static_st", "model.safetensors", nullptr, "model.safetensors is not there");
}

/// A safetensors file with these tensors.
struct StaticTensor {
  std::string name;
  std::string type;
  std::vector<std::uint64_t> shape;
  std::string bytes;
};
std::string safetensors_of(const std::vector<StaticTensor>& tensors) {
  nlohmann::json header;
  std::string data;
  for (const auto& [name, type, shape, bytes] : tensors) {
    header[name] = {{"dtype", type},
                    {"shape", shape},
                    {"data_offsets", {data.size(), data.size() + bytes.size()}}};
    data += bytes;
  }
  const std::string text = header.dump();
  const std::uint64_t size = text.size();
  return std::string(reinterpret_cast<const char*>(&size), sizeof(size)) + text + data;
}

class StaticTableTest : public test::TemporaryDirectory {
 protected:
  static constexpr std::uint64_t num_tokens = 1201;

  /// Opens a table of 3 rows of 2 values, where token i has row mapping(i).
  Result<Model> open(auto mapping, std::vector<StaticTensor> more = {}) {
    copy_folder("static_m2v", path("folder"));
    std::string numbers;
    for (std::uint64_t i = 0; i < num_tokens; ++i) {
      const std::int32_t number = mapping(i);
      numbers.append(reinterpret_cast<const char*>(&number), sizeof(number));
    }
    const std::array<float, 6> rows = {3, 4, 6, 8, 0, 1};
    std::vector<StaticTensor> tensors = {
        {"embeddings",
         "F32",
         {3, 2},
         std::string(reinterpret_cast<const char*>(rows.data()), sizeof(rows))},
        {"mapping", "I32", {num_tokens}, numbers}};
    std::ranges::copy(more, std::back_inserter(tensors));
    std::ofstream(path("folder") / "model.safetensors", std::ios::binary)
        << safetensors_of(tensors);
    return Model::open(path("folder"));
  }
};

/// As indices of PyTorch do.
TEST_F(StaticTableTest, ANegativeRowCountsFromTheEnd) {
  const auto model = open([](std::uint64_t i) { return i == 7 ? -3 : -1; });
  ASSERT_TRUE(model) << model.error().message();
  EXPECT_EQ(model->encode("a", {.normalize = false}).value(), (std::vector<float>{3, 4}));
  EXPECT_EQ(model->encode("x", {.normalize = false}).value(), (std::vector<float>{0, 1}));
}

TEST_F(StaticTableTest, RowsThatAreNotThereAreRefused) {
  const auto message = [](const Result<Model>& model) {
    return model ? std::string() : model.error().message();
  };
  const auto zero = [](std::uint64_t) { return 0; };
  EXPECT_NE(message(open([](std::uint64_t i) {
              return i == 9 ? 3 : 0;
            })).find("mapping[9] is 3, expected the number of one of 3 rows"),
            std::string::npos);
  EXPECT_NE(message(open([](std::uint64_t i) { return i == 8 ? -4 : 0; })).find("mapping[8] is -4"),
            std::string::npos);
  EXPECT_NE(message(open(zero, {{"weights", "F32", {2}, std::string(8, '\0')}}))
                .find("weights has the shape [2], expected a value for each of the 1201 tokens"),
            std::string::npos);
  EXPECT_NE(message(open(zero, {{"weights", "F16", {num_tokens}, std::string(2402, '\0')}}))
                .find("weights has the type F16, expected F32"),
            std::string::npos);
  const std::string infinite = [&] {
    std::string bytes(num_tokens * 4, '\0');
    bytes[4 * 5 + 2] = '\x80';
    bytes[4 * 5 + 3] = '\x7f';
    return bytes;
  }();
  EXPECT_NE(message(open(zero, {{"weights", "F32", {num_tokens}, infinite}})), "");
}

/// Texts without tokens may also be given as ids, and windows leave none of a long text out.
TEST_F(StaticTableTest, IdsAndWindowsAreThoseOfTheText) {
  copy_folder("static_m2v", path("folder"));
  const Model model = Model::open(path("folder")).value();
  EXPECT_EQ(model.max_length(), 512U);
  EXPECT_GT(model.max_positions(), 100'000U);
  const std::string text = "a b a b a";
  const std::vector<std::int32_t> ids = model.tokenize(text)->ids;
  const std::vector<std::int32_t> none;
  const std::vector<std::span<const std::int32_t>> both = {ids, none};
  const auto rows = model.encode_ids(both);
  ASSERT_TRUE(rows) << rows.error().message();
  EXPECT_TRUE(std::ranges::equal(rows->row(0), model.encode(text).value()));
  EXPECT_TRUE(std::ranges::all_of(rows->row(1), [](float value) { return value == 0; }));
  const auto windows = model.windows(text, {.max_length = 2, .windows = Windows::rows});
  ASSERT_TRUE(windows) << windows.error().message();
  EXPECT_EQ(windows->size(), 3U);
}

/// The token is looked for in what normalization makes of a text, and the others in the text.
TEST(MpnetTokens, TheUnknownTokenIsFoundInTheNormalizedText) {
  const auto model = Model::open(families / "mpnet_mean");
  ASSERT_TRUE(model) << model.error().message();
  constexpr std::int32_t unk = 3;
  const auto count = [&](std::string_view text) {
    return std::ranges::count(model->tokenize(text)->ids, unk);
  };
  using namespace std::string_view_literals;
  for (const std::string_view text : {"<unk>"sv, "<UNK>"sv, "a<Unk>b"sv, "<\u00DCNK>"sv,
                                      "<u\0nk>"sv, "\u226Eunk>"sv, "<unk>\u0301"sv})
    EXPECT_EQ(count(text), 1) << text;
  for (const std::string_view text : {"< unk>"sv, "<un k>"sv, "unk"sv, "<unk"sv, "<u\u4E2Dnk>"sv})
    EXPECT_EQ(count(text), 0) << text;
  EXPECT_EQ(count("<<unk><unk>>"), 2);
  const auto tokens = model->tokenize("a <\u00DCNK>");
  ASSERT_EQ(tokens->ids.size(), 4U);
  EXPECT_EQ(tokens->ranges[2], (ByteRange{2, 8}));
  EXPECT_EQ(model->decode(tokens->ids).value(), "a");
}

/// Tokens of RoBERTa are found in texts; the mask takes the white space before it.
TEST(RobertaTokens, SpecialTokensAreFoundInTexts) {
  const auto model = Model::open(families / "roberta_mean");
  ASSERT_TRUE(model) << model.error().message();
  constexpr std::int32_t mask = 1504;
  const auto tokens = model->tokenize("a  <mask> b</s><unk>");
  ASSERT_TRUE(tokens);
  EXPECT_EQ(tokens->ids[2], mask);
  EXPECT_EQ(tokens->ranges[2], (ByteRange{3, 9}));
  EXPECT_EQ(std::ranges::count(tokens->ids, 2), 2);
  EXPECT_EQ(std::ranges::count(tokens->ids, 3), 1);
  EXPECT_EQ(model->decode(tokens->ids).value(), "a b");
}

}  // namespace
}  // namespace embd
