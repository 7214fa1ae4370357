#include "formats/weights/huggingface/convert_folder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "base/bytes.h"
#include "base/checksum.h"
#include "base/os/mapped_file.h"
#include "base/path_text.h"
#include "formats/weights/embd/embd_reader.h"
#include "formats/weights/model_tensors.h"
#include "tests/support/on_windows.h"
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
    write("modules.json",
          R"([{"type":"sentence_transformers.models.Transformer","path":""},
            {"type":"sentence_transformers.sentence_transformer.modules.pooling.Pooling","path":"1_Pooling"},
            {"type":"sentence_transformers.models.Normalize","path":"2_Normalize"}])");
    write("1_Pooling/config.json", R"({"pooling_mode":"mean","include_prompt":true})");
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
    const auto config = ModelSpec{.hidden = hidden,
                                  .num_layers = 2,
                                  .num_heads = 2,
                                  .intermediate = 8,
                                  .vocab_size = vocab_size,
                                  .max_positions = 16};
    const auto added = for_each_tensor(config, [&](const ModelTensor& tensor) -> Result<void> {
      const std::size_t begin = data.size();
      std::uint32_t values = 1;
      for (const std::uint32_t dim : tensor.shape.view()) values *= dim;
      for (std::uint32_t i = 0; i < values; ++i)
        data.f32(begin + i == 0 ? first : std::sin(static_cast<float>(begin + i)));
      header += "\"" + prefix + tensor.name +
                "\":{\"dtype\":\"F32\",\"shape\":" + tensor.shape.text() + ",\"data_offsets\":[" +
                std::to_string(begin) + "," + std::to_string(data.size()) + "]},";
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

  /// The settings in the file that the folder becomes.
  ModelSpec converted() const {
    const auto done = huggingface::convert_folder(folder(), out());
    EXPECT_TRUE(done) << done.error().message();
    return WeightFile::open(out()).value().spec();
  }

  void expect_refused(ErrorCode code, const std::string& mentions) const {
    const auto converted = huggingface::convert_folder(folder(), out());
    ASSERT_FALSE(converted);
    EXPECT_EQ(converted.error().code(), code) << converted.error().message();
    EXPECT_NE(converted.error().message().find(mentions), std::string::npos)
        << converted.error().message();
    EXPECT_FALSE(std::filesystem::exists(out()));
  }
};

TEST_F(ConvertTest, TheFileHoldsWhatTheFolderSays) {
  ASSERT_TRUE(huggingface::convert_folder(folder(), out(), {.license = "apache-2.0"}));
  const auto file = WeightFile::open(out(), {.verify = true});
  ASSERT_TRUE(file) << file.error().message();
  EXPECT_EQ(file->spec().name, "tiny");
  EXPECT_EQ(file->spec().max_seq_length, 12U);
  EXPECT_EQ(file->spec().created_at, "1970-01-01T00:00:00Z");
  EXPECT_TRUE(file->spec().do_lower_case);  // sentence_bert_config's flag means something else
  EXPECT_EQ(file->metadata("license"), "apache-2.0");
  EXPECT_EQ(file->vocab()[1], "[UNK]");
  EXPECT_EQ(file->vocab()[8], "\xc3\xa9");
  EXPECT_EQ(file->special_tokens().mask, 4);
  const auto words = file->matrix("embeddings.word_embeddings.weight");
  ASSERT_TRUE(words);
  ASSERT_TRUE(words->view());
  EXPECT_EQ(words->view()->row(0)[1], std::sin(1.0F));
}

TEST_F(ConvertTest, EqualFoldersGiveEqualFiles) {
  ASSERT_TRUE(huggingface::convert_folder(folder(), out()));
  const std::string first = content(out());
  write_weights("");  // the prefix of the task model does not matter, but for the source's hash
  ASSERT_TRUE(huggingface::convert_folder(folder(), out()));
  EXPECT_EQ(first.size(), content(out()).size());
  write_weights("bert.");
  ASSERT_TRUE(huggingface::convert_folder(folder(), out()));
  EXPECT_EQ(first, content(out()));
}

TEST_F(ConvertTest, EveryTypeStaysWithinItsPrecision) {
  for (const auto& [type, tolerance] :
       {std::pair{ElementType::f16, 5e-4F}, std::pair{ElementType::bf16, 4e-3F},
        std::pair{ElementType::i8, 4e-3F}}) {
    ASSERT_TRUE(huggingface::convert_folder(folder(), out(), {.type = type, .checksums = false}));
    const auto file = WeightFile::open(out());
    ASSERT_TRUE(file) << file.error().message();
    EXPECT_FALSE(file->has_checksums());
    for (const char* name :
         {"embeddings.word_embeddings.weight", "encoder.layer.1.output.dense.weight"}) {
      const auto matrix = file->matrix(name);
      ASSERT_TRUE(matrix);
      EXPECT_EQ(element_name(matrix->type()), element_name(type));
      std::vector<float> stored(matrix->rows() * matrix->cols());
      ASSERT_TRUE(matrix->to_floats(stored));
      ASSERT_TRUE(huggingface::convert_folder(folder(), path("f32.weights")));
      const auto exact = WeightFile::open(path("f32.weights"));
      ASSERT_TRUE(exact);
      const auto expected = exact->matrix(name)->view()->values();
      for (std::size_t i = 0; i < stored.size(); ++i)
        EXPECT_NEAR(stored[i], expected[i], tolerance);
    }
  }
}

TEST_F(ConvertTest, TokenizerJsonStandsInForVocabTxt) {
  ASSERT_TRUE(huggingface::convert_folder(folder(), out()));
  const std::string with_lines = content(out());
  std::filesystem::remove(folder() / "vocab.txt");
  write(
      "tokenizer.json",
      R"({"model":{"type":"WordPiece","vocab":{"a":5,"[PAD]":0,"[UNK]":1,"[CLS]":2,"[SEP]":3,"[MASK]":4,"b":6,"##c":7,"\u00e9":8}}})");
  ASSERT_TRUE(huggingface::convert_folder(folder(), out()));
  EXPECT_EQ(content(out()), with_lines);
}

TEST_F(ConvertTest, PoolingAndNormalizationComeFromTheModules) {
  EXPECT_TRUE(converted().normalize);
  // As files of before 5.4 say it, without a Normalize, and in another folder.
  write("pool/config.json", R"({"pooling_mode_cls_token":true,"pooling_mode_mean_tokens":false})");
  write("modules.json", R"([{"type":"sentence_transformers.models.Transformer","path":""},
                            {"type":"sentence_transformers.models.Pooling","path":"pool"},
                            {"type":"sentence_transformers.models.Dropout","path":"3_Dropout"}])");
  EXPECT_EQ(converted().pooling, Pooling::cls);
  EXPECT_FALSE(converted().normalize);
  write("pool/config.json", R"({"pooling_mode_mean_tokens":false})");
  EXPECT_EQ(converted().pooling, Pooling::mean);
  write("pool/config.json", R"({"pooling_mode":["max"]})");
  EXPECT_EQ(converted().pooling, Pooling::max);
  write("pool/config.json", R"({"pooling_mode":["max","cls"]})");
  EXPECT_EQ(converted().joined_poolings, (std::vector{Pooling::max, Pooling::cls}));
  write("pool/config.json",
        R"({"pooling_mode_lasttoken":true,"pooling_mode_weightedmean_tokens":true})");
  EXPECT_EQ(converted().joined_poolings, (std::vector{Pooling::weightedmean, Pooling::lasttoken}));
  EXPECT_EQ(converted().dim, 12U);
}

TEST_F(ConvertTest, WithoutModulesItIsABareEncoder) {
  std::filesystem::remove(folder() / "modules.json");
  write("1_Pooling/config.json", R"({"pooling_mode":"cls"})");
  const ModelSpec config = converted();
  EXPECT_EQ(config.pooling, Pooling::mean);
  EXPECT_FALSE(config.normalize);
  EXPECT_EQ(config.max_seq_length, 16U);  // sentence_bert_config.json is not read either
}

TEST_F(ConvertTest, TheLengthIsTheStatedOneOrTheTokenizers) {
  EXPECT_EQ(converted().max_seq_length, 12U);
  write("tokenizer_config.json", R"({"model_max_length":9})");
  EXPECT_EQ(converted().max_seq_length, 12U);
  write("sentence_bert_config.json", R"({"max_seq_length":null})");
  EXPECT_EQ(converted().max_seq_length, 9U);
  write("tokenizer_config.json", R"({"model_max_length":1000000000000000019884624838656})");
  EXPECT_EQ(converted().max_seq_length, 16U);
  std::filesystem::remove(folder() / "sentence_bert_config.json");
  write("sentence_distilbert_config.json", R"({"max_seq_length":5})");
  EXPECT_EQ(converted().max_seq_length, 5U);
}

TEST_F(ConvertTest, PromptsAndWhatBecomesOfVectorsAreKept) {
  write("config_sentence_transformers.json",
        R"({"prompts":{"query":"ask: ","document":"","topic":"of "},"default_prompt_name":"topic",
            "truncate_dim":4,"similarity_fn_name":"dot","model_type":"SentenceTransformer"})");
  write("tokenizer_config.json", R"({"truncation_side":"left"})");
  const ModelSpec config = converted();
  EXPECT_EQ(config.prompts,
            (std::vector<Prompt>{{"query", "ask: "}, {"document", ""}, {"topic", "of "}}));
  EXPECT_EQ(config.default_prompt_name, "topic");
  EXPECT_EQ(config.dim, 4U);
  EXPECT_EQ(config.hidden, hidden);
  EXPECT_EQ(config.similarity, "dot");
  EXPECT_EQ(config.truncation_side, TruncationSide::left);
}

