#include "formats/vectors/cvc/cvc_writer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "formats/vectors/cvc/cvc_codec.h"
#include "formats/vectors/cvc/cvc_reader.h"
#include "formats/vectors/formats.h"
#include "tests/formats/vectors/cvc/fixture.h"

namespace embd::cvc {
namespace {

using Compression = CvcOptions::Compression;

std::filesystem::path temporary(const std::string& name) {
  return std::filesystem::path(testing::TempDir()) / name;
}

Encoding encoding(const nlohmann::json& name) {
  return value_named(name.get<std::string>(), encoding_names).value();
}

ElementType type_of(const test::Npy& array) {
  const std::map<std::string, ElementType> types = {
      {"<f4", ElementType::f32}, {"<f2", ElementType::f16}, {"<i4", ElementType::i32},
      {"<i8", ElementType::i64}, {"|i1", ElementType::i8},  {"|u1", ElementType::u8}};
  return types.at(array.dtype);
}

/// `step` rows at a time, so that calls and chunks have nothing to do with each other.
void append_rows(Writer& writer, const std::vector<test::Npy>& arrays, std::size_t first,
                 std::size_t count, std::size_t step) {
  for (std::size_t row = first; row < first + count; row += step) {
    const std::size_t some = std::min(step, first + count - row);
    std::vector<Bytes> values;
    for (const test::Npy& array : arrays) {
      const std::size_t row_bytes = array.bytes.size() / array.rows();
      values.push_back(as_bytes(array.bytes).subspan(row * row_bytes, some * row_bytes));
    }
    const auto appended = writer.append(some, values);
    ASSERT_TRUE(appended) << appended.error().message();
  }
}

/// `counted`: the writer is told at the start how many rows there will be.
void write_single(const std::filesystem::path& path, const nlohmann::json& entry, std::size_t step,
                  bool counted) {
  const auto& how = entry["written_by"];
  const test::Npy source = load_array(entry["source"]);
  WriterOptions options;
  options.chunk_rows = how["chunk_size"];
  options.mmap_optimized = how.value("mmap_optimized", false);
  if (counted) options.num_rows = source.rows();
  auto writer = Writer::create(path, source.cols(), encoding(how["compression"]), options);
  ASSERT_TRUE(writer) << writer.error().message();
  std::size_t row = 0;
  for (const auto& section : how.value("sections", nlohmann::json::array())) {
    ASSERT_TRUE(writer->begin_section(section[1].dump()));
    append_rows(*writer, {source}, row, section[0], step);
    row += section[0].get<std::size_t>();
  }
  for (const auto& metadata : how.value("chunk_metadata", nlohmann::json::array())) {
    const std::size_t count = std::min<std::size_t>(options.chunk_rows, source.rows() - row);
    ASSERT_TRUE(writer->begin_chunk(metadata.dump()));
    append_rows(*writer, {source}, row, count, step);
    row += count;
  }
  append_rows(*writer, {source}, row, source.rows() - row, step);
  const auto finished = writer->finish();
  ASSERT_TRUE(finished) << finished.error().message();
}

void write_columns(const std::filesystem::path& path, const nlohmann::json& how, std::size_t step,
                   bool counted) {
  std::vector<test::Npy> sources;
  std::vector<Column> columns;
  for (const std::string name : how["column_order"]) {
    sources.push_back(load_array(how["sources"][name]));
    columns.push_back({name, sources.back().cols(), type_of(sources.back()),
                       encoding(how["compressions"][name])});
  }
  WriterOptions options = {.chunk_rows = how["chunk_size"]};
  if (counted) options.num_rows = sources[0].rows();
  auto writer = Writer::create_columnar(path, columns, options);
  ASSERT_TRUE(writer) << writer.error().message();
  append_rows(*writer, sources, 0, sources[0].rows(), step);
  ASSERT_TRUE(writer->finish());
}

TEST(CvcWriter, WritesTheBytesOfTheReferencePackage) {
  const auto path = temporary("same.cvc");
  int files = 0;
  for (const auto& entry : manifest()) {
    if (!entry.contains("written_by")) continue;
    const auto& how = entry["written_by"];
    if (!how.contains("sources") && !entry.contains("source")) continue;  // its input is not kept
    SCOPED_TRACE(entry["file"]);
    ++files;
    for (const std::size_t step : {1U, 3U, 1000U}) {
      for (const bool counted : {false, true}) {
        how.contains("sources") ? write_columns(path, how, step, counted)
                                : write_single(path, entry, step, counted);
        EXPECT_TRUE(file_bytes(path) == file_bytes(fixture(entry["file"]))) << counted;
      }
    }
  }
  EXPECT_EQ(files, 23);
}

Matrix random_rows(std::size_t rows, std::size_t dim, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(0, 0.05F);
  Matrix matrix(rows, dim);
  for (float& value : matrix.values()) value = normal(random);
  return matrix;
}

Matrix read_all(const std::filesystem::path& path, const ReadOptions& options = {}) {
  auto reader = format.open(path, options);
  EXPECT_TRUE(reader) << reader.error().message();
  Matrix values((*reader)->info().num_rows, (*reader)->info().dim);
  EXPECT_TRUE((*reader)->read(0, values.rows(), values.values()));
  EXPECT_TRUE((*reader)->verify());
  return values;
}

void write_rows(const std::filesystem::path& path, const Matrix& rows,
                const WriteOptions& options) {
  auto writer = format.create(path, rows.cols(), options);
  ASSERT_TRUE(writer) << writer.error().message();
  ASSERT_TRUE((*writer)->append(rows, {}));
  ASSERT_TRUE((*writer)->finish());
}

TEST(CvcWriter, RowsAreAsManyAsWereSaid) {
  const auto path = temporary("counted.cvc");
  const Matrix rows = random_rows(5, 3, 1);
  for (const std::uint64_t count : {4U, 6U}) {
    for (const Encoding encoding : {Encoding::fp16, Encoding::int8}) {
      auto writer = Writer::create(path, 3, encoding, {.chunk_rows = 2, .num_rows = count});
      const auto appended = writer->append(rows);
      EXPECT_EQ(appended.has_value(), count == 6);
      const auto finished = writer->finish();
      EXPECT_EQ(finished.error().code(), ErrorCode::bad_count);
    }
  }
  auto writer = Writer::create(path, 3, Encoding::fp16, {.num_rows = 5});
  ASSERT_TRUE(writer->append(rows.view().slice(0, 2)));
  EXPECT_FALSE(writer->begin_section("{}"));
  EXPECT_FALSE(writer->begin_chunk("{}"));
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(CvcWriter, LosslessAndNoneGiveBackEveryBit) {
  const auto path = temporary("exact.cvc");
  for (const Compression compression : {Compression::lossless, Compression::none}) {
    for (const auto& [rows, dim] :
         {std::pair{1, 1}, {7, 1}, {9, 3}, {100, 7}, {1000, 16}, {0, 5}}) {
      Matrix values = random_rows(rows, dim, rows + dim);
      if (rows == 100) {
        // Every bit pattern of the upper half, NaN with payloads among them.
        for (std::size_t i = 0; i < values.values().size(); ++i)
          values.values()[i] = std::bit_cast<float>(static_cast<std::uint32_t>(i * 6131071U));
      }
      for (const std::uint64_t chunk_rows : {0U, 1U, 8U}) {
        write_rows(path, values, {.cvc = {.compression = compression, .chunk_rows = chunk_rows}});
        const Matrix back = read_all(path);
        ASSERT_EQ(back.rows(), values.rows());
        ASSERT_EQ(back.cols(), values.cols());
        EXPECT_TRUE(
            std::ranges::equal(std::as_bytes(back.values()), std::as_bytes(values.values())));
      }
    }
  }
}

TEST(CvcWriter, LosslessPacksEveryDictionarySize) {
  const auto path = temporary("dictionaries.cvc");
  for (std::uint32_t distinct = 1; distinct <= 256; ++distinct) {
    Matrix values(1, 300);
    for (std::uint32_t i = 0; i < 300; ++i) {
      const std::uint32_t byte = 255 - i % distinct;
      values.values()[i] = std::bit_cast<float>(byte | (byte / 2) << 8 | (byte / 3) << 16);
    }
    write_rows(path, values, {.cvc = {.compression = Compression::lossless}});
    const Matrix back = read_all(path);
    EXPECT_TRUE(std::ranges::equal(std::as_bytes(back.values()), std::as_bytes(values.values())))
        << distinct;
  }
}

TEST(CvcWriter, Int8IsWithinHalfAStep) {
  const auto path = temporary("int8.cvc");
  const Matrix values = random_rows(257, 31, 5);
  write_rows(path, values, {.cvc = {.compression = Compression::int8, .chunk_rows = 100}});
  const Matrix back = read_all(path);
  const auto reader = Reader::open(path);
  for (std::size_t row = 0; row < values.rows(); ++row) {
    const float half_step = reader->header().slice(row / 100, 0).scale * 0.50001F;
    for (std::size_t i = 0; i < values.cols(); ++i)
      EXPECT_NEAR(back.row(row)[i], values.row(row)[i], half_step);
  }
}

std::string int8_payload(std::vector<float> values) {
  const auto path = temporary("codes.cvc");
  auto writer = Writer::create(path, values.size(), Encoding::int8);
  EXPECT_TRUE(writer->append(MatrixView(values.data(), 1, values.size())));
  EXPECT_TRUE(writer->finish());
  const std::string bytes = file_bytes(path);
  return bytes.substr(bytes.size() - values.size());
}

TEST(CvcWriter, Int8CodesOfRangesThatAreNoRange) {
  constexpr float step = std::numeric_limits<float>::denorm_min();
  constexpr float infinity = std::numeric_limits<float>::infinity();
  // As NumPy: a range of 382 smallest steps has a scale of one, and codes wrap.
  EXPECT_EQ(int8_payload({0, 100 * step, 200 * step, 300 * step, 382 * step}),
            std::string("\0\x64\xc8\x2c\x7e", 5));
  EXPECT_EQ(int8_payload({0, 50 * step, 127 * step}), std::string(3, '\0'));
  EXPECT_EQ(int8_payload({-3e38F, 0, 3e38F}), std::string(3, '\0'));
  EXPECT_EQ(int8_payload({1, infinity, 3}), std::string(3, '\0'));
  EXPECT_EQ(int8_payload({1, std::nanf(""), 3}), std::string(3, '\0'));
  EXPECT_EQ(int8_payload({-7, -7}), std::string(2, '\0'));
}

TEST(CvcWriter, Int8FindsTheExtremesWhereverTheyAre) {
  constexpr std::size_t count = 2100;  // more than is looked at in one go
  for (const std::size_t at : {0U, 1U, 31U, 32U, 95U, 2047U, 2048U, 2080U, 2099U}) {
    std::vector<float> values(count, 1);
    values[at] = -3;
    values[(at + 40) % count] = 7;
    const Quantizer quantizer = quantizer_of(ElementType::f32, std::as_bytes(std::span(values)));
    EXPECT_EQ(quantizer.min, -3);
    EXPECT_EQ(quantizer.scale, 10.0F / 255.0F);
    values[(at + 70) % count] = std::nanf("");
    EXPECT_TRUE(std::isnan(quantizer_of(ElementType::f32, std::as_bytes(std::span(values))).scale));
  }
}

TEST(CvcWriter, ReservesPagesForALongHeader) {
  // Where the reference package overwrites its first chunk.
  const auto path = temporary("mmap.cvc");
  for (const std::size_t rows : {70U, 80U, 90U, 300U}) {
    const Matrix values = random_rows(rows, 2, 1);
    auto writer =
        Writer::create(path, 2, Encoding::lossless, {.chunk_rows = 1, .mmap_optimized = true});
    ASSERT_TRUE(writer->append(values));
    ASSERT_TRUE(writer->finish());
    const Matrix back = read_all(path);
    EXPECT_TRUE(std::ranges::equal(back.values(), values.values()));
    const auto reader = Reader::open(path);
    for (const Chunk& chunk : reader->header().chunks)
      EXPECT_EQ(*chunk.file_offset % page_bytes, 0);
  }
}

TEST(CvcWriter, SectionsWithColumns) {
  const auto path = temporary("sections.cvc");
  std::vector<Column> columns = {{"embedding", 2, ElementType::f32, Encoding::fp16},
                                 {"année", 1, ElementType::i32, Encoding::none}};
  auto writer = Writer::create_columnar(path, columns, {.chunk_rows = 3});
  ASSERT_TRUE(writer);
  const std::vector<float> rows = {1, 2, 3, 4, 5, 6, 7, 8};
  const std::vector<std::int32_t> years = {2001, 2002, 2003, 2004};
  const auto append = [&](std::size_t first, std::size_t count) {
    const std::vector<Bytes> values = {std::as_bytes(std::span(rows).subspan(2 * first, 2 * count)),
                                       std::as_bytes(std::span(years).subspan(first, count))};
    ASSERT_TRUE(writer->append(count, values));
  };
  ASSERT_TRUE(writer->begin_section(R"({"lang":"fr"})"));
  append(0, 1);
  ASSERT_TRUE(writer->begin_section(R"({"lang":"none"})"));
  ASSERT_TRUE(writer->begin_section(R"({"lang":"dé"})"));
  append(1, 3);
  EXPECT_FALSE(writer->begin_section("[]"));
  EXPECT_FALSE(writer->begin_section("{"));
  ASSERT_TRUE(writer->finish());

  const Matrix whole = read_all(path);  // the only column of more than one value a row
  EXPECT_TRUE(std::ranges::equal(whole.values(), rows));
  const Matrix part = read_all(path, {.column = "année", .section = "lang=dé"});
  EXPECT_TRUE(std::ranges::equal(part.values(), std::vector<float>{2002, 2003, 2004}));
  EXPECT_EQ(read_all(path, {.section = "lang=none"}).rows(), 0);
}

TEST(CvcWriter, CarriesTheRecipe) {
  const auto path = temporary("recipe.cvc");
  Recipe recipe;
  recipe.model_sha256 = "ab12";
  recipe.max_length = 256;
  recipe.pooling = Pooling::cls;
  recipe.prompt = "quer\"y: é";
  for (const Compression compression : {Compression::fp16, Compression::none}) {
    write_rows(path, random_rows(3, 2, 9), {.recipe = recipe, .cvc = {.compression = compression}});
    const auto reader = format.open(path, {});
    EXPECT_EQ((*reader)->recipe().value(), recipe);
  }
  write_rows(path, random_rows(3, 2, 9), {});
  EXPECT_EQ((*format.open(path, {}))->recipe().value(), std::nullopt);
}

TEST(CvcWriter, RefusesWhatNoReaderTakes) {
  const auto path = temporary("refused.cvc");
  const auto columnar = [&](std::vector<Column> columns) {
    return Writer::create_columnar(path, std::move(columns)).has_value();
  };
  const Column good = {"a", 2, ElementType::f32, Encoding::fp16};
  EXPECT_TRUE(columnar({good}));
  EXPECT_FALSE(columnar({}));
  EXPECT_FALSE(columnar({good, good}));
  EXPECT_FALSE(columnar({{" \t", 2, ElementType::f32, Encoding::fp16}}));
  EXPECT_FALSE(columnar({{"\xff", 2, ElementType::f32, Encoding::fp16}}));
  EXPECT_FALSE(columnar({{"a", 0, ElementType::f32, Encoding::fp16}}));
  EXPECT_FALSE(columnar({{"a", 2, ElementType::f64, Encoding::fp16}}));
  EXPECT_FALSE(columnar({{"a", 2, ElementType::f32, Encoding::lossless}}));
  EXPECT_FALSE(Writer::create_columnar(path, {good}, {.mmap_optimized = true}));
  EXPECT_FALSE(Writer::create(path, 2, Encoding::none));
  EXPECT_FALSE(Writer::create(path, 384, Encoding::fp16, {.chunk_rows = 10'000'000}));
  EXPECT_FALSE(Writer::create(path, max_payload_bytes, Encoding::fp16));
  const std::vector<NumberColumn> years = {{.name = "year"}};
  EXPECT_FALSE(
      format.create(path, 2, {.columns = years, .cvc = {.compression = Compression::lossless}}));

  auto writer = Writer::create(path, 2, Encoding::fp16);
  const std::vector<float> values(6);
  EXPECT_FALSE(writer->append(MatrixView(values.data(), 2, 3)));
  EXPECT_FALSE(writer->append(2, {}));
  EXPECT_TRUE(writer->append(MatrixView(values.data(), 3, 2)));
  EXPECT_FALSE(writer->begin_section("{}"));
  EXPECT_FALSE(std::filesystem::exists(path));  // unfinished
}

TEST(CvcWriter, ChunksBeyondTheSpillBufferKeepTheirOrder) {
  const auto path = temporary("large.cvc");
  const Matrix values = random_rows(3000, 300, 3);  // 1.8 MB of halves, 3.6 MB as they are
  write_rows(path, values, {.cvc = {.compression = Compression::none, .chunk_rows = 700}});
  const Matrix back = read_all(path);
  EXPECT_TRUE(std::ranges::equal(back.values(), values.values()));
}

}  // namespace
}  // namespace embd::cvc
