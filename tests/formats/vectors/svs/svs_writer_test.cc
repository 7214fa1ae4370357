#include "formats/vectors/formats.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>

namespace embd::svs {
namespace {

class SvsWriterTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(testing::TempDir()) /
              (std::string("svs-") + testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directory(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  static Matrix numbers(std::size_t rows, std::size_t dim) {
    Matrix matrix(rows, dim);
    for (std::size_t i = 0; i < matrix.values().size(); ++i)
      matrix.values()[i] = static_cast<float>((i * 37) % 101) - 50.0F;
    return matrix;
  }

  static void write(const std::filesystem::path& path, MatrixView rows, const WriteOptions& options,
                    const Ids& ids = {}) {
    auto writer = format.create(path, rows.cols(), options);
    ASSERT_TRUE(writer) << writer.error().message();
    const std::size_t half = rows.rows() / 2;
    const auto* all = std::get_if<std::vector<std::uint64_t>>(&ids);
    const auto part = [&](std::size_t first, std::size_t count) {
      if (all == nullptr) return Ids{};
      const auto begin = all->begin() + static_cast<std::ptrdiff_t>(first);
      return Ids{std::vector(begin, begin + static_cast<std::ptrdiff_t>(count))};
    };
    ASSERT_TRUE((*writer)->append(rows.slice(0, half), part(0, half)));
    ASSERT_TRUE(
        (*writer)->append(rows.slice(half, rows.rows() - half), part(half, rows.rows() - half)));
    const auto finished = (*writer)->finish();
    ASSERT_TRUE(finished) << finished.error().message();
  }

  static Matrix read_back(const std::filesystem::path& path, const ReadOptions& options = {}) {
    const auto reader = format.open(path, options);
    EXPECT_TRUE(reader) << reader.error().message();
    if (!reader) return {};
    Matrix rows((*reader)->info().num_rows, (*reader)->info().dim);
    EXPECT_TRUE((*reader)->read(0, rows.rows(), rows.values()));
    return rows;
  }

  static std::string content(const std::filesystem::path& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
  }

  std::filesystem::path folder_;
};

TEST_F(SvsWriterTest, EveryLayoutAndTypeRoundTrips) {
  for (const std::size_t rows : {0, 1, 7}) {
    for (const std::size_t dim : {1, 5, 384}) {
      const Matrix matrix = numbers(rows, dim);
      for (const ElementType type : {ElementType::f32, ElementType::f16, ElementType::i8}) {
        for (const auto layout : {SvsOptions::Layout::automatic, SvsOptions::Layout::file}) {
          const auto path = folder_ / "out.svs";
          std::filesystem::remove_all(path);
          write(path, matrix, {.element_type = type, .svs = {.layout = layout}});
          EXPECT_TRUE(std::ranges::equal(read_back(path, {.element_type = type}).values(),
                                         matrix.values()));
        }
      }
    }
  }
}

TEST_F(SvsWriterTest, TheSpecificationLayoutKeepsIds) {
  const Matrix matrix = numbers(5, 3);
  const std::vector<std::uint64_t> ids = {9, 7, ~std::uint64_t{0}, 0, 1};
  write(folder_ / "my.vectors.config", matrix,
        {.svs = {.layout = SvsOptions::Layout::specification}}, ids);
  const auto reader = format.open(folder_ / "my.vectors.config", {});
  ASSERT_TRUE(reader) << reader.error().message();
  EXPECT_EQ(std::get<std::vector<std::uint64_t>>(*(*reader)->ids()), ids);
  EXPECT_TRUE(
      std::ranges::equal(read_back(folder_ / "my.vectors.config").values(), matrix.values()));
}

TEST_F(SvsWriterTest, LvqDecodesWithinHalfAStep) {
  Matrix matrix = numbers(9, 21);
  for (std::size_t d = 0; d < 21; ++d)
    matrix.row(4)[d] = 3.0F;   // a row without range around the others' mean
  const float range = 102.0F;  // around the mean
  for (const auto& [name, step] :
       {std::pair{"lvq4", range / 15}, std::pair{"lvq8", range / 255},
        std::pair{"lvq4x4", range / 225}, std::pair{"lvq4x8", range / 3825},
        std::pair{"lvq8x8", range / 65025}}) {
    const auto path = folder_ / "out.svs";
    write(path, matrix, {.svs = {.quantizer = value_named(name, svs_quantizer_names).value()}});
    const auto reader = format.open(path, {});
    ASSERT_TRUE(reader) << reader.error().message();
    EXPECT_EQ((*reader)->info().encoding, name);
    const Matrix back = read_back(path);
    for (std::size_t i = 0; i < matrix.values().size(); ++i) {
      EXPECT_NEAR(back.values()[i], matrix.values()[i], step * 0.75F + 1e-5F) << name << ' ' << i;
    }
    EXPECT_FALSE(std::filesystem::exists(path / "rows"));
  }
}

TEST_F(SvsWriterTest, EqualRowsGiveEqualFiles) {
  const Matrix matrix = numbers(6, 4);
  for (const char* name : {"a.svs", "b.svs"}) write(folder_ / name, matrix, {});
  for (const char* file : {"svs_config.toml", "data_0.svs"})
    EXPECT_EQ(content(folder_ / "a.svs" / file), content(folder_ / "b.svs" / file));
}

TEST_F(SvsWriterTest, TheSpecificationLayoutIsNamedByItsConfiguration) {
  write(folder_ / "x.svs", numbers(6, 4), {.svs = {.layout = SvsOptions::Layout::specification}});
  EXPECT_FALSE(std::filesystem::exists(folder_ / "x.svs"));
  EXPECT_TRUE(format.open(folder_ / "x.config", {}));
}

TEST_F(SvsWriterTest, WhatCannotBeStoredIsRefusedAndNothingAppears) {
  const Matrix matrix = numbers(2, 2);
  EXPECT_EQ(format.create(folder_ / "x.svs", 2, {.element_type = ElementType::b1}).error().code(),
            ErrorCode::unsupported);
  using Pq = FinalfusionOptions::Quantizer;
  const SvsOptions lvq_file = {.layout = SvsOptions::Layout::file,
                               .quantizer = SvsOptions::Quantizer::lvq8};
  for (const WriteOptions& options :
       {WriteOptions{.finalfusion = {.quantizer = Pq::pq}}, WriteOptions{.svs = lvq_file}})
    EXPECT_EQ(format.create(folder_ / "x.svs", 2, options).error().code(), ErrorCode::unsupported);
  {
    auto writer = format.create(folder_ / "x.svs", 2, {.element_type = ElementType::u8});
    ASSERT_TRUE(writer);
    EXPECT_EQ((*writer)->append(matrix, {}).error().code(), ErrorCode::bad_value);  // -50
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

TEST_F(SvsWriterTest, TheRecipeIsInsideEveryFormThatHasToml) {
  const Recipe recipe = {.model_sha256 = "ab12",
                         .tokenizer_sha256 = "cd34",
                         .max_length = 256,
                         .pooling = Pooling::cls,
                         .normalize = false,
                         .truncate_dim = 5,
                         .model_name = "mini 'quoted' \"twice\"",
                         .prompt = "line\nline: ",
                         .compute = "f32",
                         .instruction_set = "avx2",
                         .output_type = "f32",
                         .input_sha256 = "",
                         .embd_version = "1"};
  const Matrix matrix = numbers(7, 5);
  const WriteOptions forms[] = {
      {.recipe = recipe},
      {.recipe = recipe, .svs = {.quantizer = SvsOptions::Quantizer::lvq8}},
      {.recipe = recipe, .svs = {.layout = SvsOptions::Layout::specification}}};
  for (const WriteOptions& options : forms) {
    const auto path =
        folder_ /
        (options.svs.layout == SvsOptions::Layout::specification ? "out.config" : "out.svs");
    std::filesystem::remove_all(path);
    write(path, matrix, options);
    const auto reader = format.open(path, {});
    ASSERT_TRUE(reader) << reader.error().message();
    EXPECT_EQ((*reader)->recipe().value(), recipe);
  }
  std::filesystem::remove_all(folder_ / "out.svs");
  write(folder_ / "out.svs", matrix, {});
  EXPECT_EQ(format.open(folder_ / "out.svs", {}).value()->recipe().value(), std::nullopt);
}

TEST_F(SvsWriterTest, ARecipeOfWrongTypesIsRefused) {
  for (const std::string wrong : {"'long'", "7.5", "-1", "true"}) {
    write(folder_ / "out.svs", numbers(2, 3), {});
    std::ofstream(folder_ / "out.svs/svs_config.toml", std::ios::app)
        << "\n[embd]\nmax_length = " << wrong << "\n";
    const auto reader = format.open(folder_ / "out.svs", {});
    ASSERT_FALSE(reader) << wrong;
    EXPECT_EQ(reader.error().code(), ErrorCode::bad_value);
    const std::string message = reader.error().message();
    EXPECT_NE(message.find("svs_config.toml"), std::string::npos);
    const std::string said = wrong == "'long'" ? "\"long\"" : wrong;
    EXPECT_TRUE(message.contains("\"max_length\" of the recipe is " + said + ",")) << message;
    std::filesystem::remove_all(folder_ / "out.svs");
  }
}

TEST_F(SvsWriterTest, TomlNestedTooDeepIsRefused) {
  for (const char* opening : {"[", "{a=", "a."}) {
    write(folder_ / "deep.svs", numbers(2, 3), {});
    std::ofstream file(folder_ / "deep.svs/svs_config.toml", std::ios::app);
    file << "\nx = ";
    for (int i = 0; i < 100'000; ++i) file << opening;
    file.close();
    const auto reader = format.open(folder_ / "deep.svs", {});
    ASSERT_FALSE(reader);
    EXPECT_EQ(reader.error().code(), ErrorCode::bad_toml) << reader.error().message();
    std::filesystem::remove_all(folder_ / "deep.svs");
  }
}

}  // namespace
}  // namespace embd::svs
