#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <random>
#include <string>

#include "embd/model.h"
#include "engine/kernels/kernels.h"
#include "tests/support/npy.h"
#include "tests/support/real_model.h"

// all-MiniLM-L6-v2 against the vectors of its float64 reference, once for each table of kernels.

namespace embd {
namespace {

constexpr float kTolerance = 2e-6F;

struct Golden {
  std::vector<std::string> texts;
  std::vector<float> rows;  // [texts, 384]
  std::vector<std::string_view> views() const { return {texts.begin(), texts.end()}; }
};

Golden read_golden(const std::filesystem::path& texts, const std::filesystem::path& rows) {
  Golden golden;
  std::ifstream lines(texts);
  for (std::string line; std::getline(lines, line);) {
    golden.texts.push_back(nlohmann::json::parse(line)["text"]);
  }
  golden.rows = test::read_npy(rows).as<float>();
  return golden;
}

Golden committed() {
  const std::filesystem::path data = std::filesystem::path(EMBD_TEST_DATA) / "engine";
  return read_golden(data / "embeddings.jsonl", data / "embeddings.npy");
}

float largest_difference(std::span<const float> a, std::span<const float> b) {
  float largest = a.size() == b.size() ? 0 : INFINITY;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    largest = std::max(largest, std::abs(a[i] - b[i]));
  }
  return largest;
}

class GoldenTest : public testing::TestWithParam<const kernels::Kernels*> {
 protected:
  void SetUp() override {
    EMBD_NEEDS_REAL_MODEL();
    if (!GetParam()->supported()) GTEST_SKIP() << "this machine has no " << GetParam()->name;
    ::setenv("EMBD_KERNELS", GetParam()->name, 1);
    auto model = Model::open(test::real_model());
    ::unsetenv("EMBD_KERNELS");
    ASSERT_TRUE(model) << model.error().message();
    model_.emplace(std::move(*model));
  }
  std::optional<Model> model_;
};

TEST_P(GoldenTest, VectorsAreWithin2e6OfTheReference) {
  const Golden golden = committed();
  ASSERT_EQ(golden.texts.size(), 240U);
  const auto rows = model_->encode(golden.views());
  ASSERT_TRUE(rows) << rows.error().message();
  EXPECT_LE(largest_difference(rows->values(), golden.rows), kTolerance);
  RecordProperty("largest_difference",
                 std::to_string(1e9F * largest_difference(rows->values(), golden.rows)));
}

TEST_P(GoldenTest, ATextHasTheSameBytesInEveryBatch) {
  const Golden golden = committed();
  const auto rows = model_->encode(golden.views(), {.threads = 2});
  ASSERT_TRUE(rows);
  std::vector<std::size_t> order(golden.texts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::shuffle(order, std::mt19937(11));
  order.resize(60);
  std::vector<std::string_view> some;
  for (const std::size_t i : order) some.push_back(golden.texts[i]);
  const auto shuffled = model_->encode(some, {.threads = 1, .batch_tokens = 37});
  ASSERT_TRUE(shuffled);
  for (std::size_t i = 0; i < order.size(); ++i) {
    ASSERT_EQ(std::memcmp(shuffled->row(i).data(), rows->row(order[i]).data(),
                          rows->cols() * sizeof(float)),
              0)
        << golden.texts[order[i]];
  }
}

INSTANTIATE_TEST_SUITE_P(Tables, GoldenTest,
                         testing::ValuesIn(kernels::available_kernels().begin,
                                           kernels::available_kernels().end),
                         [](const auto& table) { return std::string(table.param->name); });

}  // namespace
}  // namespace embd