TEST_F(ConvertTest, SpecialTokensHaveTheNamesOfTheTokenizer) {
  write(
      "tokenizer_config.json",
      R"({"cls_token":"a","sep_token":{"content":"b","lstrip":false},"tokenizer_class":"BertTokenizerFast"})");
  ASSERT_TRUE(huggingface::convert_folder(folder(), out()));
  const auto file = WeightFile::open(out());
  EXPECT_EQ(file->special_tokens().cls, 5);
  EXPECT_EQ(file->special_tokens().sep, 6);
}

TEST_F(ConvertTest, ATokenizerJsonMayBeTakenAsItIs) {
  const std::string vocab =
      R"("vocab":{"a":5,"[PAD]":0,"[UNK]":1,"[CLS]":2,"[SEP]":3,"[MASK]":4,"b":6,"##c":7,"\u00e9":8})";
  const std::string good =
      R"({"normalizer":{"type":"BertNormalizer","clean_text":true,"handle_chinese_chars":true,"strip_accents":null,"lowercase":false},
          "pre_tokenizer":{"type":"BertPreTokenizer"},
          "post_processor":{"type":"TemplateProcessing","single":[{"SpecialToken":{"id":"a","type_id":0}},
            {"Sequence":{"id":"A","type_id":0}},{"SpecialToken":{"id":"[SEP]","type_id":0}}]},
          "added_tokens":[{"content":"[PAD]"},{"content":"[UNK]"},{"content":"a"},{"content":"[SEP]"},{"content":"[MASK]"}],
          "truncation":{"direction":"Left","max_length":128},
          "model":{"type":"WordPiece","unk_token":"[UNK]","continuing_subword_prefix":"##","max_input_chars_per_word":100,)" +
      vocab + "}}";
  write("tokenizer_config.json", R"({"tokenizer_class":"PreTrainedTokenizerFast"})");
  write("tokenizer.json", good);
  const ModelSpec config = converted();
  EXPECT_FALSE(config.do_lower_case);
  EXPECT_EQ(config.truncation_side, TruncationSide::left);
  EXPECT_EQ(WeightFile::open(out())->special_tokens().cls, 5);
  std::filesystem::remove(out());

  const auto change = [&](std::string from, const std::string& to) {
    std::string text = good;
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    write("tokenizer.json", text.replace(at, from.size(), to));
  };
  for (const auto& [from, to, mentions] : {
           std::tuple{"BertNormalizer", "Lowercase", "normalizer"},
           {R"("clean_text":true)", R"("clean_text":false)", "clean_text"},
           {"BertPreTokenizer", "Whitespace", "pre_tokenizer"},
           {R"("##")", R"("__")", "parts of a word"},
           {":100", ":50", "100 characters"},
           {R"("id":"A","type_id":0)", R"("id":"A","type_id":1)", "post_processor"},
           {R"(,{"content":"[MASK]"})", "", "[MASK] is not among them"},
       }) {
    change(from, to);
    expect_refused(ErrorCode::unsupported, mentions);
  }
  std::filesystem::remove(folder() / "tokenizer.json");
  expect_refused(ErrorCode::missing, "needs a tokenizer.json");
}

TEST_F(ConvertTest, WhatIsNotBertWithWordPieceIsRefusedByName) {
  write("config.json", R"({"model_type":"electra","architectures":["ElectraModel"]})");
  expect_refused(ErrorCode::unsupported, "electra (\"ElectraModel\"), expected one of bert");
  SetUp();
  write("tokenizer_config.json", R"({"tokenizer_class":"T5TokenizerFast"})");
  expect_refused(ErrorCode::unsupported, "tokenizer_class: T5Tokenizer");
}

/// A setting that would change vectors, and what the refusal has to name.
TEST_F(ConvertTest, WhatTheEngineDoesNotDoIsRefusedByName) {
  const std::string sizes =
      R"("hidden_size":6,"num_hidden_layers":2,"num_attention_heads":2,"intermediate_size":8,"vocab_size":9,"max_position_embeddings":16)";
  const std::string transformer =
      R"({"type":"sentence_transformers.models.Transformer","path":""})";
  const std::string pooling =
      R"({"type":"sentence_transformers.models.Pooling","path":"1_Pooling"})";
  for (
      const auto& [file, text, mentions] : {
          std::tuple{"config.json", "{" + sizes + R"(,"hidden_act":"gelu_new"})", "gelu_new"},
          {"config.json", "{" + sizes + R"(,"is_decoder":true})", "is_decoder"},
          {"config.json", "{" + sizes + R"(,"position_embedding_type":"relative_key"})",
           "relative_key"},
          {"config.json", "{" + sizes + R"(,"quantization_config":{"bits":4}})",
           "quantization_config"},
          {"modules.json",
           "[" + transformer + "," + pooling +
               R"(,{"type":"sentence_transformers.models.LSTM","path":"2_LSTM"}])",
           "models.LSTM"},
          {"modules.json", "[" + transformer + R"(,{"type":"mine.Pooling","path":"1_Pooling"}])",
           "mine.Pooling"},
          {"modules.json", "[" + pooling + "," + transformer + "]", "Pooling, Transformer"},
          {"modules.json", "[" + transformer + "]", "expected Transformer, Pooling"},
          {"1_Pooling/config.json", R"({"pooling_mode":"first"})", "pooling_mode: first"},
          {"1_Pooling/config.json", R"({"pooling_mode":"joined"})", "pooling_mode: joined"},
          {"1_Pooling/config.json", R"({"pooling_mode":["mean","mean"]})", "pooling_mode: mean"},
          {"1_Pooling/config.json", R"({"include_prompt":false})", "include_prompt"},
          {"2_Normalize/config.json", R"({"module_input_name":"token_embeddings"})",
           "token_embeddings"},
          {"sentence_bert_config.json", R"({"transformer_task":"fill-mask"})", "fill-mask"},
          {"sentence_bert_config.json", R"({"query_length":8})", "query_length"},
          {"sentence_bert_config.json", R"({"tokenizer_args":{"do_lower_case":true}})",
           "tokenizer_args"},
          {"sentence_bert_config.json",
           R"({"modality_config":{"text":{"method":"forward","method_output_name":"pooler_output"}}})",
           "pooler_output"},
          {"config_sentence_transformers.json", R"({"model_type":"SparseEncoder"})",
           "SparseEncoder"},
          {"tokenizer_config.json", R"({"tokenize_chinese_chars":false})",
           "tokenize_chinese_chars"},
          {"tokenizer_config.json", R"({"split_special_tokens":true})", "split_special_tokens"},
          {"adapter_config.json", "{}", "adapter_config.json"},
      }) {
    SCOPED_TRACE(text);
    SetUp();
    write(file, text);
    expect_refused(ErrorCode::unsupported, mentions);
  }
}

/// The lists of a folder in which tokens are added, and the rules that the tokens get.
TEST_F(ConvertTest, AddedTokensAreThoseOfTransformers) {
  const AddedToken plain = {.id = 5};
  const AddedToken word = {.id = 5, .normalized = true, .special = false};
  for (const auto& [file, text, expected] : {
           std::tuple{"tokenizer_config.json", R"({"additional_special_tokens":["a"]})",
                      std::vector{plain}},
           {"tokenizer_config.json", R"({"extra_special_tokens":["a","b"]})",
            std::vector{plain, AddedToken{.id = 6}}},
           {"tokenizer_config.json",
            R"({"added_tokens_decoder":{"5":{"content":"a","special":true}}})", std::vector{plain}},
           {"tokenizer_config.json",
            R"({"added_tokens_decoder":{"6":{"content":"b","single_word":true},
                                        "5":{"content":"a","normalized":true}}})",
            std::vector{word, AddedToken{.id = 6, .single_word = true, .special = false}}},
           {"special_tokens_map.json", R"({"bos_token":"a"})", std::vector{plain}},
           {"added_tokens.json", R"({"a":5})", std::vector{word}},
           // White space around a token ends words anyway.
           {"tokenizer_config.json", R"({"mask_token":{"content":"[MASK]","lstrip":true}})",
            std::vector<AddedToken>()},
       }) {
    SCOPED_TRACE(text);
    SetUp();
    write(file, text);
    EXPECT_EQ(converted().added_tokens, expected);
  }
  for (const auto& [text, code, mentions] : {
           std::tuple{R"({"added_tokens_decoder":{"6":{"content":"a"}}})", ErrorCode::bad_value,
                      "6 as the id of \"a\", expected 5"},
           {R"({"added_tokens_decoder":{"x":{"content":"a"}}})", ErrorCode::bad_type, "the id of"},
           {R"({"added_tokens_decoder":{"5":{}}})", ErrorCode::bad_type, "expected a token"},
           {R"({"additional_special_tokens":[7]})", ErrorCode::bad_type, "expected a token"},
           {R"({"additional_special_tokens":["new"]})", ErrorCode::vocabulary_count, "10 tokens"},
       }) {
    SetUp();
    write("tokenizer_config.json", text);
    expect_refused(code, mentions);
  }
}

