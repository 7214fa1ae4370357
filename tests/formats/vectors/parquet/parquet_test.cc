#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <random>
#include <sstream>

#include "formats/vectors/parquet/compact_protocol.h"
#include "formats/vectors/parquet/hybrid.h"
#include "formats/vectors/parquet/page.h"
#include "formats/vectors/parquet/parquet_reader.h"
#include "formats/vectors/parquet/parquet_writer.h"
#include "formats/vectors/parquet/snappy.h"
#include "tests/support/temporary_directory.h"

namespace embd::parquet {
namespace {

using Compression = ParquetOptions::Compression;

std::string content(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

void replace_content(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

Matrix random_rows(std::size_t rows, std::size_t dim) {
  Matrix matrix(rows, dim);
  std::mt19937 random(static_cast<unsigned>(rows * 1000 + dim));
  std::normal_distribution<float> normal;
  for (float& value : matrix.values()) value = normal(random);
  return matrix;
}

class Parquet : public test::TemporaryDirectory {
 protected:
  std::filesystem::path write(const Matrix& rows, const Ids& ids, const WriteOptions& options,
                              std::size_t rows_at_once = 100) {
    const std::filesystem::path path = this->path("x.parquet");
    auto writer = create_parquet(path, rows.cols(), options).value();
    for (std::size_t first = 0; first < rows.rows(); first += rows_at_once) {
      const std::size_t count = std::min(rows_at_once, rows.rows() - first);
      Ids some;
      if (const auto* numbers = std::get_if<std::vector<std::uint64_t>>(&ids))
        some = std::vector(numbers->begin() + std::ptrdiff_t(first),
                           numbers->begin() + std::ptrdiff_t(first + count));
      if (const auto* strings = std::get_if<std::vector<std::string>>(&ids))
        some = std::vector(strings->begin() + std::ptrdiff_t(first),
                           strings->begin() + std::ptrdiff_t(first + count));
      const auto appended = writer->append(rows.view().slice(first, count), some);
      EXPECT_TRUE(appended) << appended.error().message();
    }
    const auto finished = writer->finish();
    EXPECT_TRUE(finished) << finished.error().message();
    return path;
  }

  static std::vector<float> read(const std::filesystem::path& path, std::uint64_t first,
                                 std::uint64_t count) {
    const auto reader = open_parquet(path, {});
    EXPECT_TRUE(reader) << reader.error().message();
    std::vector<float> values(count * (*reader)->info().dim);
    EXPECT_TRUE((*reader)->read(first, count, values));
    return values;
  }
};

TEST_F(Parquet, RowsComeBackWhateverTheShapeTheGroupsAndTheCompression) {
  for (const std::size_t dim : {1, 2, 3, 384, 5000}) {
    for (const std::size_t num_rows : {0, 1, 99, 1500}) {
      if (dim == 5000 && num_rows > 99) continue;
      for (const std::uint64_t group : {0, 1, 64, 700}) {
        if (group == 1 && num_rows > 99) continue;
        for (const Compression compression : {Compression::none, Compression::zstd}) {
          SCOPED_TRACE(testing::Message() << num_rows << " x " << dim << ", groups of " << group
                                          << ", compression " << int(compression));
          const Matrix rows = random_rows(num_rows, dim);
          const auto path = write(
              rows, {}, {.parquet = {.compression = compression, .row_group_rows = group}}, 37);
          const auto reader = open_parquet(path, {});
          ASSERT_TRUE(reader) << reader.error().message();
          EXPECT_EQ((*reader)->info().num_rows, num_rows);
          EXPECT_EQ((*reader)->info().dim, dim);
          EXPECT_TRUE((*reader)->verify());
          EXPECT_EQ(read(path, 0, num_rows),
                    std::vector<float>(rows.values().begin(), rows.values().end()));
          if (num_rows < 99) continue;
          const auto middle = rows.view().slice(40, 50).values();
          EXPECT_EQ(read(path, 40, 50), std::vector<float>(middle.begin(), middle.end()));
        }
      }
    }
  }
}

TEST_F(Parquet, IdsAreNumbersOrStringsAndCountFromZeroWhereNoneAreGiven) {
  const Matrix rows = random_rows(700, 4);
  std::vector<std::uint64_t> numbers;
  std::vector<std::string> strings;
  for (std::uint64_t i = 0; i < 700; ++i) {
    numbers.push_back(i * 7);
    strings.push_back(std::string(i % 9, 'x') + "\n\"é" + std::to_string(i));
  }
  const WriteOptions options = {.parquet = {.row_group_rows = 300}};
  EXPECT_EQ(open_parquet(write(rows, numbers, options), {}).value()->ids().value(), Ids(numbers));
  EXPECT_EQ(open_parquet(write(rows, strings, options), {}).value()->ids().value(), Ids(strings));
  for (std::uint64_t i = 0; i < 700; ++i) numbers[i] = i;
  EXPECT_EQ(open_parquet(write(rows, {}, options), {}).value()->ids().value(), Ids(numbers));
  numbers[13] = UINT64_MAX;
  EXPECT_EQ(open_parquet(write(rows, numbers, options), {}).value()->ids().value(), Ids(numbers));
}

TEST_F(Parquet, StringsOfMoreThanAPageTakeSeveral) {
  const Matrix rows = random_rows(9, 2);
  std::vector<std::string> ids;
  for (std::size_t i = 0; i < 9; ++i) ids.emplace_back(400'000 + i, static_cast<char>('a' + i));
  for (const Compression compression : {Compression::none, Compression::zstd}) {
    const auto path = write(rows, ids, {.parquet = {.compression = compression}});
    EXPECT_EQ(open_parquet(path, {}).value()->ids().value(), Ids(ids));
    EXPECT_TRUE(open_parquet(path, {}).value()->verify());
  }
}

TEST_F(Parquet, HalvesColumnsTextsAndTheRecipeComeBack) {
  Matrix rows(2, 3);
  std::ranges::copy(std::vector<float>{1, -0.5F, 65504, 0, 2, 0.25F}, rows.values().begin());
  const std::filesystem::path path = this->path("x.parquet");
  Recipe recipe;
  recipe.model_sha256 = "abc";
  recipe.prompt = "\"\n'''";
  WriteOptions options = {
      .element_type = ElementType::f16, .recipe = recipe, .parquet = {.texts = true}};
  options.columns = {{.name = "year", .type = ElementType::i32},
                     {.name = "level", .type = ElementType::i8},
                     {.name = "size", .type = ElementType::u8},
                     {.name = "weight", .type = ElementType::f32},
                     {.name = "half", .type = ElementType::f16}};
  const std::vector<std::vector<std::byte>> values = {std::vector<std::byte>(8, std::byte{0x11}),
                                                      {std::byte{0xFF}, std::byte{0x7F}},
                                                      {std::byte{0xFF}, std::byte{0x7F}},
                                                      std::vector<std::byte>(8, std::byte{0x3F}),
                                                      std::vector<std::byte>(4, std::byte{0x3C})};
  auto writer = create_parquet(path, 3, options).value();
  const std::vector<std::span<const std::byte>> columns(values.begin(), values.end());
  ASSERT_TRUE(writer->table()->set_columns(columns));
  const std::vector<std::string> texts = {"a", "b\0c"};
  ASSERT_TRUE(writer->row_texts()->set_texts(texts));
  ASSERT_TRUE(writer->append(rows.view(), Ids{}));
  ASSERT_TRUE(writer->finish());

  const auto reader = open_parquet(path, {}).value();
  EXPECT_EQ(reader->info().element_type, ElementType::f16);
  EXPECT_EQ(read(path, 0, 2), std::vector<float>(rows.values().begin(), rows.values().end()));
  EXPECT_EQ(reader->recipe().value(), recipe);
  EXPECT_EQ(reader->table()->columns(), options.columns);
  EXPECT_EQ(reader->row_texts()->texts(0, 2).value(), texts);
  EXPECT_EQ(reader->row_texts()->texts(1, 1).value(), std::vector(1, texts[1]));
  EXPECT_FALSE(reader->row_texts()->texts(1, 2));
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::vector<std::byte> found;
    ASSERT_TRUE(reader->table()->read_column(options.columns[i].name, 0, 2, found));
    EXPECT_EQ(found, values[i]) << options.columns[i].name;
  }
}

TEST_F(Parquet, RefusesToWriteWhatItHasNoRoomFor) {
  const auto code = [&](const WriteOptions& options, std::uint64_t dim = 3) {
    return create_parquet(this->path("x.parquet"), dim, options).error().code();
  };
  EXPECT_EQ(code({.element_type = ElementType::i8}), ErrorCode::invalid_argument);
  EXPECT_EQ(code({.columns = {{.name = "id"}}}), ErrorCode::invalid_argument);
  EXPECT_EQ(code({.columns = {{.name = "a"}, {.name = "a"}}}), ErrorCode::invalid_argument);
  EXPECT_EQ(code({.columns = {{.name = "a", .dim = 2}}}), ErrorCode::unsupported);
  EXPECT_EQ(code({}, std::uint64_t{1} << 40), ErrorCode::unsupported);
  EXPECT_EQ(code({.columns = {{.name = "\xff"}}}), ErrorCode::invalid_utf8);
  const Matrix row = random_rows(1, 3);
  auto writer = create_parquet(this->path("x.parquet"), 3, {.parquet = {.texts = true}}).value();
  EXPECT_EQ(writer->append(row, {}).error().code(), ErrorCode::invalid_argument);
  const std::vector<std::string> texts = {"\xff"};
  ASSERT_TRUE(writer->row_texts()->set_texts(texts));
  EXPECT_EQ(writer->append(row, {}).error().code(), ErrorCode::invalid_utf8);
  writer = create_parquet(this->path("x.parquet"), 3, {}).value();
  EXPECT_EQ(writer->append(row, texts).error().code(), ErrorCode::invalid_utf8);
  writer.reset();
  EXPECT_TRUE(std::filesystem::is_empty(directory()));
}

TEST_F(Parquet, AnyChangedByteIsRefusedOrChangesWhatIsReadButNeverReadsBeyond) {
  const Matrix rows = random_rows(9, 3);
  for (const Compression compression : {Compression::none, Compression::zstd}) {
    const auto path = write(rows, std::vector<std::string>(9, "id"),
                            {.parquet = {.compression = compression, .row_group_rows = 5}});
    const std::string good = content(path);
    int num_refused = 0;
    for (std::size_t i = 0; i < good.size(); ++i) {
      std::string bad = good;
      bad[i] = static_cast<char>(bad[i] ^ (1 << (i % 8)));
      replace_content(path, bad);
      const auto reader = open_parquet(path, {});
      const auto verified = reader ? (*reader)->verify() : Result<void>();
      if (reader && verified) continue;
      ++num_refused;
      const Error& error = reader ? verified.error() : reader.error();
      EXPECT_TRUE(error.offset().has_value()) << error.message();
      EXPECT_EQ(error.file(), path.native());
    }
    // The schema for Arrow and the names of columns are not ours to check.
    EXPECT_GT(num_refused, static_cast<int>(good.size() / 3));
  }
}

TEST_F(Parquet, ACutFileIsRefused) {
  const auto path = write(random_rows(5, 3), {}, {});
  const std::string good = content(path);
  for (std::size_t size = 0; size < good.size(); size += 3) {
    replace_content(path, good.substr(0, size));
    EXPECT_FALSE(open_parquet(path, {})) << size;
  }
}

/// Files of other programs that are read.
std::vector<std::filesystem::path> foreign_files() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(EMBD_TEST_DATA "/parquet")) {
    const std::string name = entry.path().filename();
    if (name.starts_with("foreign_") && name.ends_with(".parquet") && !name.contains("_bad_"))
      files.push_back(entry.path());
  }
  return files;
}

TEST_F(Parquet, RowsOfOtherProgramsComeInAnyOrder) {
  ASSERT_GE(foreign_files().size(), 10);
  for (const auto& path : foreign_files()) {
    const auto reader = open_parquet(path, {});
    ASSERT_TRUE(reader) << reader.error().message();
    const VectorSetInfo& info = (*reader)->info();
    Matrix all(info.num_rows, info.dim);
    ASSERT_TRUE((*reader)->read(0, info.num_rows, all.values()));
    EXPECT_TRUE((*reader)->verify());
    for (std::uint64_t row = info.num_rows; row-- > 0;) {
      const std::uint64_t count = std::min<std::uint64_t>(3, info.num_rows - row);
      std::vector<float> some(count * info.dim);
      ASSERT_TRUE((*reader)->read(row, count, some));
      EXPECT_TRUE(std::ranges::equal(some, all.values().subspan(row * info.dim, some.size())))
          << path << row;
    }
  }
}

TEST_F(Parquet, AnyChangedByteOfOtherProgramsFilesIsRefusedOrReadButNeverReadsBeyond) {
  int num_refused = 0;
  for (const auto& file : foreign_files()) {
    const std::string good = content(file);
    const auto path = this->path("x.parquet");
    constexpr std::size_t step = 13;  // a test that is done in seconds
    for (std::size_t i = 0; i < good.size(); i += step) {
      std::string bad = good;
      bad[i] = static_cast<char>(bad[i] ^ (1 << (i % 8)));
      replace_content(path, bad);
      const auto reader = open_parquet(path, {});
      Result<void> read;
      if (reader) read = (*reader)->verify();
      if (reader && read) continue;
      ++num_refused;
      const Error& error = reader ? read.error() : reader.error();
      EXPECT_EQ(error.file(), path.native()) << error.message();
    }
  }
  EXPECT_GT(num_refused, 300);
}

TEST(Hybrid, RunsAndPackedGroupsComeBack) {
  const auto bytes = [](std::initializer_list<int> values) {
    std::vector<std::byte> all;
    for (const int value : values) all.push_back(static_cast<std::byte>(value));
    return all;
  };
  using Numbers = std::vector<std::uint32_t>;
  EXPECT_EQ(read_hybrid(bytes({5 << 1, 3}), 2, 5).value(), (Numbers{3, 3, 3, 3, 3}));
  // 0 to 7 in three bits each, as Parquet's description has them.
  EXPECT_EQ(read_hybrid(bytes({3, 0x88, 0xC6, 0xFA}), 3, 8).value(),
            (Numbers{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(read_hybrid(bytes({3, 0x88, 0xC6, 0xFA, 2 << 1, 1}), 3, 10).value(),
            (Numbers{0, 1, 2, 3, 4, 5, 6, 7, 1, 1}));
  EXPECT_EQ(read_hybrid(bytes({4 << 1, 0, 1}), 9, 4).value(), (Numbers{256, 256, 256, 256}));
  EXPECT_EQ(read_hybrid(bytes({4 << 1}), 0, 4).value(), (Numbers{0, 0, 0, 0}));
  EXPECT_FALSE(read_hybrid(bytes({5 << 1, 3}), 2, 6));
  EXPECT_FALSE(read_hybrid(bytes({3, 0x88}), 3, 8));
  EXPECT_FALSE(read_hybrid(bytes({0, 0}), 3, 8));
  EXPECT_FALSE(read_hybrid({}, 3, 1));
}

TEST(Snappy, LiteralsAndCopiesComeBack) {
  const auto block = [](const std::string& text) { return as_bytes(text); };
  const auto text = [](const Result<std::vector<std::byte>>& bytes) {
    return bytes ? std::string(as_text(*bytes)) : bytes.error().message();
  };
  using namespace std::string_literals;
  EXPECT_EQ(text(decompress_snappy(block("\x04\x0c"
                                         "abcd"s),
                                   4)),
            "abcd");
  // "ab", then six bytes from two before: a copy over itself.
  EXPECT_EQ(text(decompress_snappy(block("\x08\x04"
                                         "ab\x09\x02"s),
                                   8)),
            "abababab");
  EXPECT_EQ(text(decompress_snappy(block("\x08\x04"
                                         "ab\x16\x02\x00"s),
                                   8)),
            "abababab");
  EXPECT_EQ(text(decompress_snappy(block("\x46\xf0\x45"s + std::string(70, 'x')), 70)),
            std::string(70, 'x'));
  for (const auto& bad : {""s, "\x04"s,
                          "\x04\x0c"
                          "abc"s,
                          "\x05\x0c"
                          "abcd"s,
                          "\x08\x04"
                          "ab\x09\x03"s,
                          "\x08\x04"
                          "ab\x09\x00"s,
                          "\x06\x04"
                          "ab\x09\x02"s})
    EXPECT_EQ(decompress_snappy(block(bad), 8).error().code(), ErrorCode::compression_failed);
}

TEST(CompactProtocol, NumbersOfEverySizeAndFarFieldsComeBack) {
  CompactWriter out;
  const std::vector<std::int64_t> numbers = {0, 1, -1, 63, -64, 64, INT64_MAX, INT64_MIN};
  for (std::size_t i = 0; i < numbers.size(); ++i)
    out.i64(static_cast<std::int16_t>(1 + i * 40), numbers[i]);
  CompactReader in{ByteReader(out.finish())};
  std::vector<std::int64_t> found;
  ASSERT_TRUE(in.for_each_field("all", [&](CompactReader::Field field) -> Result<void> {
    EXPECT_EQ(field.number, 1 + found.size() * 40);
    found.push_back(in.integer(field, "number").value());
    return {};
  }));
  EXPECT_EQ(found, numbers);
}

TEST(CompactProtocol, AStructInAStructDoesNotEndTheStack) {
  std::string bytes(100'000, '\x1C');  // field 1, a struct, again and again
  CompactReader in{ByteReader(as_bytes(bytes))};
  const auto read = in.for_each_field(
      "outermost", [&](CompactReader::Field field) { return in.skip(field.type); });
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code(), ErrorCode::unsupported);
}

TEST(Pages, LevelsAreFiveBytesARow) {
  const Column vectors = {
      .name = "v", .kind = ColumnKind::vectors, .type = ElementType::f32, .dim = 384};
  EXPECT_EQ(levels(vectors, 100).size(), 4U + 100 * 5 + 4 + 4);
  EXPECT_TRUE(levels({.name = "n"}, 100).empty());
}

TEST(Pages, StreamsJoinToWhatWasSplit) {
  std::vector<std::byte> values(24);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::byte>(i);
  for (const std::size_t width : {2U, 4U, 8U}) {
    std::vector<std::byte> streams = {std::byte{99}};
    append_streams(values, width, streams);
    EXPECT_EQ(streams[0], std::byte{99});
    EXPECT_EQ(streams[2], static_cast<std::byte>(width));
    EXPECT_EQ(join_streams(Bytes(streams).subspan(1), width), values);
  }
}

}  // namespace
}  // namespace embd::parquet
