#include <gtest/gtest.h>

#include "embd/convert.h"
#include "tests/support/files.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/written_formats.h"

namespace embd {
namespace {

class ConvertVectors : public test::TemporaryDirectory {
 protected:
  ConvertVectors() : rows_(9, 6) {
    for (std::size_t i = 0; i < rows_.values().size(); ++i)
      rows_.values()[i] = 1.0F / static_cast<float>(i + 3);
  }
  std::filesystem::path file(const std::string& name) const { return path(name); }

  Matrix rows_;
};

TEST_F(ConvertVectors, ACvcFileKeepsItsCompression) {
  for (const auto& [name, compression] : cvc_compression_names) {
    ASSERT_TRUE(write_vectors(file("a.cvc"), rows_, {.cvc = {.compression = compression}}));
    const auto report = convert_vectors({file("a.cvc")}, file("b.cvc"));
    ASSERT_TRUE(report) << report.error().message();
    const auto a = open_vectors(file("a.cvc")).value();
    const auto b = open_vectors(file("b.cvc")).value();
    EXPECT_EQ(a->info().encoding, name);
    EXPECT_EQ(b->info().encoding, name);
  }
}

/// The ids of some rows are their places in the whole, whatever format they are written in.
TEST_F(ConvertVectors, SomeRowsHaveTheirNumbersInEveryFormat) {
  ASSERT_TRUE(write_vectors(file("a.npy"), rows_));
  ConvertOptions options;
  options.first_row = 5;
  options.end_row = 7;
  for (const std::string& name :
       test::written({"b.npy", "b.jsonl", "b.cvc", "b.usearch", "b.fvecs", "b.svs"})) {
    ASSERT_TRUE(convert_vectors({file("a.npy")}, file(name), options)) << name;
    const Ids ids = open_vectors(file(name)).value()->ids().value();
    ASSERT_TRUE(std::holds_alternative<std::vector<std::uint64_t>>(ids)) << name;
    EXPECT_EQ(std::get<std::vector<std::uint64_t>>(ids), (std::vector<std::uint64_t>{5, 6}))
        << name;
  }
  options.end_row = 10;
  EXPECT_EQ(convert_vectors({file("a.npy")}, file("b.npy"), options).error().code(),
            ErrorCode::invalid_argument);
}

TEST_F(ConvertVectors, BinaryCodesBecomeAnIndexOfTheirBits) {
  const Recipe recipe = {
      .model_sha256 = std::string(64, 'a'), .truncate_dim = 6, .output_type = "f32"};
  for (std::size_t i = 0; i < rows_.values().size(); i += 2) rows_.values()[i] *= -1;
  ASSERT_TRUE(write_vectors(file("rows.cvc"), rows_, {.recipe = recipe}));
  const auto convert = [&](const char* from, const char* to, OutputType type) {
    ConvertOptions options;
    options.output.type = type;
    const auto report = convert_vectors({file(from)}, file(to), options);
    ASSERT_TRUE(report) << report.error().message();
  };
  convert("rows.cvc", "codes.npy", OutputType::binary);
  convert("codes.npy", "codes.usearch", OutputType::automatic);
  convert("rows.cvc", "rows.usearch", OutputType::binary);
  EXPECT_EQ(test::content(file("codes.usearch")), test::content(file("rows.usearch")));
}

}  // namespace
}  // namespace embd