TEST_F(ConvertTest, AccentsMayBeKeptInLowerCase) {
  write("tokenizer_config.json", R"({"do_lower_case":true,"strip_accents":false})");
  EXPECT_EQ(converted().strip_accents, false);
  std::filesystem::remove(out());
  write("tokenizer_config.json", R"({"do_lower_case":false,"strip_accents":false})");
  EXPECT_EQ(converted().strip_accents, std::nullopt);
}

TEST_F(ConvertTest, CaseMayBeKeptButNotLoweredBesidesTheTokenizer) {
  write("tokenizer_config.json", R"({"do_lower_case":false,"strip_accents":null})");
  EXPECT_FALSE(converted().do_lower_case);
  std::filesystem::remove(out());
  write("sentence_bert_config.json", R"({"do_lower_case":true})");
  expect_refused(ErrorCode::unsupported, "do_lower_case is true in the configuration");
  std::filesystem::remove(folder() / "tokenizer_config.json");
  EXPECT_TRUE(converted().do_lower_case);
}

TEST_F(ConvertTest, AModuleOutsideTheFolderIsRefused) {
  for (const char* path : {"../1_Pooling", "/tmp", "1_Pooling/../../x"}) {
    write(
        "modules.json",
        std::string(R"([{"type":"sentence_transformers.models.Pooling","path":")") + path + "\"}]");
    expect_refused(ErrorCode::bad_value, "expected a path inside the folder");
  }
}

