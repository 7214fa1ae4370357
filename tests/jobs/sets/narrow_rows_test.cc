#include "jobs/sets/narrow_rows.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "formats/vectors/sidecar_names.h"

namespace embd {
namespace {

Matrix matrix(std::size_t rows, std::vector<float> values) {
  Matrix made(rows, values.size() / rows);
  std::ranges::copy(values, made.data());
  return made;
}

std::vector<float> values_of(const Matrix& rows) {
  return {rows.values().begin(), rows.values().end()};
}

/// Compares with sentence_transformers.util.quantization.quantize_embeddings 6.2 for the same rows.
TEST(NarrowRows, CodesAreThoseOfSentenceTransformers) {
  const Matrix rows = matrix(3, {0.5F, -1.0F, 2.0F, 0.25F, 0.0F, 2.0F, 0.0F, 1.0F, 2.0F});
  const Matrix ranges = matrix(2, {0.0F, -1.0F, 2.0F, 0.5F, 1.0F, 2.0F});
  // The greatest value falls into the last step but one, for 255 steps of float32 do not quite
  // reach it. A component without range has steps of 1.
  EXPECT_EQ(values_of(int8_codes(rows, ranges)),
            (std::vector<float>{126, -128, -128, -1, -1, -128, -128, 126, -128}));
  const Matrix outside = matrix(1, {-3.0F, 5.0F, 2.5F});
  EXPECT_EQ(values_of(int8_codes(outside, ranges)), (std::vector<float>{-128, 127, -128}));
}

TEST(NarrowRows, BitsBeginWithTheMostSignificant) {
  const Matrix rows = matrix(2, {1, -1, 0, 1, 1, 1, 1, 1, 0.1F, -0.0F,  //
                                 0, 0,  0, 0, 0, 0, 0, 0, -1,   1e-30F});
  EXPECT_EQ(binary_dim(10), 2U);
  EXPECT_EQ(values_of(binary_codes(rows)),
            (std::vector<float>{0b10011111 - 128, 0b10000000 - 128, -128, 0b01000000 - 128}));
}

class NarrowRowsFile : public testing::Test {
 protected:
  std::filesystem::path path_ =
      std::filesystem::path(testing::TempDir()) /
      (std::string(testing::UnitTest::GetInstance()->current_test_info()->name()) + ".npy");

  std::unique_ptr<VectorWriter> codes_writer(std::uint64_t dim) {
    return create_vectors(path_, dim, {.element_type = ElementType::i8}).value();
  }
};

TEST_F(NarrowRowsFile, RangesAreThoseOfAllRowsAndStandBeside) {
  const auto writer = int8_rows(codes_writer(2), 2, std::nullopt, path_);
  ASSERT_TRUE(writer->append(matrix(2, {0, 5, 1, 6}), std::vector<std::string>{"a", "b"}));
  ASSERT_TRUE(writer->append(matrix(1, {-1, 7}), std::vector<std::string>{"c"}));
  ASSERT_TRUE(writer->append(Matrix(0, 2), std::vector<std::string>{}));
  ASSERT_TRUE(writer->finish());

  const Matrix ranges = read_ranges(ranges_path(path_), 2).value();
  EXPECT_EQ(values_of(ranges), (std::vector<float>{-1, 5, 1, 7}));
  const auto file = open_vectors(path_).value();
  EXPECT_EQ(file->info().encoding, "i8");
  Matrix rows(3, 2);
  ASSERT_TRUE(file->read(0, 3, rows.values()));
  EXPECT_EQ(values_of(rows), (std::vector<float>{-1, -128, 126, -1, -128, 126}));
  EXPECT_EQ(std::get<std::vector<std::string>>(file->ids().value()),
            (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(read_ranges(path_, 2).error().code(), ErrorCode::bad_count);
}

TEST_F(NarrowRowsFile, ASingleRowNeedsRangesOfOthers) {
  const auto own = int8_rows(codes_writer(2), 2, std::nullopt, path_);
  ASSERT_TRUE(own->append(matrix(1, {1, 2}), {}));
  EXPECT_EQ(own->finish().error().code(), ErrorCode::bad_count);

  const auto given = int8_rows(codes_writer(2), 2, matrix(2, {0, 0, 2, 2}), path_);
  ASSERT_TRUE(given->append(matrix(1, {1, 2}), {}));
  ASSERT_TRUE(given->finish());
  Matrix row(1, 2);
  ASSERT_TRUE(open_vectors(path_).value()->read(0, 1, row.values()));
  EXPECT_EQ(values_of(row), (std::vector<float>{-1, 126}));
}

TEST_F(NarrowRowsFile, MoreRowsThanArePassedOnAtOnce) {
  Matrix rows(3000, 3);
  for (std::size_t i = 0; i < 9000; ++i) rows.data()[i] = std::sin(static_cast<float>(i));
  const auto writer = int8_rows(codes_writer(3), 3, std::nullopt, path_);
  ASSERT_TRUE(writer->append(rows, {}));
  ASSERT_TRUE(writer->finish());
  const Matrix ranges = read_ranges(ranges_path(path_), 3).value();
  Matrix stored(3000, 3);
  ASSERT_TRUE(open_vectors(path_).value()->read(0, 3000, stored.values()));
  EXPECT_EQ(values_of(stored), values_of(int8_codes(rows, ranges)));
}

}  // namespace
}  // namespace embd
