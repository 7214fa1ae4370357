#include "formats/huggingface/convert.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "base/byte_writer.h"
#include "formats/embd/embd_reader.h"
#include "formats/huggingface/model_folder.h"
#include "tests/support/temporary_directory.h"

namespace embd::huggingface {
namespace {

constexpr std::uint32_t hidden = 6;
constexpr std::uint32_t vocab_size = 9;

std::string content(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

/// A folder of a BERT model of two small layers whose every weight is different.
class ConvertTest : public test::TemporaryDirectory {
 protected:
  void SetUp() override {
    TemporaryDirectory::SetUp();
    write(
        "config.json",
        R"({"model_type":"bert","hidden_size":6,"num_hidden_layers":2,"num_attention_heads":2,"intermediate_size":8,"vocab_size":9,
              "max_position_embeddings":16,"hidden_act":"gelu","layer_norm_eps":1e-12})");
    write("vocab.txt", "[PAD]\n[UNK]\r\n[CLS]\n[SEP]\n[MASK]\na\nb\n##c\n\xc3\xa9\n");
    write("sentence_bert_config.json", R"({"max_seq_length": 12, "do_lower_case": false})");
    write_weights("bert.");
  }

  void write(const std::string& name, std::string_view text) const {
    std::filesystem::create_directories((folder() / name).parent_path());
    std::ofstream(folder() / name, std::ios::binary) << text;
  }

  /// `first`: the first value of all.
  void write_weights(const std::string& prefix, float first = 0) const {
    std::string header = "{";
    ByteWriter data;
    const auto config = ModelConfig{.hidden = hidden,
                                    .num_layers = 2,
                                    .num_heads = 2,
                                    .intermediate = 8,
                                    .vocab_size = vocab_size,
                                    .max_positions = 16};
    const auto added =
        for_each_required_tensor(config, [&](const RequiredTensor& tensor) -> Result<void> {
          const std::size_t begin = data.size();
          std::uint32_t values = 1;
          for (const std::uint32_t dim : tensor.shape.view()) values *= dim;
          for (std::uint32_t i = 0; i < values; ++i)
            data.f32(begin + i == 0 ? first : std::sin(static_cast<float>(begin + i)));
          header += "\"" + prefix + tensor.name +
                    "\":{\"dtype\":\"F32\",\"shape\":" + tensor.shape.text() +
                    ",\"data_offsets\":[" + std::to_string(begin) + "," +
                    std::to_string(data.size()) + "]},";
          return {};
        });
    ASSERT_TRUE(added);
    header.back() = '}';
    ByteWriter file;
    file.u64(header.size());
    file.text(header);
    file.bytes(data.view());
    write("model.safetensors", as_text(file.view()));
  }

  std::filesystem::path folder() const { return path("tiny"); }
  std::filesystem::path out() const { return path("out.weights"); }

  void expect_refused(ErrorCode code, const std::string& mentions) const {
    const auto converted = convert_model(folder(), out());
    ASSERT_FALSE(converted);
    EXPECT_EQ(converted.error().code(), code) << converted.error().message();
    EXPECT_NE(converted.error().message().find(mentions), std::string::npos)
        << converted.error().message();
    EXPECT_FALSE(std::filesystem::exists(out()));
  }
};

TEST_F(ConvertTest, TheFileHoldsWhatTheFolderSays) {
  ASSERT_TRUE(convert_model(folder(), out(), {.license = "apache-2.0"}));
  const auto file = WeightFile::open(out(), {.verify = true});
  ASSERT_TRUE(file) << file.error().message();
  EXPECT_EQ(file->config().name, "tiny");
  EXPECT_EQ(file->config().max_seq_length, 12U);
  EXPECT_EQ(file->config().created_at, "1970-01-01T00:00:00Z");
  EXPECT_TRUE(file->config().do_lower_case);  // sentence_bert_config's flag means something else
  EXPECT_EQ(file->metadata("license"), "apache-2.0");
  EXPECT_EQ(file->vocab()[1], "[UNK]");
  EXPECT_EQ(file->vocab()[8], "\xc3\xa9");
  EXPECT_EQ(file->special_tokens().mask, 4U);
  const auto words = file->matrix("embeddings.word_embeddings.weight");
  ASSERT_TRUE(words);
  ASSERT_TRUE(words->view());
  EXPECT_EQ(words->view()->row(0)[1], std::sin(1.0F));
}

TEST_F(ConvertTest, EqualFoldersGiveEqualFiles) {
  ASSERT_TRUE(convert_model(folder(), out()));
  const std::string first = content(out());
  write_weights("");  // the prefix of the task model does not matter, but for the source's hash
  ASSERT_TRUE(convert_model(folder(), out()));
  EXPECT_EQ(first.size(), content(out()).size());
  write_weights("bert.");
  ASSERT_TRUE(convert_model(folder(), out()));
  EXPECT_EQ(first, content(out()));
}

TEST_F(ConvertTest, EveryTypeStaysWithinItsPrecision) {
  for (const auto& [type, tolerance] :
       {std::pair{TensorType::f16, 5e-4F}, std::pair{TensorType::bf16, 4e-3F},
        std::pair{TensorType::i8, 4e-3F}}) {
    ASSERT_TRUE(convert_model(folder(), out(), {.type = type, .checksums = false}));
    const auto file = WeightFile::open(out());
    ASSERT_TRUE(file) << file.error().message();
    EXPECT_FALSE(file->has_checksums());
    for (const char* name :
         {"embeddings.word_embeddings.weight", "encoder.layer.1.output.dense.weight"}) {
      const auto matrix = file->matrix(name);
      ASSERT_TRUE(matrix);
      EXPECT_EQ(matrix->type(), type);
      std::vector<float> stored(matrix->rows() * matrix->cols());
      ASSERT_TRUE(matrix->to_floats(stored));
      ASSERT_TRUE(convert_model(folder(), path("f32.weights")));
      const auto exact = WeightFile::open(path("f32.weights"));
      ASSERT_TRUE(exact);
      const auto expected = exact->matrix(name)->view()->values();
      for (std::size_t i = 0; i < stored.size(); ++i)
        EXPECT_NEAR(stored[i], expected[i], tolerance);
    }
  }
}

TEST_F(ConvertTest, TokenizerJsonStandsInForVocabTxt) {
  ASSERT_TRUE(convert_model(folder(), out()));
  const std::string with_lines = content(out());
  std::filesystem::remove(folder() / "vocab.txt");
  write(
      "tokenizer.json",
      R"({"model":{"type":"WordPiece","vocab":{"a":5,"[PAD]":0,"[UNK]":1,"[CLS]":2,"[SEP]":3,"[MASK]":4,"b":6,"##c":7,"\u00e9":8}}})");
  ASSERT_TRUE(convert_model(folder(), out()));
  EXPECT_EQ(content(out()), with_lines);
}

TEST_F(ConvertTest, PoolingAndNormalisationComeFromTheModules) {
  write("1_Pooling/config.json",
        R"({"pooling_mode_cls_token": true, "pooling_mode_mean_tokens": false})");
  write("modules.json", R"([{"type":"sentence_transformers.models.Transformer"}])");
  ASSERT_TRUE(convert_model(folder(), out()));
  const auto file = WeightFile::open(out());
  ASSERT_TRUE(file);
  EXPECT_EQ(file->config().pooling, Pooling::cls);
  EXPECT_FALSE(file->config().normalize);
}

TEST_F(ConvertTest, AnotherArchitectureIsRefused) {
  write("config.json", R"({"model_type":"mpnet","hidden_size":6})");
  expect_refused(ErrorCode::unsupported, "model_type: mpnet");
}

TEST_F(ConvertTest, WhatTheEngineDoesNotDoIsRefused) {
  write("modules.json", R"([{"type":"sentence_transformers.models.Dense"}])");
  expect_refused(ErrorCode::unsupported, "models.Dense");
  write("modules.json", R"([[]])");
  expect_refused(ErrorCode::unsupported, "modules.json");
  write("modules.json", "[]");
  write("1_Pooling/config.json",
        R"({"pooling_mode_mean_tokens": true, "pooling_mode_lasttoken": true})");
  expect_refused(ErrorCode::unsupported, "2 modes are on");
  write("1_Pooling/config.json", R"({"pooling_mode_mean_tokens": true})");
  write("tokenizer_config.json", R"({"do_lower_case": true, "strip_accents": false})");
  expect_refused(ErrorCode::unsupported, "strip_accents: false");
  write("tokenizer_config.json", R"({"tokenize_chinese_chars": false})");
  expect_refused(ErrorCode::unsupported, "tokenize_chinese_chars");
  write("tokenizer_config.json", R"({"do_lower_case": false, "strip_accents": null})");
  ASSERT_TRUE(convert_model(folder(), out()));
  EXPECT_FALSE(WeightFile::open(out())->config().do_lower_case);
}

TEST_F(ConvertTest, ATokenizerOfAnotherKindIsRefused) {
  std::filesystem::remove(folder() / "vocab.txt");
  for (const char* model : {R"({"type":"BPE","vocab":{}})", R"({"type":7,"vocab":{}})", "[]",
                            R"({"type":"WordPiece"})"}) {
    write("tokenizer.json", std::string(R"({"model":)") + model + "}");
    expect_refused(ErrorCode::unsupported, "expected a WordPiece vocabulary");
  }
  write("tokenizer.json", R"({"model":{"type":"WordPiece","vocab":{"a":0,"b":0}}})");
  expect_refused(ErrorCode::bad_value, "expected each of 0 to 1 once");
}

TEST_F(ConvertTest, AWeightThatIsNotFiniteIsRefused) {
  write_weights("bert.", 70000);
  ASSERT_TRUE(convert_model(folder(), out()));
  std::filesystem::remove(out());
  const auto too_large = convert_model(folder(), out(), {.type = TensorType::f16});
  ASSERT_FALSE(too_large);
  EXPECT_EQ(too_large.error().code(), ErrorCode::bad_value);
  for (const float value : {NAN, INFINITY}) {
    write_weights("bert.", value);
    expect_refused(ErrorCode::bad_value, "embeddings.word_embeddings.weight: value 0");
  }
}

TEST_F(ConvertTest, TheDateIsThatOfTheEnvironment) {
  ASSERT_EQ(::setenv("SOURCE_DATE_EPOCH", "86400", 1), 0);
  EXPECT_TRUE(convert_model(folder(), out()));
  EXPECT_EQ(WeightFile::open(out())->config().created_at, "1970-01-02T00:00:00Z");
  std::filesystem::remove(out());
  for (const char* wrong : {"-1", "soon", "9223372036854775807"}) {
    ::setenv("SOURCE_DATE_EPOCH", wrong, 1);
    expect_refused(ErrorCode::invalid_argument, "SOURCE_DATE_EPOCH");
  }
  ::unsetenv("SOURCE_DATE_EPOCH");
}

TEST_F(ConvertTest, WeightsThatDoNotFitAreRefused) {
  write(
      "config.json",
      R"({"hidden_size":6,"num_hidden_layers":3,"num_attention_heads":2,"intermediate_size":8,"vocab_size":9,"max_position_embeddings":16})");
  expect_refused(ErrorCode::tensor_missing, "encoder.layer.2.attention.self.query.weight");
  write(
      "config.json",
      R"({"hidden_size":6,"num_hidden_layers":2,"num_attention_heads":2,"intermediate_size":7,"vocab_size":9,"max_position_embeddings":16})");
  expect_refused(ErrorCode::tensor_wrong_shape,
                 "intermediate.dense.weight is [8, 6], expected [7, 6]");
}

TEST_F(ConvertTest, AVocabularyThatDoesNotFitIsRefused) {
  write("vocab.txt", "[PAD]\n[UNK]\n");
  expect_refused(ErrorCode::vocabulary_count, "2 tokens, config.json says 9");
  write("vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\na\n##c\nd\n");
  expect_refused(ErrorCode::duplicate_token, "line 7");
  write("vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\nb\n##c\n\xff\n");
  expect_refused(ErrorCode::invalid_utf8, "line 9");
  write("vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\nmask\na\nb\n##c\nd\n");
  expect_refused(ErrorCode::missing, "[MASK]");
}

TEST_F(ConvertTest, MalformedSettingsAreRefusedWithTheirKey) {
  write("sentence_bert_config.json", R"({"max_seq_length": 17})");
  expect_refused(ErrorCode::bad_value, "max_seq_length: 17, expected 3 to 16");
  write("sentence_bert_config.json", "{");
  expect_refused(ErrorCode::bad_json, "sentence_bert_config.json");
}

}  // namespace
}  // namespace embd::huggingface