TEST_F(ConvertTest, WeightsMayLieInShards) {
  ASSERT_TRUE(huggingface::convert_folder(folder(), out()));
  const std::string whole = content(out());
  std::filesystem::rename(folder() / "model.safetensors", folder() / "all.safetensors");
  write("model.safetensors.index.json",
        R"({"weight_map":{"a":"all.safetensors","b":"all.safetensors"}})");
  ASSERT_TRUE(huggingface::convert_folder(folder(), out()));
  EXPECT_EQ(content(out()), whole);
  std::filesystem::remove(out());

  write("model.safetensors.index.json", R"({"weight_map":{"a":"all.safetensors","b":"other"}})");
  expect_refused(ErrorCode::not_found, "other");
  for (const char* outside : {"../all.safetensors", "..", "/etc/passwd", ""}) {
    write("model.safetensors.index.json",
          std::string(R"({"weight_map":{"a":")") + outside + "\"}}");
    expect_refused(ErrorCode::bad_value, "expected the name of a file");
  }
  std::filesystem::remove(folder() / "model.safetensors.index.json");
}

/// The message names what there is, whether a config.json is beside it or not.
TEST_F(ConvertTest, WeightsInOtherFormatsAreNamed) {
  std::filesystem::remove(folder() / "model.safetensors");
  expect_refused(ErrorCode::not_found, "model.safetensors is not there");
  for (const auto& [file, what] : {std::pair{"pytorch_model.bin", "a pickle of PyTorch"},
                                   {"onnx/model.onnx", "an ONNX file"},
                                   {"small.Q8_0.gguf", "a GGUF file"}}) {
    write(file, "");
    expect_refused(ErrorCode::unsupported, std::string(file) + " (" + what);
    std::filesystem::create_directories(path("bare"));
    std::filesystem::copy_file(folder() / file,
                               path("bare") / std::filesystem::path(file).filename());
    EXPECT_NE(huggingface::convert_folder(path("bare"), out()).error().message().find(what),
              std::string::npos);
    std::filesystem::remove_all(path("bare"));
    std::filesystem::remove(folder() / file);
  }
}

