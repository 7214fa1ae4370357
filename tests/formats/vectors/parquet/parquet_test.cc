#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <random>
#include <sstream>

#include "base/path_text.h"
#include "formats/vectors/formats.h"
#include "formats/vectors/parquet/compact_protocol.h"
#include "formats/vectors/parquet/metadata.h"
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
    auto writer = format.create(path, rows.cols(), options).value();
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
    const auto reader = format.open(path, {});
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
          const auto reader = format.open(path, {});
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

TEST_F(Parquet, UncompressedVectorsAreUsedWhereTheyLieInTheFile) {
  for (const std::size_t dim : {1, 3, 384}) {
    for (const std::uint64_t group : {0, 700}) {
      for (const Compression compression : {Compression::none, Compression::zstd}) {
        SCOPED_TRACE(testing::Message() << dim << " values, groups of " << group);
        const Matrix rows = random_rows(3000, dim);
        const auto path =
            write(rows, {}, {.parquet = {.compression = compression, .row_group_rows = group}});
        const auto reader = format.open(path, {}).value();
        const auto found = reader->plain_rows()->blocks().value();
        ASSERT_TRUE(found);
        std::vector<float> values;
        for (const MatrixView block : found->blocks) {
          EXPECT_EQ(block.cols(), dim);
          EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block.data()) % alignof(float), 0U);
          values.insert(values.end(), block.values().begin(), block.values().end());
        }
        EXPECT_EQ(values, std::vector<float>(rows.values().begin(), rows.values().end()));
        EXPECT_EQ(found->copies.size(),
                  compression == Compression::none ? 0 : found->blocks.size());
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
  EXPECT_EQ(format.open(write(rows, numbers, options), {}).value()->ids().value(), Ids(numbers));
  EXPECT_EQ(format.open(write(rows, strings, options), {}).value()->ids().value(), Ids(strings));
  for (std::uint64_t i = 0; i < 700; ++i) numbers[i] = i;
  EXPECT_EQ(format.open(write(rows, {}, options), {}).value()->ids().value(), Ids(numbers));
  numbers[13] = UINT64_MAX;
  EXPECT_EQ(format.open(write(rows, numbers, options), {}).value()->ids().value(), Ids(numbers));
}

TEST_F(Parquet, StringsOfMoreThanAPageTakeSeveral) {
  const Matrix rows = random_rows(9, 2);
  std::vector<std::string> ids;
  for (std::size_t i = 0; i < 9; ++i) ids.emplace_back(400'000 + i, static_cast<char>('a' + i));
  for (const Compression compression : {Compression::none, Compression::zstd}) {
    const auto path = write(rows, ids, {.parquet = {.compression = compression}});
    EXPECT_EQ(format.open(path, {}).value()->ids().value(), Ids(ids));
    EXPECT_TRUE(format.open(path, {}).value()->verify());
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
  auto writer = format.create(path, 3, options).value();
  const std::vector<std::span<const std::byte>> columns(values.begin(), values.end());
  ASSERT_TRUE(writer->table()->set_columns(columns));
  const std::vector<std::string> texts = {"a", "b\0c"};
  ASSERT_TRUE(writer->row_texts()->set_texts(texts));
  ASSERT_TRUE(writer->append(rows.view(), Ids{}));
  ASSERT_TRUE(writer->finish());

  const auto reader = format.open(path, {}).value();
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
    return format.create(this->path("x.parquet"), dim, options).error().code();
  };
  EXPECT_EQ(code({.element_type = ElementType::i8}), ErrorCode::invalid_argument);
  EXPECT_EQ(code({.columns = {{.name = "id"}}}), ErrorCode::invalid_argument);
  EXPECT_EQ(code({.columns = {{.name = "a"}, {.name = "a"}}}), ErrorCode::invalid_argument);
  EXPECT_EQ(code({.columns = {{.name = "a", .dim = 2}}}), ErrorCode::unsupported);
  EXPECT_EQ(code({}, std::uint64_t{1} << 40), ErrorCode::unsupported);
  EXPECT_EQ(code({.columns = {{.name = "\xff"}}}), ErrorCode::invalid_utf8);
  const Matrix row = random_rows(1, 3);
  auto writer = format.create(this->path("x.parquet"), 3, {.parquet = {.texts = true}}).value();
  EXPECT_EQ(writer->append(row, {}).error().code(), ErrorCode::invalid_argument);
  const std::vector<std::string> texts = {"\xff"};
  ASSERT_TRUE(writer->row_texts()->set_texts(texts));
  EXPECT_EQ(writer->append(row, {}).error().code(), ErrorCode::invalid_utf8);
  writer = format.create(this->path("x.parquet"), 3, {}).value();
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
      const auto reader = format.open(path, {});
      const auto verified = reader ? (*reader)->verify() : Result<void>();
      if (reader && verified) continue;
      ++num_refused;
      const Error& error = reader ? verified.error() : reader.error();
      EXPECT_TRUE(error.offset().has_value()) << error.message();
      EXPECT_EQ(error.file(), text_of_path(path));
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
    EXPECT_FALSE(format.open(path, {})) << size;
  }
}

/// Files of other programs that are read.
std::vector<std::filesystem::path> foreign_files() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(EMBD_TEST_DATA "/parquet")) {
    const std::string name = text_of_path(entry.path().filename());
    if (name.starts_with("foreign_") && name.ends_with(".parquet") && !name.contains("_bad_"))
      files.push_back(entry.path());
  }
  return files;
}

