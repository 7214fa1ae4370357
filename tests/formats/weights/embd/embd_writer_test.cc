#include "formats/weights/embd/embd_writer.h"
#include "formats/weights/model_tensors.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <sstream>
#include <utility>

#include "base/bytes.h"
#include "formats/weights/embd/embd_layout.h"
#include "formats/weights/embd/embd_reader.h"
#include "formats/weights/embd/embd_tensors.h"
#include "tests/support/temporary_directory.h"

namespace embd {
namespace {

namespace layout = embd_layout;

const std::string query = "encoder.layer.0.attention.self.query.weight";
const std::string words = "embeddings.word_embeddings.weight";

const ModelSpec spec = {
    .name = "small",
    .version = "1.0.0",
    .created_at = "1970-01-01T00:00:00Z",
    .hidden = 6,
    .num_layers = 1,
    .num_heads = 2,
    .intermediate = 10,
    .vocab_size = 7,
    .max_positions = 12,
    .max_seq_length = 12,
    .prompts = {{.name = "query", .text = {}}, {.name = "document", .text = {}}},
    .dim = 6};

std::string content_of(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

TensorSource source(std::string name, ElementType type, TensorShape shape,
                    std::vector<std::byte> values) {
  return {std::move(name), type, shape,
          [values = std::move(values)](std::vector<std::byte>& bytes) -> Result<void> {
            bytes = values;
            return {};
          }};
}

TensorSource floats(std::string name, const std::vector<float>& values) {
  return source(std::move(name), ElementType::f32, {static_cast<std::uint32_t>(values.size())},
                encode_floats(ElementType::f32, values));
}

/// Values of a tensor that no other of the model has.
Matrix values_of(const ModelTensor& tensor) {
  const std::uint32_t cols = tensor.shape.rank == 2 ? tensor.shape.dims[1] : 1;
  Matrix values(tensor.shape.dims[0], cols);
  float seed = static_cast<float>(tensor.name.size());
  for (float& value : values.values()) value = std::sin(seed += 0.7F);
  return values;
}

/// A model whose matrices are of `type` where they may be.
WeightFileContent model_of(ElementType type) {
  WeightFileContent content;
  content.metadata = {{"model_name", spec.name},     {"model_version", spec.version},
                      {"embedding_dim", "6"},        {"vocab_size", "7"},
                      {"num_layers", "1"},           {"num_attention_heads", "2"},
                      {"hidden_size", "6"},          {"intermediate_size", "10"},
                      {"max_position_emb", "12"},    {"created_at", spec.created_at},
                      {"note", "ein Schlüssel mehr"}};
  content.vocab = {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "a", "##b"};
  content.special = {.pad = 0, .unk = 1, .cls = 2, .sep = 3, .mask = 4};
  const auto added = for_each_tensor(spec, [&](const ModelTensor& tensor) -> Result<void> {
    const Matrix values = values_of(tensor);
    const ElementType stored = is_allowed(tensor.role, type) ? type : ElementType::f32;
    if (stored == ElementType::i8) {
      const std::vector<float> scales = int8_scales(values);
      content.tensors.push_back(
          source(tensor.name, stored, tensor.shape, encode_int8(values, scales)));
      content.tensors.push_back(floats(tensor.name + "_scale", scales));
    } else {
      content.tensors.push_back(
          source(tensor.name, stored, tensor.shape, encode_floats(stored, values.values())));
    }
    return {};
  });
  EXPECT_TRUE(added);
  return content;
}

TensorSource& find(WeightFileContent& content, std::string_view name) {
  return *std::ranges::find(content.tensors, name, &TensorSource::name);
}

class EmbdWriterTest : public test::TemporaryDirectory {
 protected:
  std::filesystem::path out() const { return path("small.weights"); }

  Result<WeightFile> write_and_open(const WeightFileContent& content) const {
    const auto written = write_weight_file(out(), content);
    EXPECT_TRUE(written) << written.error().message();
    return WeightFile::open(out(), {.vocab = {}, .verify = true});
  }
};

TEST_F(EmbdWriterTest, WhatIsWrittenIsRead) {
  for (const auto& [type, tolerance] :
       {std::pair{ElementType::f32, 0.0F}, std::pair{ElementType::f16, 0x1p-12F},
        std::pair{ElementType::bf16, 0x1p-9F}, std::pair{ElementType::i8, 0.5F / 127}}) {
    SCOPED_TRACE(element_name(type));
    const WeightFileContent content = model_of(type);
    const auto file = write_and_open(content);
    ASSERT_TRUE(file) << file.error().message();
    EXPECT_EQ(file->spec(), spec);
    EXPECT_EQ(file->metadata("note"), "ein Schlüssel mehr");
    EXPECT_TRUE(std::ranges::equal(file->vocab(), content.vocab));
    EXPECT_EQ(file->special_tokens(), content.special);
    EXPECT_EQ(file->tensors().size(), content.tensors.size());
    const auto checked = for_each_tensor(spec, [&](const ModelTensor& tensor) -> Result<void> {
      const Matrix expected = values_of(tensor);
      std::vector<float> found(expected.values().size());
      if (tensor.role == TensorRole::vector) {
        found = file->vector(tensor.name).value();
        EXPECT_TRUE(std::ranges::equal(found, expected.values())) << tensor.name;
        return {};
      }
      EXPECT_TRUE(file->matrix(tensor.name)->to_floats(found));
      for (std::size_t i = 0; i < found.size(); ++i) {
        EXPECT_NEAR(found[i], expected.values()[i], tolerance * 1.001F) << tensor.name;
      }
      return {};
    });
    EXPECT_TRUE(checked);
  }
}

TEST_F(EmbdWriterTest, TheLayoutIsCanonical) {
  const auto file = write_and_open(model_of(ElementType::i8));
  ASSERT_TRUE(file) << file.error().message();
  EXPECT_TRUE(file->is_aligned());
  EXPECT_TRUE(file->has_checksums());
  const auto u32 = [&](std::uint64_t at) { return load<std::uint32_t>(file->bytes().subspan(at)); };
  EXPECT_EQ(u32(layout::header::metadata_offset.at), layout::header_bytes);
  const std::uint32_t vocab_at = u32(layout::header::vocab_offset.at);
  EXPECT_EQ(u32(vocab_at + layout::vocab::special_tokens.at),
            vocab_at + layout::vocab_header_bytes);
  // Tensors in the order of the index, zeros between them, nothing behind the last.
  std::uint64_t end = u32(layout::header::tensor_data_offset.at);
  for (const Tensor& tensor : file->tensors()) {
    ASSERT_EQ(tensor.file_offset, (end + 63) / 64 * 64);
    for (; end < tensor.file_offset; ++end) EXPECT_EQ(file->bytes()[end], std::byte{0});
    end += tensor.data.size();
  }
  EXPECT_EQ(end + layout::footer_bytes, file->bytes().size());
}

TEST_F(EmbdWriterTest, EqualContentGivesEqualBytes) {
  ASSERT_TRUE(write_weight_file(out(), model_of(ElementType::f16)));
  const std::string first = content_of(out());
  ASSERT_TRUE(write_weight_file(out(), model_of(ElementType::f16)));
  EXPECT_EQ(content_of(out()), first);
}

TEST_F(EmbdWriterTest, TensorsInPlaceGiveEqualBytes) {
  WeightFileContent content = model_of(ElementType::i8);
  ASSERT_TRUE(write_weight_file(out(), content));
  const std::string first = content_of(out());
  std::vector<std::vector<std::byte>> memory(content.tensors.size());
  for (std::size_t i = 0; i < memory.size(); i += 2) {
    content.tensors[i].in_place = bytes_of(content.tensors[i], memory[i]).value();
    content.tensors[i].read = nullptr;
  }
  ASSERT_TRUE(write_weight_file(out(), content));
  EXPECT_EQ(content_of(out()), first);
  EXPECT_EQ(front_of(content)->file_bytes, first.size());
  EXPECT_TRUE(first.starts_with(as_text(front_of(content)->bytes)));
}

/// A packed layout may stand for a matrix, but the vectors prove the sizes.
TEST_F(EmbdWriterTest, AVectorIsNotReplacedByAPackedOne) {
  WeightFileContent content = model_of(ElementType::f32);
  find(content, query).name += ".packed";
  EXPECT_TRUE(write_and_open(content));
  const std::string bias = bias_name(Module::up);
  find(content, bias).name += ".packed";
  ASSERT_TRUE(write_weight_file(out(), content));
  const auto refused = WeightFile::open(out());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::tensor_missing);
  EXPECT_EQ(refused.error().what(), bias);
}

TEST_F(EmbdWriterTest, WithoutChecksumsTheirFieldsAreZero) {
  WeightFileContent content = model_of(ElementType::f32);
  content.checksums = false;
  const auto file = write_and_open(content);
  ASSERT_TRUE(file) << file.error().message();
  EXPECT_FALSE(file->has_checksums());
  const std::uint64_t footer = file->bytes().size() - layout::footer_bytes;
  for (const std::uint64_t at :
       {layout::header::header_checksum.at, footer + layout::footer::data_checksum.at,
        footer + layout::footer::file_checksum.at}) {
    EXPECT_EQ(load<std::uint32_t>(file->bytes().subspan(at)), 0U);
  }
}

TEST_F(EmbdWriterTest, WithoutAVocabularyOneMustBeGiven) {
  WeightFileContent content = model_of(ElementType::f32);
  const auto vocab = std::exchange(content.vocab, {});
  ASSERT_TRUE(write_weight_file(out(), content));
  EXPECT_EQ(WeightFile::open(out()).error().code(), ErrorCode::vocabulary_missing);
  const auto file = WeightFile::open(out(), {.vocab = vocab, .verify = true});
  ASSERT_TRUE(file) << file.error().message();
  EXPECT_EQ(file->special_tokens(), content.special);
}

TEST_F(EmbdWriterTest, WhatItsFieldCannotHoldIsRefused) {
  WeightFileContent content = model_of(ElementType::f32);
  content.metadata.emplace_back("long", std::string(65536, 'x'));
  EXPECT_EQ(write_weight_file(out(), content).error().code(), ErrorCode::invalid_argument);
  content = model_of(ElementType::f32);
  content.vocab[5] = std::string(65536, 'x');
  EXPECT_EQ(write_weight_file(out(), content).error().code(), ErrorCode::invalid_argument);
  content = model_of(ElementType::f32);
  content.tensors[0].shape.dims[0] += 1;
  EXPECT_EQ(write_weight_file(out(), content).error().code(), ErrorCode::invalid_argument);
  EXPECT_FALSE(std::filesystem::exists(out()));
}

TEST_F(EmbdWriterTest, ASmoothedMatrixIsDividedByItsColumns) {
  for (const ElementType type : {ElementType::f32, ElementType::bf16, ElementType::i8}) {
    SCOPED_TRACE(element_name(type));
    WeightFileContent content = model_of(type);
    std::vector<float> expected(36);
    ASSERT_TRUE(write_and_open(content)->matrix(query)->to_floats(expected));

    const std::vector<float> smooth = {1, 2, 0.5F, 4, 3, 0.1F};
    content.tensors.push_back(floats(query + "_smooth", smooth));
    const auto file = write_and_open(content);
    ASSERT_TRUE(file) << file.error().message();
    const auto matrix = file->matrix(query);
    ASSERT_TRUE(matrix);
    EXPECT_NE(matrix->smooth, nullptr);
    EXPECT_FALSE(matrix->view());
    std::vector<float> found(36);
    ASSERT_TRUE(matrix->to_floats(found));
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_EQ(found[i], expected[i] / smooth[i % 6]) << i;
    }
  }
}

TEST_F(EmbdWriterTest, ScalesMustBeFiniteAndNotNegative) {
  for (const float bad : {-1.0F, NAN, INFINITY}) {
    WeightFileContent content = model_of(ElementType::i8);
    find(content, query + "_scale") = floats(query + "_scale", {1, 1, 0, bad, 1, 1});
    const auto file = write_and_open(content);
    ASSERT_FALSE(file) << bad;
    EXPECT_EQ(file.error().code(), ErrorCode::bad_value);
    EXPECT_NE(file.error().what().find(query + "_scale[3]"), std::string::npos);
  }
}

TEST_F(EmbdWriterTest, ScalesOfBlocksMustFitTheColumns) {
  for (const std::uint32_t blocks : {1U, 2U, 6U}) {
    WeightFileContent content = model_of(ElementType::i8);
    const std::vector<float> ones(std::size_t{6} * blocks, 1.0F);
    find(content, query + "_scale") = source(query + "_scale", ElementType::f32, {6, blocks},
                                             encode_floats(ElementType::f32, ones));
    const auto file = write_and_open(content);
    if (blocks == 1) {
      EXPECT_TRUE(file) << file.error().message();
      continue;
    }
    ASSERT_FALSE(file) << blocks;
    EXPECT_EQ(file.error().code(), ErrorCode::tensor_wrong_shape);
  }
}

TEST_F(EmbdWriterTest, SmoothMustBeFloatsAboveZeroOnePerColumn) {
  const auto refused = [&](TensorSource smooth) {
    WeightFileContent content = model_of(ElementType::i8);
    content.tensors.push_back(std::move(smooth));
    const auto file = write_and_open(content);
    return file ? std::string("accepted") : std::string(describe(file.error().code()));
  };
  const std::string name = query + "_smooth";
  for (const float bad : {0.0F, -1.0F, NAN, INFINITY}) {
    EXPECT_EQ(refused(floats(name, {1, 1, 1, 1, 1, bad})), describe(ErrorCode::bad_value)) << bad;
  }
  EXPECT_EQ(refused(floats(name, {1, 1})), describe(ErrorCode::tensor_wrong_shape));
  EXPECT_EQ(refused(source(name, ElementType::f16, {6}, std::vector<std::byte>(12))),
            describe(ErrorCode::tensor_wrong_type));
  EXPECT_EQ(refused(floats("unknown.weight_smooth", {0})), "accepted");
}

TEST_F(EmbdWriterTest, APackedMatrixNeedsNoPlainOne) {
  WeightFileContent content = model_of(ElementType::f32);
  find(content, query).name = query + ".packed16";
  const auto file = write_and_open(content);
  ASSERT_TRUE(file) << file.error().message();
  EXPECT_EQ(file->matrix(query).error().code(), ErrorCode::tensor_missing);
  EXPECT_TRUE(file->matrix(words));
}

/// Rows that no token has are never read.
TEST_F(EmbdWriterTest, TheWordTableMayBeLongerThanTheVocabularyButNotShorter) {
  for (const ElementType type : {ElementType::f32, ElementType::i8}) {
    for (const std::uint32_t rows : {8U, 6U}) {
      WeightFileContent content = model_of(type);
      TensorSource& table = find(content, words);
      table = source(words, type, {rows, 6},
                     std::vector<std::byte>(rows * 6 * (type == ElementType::i8 ? 1 : 4)));
      if (type == ElementType::i8)
        find(content, words + "_scale") = floats(words + "_scale", std::vector<float>(rows, 1));
      const auto file = write_and_open(content);
      if (rows == 8) {
        ASSERT_TRUE(file) << file.error().message();
        EXPECT_EQ(file->matrix(words)->rows(), 8U);
        EXPECT_EQ(file->spec().vocab_size, 7U);
      } else {
        EXPECT_EQ(file.error().code(), ErrorCode::metadata_contradiction);
      }
    }
  }
}

TEST_F(EmbdWriterTest, TheTableOfTokenTypesHasTheRowsThatTheMetadataSay) {
  const std::string types = "embeddings.token_type_embeddings.weight";
  WeightFileContent content = model_of(ElementType::f32);
  find(content, types) = source(types, ElementType::f32, {1, 6}, std::vector<std::byte>(24));
  EXPECT_EQ(write_and_open(content).error().code(), ErrorCode::tensor_wrong_shape);
  content.metadata.emplace_back("type_vocab_size", "1");
  EXPECT_TRUE(write_and_open(content));
  content.metadata.back().second = "2";
  EXPECT_EQ(write_and_open(content).error().code(), ErrorCode::metadata_contradiction);
}

/// A later version may have a key that changes what a model computes.
TEST_F(EmbdWriterTest, AHigherMinorVersionIsReadIfAllKeysAreKnown) {
  WeightFileContent content = model_of(ElementType::f32);
  content.checksums = false;
  std::erase_if(content.metadata, [](const auto& entry) { return entry.first == "note"; });
  content.metadata.emplace_back("prompt.task", "t: ");
  const auto open = [&](char minor) {
    std::string bytes;
    EXPECT_TRUE(write_weights(content, [&](Bytes part) -> Result<void> {
      bytes += as_text(part);
      return {};
    }));
    bytes[layout::header::version_minor.at] = minor;
    const auto file = WeightFile::from_bytes(as_bytes(bytes));
    return file ? std::string("good") : file.error().message();
  };
  EXPECT_EQ(open(7), "good");
  content.metadata.emplace_back("new_key", "new");
  EXPECT_EQ(open(0), "good");
  EXPECT_EQ(open(1), "good");
  EXPECT_EQ(open(2), "good");
  EXPECT_NE(open(3).find("unsupported version: new_key: new"), std::string::npos) << open(3);
}

TEST_F(EmbdWriterTest, TheSmallTablesAreNeverInt8) {
  for (const char* name :
       {"embeddings.position_embeddings.weight", "embeddings.token_type_embeddings.weight"}) {
    WeightFileContent content = model_of(ElementType::f32);
    TensorSource& table = find(content, name);
    const std::uint32_t rows = table.shape.dims[0];
    table = source(name, ElementType::i8, table.shape, std::vector<std::byte>(rows * 6));
    content.tensors.push_back(floats(std::string(name) + "_scale", std::vector<float>(rows, 1)));
    EXPECT_EQ(write_and_open(content).error().code(), ErrorCode::tensor_wrong_type);
  }
}

TEST(EmbdEncode, Int8UsesAllSteps) {
  Matrix rows(3, 4);
  const std::vector<float> values = {-127,   0.5F,    1.5F, 126.6F,  // scale 1: ties go to even
                                     0,      0,       0,    0,       // a row of zeros has scale 0
                                     1e-30F, -1e-30F, 0,    6e-31F};
  std::ranges::copy(values, rows.values().begin());
  const std::vector<float> scales = int8_scales(rows);
  EXPECT_EQ(scales[0], 1.0F);
  EXPECT_EQ(scales[1], 0.0F);
  const std::vector<std::byte> codes = encode_int8(rows, scales);
  const std::vector<int> expected = {-127, 0, 2, 127, 0, 0, 0, 0, 127, -127, 0, 76};
  for (std::size_t i = 0; i < codes.size(); ++i)
    EXPECT_EQ(static_cast<std::int8_t>(codes[i]), expected[i]) << i;
}

TEST(EmbdEncode, EveryBlockHasAScaleAndTheLastMayBeShorter) {
  Matrix rows(1, 150);
  for (std::size_t c = 0; c < 150; ++c) rows.row(0)[c] = c < 64 ? 127 : c < 128 ? 254 : -381;
  const std::vector<float> scales = int8_scales(rows, 64);
  EXPECT_EQ(scales, (std::vector<float>{1, 2, 3}));
  const std::vector<std::byte> codes = encode_int8(rows, scales, 64);
  for (std::size_t c = 0; c < 150; ++c)
    EXPECT_EQ(static_cast<std::int8_t>(codes[c]), c < 128 ? 127 : -127) << c;
}

TEST(EmbdEncode, ColumnsAreMultipliedByTheirFactors) {
  Matrix matrix(2, 2);
  std::ranges::fill(matrix.values(), 7.0F);
  multiply_columns(matrix, std::vector<float>{0.5F, 1.0F});
  for (std::size_t r = 0; r < 2; ++r) {
    EXPECT_EQ(matrix.row(r)[0], 3.5F);
    EXPECT_EQ(matrix.row(r)[1], 7.0F);
  }
}

}  // namespace
}  // namespace embd