TEST_F(ConvertTest, AFolderOpensAsTheFileThatItIsConvertedTo) {
  ASSERT_TRUE(huggingface::convert_folder(folder(), out()));
  const std::string bytes = content(out());
  const auto file = WeightFile::open(out());
  const auto folder_file = open_model_folder(folder(), {.vocab = {}, .hash_source = true});
  ASSERT_TRUE(folder_file) << folder_file.error().message();
  const WeightFile& opened = folder_file->file;
  EXPECT_EQ(opened.sha256(), sha256_hex(as_bytes(bytes)));
  EXPECT_EQ(opened.sha256(), file->sha256());
  EXPECT_EQ(opened.file_bytes(), bytes.size());
  EXPECT_EQ(opened.spec(), file->spec());
  EXPECT_TRUE(std::ranges::equal(opened.vocab(), file->vocab()));
  EXPECT_TRUE(std::ranges::equal(opened.metadata(), file->metadata()));
  ASSERT_EQ(opened.tensors().size(), file->tensors().size());
  for (const Tensor& tensor : opened.tensors()) {
    const Tensor& stored = *file->find(tensor.name);
    EXPECT_EQ(tensor.file_offset, stored.file_offset) << tensor.name;
    EXPECT_EQ(tensor.shape, stored.shape) << tensor.name;
    EXPECT_TRUE(std::ranges::equal(tensor.data, stored.data)) << tensor.name;
  }
  EXPECT_TRUE(opened.verify());
  EXPECT_EQ(opened.path(), folder());
}

