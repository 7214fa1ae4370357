#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "embd/convert_model.h"
#include "embd/model.h"
#include "engine/kernels/kernels.h"
#include "formats/weights/embd/embd_reader.h"
#include "tests/support/gzip.h"
#include "tests/support/multilingual_folder.h"
#include "tests/support/npy.h"
#include "tests/support/split.h"
#include "tests/support/temporary_directory.h"

// Models with a Unigram tokenizer from their folders to their vectors, against ids of `tokenizers`
// and vectors of a float64 reference.

namespace embd {
namespace {

using embd::testing::read_gzip;
using embd::testing::split;

constexpr double tolerance = 2e-6;

/// A text with the ids and the vector that are right for it.
struct Case {
  std::string text;
  std::vector<std::int32_t> ids;
  std::span<const double> row;
};

class MultilingualTest : public test::TemporaryDirectory,
                         public ::testing::WithParamInterface<const char*> {
 protected:
  void SetUp() override {
    TemporaryDirectory::SetUp();
    test::copy_multilingual_folder(GetParam(), folder());
    const std::string data = std::string(EMBD_TEST_DATA) + "/unigram/" + GetParam();
    rows_ = test::read_npy(data + ".npy").as<double>();
    lines_ = read_gzip(data + ".jsonl.gz");
    for (const std::string_view line : split(lines_, '\n')) {
      const auto row = nlohmann::json::parse(line);
      cases_.push_back({.text = row["text"], .ids = row["ids"]});
    }
    const std::size_t dim = rows_.size() / cases_.size();
    for (std::size_t i = 0; i < cases_.size(); ++i)
      cases_[i].row = std::span(rows_).subspan(i * dim, dim);
  }

  std::filesystem::path folder() const { return path("folder"); }
  std::span<const Case> cases() const { return cases_; }
  std::vector<std::string_view> texts() const {
    std::vector<std::string_view> views;
    for (const Case& one : cases_) views.push_back(one.text);
    return views;
  }

 private:
  std::string lines_;
  std::vector<double> rows_;
  std::vector<Case> cases_;
};

INSTANTIATE_TEST_SUITE_P(Networks, MultilingualTest, ::testing::Values("bert_mean", "xlmr_cls"),
                         [](const auto& network) { return std::string(network.param); });

TEST_P(MultilingualTest, IdsAndVectorsAreThoseOfTheReference) {
  const auto model = Model::open(folder());
  ASSERT_TRUE(model) << model.error().message();
  ASSERT_EQ(cases().size(), 85U);
  const auto rows = model->encode(texts());
  ASSERT_TRUE(rows) << rows.error().message();
  for (std::size_t i = 0; i < cases().size(); ++i) {
    const Case& one = cases()[i];
    EXPECT_EQ(model->tokenize(one.text)->ids, one.ids) << one.text;
    for (std::size_t k = 0; k < one.row.size(); ++k)
      ASSERT_LE(std::abs(double{rows->row(i)[k]} - one.row[k]), tolerance) << one.text;
  }
}

TEST_P(MultilingualTest, ItsFileGivesTheSameBytes) {
  const std::filesystem::path file = path("model.weights");
  const auto converted = convert_model(folder(), file, {.model_name = "folder"});
  ASSERT_TRUE(converted) << converted.error().message();
  const auto from_file = Model::open(file, {.verify = true});
  ASSERT_TRUE(from_file) << from_file.error().message();
  const auto from_folder = Model::open(folder());
  EXPECT_EQ(from_file->recipe()->model_sha256, from_folder->recipe()->model_sha256);
  EXPECT_EQ(from_file->recipe()->tokenizer_sha256, from_folder->recipe()->tokenizer_sha256);
  EXPECT_TRUE(std::ranges::equal(from_file->encode(texts())->values(),
                                 from_folder->encode(texts())->values()));
}

TEST_P(MultilingualTest, TheSameBytesOnAllKernels) {
  std::vector<float> first;
  const kernels::KernelList tables = kernels::available_kernels();
  for (const kernels::Kernels* table : std::span(tables.begin, tables.end)) {
    if (!table->supported() || table->name == std::string_view("reference")) continue;
    ::setenv("EMBD_KERNELS", table->name, 1);
    const auto model = Model::open(folder());
    const auto rows = model->encode(texts());
    ::unsetenv("EMBD_KERNELS");
    const std::vector<float> values(rows->values().begin(), rows->values().end());
    if (first.empty()) first = values;
    EXPECT_EQ(std::memcmp(values.data(), first.data(), first.size() * sizeof(float)), 0)
        << table->name;
  }
}

/// Windows, cuts, ids as input and decoding count with the template of the kind alone.
TEST_P(MultilingualTest, EverythingAboveTheTokenizerWorks) {
  const auto model = Model::open(folder());
  std::string text;
  for (int i = 0; i < 60; ++i) text += "The cat sat on the warm window sill. ";
  const auto whole = model->tokenize(text);
  EXPECT_TRUE(whole->truncated);
  EXPECT_EQ(whole->ids.size(), 128U);
  EXPECT_EQ(whole->ids.front(), 0);
  EXPECT_EQ(whole->ids.back(), 2);

  const auto windows = model->encode(text, {.windows = Windows::mean});
  ASSERT_TRUE(windows) << windows.error().message();
  const auto ids = std::to_array<std::span<const std::int32_t>>({cases()[0].ids});
  const auto by_ids = model->encode_ids(ids);
  ASSERT_TRUE(by_ids) << by_ids.error().message();
  EXPECT_TRUE(std::ranges::equal(by_ids->values(), *model->encode(cases()[0].text)));

  const auto tokens = model->tokenize("The cat sat.");
  EXPECT_EQ(model->decode(tokens->ids).value(), "The cat sat.");
  EXPECT_EQ(tokens->ranges[tokens->first.begin], (ByteRange{0, 1}));
  EXPECT_EQ(tokens->ranges[tokens->first.end - 1], (ByteRange{11, 12}));
}

}  // namespace
}  // namespace embd
