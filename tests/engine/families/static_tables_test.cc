#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "embd/model.h"
#include "tests/engine/families/families.h"

// Models that are only a table of vectors.

namespace embd {
namespace {

using test::copy_folder;
using test::FamilySettingsTest;

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

}  // namespace
}  // namespace embd