/// Nothing is read of the weights for the hash of their file until somebody asks.
TEST_F(ConvertTest, TheHashOfAFolderIsComputedWhenItIsAskedFor) {
  ASSERT_TRUE(huggingface::convert_folder(folder(), out()));
  const auto opened = open_model_folder(folder());
  ASSERT_TRUE(opened) << opened.error().message();
  EXPECT_EQ(opened->file.metadata("source_sha256"), std::nullopt);
  EXPECT_EQ(opened->file.file_bytes(), content(out()).size());
  EXPECT_EQ(opened->file.sha256(), sha256_hex(as_bytes(content(out()))));
}

TEST_F(ConvertTest, TensorsOfFloat32StayInTheirFile) {
  const auto opened = open_model_folder(folder());
  ASSERT_TRUE(opened) << opened.error().message();
  for (const Tensor& tensor : opened->file.tensors())
    EXPECT_TRUE(opened->file.is_mapped(tensor.data)) << tensor.name;
  EXPECT_FALSE(opened->file.is_mapped(as_bytes("elsewhere")));
}

TEST_F(ConvertTest, AFolderThatIsNotReadableIsNotOpened) {
  write("1_Pooling/config.json", R"({"pooling_mode":"first"})");
  EXPECT_EQ(open_model_folder(folder()).error().code(), ErrorCode::unsupported);
}

TEST_F(ConvertTest, ATokenizerOfAnotherKindIsRefused) {
  std::filesystem::remove(folder() / "vocab.txt");
  write("tokenizer.json", R"({"model":{"type":"BPE","vocab":{}}})");
  expect_refused(ErrorCode::unsupported, "expected RobertaTokenizer for BPE");
  for (const char* model : {R"({"type":7,"vocab":{}})", "[]", R"({"type":"WordPiece"})"}) {
    write("tokenizer.json", std::string(R"({"model":)") + model + "}");
    expect_refused(ErrorCode::unsupported, "expected a WordPiece vocabulary");
  }
  write("tokenizer.json", R"({"model":{"type":"WordPiece","vocab":{"a":0,"b":0}}})");
  expect_refused(ErrorCode::bad_value, "expected each of 0 to 1 once");
}

TEST_F(ConvertTest, AWeightThatIsNotFiniteIsRefused) {
  write_weights("bert.", 70000);
  ASSERT_TRUE(huggingface::convert_folder(folder(), out()));
  std::filesystem::remove(out());
  const auto too_large = huggingface::convert_folder(folder(), out(), {.type = ElementType::f16});
  ASSERT_FALSE(too_large);
  EXPECT_EQ(too_large.error().code(), ErrorCode::bad_value);
  for (const float value : {NAN, INFINITY}) {
    write_weights("bert.", value);
    expect_refused(ErrorCode::bad_value, "embeddings.word_embeddings.weight: value 0");
  }
}

TEST_F(ConvertTest, TheDateIsThatOfTheEnvironment) {
  ASSERT_EQ(::setenv("SOURCE_DATE_EPOCH", "86400", 1), 0);
  EXPECT_TRUE(huggingface::convert_folder(folder(), out()));
  EXPECT_EQ(WeightFile::open(out())->spec().created_at, "1970-01-02T00:00:00Z");
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
                 "intermediate.dense.weight has the shape [8, 6], expected [7, 6]");
}

