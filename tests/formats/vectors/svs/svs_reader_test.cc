#include "formats/vectors/formats.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/half.h"
#include "formats/vectors/svs/vamana_directory.h"
#include "tests/support/npy.h"

namespace embd::svs {
namespace {

const std::filesystem::path data = std::filesystem::path(EMBD_TEST_DATA) / "svs";

Matrix read_all(const VectorReader& reader) {
  Matrix rows(reader.info().num_rows, reader.info().dim);
  const auto read = reader.read(0, rows.rows(), rows.values());
  EXPECT_TRUE(read);
  return rows;
}

std::unique_ptr<VectorReader> open(const std::filesystem::path& path,
                                   const ReadOptions& options = {}) {
  auto reader = format.open(path, options);
  EXPECT_TRUE(reader) << (reader ? "" : reader.error().message());
  return reader ? std::move(*reader) : nullptr;
}

/// The expected values as float32, whatever their stored type.
std::vector<float> floats_of(const test::Npy& npy) {
  std::vector<float> out;
  const auto add = [&](const auto& values) { out.assign(values.begin(), values.end()); };
  if (npy.dtype == "<f4") add(npy.as<float>());
  if (npy.dtype == "|u1") add(npy.as<std::uint8_t>());
  if (npy.dtype == "|i1") add(npy.as<std::int8_t>());
  if (npy.dtype == "<f2") {
    for (const std::uint16_t half : npy.as<std::uint16_t>()) out.push_back(float_from_half(half));
  }
  return out;
}

struct PlainCase {
  const char* name;
  ElementType type;
};

class PlainData : public testing::TestWithParam<PlainCase> {};

TEST_P(PlainData, RowsAreThoseOfTheLibrary) {
  const auto reader = open(data / GetParam().name / "data");
  ASSERT_TRUE(reader);
  const test::Npy expected = test::read_npy(data / GetParam().name / "vectors.npy");
  EXPECT_EQ(reader->info().element_type, GetParam().type);
  ASSERT_EQ(reader->info().num_rows, expected.rows());
  ASSERT_EQ(reader->info().dim, expected.cols());
  const Matrix rows = read_all(*reader);
  EXPECT_EQ(std::vector(rows.values().begin(), rows.values().end()), floats_of(expected));

  std::vector<std::byte> raw;
  ASSERT_TRUE(reader->plain_rows()->read_stored(0, expected.rows(), raw));
  EXPECT_EQ(as_text(raw), expected.bytes);
  EXPECT_EQ(reader->plain_rows()->view().has_value(), GetParam().type == ElementType::f32);
}

INSTANTIATE_TEST_SUITE_P(Fixtures, PlainData,
                         testing::Values(PlainCase{"data_f32", ElementType::f32},
                                         PlainCase{"data_f32_one", ElementType::f32},
                                         PlainCase{"data_f16", ElementType::f16},
                                         PlainCase{"data_u8", ElementType::u8},
                                         PlainCase{"data_i8", ElementType::i8},
                                         PlainCase{"flat", ElementType::f32},
                                         PlainCase{"legacy_v001", ElementType::f32}),
                         [](const auto& test) { return test.param.name; });

struct EncodedCase {
  const char* name;
  const char* encoding;
  const char* expected;
  double tolerance;  // the library's own reconstruction: rounding; its source: half a code step
};

class EncodedData : public testing::TestWithParam<EncodedCase> {};

TEST_P(EncodedData, DecodesToWhatTheLibraryReconstructs) {
  const auto reader = open(data / GetParam().name / "data");
  ASSERT_TRUE(reader);
  EXPECT_EQ(reader->info().encoding, GetParam().encoding);
  const test::Npy npy = test::read_npy(data / GetParam().name / GetParam().expected);
  const std::vector<float> expected = floats_of(npy);
  const Matrix rows = read_all(*reader);
  ASSERT_EQ(rows.values().size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(rows.values()[i], expected[i], GetParam().tolerance) << i;

  // A row by itself is the same as among all.
  std::vector<float> row(rows.cols());
  ASSERT_TRUE(reader->read(rows.rows() - 1, 1, row));
  EXPECT_TRUE(std::ranges::equal(row, rows.row(rows.rows() - 1)));
}

INSTANTIATE_TEST_SUITE_P(
    Fixtures, EncodedData,
    testing::Values(EncodedCase{"lvq8", "lvq8", "reconstructed.npy", 1e-6},
                    EncodedCase{"lvq8_pad32", "lvq8", "reconstructed.npy", 1e-6},
                    EncodedCase{"lvq8_turbo", "lvq8", "reconstructed.npy", 1e-6},
                    EncodedCase{"lvq4x8", "lvq4x8", "reconstructed.npy", 1e-6},
                    EncodedCase{"lvq4x4_turbo", "lvq4x4", "reconstructed.npy", 1e-6},
                    EncodedCase{"sq8", "sq8", "original.npy", 0.0121},
                    EncodedCase{"leanvec8x8", "leanvec8 (lvq8 + lvq8)", "original.npy", 0.02}),
    [](const auto& test) { return test.param.name; });

TEST(SvsReader, ALoneFileHasTheTypeOneNames) {
  const auto whole = open(data / "data_f32" / "data");
  const auto file = open(data / "data_f32" / "data" / "data_0.svs");
  ASSERT_TRUE(whole && file);
  EXPECT_TRUE(std::ranges::equal(read_all(*whole).values(), read_all(*file).values()));

  const auto halves =
      open(data / "data_f16" / "data" / "data_0.svs", {.element_type = ElementType::f16});
  ASSERT_TRUE(halves);
  const auto wrong = format.open(data / "data_f16" / "data" / "data_0.svs", {});
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().code(), ErrorCode::file_too_short);
}

TEST(SvsReader, AnIndexIsReadAsItsVectors) {
  for (const char* name : {"vamana_l2", "vamana_ip", "vamana_cosine"}) {
    const auto reader = open(data / name);
    ASSERT_TRUE(reader) << name;
    EXPECT_TRUE(std::holds_alternative<std::monostate>(*reader->ids()));
    const Matrix rows = read_all(*reader);
    EXPECT_TRUE(
        std::ranges::equal(rows.values(), test::read_npy(data / name / "vectors.npy").as<float>()))
        << name;
  }
}

TEST(SvsReader, ADynamicIndexHasItsIds) {
  const auto reader = open(data / "dynamic_l2");
  ASSERT_TRUE(reader);
  const auto ids = std::get<std::vector<std::uint64_t>>(*reader->ids());
  const auto expected_ids =
      test::read_npy(data / "dynamic_l2" / "external_ids.npy").as<std::uint64_t>();
  const auto expected = test::read_npy(data / "dynamic_l2" / "vectors_by_external_id.npy");
  const std::vector<float> expected_rows = expected.as<float>();
  const Matrix rows = read_all(*reader);
  ASSERT_EQ(ids.size(), expected_ids.size());
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const auto found = std::ranges::find(expected_ids, ids[i]);
    ASSERT_NE(found, expected_ids.end()) << ids[i];
    const float* row = expected_rows.data() +
                       (found - expected_ids.begin()) * static_cast<std::ptrdiff_t>(rows.cols());
    EXPECT_TRUE(std::equal(rows.row(i).begin(), rows.row(i).end(), row)) << ids[i];
  }
}

TEST(VamanaDirectory, LegacyParametersAreRead) {
  const auto index = open_vamana(data / "legacy_v001");
  ASSERT_TRUE(index) << index.error().message();
  EXPECT_EQ(index->entry_point, 8U);
  EXPECT_EQ(index->build.graph_max_degree, 4U);
  EXPECT_EQ(index->build.window_size, 8U);
  EXPECT_EQ(index->build.max_candidate_pool_size, 24U);
  EXPECT_EQ(index->search.window_size, 6U);
  EXPECT_FALSE(index->search.visited_set);
  EXPECT_EQ(index->graph.num_vertices(), 10U);
}

TEST(VamanaDirectory, ParametersAreRead) {
  const auto index = open_vamana(data / "dynamic_l2");
  ASSERT_TRUE(index) << index.error().message();
  EXPECT_TRUE(index->dynamic);
  EXPECT_EQ(index->entry_point, 10U);
  EXPECT_FLOAT_EQ(index->build.alpha, 1.2F);
  EXPECT_EQ(index->graph.max_degree(), 12U);
  EXPECT_EQ(index->search.window_size, 12U);
  EXPECT_EQ(index->search.capacity, 16U);
  for (std::uint64_t v = 0; v < index->graph.num_vertices(); ++v)
    EXPECT_GT(index->graph.neighbours(v).size(), 0U);
}

}  // namespace
}  // namespace embd::svs