TEST_F(Parquet, RowsOfOtherProgramsComeInAnyOrder) {
  ASSERT_GE(foreign_files().size(), 10);
  for (const auto& path : foreign_files()) {
    const auto reader = format.open(path, {});
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
      const auto reader = format.open(path, {});
      Result<void> read;
      if (reader) read = (*reader)->verify();
      if (reader && read) continue;
      ++num_refused;
      const Error& error = reader ? read.error() : reader.error();
      EXPECT_EQ(error.file(), text_of_path(path)) << error.message();
    }
  }
  EXPECT_GT(num_refused, 300);
}

std::filesystem::path data_file(const std::string& name) {
  return EMBD_TEST_DATA "/parquet/" + name;
}

/// The text of a UUID whose bytes count up from `first`.
std::string uuid_from(unsigned first) {
  std::string text;
  for (unsigned i = 0; i < 16; ++i)
    text += fmt::format("{}{:02x}", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "",
                        (first + i) % 256);
  return text;
}

TEST(ForeignParquet, IdsAreWholeNumbersTextsOrUuids) {
  const auto ids = [](const std::string& name) {
    const auto reader = format.open(data_file("foreign_" + name + ".parquet"), {});
    EXPECT_TRUE(reader) << reader.error().message();
    return (*reader)->ids().value();
  };
  const auto numbers = [](std::uint64_t first, std::uint64_t second) {
    return Ids(std::vector<std::uint64_t>{first, second});
  };
  EXPECT_EQ(ids("id_int8"), numbers(3, 127));
  EXPECT_EQ(ids("id_int16"), numbers(300, 5));
  EXPECT_EQ(ids("id_uint8"), numbers(200, 3));
  EXPECT_EQ(ids("id_uint32"), numbers(4'000'000'000, 1));
  EXPECT_EQ(ids("id_uint64"), numbers(UINT64_MAX, 0));
  EXPECT_EQ(ids("id_large_string"), Ids(std::vector<std::string>{"é", ""}));
  EXPECT_EQ(ids("id_uuid"),
            Ids(std::vector<std::string>{uuid_from(0), "ffffffff-ffff-ffff-ffff-ffffffffffff"}));
  std::vector<std::uint64_t> thousands;
  std::vector<std::uint64_t> below_128;
  std::vector<std::uint64_t> above_65000;
  std::vector<std::string> java;
  std::vector<std::string> duckdb;
  for (unsigned i = 0; i < 30; ++i) {
    thousands.push_back(1000 * i);
    below_128.push_back(98 + i);
    above_65000.push_back(65000 + i);
    java.push_back(uuid_from(16 * i));
    duckdb.push_back(fmt::format("{:02x}000000-0000-0000-0000-000000000000", i));
  }
  EXPECT_EQ(uuid_from(16), "10111213-1415-1617-1819-1a1b1c1d1e1f");
  for (const std::string name : {"java_1", "java_1_dictionary", "java_2", "java_2_dictionary"})
    EXPECT_EQ(ids(name), Ids(java)) << name;
  for (const std::string name : {"java_lz4", "java_lz4_raw", "java_zstd"})
    EXPECT_EQ(ids(name), Ids(thousands)) << name;
  for (const std::string name : {"go_1", "go_2"}) EXPECT_EQ(ids(name), Ids(above_65000)) << name;
  for (const std::string name : {"arrow_delta", "arrow_lengths"})
    EXPECT_EQ(ids(name), Ids(below_128)) << name;
  EXPECT_EQ(ids("duckdb_uuid"), Ids(duckdb));
}

TEST(ForeignParquet, TextsComeBackInEveryEncoding) {
  std::vector<std::string> expected;
  for (int i = 0; i < 30; ++i) expected.push_back(fmt::format("text {}", i / 3));
  for (const std::string name : {"java_1", "java_1_dictionary", "java_2", "java_2_dictionary",
                                 "go_1", "go_2", "arrow_delta", "arrow_lengths"}) {
    const auto reader = format.open(data_file("foreign_" + name + ".parquet"), {}).value();
    EXPECT_EQ(reader->row_texts()->texts(0, 30).value(), expected) << name;
    EXPECT_EQ(reader->row_texts()->texts(17, 2).value(),
              std::vector(expected.begin() + 17, expected.begin() + 19));
  }
}

TEST(ForeignParquet, IdsOfOtherTypesAreRefusedByName) {
  for (const auto& [name, type] :
       std::vector<std::pair<std::string, std::string>>{{"f64", "f64"},
                                                        {"bool", "boolean"},
                                                        {"decimal", "decimal"},
                                                        {"list", "list or struct"},
                                                        {"date", "date"},
                                                        {"timestamp", "timestamp"},
                                                        {"time", "time"},
                                                        {"fixed", "fixed bytes"}}) {
    const auto reader = format.open(data_file("foreign_bad_id_" + name + ".parquet"), {});
    ASSERT_FALSE(reader) << name;
    EXPECT_EQ(reader.error().code(), ErrorCode::bad_type);
    EXPECT_EQ(reader.error().what(),
              fmt::format("column \"id\" has values of the type {}, expected ids: whole numbers, "
                          "texts or UUIDs",
                          type));
    // The file is sound, so no place in it is at fault.
    EXPECT_FALSE(reader.error().offset());
  }
}

TEST(ForeignParquet, ARowWithoutAValueIsNamed) {
  for (const auto& [name, column] : std::vector<std::pair<std::string, std::string>>{
           {"foreign_bad_id", "id"}, {"foreign_bad_value", "embedding"}}) {
    const auto reader = format.open(data_file(name + ".parquet"), {}).value();
    const auto verified = reader->verify();
    ASSERT_FALSE(verified) << name;
    EXPECT_EQ(verified.error().code(), ErrorCode::missing);
    EXPECT_TRUE(verified.error().what().starts_with("column \"" + column + "\": row "));
    EXPECT_TRUE(verified.error().what().contains("leave such rows out, or give them a value"));
    EXPECT_FALSE(verified.error().offset());
  }
}

TEST(ForeignParquet, ChecksumsArePartOfReading) {
  const auto code = [](const auto& result) {
    return result ? ErrorCode::invalid_argument : result.error().code();
  };
  for (const std::string name : {"value", "name", "text"}) {
    const auto reader =
        format.open(data_file("foreign_bad_checksum_of_" + name + ".parquet"), {}).value();
    EXPECT_EQ(code(reader->verify()), ErrorCode::checksum_mismatch);
    std::vector<float> values(6);
    EXPECT_EQ(reader->read(0, 2, values).has_value(), name != "value");
    EXPECT_EQ(reader->ids().has_value(), name != "name");
    EXPECT_EQ(reader->row_texts()->texts(0, 2).has_value(), name != "text");
  }
}

/// A column chunk that a test writes by hand: a list of floats of one value in each of `num_rows`
/// rows, in a single page.
struct HandmadeFile {
  Codec codec = Codec::uncompressed;
  Encoding encoding = Encoding::plain;
  Encoding definition = Encoding::rle;
  Encoding repetition = Encoding::rle;
  std::int32_t num_rows = 2;
  std::int32_t claimed_bytes = 0;  ///< before compression; 0: as many as there are
  std::string page;

  std::string header() const {
    CompactWriter out;
    out.i32(1, 0);
    out.i32(2, claimed_bytes != 0 ? claimed_bytes : static_cast<std::int32_t>(page.size()));
    out.i32(3, static_cast<std::int32_t>(page.size()));
    out.begin_struct(5);
    out.i32(1, num_rows);
    out.i32(2, std::to_underlying(encoding));
    out.i32(3, std::to_underlying(definition));
    out.i32(4, std::to_underlying(repetition));
    out.end_struct();
    return std::string(as_text(out.finish()));
  }

  void write(const std::filesystem::path& path) const {
    const std::string pages = header() + page;
    CompactWriter out;
    out.i32(1, 1);
    out.begin_list(2, CompactType::struct_, 2);
    out.begin_struct_element();
    out.text(4, "root");
    out.i32(5, 1);
    out.end_struct();
    out.begin_struct_element();
    out.i32(1, 4);  // float32, repeated: a list whose values cannot be missing
    out.i32(3, 2);
    out.text(4, "embedding");
    out.end_struct();
    out.i64(3, num_rows);
    out.begin_list(4, CompactType::struct_, 1);
    out.begin_struct_element();
    out.begin_list(1, CompactType::struct_, 1);
    out.begin_struct_element();
    out.begin_struct(3);
    out.i32(4, std::to_underlying(codec));
    out.i64(5, num_rows);
    out.i64(7, static_cast<std::int64_t>(pages.size()));
    out.i64(9, 4);
    out.end_struct();
    out.end_struct();
    out.i64(3, num_rows);
    out.end_struct();
    const std::string footer(as_text(out.finish()));
    const auto size = static_cast<std::uint32_t>(footer.size());
    replace_content(path, "PAR1" + pages + footer +
                              std::string(reinterpret_cast<const char*>(&size), 4) + "PAR1");
  }
};

/// Levels of one bit, all of them `level`, behind their length.
std::string levels_of(std::uint8_t count, char level) {
  return std::string("\2\0\0\0", 4) + static_cast<char>(count << 1) + level;
}

TEST_F(Parquet, APageIsBelievedOnlyAsFarAsItsBytesGo) {
  const auto path = this->path("x.parquet");
  const auto error_of = [&](const HandmadeFile& file) {
    file.write(path);
    const auto reader = format.open(path, {});
    if (!reader) return reader.error();
    const auto verified = (*reader)->verify();
    return verified ? Error(ErrorCode::invalid_argument, "none") : verified.error();
  };
  const std::string page = levels_of(2, 0) + levels_of(2, 1) + std::string(8, '\1');
  EXPECT_EQ(error_of({.page = page}).what(), "none");
  EXPECT_EQ(error_of({.page = page + "\1"}).code(), ErrorCode::bad_count);
  EXPECT_EQ(error_of({.claimed_bytes = 100, .page = page}).code(), ErrorCode::bad_count);
  // Compressed pages may claim what their bytes can expand to, up to a gigabyte.
  const std::string stored(100'000, 'x');
  EXPECT_EQ(
      error_of({.codec = Codec::snappy, .claimed_bytes = 64 * 101'000, .page = stored}).code(),
      ErrorCode::bad_count);
  EXPECT_EQ(error_of({.codec = Codec::zstd, .claimed_bytes = 1'000, .page = stored}).code(),
            ErrorCode::compression_failed);
  const Error huge = error_of({.codec = Codec::zstd, .claimed_bytes = INT32_MAX, .page = stored});
  EXPECT_EQ(huge.code(), ErrorCode::unsupported);
  EXPECT_TRUE(huge.what().contains("2147483647 bytes after decompression")) << huge.what();
}

TEST_F(Parquet, EncodingsOfLevelsCountOnlyWhereThereAreLevels) {
  const auto path = this->path("x.parquet");
  const std::string page = levels_of(2, 0) + levels_of(2, 1) + std::string(8, '\1');
  for (const bool is_definition : {false, true}) {
    HandmadeFile file = {.page = page};
    (is_definition ? file.definition : file.repetition) = Encoding::bit_packed;
    file.write(path);
    const auto reader = format.open(path, {});
    ASSERT_FALSE(reader);
    EXPECT_TRUE(reader.error().what().contains("levels coded by bit packing"));
  }
  // The ids of a file of parquet-java have no levels, and its pages name bit packing for them.
  EXPECT_TRUE(format.open(data_file("foreign_java_1.parquet"), {}));
}

}  // namespace
}  // namespace embd::parquet