/// A number that only config.json claims is refused before anything is made for it. Each of these
/// took gigabytes once, or takes them if it is believed.
TEST_F(ConvertTest, NoSizeIsBelievedBeforeTheWeightsProveIt) {
  const auto config = [](const std::string& key) {
    std::string text =
        R"({"hidden_size":6,"num_hidden_layers":2,"num_attention_heads":2,"intermediate_size":8,)"
        R"("vocab_size":9,"max_position_embeddings":16})";
    const std::size_t value = text.find(':', text.find(key)) + 1;
    const std::size_t end = text.find_first_of(",}", value);
    return text.replace(value, end - value, "4294967294");
  };
  for (const char* key : {"vocab_size", "intermediate_size", "max_position_embeddings"}) {
    SCOPED_TRACE(key);
    write("config.json", config(key));
    expect_refused(ErrorCode::tensor_wrong_shape, "4294967294");
  }
  write("config.json", config("num_hidden_layers"));
  expect_refused(ErrorCode::tensor_missing, "encoder.layer.2.");
  write("config.json", config("hidden_size"));
  expect_refused(ErrorCode::tensor_wrong_shape, "4294967294");
}

TEST_F(ConvertTest, AVocabularyThatDoesNotFitIsRefused) {
  write("vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\nb\n##c\nd\ne\n");
  expect_refused(ErrorCode::vocabulary_count, "10 tokens, but vocab_size in config.json is 9");
  write("vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\na\n##c\nd\n");
  expect_refused(ErrorCode::duplicate_token, "line 7");
  write("vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\nb\n##c\n\xff\n");
  expect_refused(ErrorCode::invalid_utf8, "line 9");
  write("vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\nmask\na\nb\n##c\nd\n");
  expect_refused(ErrorCode::missing, "[MASK]");
}

TEST_F(ConvertTest, RowsWithoutATokenGetNamesThatNoTextSpells) {
  write("vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\n");
  ASSERT_TRUE(huggingface::convert_folder(folder(), out()));
  EXPECT_EQ(WeightFile::open(out())->vocab()[8], "[no token 8]");
}

TEST_F(ConvertTest, MalformedSettingsAreRefusedWithTheirKey) {
  write("sentence_bert_config.json", R"({"max_seq_length": 17})");
  expect_refused(ErrorCode::bad_value, "max_seq_length is 17, expected 3 to 16");
  write("sentence_bert_config.json", "{");
  expect_refused(ErrorCode::bad_json, "sentence_bert_config.json");
  for (const auto& [file, text, mentions] :
       {std::tuple{"sentence_bert_config.json", R"({"max_seq_length":"9"})", "max_seq_length"},
        {"config_sentence_transformers.json", R"({"prompts":["a"]})", "prompts"},
        {"config_sentence_transformers.json", R"({"default_prompt_name":"x"})", "no prompt"},
        {"config_sentence_transformers.json", R"({"truncate_dim":7})", "truncate_dim is 7"},
        {"tokenizer_config.json", R"({"cls_token":7})", "cls_token"},
        {"sentence_bert_config.json", R"({"max_seq_length":2})", "max_seq_length is 2"},
        {"modules.json", "{}", "modules.json"},
        {"modules.json", "[[]]", "expected an object"},
        {"1_Pooling/config.json", R"({"pooling_mode":7})", "pooling_mode"}}) {
    SCOPED_TRACE(text);
    SetUp();
    write(file, text);
    const auto refused = huggingface::convert_folder(folder(), out());
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().message().find(mentions), std::string::npos)
        << refused.error().message();
  }
}

TEST_F(ConvertTest, ATextThatIsNoUtf8IsRefusedAndTheOldFileStays) {
  std::ofstream(out()) << "the old file";
  for (const ConvertModelOptions& options :
       {ConvertModelOptions{.model_name = "\xff"}, ConvertModelOptions{.license = "a\xff"}})
    EXPECT_EQ(huggingface::convert_folder(folder(), out(), options).error().code(),
              ErrorCode::invalid_argument);
  EXPECT_EQ(content(out()), "the old file");
}

std::vector<NoteKind> subjects(const std::vector<ModelNote>& notes) {
  std::vector<NoteKind> kinds;
  for (const ModelNote& note : notes) kinds.push_back(note.kind);
  return kinds;
}

