#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <numeric>
#include <random>
#include <sstream>
#include <string>

#include "base/checksum.h"
#include "embd/model.h"
#include "engine/kernels/kernels.h"
#include "tests/support/gzip.h"
#include "tests/support/npz.h"
#include "tests/support/real_model.h"
#include "tests/support/shared_data.h"

// all-MiniLM-L6-v2 against the vectors of its float64 reference, once for each table of kernels.

namespace embd {
namespace {

constexpr float tolerance = 2e-6F;

struct Golden {
  std::vector<std::string> texts;
  std::vector<float> rows;  // [texts, 384]
  std::vector<std::string_view> views() const { return {texts.begin(), texts.end()}; }
  void resize(std::size_t num_texts) {
    texts.resize(num_texts);
    rows.resize(num_texts * 384);
  }
};

Golden read_golden(const std::filesystem::path& texts, const std::filesystem::path& rows) {
  Golden golden;
  std::istringstream lines(embd::testing::read_gzip(texts));  // Reads plain files as well.
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

/// Few enough for a table without instructions for it, or a processor that is emulated.
constexpr std::size_t few = 12;

/// In plain loops all would take minutes.
bool is_slow(const kernels::Kernels& kernels) {
  const std::string_view name = kernels.name;
  return name == "reference" || name == "portable" || name == "amx_model" || name == "wasm_simd128";
}

kernels::Arithmetic arithmetic_of(Compute compute) {
  return compute == Compute::int8   ? kernels::Arithmetic::int8
         : compute == Compute::bf16 ? kernels::Arithmetic::bf16
                                    : kernels::Arithmetic::f32;
}

class GoldenTest : public ::testing::TestWithParam<const kernels::Kernels*> {
 protected:
  void SetUp() override {
    EMBD_NEEDS_REAL_MODEL();
    if (!GetParam()->supported()) GTEST_SKIP() << "this machine has no " << GetParam()->name;
    ::setenv("EMBD_KERNELS", GetParam()->name, 1);
  }
  void TearDown() override { ::unsetenv("EMBD_KERNELS"); }
};

TEST_P(GoldenTest, VectorsAreWithin2e6OfTheReferenceAndTheSameInEveryBatch) {
  Golden golden = committed();
  ASSERT_EQ(golden.texts.size(), 240U);
  if (is_slow(*GetParam()) && GetParam()->name != std::string_view("reference")) golden.resize(few);
  const auto model = Model::open(test::real_model());
  ASSERT_TRUE(model) << model.error().message();
  const auto rows = model->encode(golden.views(), {.threads = 2});
  ASSERT_TRUE(rows) << rows.error().message();
  const float difference = largest_difference(rows->values(), golden.rows);
  EXPECT_LE(difference, tolerance);
  RecordProperty("largest_difference_1e-9", static_cast<int>(1e9F * difference));

  const auto longest = std::ranges::max_element(golden.texts, {}, &std::string::size);
  const auto alone = model->encode(*longest, {.threads = 3});
  ASSERT_TRUE(alone) << alone.error().message();
  EXPECT_EQ(std::memcmp(alone->data(), rows->row(longest - golden.texts.begin()).data(),
                        alone->size() * sizeof(float)),
            0);

  std::vector<std::size_t> order(golden.texts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::shuffle(order, std::mt19937(11));
  order.resize(std::min<std::size_t>(order.size(), 15));
  std::vector<std::string_view> some;
  for (const std::size_t i : order) some.push_back(golden.texts[i]);
  const auto shuffled = model->encode(some, {.threads = 1, .batch_tokens = 37});
  ASSERT_TRUE(shuffled) << shuffled.error().message();
  for (std::size_t i = 0; i < order.size(); ++i) {
    ASSERT_EQ(std::memcmp(shuffled->row(i).data(), rows->row(order[i]).data(),
                          rows->cols() * sizeof(float)),
              0)
        << golden.texts[order[i]];
  }
}

/// The bounds that bench/quality's figures must stay within.
TEST_P(GoldenTest, NarrowArithmeticKeepsItsCosines) {
  struct Bound {
    Compute compute;
    double mean, min;
  };
  Golden golden = committed();
  if (is_slow(*GetParam())) golden.resize(few);
  for (const auto& [compute, mean, min] :
       {Bound{Compute::int8, 0.9995, 0.9985}, Bound{Compute::bf16, 0.9995, 0.999}}) {
    SCOPED_TRACE(compute_name(compute));
    if (GetParam()->products(arithmetic_of(compute)) == nullptr) continue;
    const auto model = Model::open(test::real_model(), {.compute = compute});
    ASSERT_TRUE(model) << model.error().message();
    const auto rows = model->encode(golden.views());
    ASSERT_TRUE(rows) << rows.error().message();
    double sum = 0;
    double least = 1;
    for (std::size_t i = 0; i < golden.texts.size(); ++i) {
      const auto row = rows->row(i);
      const double cosine =
          std::inner_product(row.begin(), row.end(), golden.rows.begin() + i * row.size(), 0.0);
      sum += cosine;
      least = std::min(least, cosine);
    }
    EXPECT_GE(sum / static_cast<double>(golden.texts.size()), mean);
    EXPECT_GE(least, min);
  }
}

/// One hash for an arithmetic, whatever the table, the processor and the compiler. A change of it
/// is a change of every vector that users have stored: docs/reproducible.md.
struct Hashes {
  Compute compute;
  const char* few_texts;
  const char* all_texts;
};
constexpr Hashes hashes[] = {
    {Compute::f32, "96d861855c83c4b359a58e44bd409788575336ac0aa06e7ad1d449d7f36b1edc",
     "be4a63a8ed9abc2e8086aa98555fa2fd43035d9b5ac129e6c98505795fe1e004"},
    {Compute::bf16, "532b200716ec8ecfe832962a44d97b24ca96e59882221b860069ebbe04acdb7d",
     "b5fb963a1bdcf79c93c1ebef51f24140e96ed2a4bccc232e407c653ec113e362"},
    {Compute::int8, "cabd838a827e0abda3dba20f78e2e8fb38abff36f0e2b45ba6cdca75bd46e07e",
     "dad5b31481627ebe5dfbcdc5417ee0f02107e8eab6853e308c188c7f7b440253"}};

void expect_hash(Compute compute, std::span<const std::string_view> texts, const char* expected) {
  SCOPED_TRACE(compute_name(compute));
  const auto model = Model::open(test::real_model(), {.compute = compute});
  ASSERT_TRUE(model) << model.error().message();
  const auto rows = model->encode(texts);
  ASSERT_TRUE(rows) << rows.error().message();
  EXPECT_EQ(sha256_hex(std::as_bytes(rows->values())), expected);
}

TEST_P(GoldenTest, FewTextsHaveTheHashOfTheirArithmetic) {
  if (std::string_view(GetParam()->name) == "reference") GTEST_SKIP() << "its bytes are its own";
  const Golden golden = committed();
  const auto texts = golden.views();
  for (const Hashes& h : hashes) expect_hash(h.compute, std::span(texts).first(few), h.few_texts);
}

TEST_P(GoldenTest, AllTextsHaveTheHashOfTheirArithmetic) {
  if (is_slow(*GetParam())) GTEST_SKIP() << "few texts are enough in plain loops";
  const Golden golden = committed();
  for (const Hashes& h : hashes) expect_hash(h.compute, golden.views(), h.all_texts);
}

INSTANTIATE_TEST_SUITE_P(Tables, GoldenTest,
                         ::testing::ValuesIn(kernels::available_kernels().begin,
                                             kernels::available_kernels().end),
                         [](const auto& table) { return std::string(table.param->name); });

/// Texts whose licence keeps them out of the repository; with the best kernels alone.
TEST(Golden, SharedVectorsAndEveryPooling) {
  EMBD_NEEDS_REAL_MODEL();
  const std::filesystem::path shared = test::shared_data("golden");
  if (shared.empty()) GTEST_SKIP() << "no golden in EMBD_SHARED_DATA";
  const Golden golden =
      read_golden(shared / "embed_visible.jsonl.gz", shared / "embed_visible.npy");
  const auto model = Model::open(test::real_model());
  ASSERT_TRUE(model) << model.error().message();
  const auto rows = model->encode(golden.views());
  ASSERT_TRUE(rows) << rows.error().message();
  EXPECT_LE(largest_difference(rows->values(), golden.rows), tolerance);

  const auto pooled = test::read_npz(shared / "pooling_visible.npz");
  std::vector<std::string_view> texts;
  for (const std::int32_t i : pooled.at("index").as<std::int32_t>()) {
    texts.push_back(golden.texts[static_cast<std::size_t>(i)]);
  }
  for (const auto& [name, pooling] :
       {std::pair("mean", Pooling::mean), {"cls", Pooling::cls}, {"max", Pooling::max}}) {
    const auto expected = pooled.at(name).as<float>();
    const auto got = model->encode(texts, {.pooling = pooling, .normalize = false});
    ASSERT_TRUE(got) << got.error().message();
    // Not normalized: components up to about 10, of hidden states held to 5e-5.
    EXPECT_LE(largest_difference(got->values(), expected), 2e-5F) << name;
  }
}

}  // namespace
}  // namespace embd
