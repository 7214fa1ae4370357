#include "formats/weights/embd/embd_reader.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/bytes.h"
#include "base/checksum.h"
#include "base/path_text.h"
#include "formats/weights/embd/embd_layout.h"

namespace embd {
namespace {

namespace layout = embd_layout;
using nlohmann::json;

const std::filesystem::path fixtures = std::filesystem::path(EMBD_TEST_DATA) / "embd";

std::string content(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

std::vector<std::string> lines_of(const std::filesystem::path& path) {
  std::vector<std::string> lines;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

template <class T>
void put(std::string& bytes, std::uint64_t at, T value) {
  std::memcpy(bytes.data() + at, &value, sizeof(T));
}

/// Makes the header's checksum fit the bytes again, so that a change is seen for itself.
void seal_header(std::string& bytes) {
  put(bytes, layout::header::header_checksum.at,
      crc32(as_bytes(bytes).first(layout::checked_header_bytes)));
}

/// The manifest's faults and the codes they are reported with.
const std::map<std::string, ErrorCode> codes = {
    {"too_short", ErrorCode::file_too_short},
    {"bad_magic", ErrorCode::bad_magic},
    {"version", ErrorCode::unsupported_version},
    {"flags", ErrorCode::unsupported_flags},
    {"compressed", ErrorCode::unsupported_flags},
    {"reserved_nonzero", ErrorCode::reserved_not_zero},
    {"header_crc", ErrorCode::header_checksum},
    {"total_size", ErrorCode::file_size_mismatch},
    {"footer_magic", ErrorCode::footer_magic},
    {"data_crc", ErrorCode::data_checksum},
    {"file_crc", ErrorCode::file_checksum},
    {"section_outside", ErrorCode::section_out_of_bounds},
    {"section_overlap", ErrorCode::sections_overlap},
    {"metadata_count", ErrorCode::metadata_size},
    {"metadata_past_end", ErrorCode::metadata_entry_out_of_bounds},
    {"metadata_duplicate_key", ErrorCode::metadata_duplicate_key},
    {"metadata_utf8", ErrorCode::invalid_utf8},
    {"metadata_missing_key", ErrorCode::metadata_key_missing},
    {"metadata_number", ErrorCode::metadata_number},
    {"metadata_value", ErrorCode::metadata_value},
    {"metadata_contradiction", ErrorCode::metadata_contradiction},
    {"vocab_missing", ErrorCode::vocabulary_missing},
    {"vocab_size", ErrorCode::vocabulary_size},
    {"vocab_count", ErrorCode::vocabulary_count},
    {"vocab_past_end", ErrorCode::vocabulary_entry_out_of_bounds},
    {"vocab_special_offset", ErrorCode::special_tokens_offset},
    {"vocab_special_id", ErrorCode::special_token_id},
    {"vocab_utf8", ErrorCode::invalid_utf8},
    {"vocab_duplicate", ErrorCode::duplicate_token},
    {"index_dtype", ErrorCode::tensor_type},
    {"index_ndim", ErrorCode::tensor_rank},
    {"index_shape_zero", ErrorCode::tensor_shape},
    {"index_shape_unused", ErrorCode::tensor_shape},
    {"index_shape_overflow", ErrorCode::tensor_shape_overflow},
    {"index_data_past_end", ErrorCode::tensor_out_of_bounds},
    {"index_data_overlap", ErrorCode::tensors_overlap},
    {"index_misaligned", ErrorCode::tensor_misaligned},
    {"index_name_past_end", ErrorCode::tensor_name_out_of_bounds},
    {"index_duplicate_name", ErrorCode::tensor_name_duplicate},
    {"index_name_utf8", ErrorCode::invalid_utf8},
    {"index_hash", ErrorCode::tensor_name_hash},
    {"tensor_missing", ErrorCode::tensor_missing},
    {"tensor_shape", ErrorCode::tensor_wrong_shape},
    {"tensor_type", ErrorCode::tensor_wrong_type},
};

/// A vocabulary for the bad fixtures' base without one.
std::vector<std::string> small_vocab() {
  return {"a", "b", "c", "d", "[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"};
}

TEST(EmbdReader, AcceptsEveryGoodFixture) {
  const json manifest = json::parse(content(fixtures / "manifest.json"));
  ASSERT_GT(manifest.size(), 20U);
  for (const json& row : manifest) {
    SCOPED_TRACE(row["file"].get<std::string>());
    WeightFileOptions options{.vocab = {}, .verify = true};
    if (row["vocab_file"].is_string()) {
      options.vocab = lines_of(fixtures / row["vocab_file"].get<std::string>());
    }
    const auto file = WeightFile::open(fixtures / row["file"].get<std::string>(), options);
    ASSERT_TRUE(file) << file.error().message();

    const json& expected = row["config"];
    const ModelSpec& config = file->spec();
    EXPECT_EQ(config.hidden, expected["hidden_size"]);
    EXPECT_EQ(config.hidden, expected["embedding_dim"]);
    EXPECT_EQ(config.num_layers, expected["num_layers"]);
    EXPECT_EQ(config.num_heads, expected["num_attention_heads"]);
    EXPECT_EQ(config.intermediate, expected["intermediate_size"]);
    EXPECT_EQ(config.vocab_size, expected["vocab_size"]);
    EXPECT_EQ(config.max_positions, expected["max_position_emb"]);
    EXPECT_EQ(config.max_seq_length, expected["max_seq_length"]);
    EXPECT_EQ(config.layer_norm_eps, expected["layer_norm_eps"].get<double>());
    EXPECT_EQ(config.normalize, expected["normalize"]);
    EXPECT_EQ(config.do_lower_case, expected["do_lower_case"]);
    const std::map<Pooling, std::string> poolings = {
        {Pooling::mean, "mean"}, {Pooling::cls, "cls"}, {Pooling::max, "max"}};
    EXPECT_EQ(poolings.at(config.pooling), expected["pooling"]);

    const SpecialTokenIds& special = file->special_tokens();
    EXPECT_EQ(special.ids(), (row["special_ids"].get<std::array<std::int32_t, 5>>()));
    EXPECT_EQ(file->vocab().size(), config.vocab_size);
    EXPECT_EQ(file->vocab()[special.cls], "[CLS]");
  }
}

TEST(EmbdReader, RefusesEveryBadFixtureAtItsField) {
  const json manifest = json::parse(content(fixtures / "bad/manifest.json"));
  ASSERT_GT(manifest.size(), 150U);
  for (const json& row : manifest) {
    const auto path = fixtures / "bad" / row["file"].get<std::string>();
    SCOPED_TRACE(text_of_path(path));
    if (row["fault"].is_null()) {
      auto file = WeightFile::open(path);
      if (!file && file.error().code() == ErrorCode::vocabulary_missing) {
        file = WeightFile::open(path, {.vocab = small_vocab()});
      }
      ASSERT_TRUE(file) << file.error().message();
      EXPECT_TRUE(file->verify());
      continue;
    }
    if (row["when"] == "verify") {
      const auto file = WeightFile::open(path);
      EXPECT_TRUE(file) << file.error().message();
    }
    const auto file = WeightFile::open(path, {.vocab = {}, .verify = row["when"] == "verify"});
    ASSERT_FALSE(file);
    const Error& error = file.error();
    EXPECT_EQ(error.file(), text_of_path(path));
    EXPECT_EQ(describe(error.code()), describe(codes.at(row["fault"]))) << error.message();
    EXPECT_EQ(error.offset(), row["offset"].get<std::uint64_t>()) << error.message();
    const std::string field = row["field"];
    EXPECT_TRUE(field == "file" || error.what().contains(field)) << error.message();
  }
}

TEST(EmbdReader, ANonZeroChecksumWithoutTheFlagIsRefused) {
  const std::string good = content(fixtures / "no_checksums.weights");
  const std::uint64_t footer = good.size() - layout::footer_bytes;
  for (const auto& [at, code] :
       {std::pair(layout::header::header_checksum.at, ErrorCode::header_checksum),
        std::pair(footer + layout::footer::data_checksum.at, ErrorCode::data_checksum),
        std::pair(footer + layout::footer::file_checksum.at, ErrorCode::file_checksum)}) {
    std::string bytes = good;
    bytes[at] = 1;
    const auto file = WeightFile::from_bytes(as_bytes(bytes));
    ASSERT_FALSE(file);
    EXPECT_EQ(file.error().code(), code);
    EXPECT_EQ(file.error().offset(), at);
  }
}

TEST(EmbdReader, FloatsInPlaceAndCopiedAreTheSame) {
  const auto file = WeightFile::open(fixtures / "plain.weights");
  ASSERT_TRUE(file);
  const auto matrix = file->matrix("encoder.layer.1.intermediate.dense.weight");
  ASSERT_TRUE(matrix);
  EXPECT_EQ(matrix->rows(), file->spec().intermediate);
  EXPECT_EQ(matrix->cols(), file->spec().hidden);
  const auto view = matrix->view();
  ASSERT_TRUE(view);
  Matrix copy(matrix->rows(), matrix->cols());
  ASSERT_TRUE(matrix->to_floats(copy.values()));
  EXPECT_TRUE(std::ranges::equal(copy.values(), view->values()));
  EXPECT_EQ(matrix->to_floats(copy.values().first(3)).error().code(), ErrorCode::invalid_argument);

  const auto bias = file->vector("encoder.layer.1.intermediate.dense.bias");
  ASSERT_TRUE(bias);
  EXPECT_EQ(bias->size(), file->spec().intermediate);
  EXPECT_EQ(file->matrix("no.such").error().code(), ErrorCode::tensor_missing);
  EXPECT_EQ(file->vector("no.such").error().code(), ErrorCode::tensor_missing);
  EXPECT_EQ(file->find("no.such"), nullptr);
}

TEST(EmbdReader, UnalignedFloatsAreCopied) {
  for (const char* name :
       {"unaligned.weights", "unaligned_f16.weights", "unaligned_int8.weights"}) {
    const auto file = WeightFile::open(fixtures / name);
    ASSERT_TRUE(file);
    EXPECT_FALSE(file->is_aligned());
    for (const Tensor& tensor : file->tensors()) {
      if (tensor.shape.rank != 2) continue;
      const auto matrix = file->matrix(tensor.name);
      ASSERT_TRUE(matrix);
      std::vector<float> values(tensor.num_values(), NAN);
      ASSERT_TRUE(matrix->to_floats(values));
      EXPECT_TRUE(std::ranges::all_of(values, [](float v) { return std::isfinite(v); }));
      std::vector<float> last_row(matrix->cols());
      ASSERT_TRUE(matrix->row_to_floats(matrix->rows() - 1, 1, last_row));
      EXPECT_TRUE(std::ranges::equal(last_row, std::span(values).last(matrix->cols())));
      EXPECT_FALSE(matrix->row_to_floats(matrix->rows(), 1, last_row));
    }
  }
}

TEST(EmbdReader, Int8IsTheStoredValueTimesItsRowsScale) {
  const auto file = WeightFile::open(fixtures / "int8.weights");
  ASSERT_TRUE(file);
  for (const char* name :
       {"embeddings.word_embeddings.weight", "encoder.layer.0.output.dense.weight"}) {
    const auto matrix = file->matrix(name);
    ASSERT_TRUE(matrix);
    ASSERT_EQ(matrix->type(), ElementType::i8);
    EXPECT_FALSE(matrix->view());
    Matrix floats(matrix->rows(), matrix->cols());
    ASSERT_TRUE(matrix->to_floats(floats.values()));
    const auto scales = view_floats(*matrix->scale);
    ASSERT_TRUE(scales);
    for (std::size_t r = 0; r < floats.rows(); ++r) {
      for (std::size_t c = 0; c < floats.cols(); ++c) {
        const auto stored = static_cast<std::int8_t>(matrix->values->data[r * floats.cols() + c]);
        ASSERT_EQ(floats.row(r)[c], static_cast<float>(stored) * (*scales)[r]);
      }
    }
  }
}

TEST(EmbdReader, UnneededTensorsAndKeysAreKept) {
  const auto file = WeightFile::open(fixtures / "extras.weights");
  ASSERT_TRUE(file);
  std::vector<bool> seen(tensor_types.size());
  for (const Tensor& tensor : file->tensors()) seen[tensor_type_number(tensor.type)] = true;
  EXPECT_EQ(std::ranges::count(seen, true), tensor_types.size());
  EXPECT_GT(file->metadata().size(), 16U);
  EXPECT_EQ(file->metadata("model_name"), file->spec().name);
  EXPECT_EQ(file->metadata("no such key"), std::nullopt);
}

TEST(EmbdReader, EqualHashesAreTwoTensors) {
  const auto file = WeightFile::open(fixtures / "hash_collision.weights");
  ASSERT_TRUE(file);
  const Tensor* a = file->find("adapter.229599.down.weight");
  const Tensor* b = file->find("adapter.432382.down.weight");
  ASSERT_NE(a, nullptr);
  ASSERT_NE(b, nullptr);
  EXPECT_EQ(fnv1a32(a->name), fnv1a32(b->name));
  EXPECT_NE(a->file_offset, b->file_offset);
}

TEST(EmbdReader, ViewsSurviveAMove) {
  auto file = WeightFile::open(fixtures / "external_vocab.weights",
                               {.vocab = lines_of(fixtures / "external_vocab.vocab.txt")});
  ASSERT_TRUE(file);
  const auto matrix = file->matrix("encoder.layer.0.output.dense.weight");
  const std::string first(file->vocab()[0]);
  const WeightFile moved = std::move(*file);
  EXPECT_EQ(moved.vocab()[0], first);
  EXPECT_EQ(moved.find("encoder.layer.0.output.dense.weight"), matrix->values);
  EXPECT_FALSE(moved.has_own_vocab());
}

TEST(EmbdReader, AGivenVocabularyMustFit) {
  const auto path = fixtures / "external_vocab.weights";
  const auto vocab = lines_of(fixtures / "external_vocab.vocab.txt");
  auto short_one = vocab;
  short_one.pop_back();
  EXPECT_EQ(WeightFile::open(path, {.vocab = short_one}).error().code(),
            ErrorCode::vocabulary_count);
  auto without_cls = vocab;
  *std::ranges::find(without_cls, "[CLS]") = "[cls]";
  EXPECT_EQ(WeightFile::open(path, {.vocab = without_cls}).error().code(),
            ErrorCode::special_token_id);
  auto repeated = vocab;
  repeated.back() = repeated.front();
  EXPECT_EQ(WeightFile::open(path, {.vocab = repeated}).error().code(), ErrorCode::duplicate_token);

  // A file with its own vocabulary takes no other.
  const auto plain = fixtures / "plain.weights";
  const auto own = WeightFile::open(plain);
  ASSERT_TRUE(own);
  EXPECT_TRUE(WeightFile::open(plain, {.vocab = {own->vocab().begin(), own->vocab().end()}}));
  EXPECT_EQ(WeightFile::open(plain, {.vocab = vocab}).error().code(), ErrorCode::invalid_argument);
}

TEST(EmbdReader, SystemErrorsNameTheFile) {
  const auto file = WeightFile::open(fixtures / "no such file");
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().code(), ErrorCode::not_found);
  EXPECT_EQ(file.error().file(), text_of_path(fixtures / "no such file"));
}

TEST(EmbdReader, EveryTruncationIsRefused) {
  const std::string good = content(fixtures / "bad/base_int8.weights");
  ASSERT_TRUE(WeightFile::from_bytes(as_bytes(good)));
  for (std::size_t size = 0; size < good.size(); ++size) {
    const std::string cut = good.substr(0, size);
    ASSERT_FALSE(WeightFile::from_bytes(as_bytes(cut))) << size;
  }
}

TEST(EmbdReader, AFlippedByteIsRefusedOrChangesOnlyContent) {
  const std::string good = content(fixtures / "bad/base_int8.weights");
  for (const int flip : {0x01, 0x80, 0xff}) {
    for (std::size_t at = 0; at < good.size() - layout::footer_bytes; ++at) {
      std::string bytes = good;
      bytes[at] = static_cast<char>(bytes[at] ^ flip);
      EXPECT_FALSE(WeightFile::from_bytes(as_bytes(bytes), {.vocab = {}, .verify = true})) << at;
      seal_header(bytes);
      const auto file = WeightFile::from_bytes(as_bytes(bytes));
      if (!file) continue;
      for (const Tensor& tensor : file->tensors()) {
        const auto matrix = file->matrix(tensor.name);
        if (!matrix) continue;
        std::vector<float> values(tensor.num_values());
        ASSERT_TRUE(matrix->to_floats(values));
      }
    }
  }
}

}  // namespace
}  // namespace embd