TEST_F(ConvertTest, ANoteSaysWhenThePoolingIsAssumed) {
  EXPECT_EQ(subjects(open_model_folder(folder())->notes), std::vector<NoteKind>());
  std::filesystem::remove(folder() / "modules.json");
  const auto opened = open_model_folder(folder());
  ASSERT_TRUE(opened) << opened.error().message();
  EXPECT_EQ(subjects(opened->notes), std::vector{NoteKind::assumed_pooling});
  EXPECT_NE(opened->notes.front().text.find("modules.json"), std::string::npos);
}

TEST_F(ConvertTest, ABareEncoderWithAnotherUseIsRefused) {
  std::filesystem::remove(folder() / "modules.json");
  const std::string sizes =
      R"("hidden_size":6,"num_hidden_layers":2,"num_attention_heads":2,"intermediate_size":8,)"
      R"("vocab_size":9,"max_position_embeddings":16})";
  const auto write_architecture = [&](const std::string& name) {
    write("config.json", R"({"architectures":[")" + name + R"("],)" + sizes);
  };
  for (const char* name : {"BertLMHeadModel", "BertForTokenClassification", "HF_ColBERT",
                           "BertForQuestionAnswering"}) {
    write_architecture(name);
    expect_refused(ErrorCode::unsupported, name);
  }
  for (const char* name : {"BertModel", "BertForMaskedLM", "BertForPreTraining", "Mine"}) {
    write_architecture(name);
    EXPECT_TRUE(open_model_folder(folder())) << name;
  }
  for (const char* file : {"query_token_weights.txt", "artifact.metadata", "1_Dense/config.json"}) {
    write(file, "");
    expect_refused(ErrorCode::unsupported,
                   text_of_path(*std::filesystem::path(file).begin()) + " shows that it is");
    std::filesystem::remove_all(folder() / *std::filesystem::path(file).begin());
  }
}

/// The name of the folder, of its repository in a cache, of the model it was made from, or a name
/// in its card.
TEST_F(ConvertTest, ANoteNamesPromptsThatTheFamilyNeeds) {
  const auto note_of = [](const std::filesystem::path& model) {
    const auto opened = open_model_folder(model);
    EXPECT_TRUE(opened) << opened.error().message();
    return opened && !opened->notes.empty() ? opened->notes.front().text : "";
  };
  EXPECT_EQ(note_of(folder()), "");
  write("README.md",
        "---\ntags:\n- e5\nbase_model:\n- intfloat/multilingual-e5-small\n---\n# Mine");
  EXPECT_NE(note_of(folder()).find("intfloat/multilingual-e5-small"), std::string::npos);
  EXPECT_NE(note_of(folder()).find("\"query: \""), std::string::npos);
  write("README.md", "# bge-small-en-v1.5\nLike E5, but better.");
  EXPECT_NE(note_of(folder()).find("Represent this sentence"), std::string::npos);
  write("README.md", "Like E5, but better.\n");
  EXPECT_EQ(note_of(folder()), "");
  const auto snapshot = path("models--intfloat--e5-small-v2/snapshots/0123abcd");
  std::filesystem::create_directories(snapshot.parent_path());
  std::filesystem::copy(folder(), snapshot, std::filesystem::copy_options::recursive);
  EXPECT_NE(note_of(snapshot).find("\"passage: \""), std::string::npos);
  std::ofstream(snapshot / "config_sentence_transformers.json")
      << R"({"prompts":{"query":"query: ","document":""}})";
  EXPECT_EQ(note_of(snapshot), "");
}

/// sentence-transformers takes them as any others; a prompt that is empty is one all the same.
TEST_F(ConvertTest, EmptyPromptsLive) {
  write("config_sentence_transformers.json",
        R"({"prompts":{"query":"q: ","passage":""},"default_prompt_name":"passage"})");
  const ModelSpec spec = converted();
  EXPECT_EQ(spec.default_prompt_name, "passage");
  EXPECT_EQ(spec.prompts,
            (std::vector<Prompt>{{"query", "q: "}, {"document", ""}, {"passage", ""}}));
}

/// An output that cannot be read back is found before it replaces anything.
TEST_F(ConvertTest, AFolderWithANameThatIsNoUtf8LeavesTheOldFile) {
  if (test::on_windows) GTEST_SKIP() << "names are UTF-16 on Windows";
  const auto strange = path("\xff");
  std::filesystem::copy(folder(), strange, std::filesystem::copy_options::recursive);
  std::ofstream(out()) << "the old file";
  EXPECT_EQ(huggingface::convert_folder(strange, out(), {}).error().file(), text_of_path(out()));
  EXPECT_EQ(content(out()), "the old file");
}

}  // namespace
}  // namespace embd::huggingface
