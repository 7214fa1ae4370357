#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/checksum.h"
#include "base/os/mapped_file.h"
#include "embd/texts.h"
#include "formats/text/open_records.h"
#include "tests/support/temporary_directory.h"

namespace embd {
namespace {

constexpr int num_rows = 40;  // of texts_*.parquet (make_texts.py)

std::filesystem::path data(const std::string& name) {
  return std::filesystem::path(EMBD_TEST_DATA) / "parquet" / name;
}

std::string text(int row) {
  return row == 7 ? "" : fmt::format("naïve answer {}, 東京", row);
}

std::vector<Record> records(RecordReader& reader) {
  std::vector<Record> all;
  while (true) {
    Record record;
    const auto more = reader.next(record);
    EXPECT_TRUE(more) << more.error().message();
    if (!more || !*more) return all;
    all.push_back(std::move(record));
  }
}

/// The error of opening a file or of reading it to its end.
std::optional<Error> error_of(const std::string& name, const InputOptions& options) {
  auto reader = open_records(data(name), options);
  if (!reader) return reader.error();
  Record record;
  while (true) {
    const auto more = (*reader)->next(record);
    if (!more) return more.error();
    if (!*more) return std::nullopt;
  }
}

class ParquetRecordsTest : public testing::TestWithParam<const char*> {};

TEST_P(ParquetRecordsTest, HaveTheColumnsThatAreAskedFor) {
  const auto reader =
      open_records(data(GetParam()),
                   {.id_field = "key", .fields = {"query", "n"}, .number_fields = {"weight"}})
          .value();
  const auto all = records(*reader);
  ASSERT_EQ(all.size(), num_rows);
  for (int i = 0; i < num_rows; ++i) {
    EXPECT_EQ(all[i].text, text(i));
    EXPECT_EQ(all[i].id, RecordId(fmt::format("k{}", i)));
    EXPECT_EQ(all[i].fields, fmt::format("[\"question {}\",{},{:.{}f}]", i / 5, 100 + i, i / 4.0,
                                         i % 4 == 0   ? 1
                                         : i % 2 == 0 ? 1
                                                      : 2));
    EXPECT_EQ(all[i].line, i + 1U);
  }
  const auto numbered = open_records(data(GetParam()), {.text_field = "query", .id_field = "n"});
  EXPECT_EQ(records(**numbered)[3].id, RecordId(std::uint64_t{103}));
}

TEST_P(ParquetRecordsTest, HaveTheHashOfTheFileAtItsEnd) {
  const auto path = data(GetParam());
  const auto reader = open_records(path).value();
  const std::string at_start = reader->sha256();
  Record record;
  ASSERT_TRUE(reader->next(record).value());
  const std::string after_one = reader->sha256();
  records(*reader);
  EXPECT_EQ(reader->sha256(), sha256_hex(MappedFile::open(path)->bytes()));
  EXPECT_EQ(reader->sha256(), hash_of_inputs(std::span(&path, 1)).value());
  EXPECT_EQ(reader->bytes_read(), reader->file_bytes());
  EXPECT_EQ(at_start, sha256_hex({}));
  EXPECT_NE(after_one, at_start);
  EXPECT_NE(after_one, reader->sha256());
}

TEST_P(ParquetRecordsTest, AreWholeInParts) {
  for (const std::uint64_t count : {1, 2, 3, 7, 100}) {
    int row = 0;
    std::string hash = sha256_hex({});
    for (std::uint64_t index = 0; index < count; ++index) {
      const auto part = PartReader::open(data(GetParam()), {}, {index, count}).value();
      EXPECT_EQ(part->num_records_before(), static_cast<std::uint64_t>(row));
      EXPECT_EQ(part->sha256_before(), hash);
      for (const Record& record : records(*part)) EXPECT_EQ(record.text, text(row++));
      hash = part->sha256_so_far();
    }
    EXPECT_EQ(row, num_rows);
    EXPECT_EQ(hash, sha256_hex(MappedFile::open(data(GetParam()))->bytes()));
  }
}

TEST_P(ParquetRecordsTest, CanBePassedOver) {
  const auto reader = open_records(data(GetParam())).value();
  Record record;
  for (int i = 0; i < num_rows; ++i) {
    if (i % 3 != 0) {
      ASSERT_TRUE(reader->skip().value());
      continue;
    }
    ASSERT_TRUE(reader->next(record).value());
    EXPECT_EQ(record.text, text(i));
  }
  EXPECT_FALSE(reader->skip().value());
}

TEST(ParquetRecordsUuidTest, AreIdsAndFields) {
  const auto reader = open_records(data("foreign_duckdb_uuid.parquet"),
                                   {.text_field = "key", .id_field = "id", .fields = {"id"}})
                          .value();
  const auto all = records(*reader);
  ASSERT_EQ(all.size(), 30);
  EXPECT_EQ(all[10].id, RecordId("0a000000-0000-0000-0000-000000000000"));
  EXPECT_EQ(all[10].fields, "[\"0a000000-0000-0000-0000-000000000000\"]");
}

INSTANTIATE_TEST_SUITE_P(Files, ParquetRecordsTest,
                         testing::Values("texts_snappy.parquet", "texts_none.parquet",
                                         "texts_gzip.parquet", "texts_zstd.parquet",
                                         "texts_pandas.parquet", "texts_polars.parquet",
                                         "texts_duckdb.parquet", "texts_java_1.parquet",
                                         "texts_java_2.parquet", "texts_delta_byte_array.parquet",
                                         "texts_delta_length_byte_array.parquet"));

TEST(ParquetRecordsErrorTest, NamesTheColumnAndTheRow) {
  const std::string file = "texts_snappy.parquet";
  const auto check = [&](const InputOptions& options, ErrorCode code, const char* part,
                         const std::string& name) {
    const auto error = error_of(name, options);
    ASSERT_TRUE(error) << part;
    EXPECT_EQ(error->code(), code) << error->message();
    EXPECT_NE(error->message().find(part), std::string::npos) << error->message();
    EXPECT_NE(error->message().find(name), std::string::npos) << error->message();
  };
  check({.text_field = "x"}, ErrorCode::missing, "\"query\", \"text\", \"key\"", file);
  check({.text_field = "n"}, ErrorCode::bad_type, "expected texts", file);
  check({.text_field = "tags"}, ErrorCode::bad_type, "does not hold one text or one number", file);
  check({.fields = {"flag"}}, ErrorCode::bad_type, "\"flag\"", file);
  check({.id_field = "weight"}, ErrorCode::bad_type, "values of the type f64, expected ids", file);
  check({.id_field = "below"}, ErrorCode::bad_value, "the id is -1", file);
  check({}, ErrorCode::missing, "column \"text\": row 9 has a missing value",
        "texts_bad_null.parquet");
  // The file is sound, so no place in it is at fault.
  EXPECT_FALSE(error_of("texts_bad_null.parquet", {})->offset());
  check({}, ErrorCode::checksum_mismatch, "\"text\"", "foreign_bad_checksum_of_text.parquet");
  check({.id_field = "flag"}, ErrorCode::bad_type, "values of the type boolean, expected ids",
        file);
  check({}, ErrorCode::bad_type, "does not hold one text or one number",
        "texts_bad_struct.parquet");
  check({}, ErrorCode::unsupported, "Brotli", "texts_bad_brotli.parquet");
}

TEST(ParquetRecordsErrorTest, RefusesOptionsThatParquetCannotHave) {
  const auto code = [](const std::filesystem::path& path, const InputOptions& options) {
    const auto reader = open_records(path, options);
    return reader ? ErrorCode::unsupported : reader.error().code();
  };
  const auto file = data("texts_none.parquet");
  for (const InputOptions& options :
       {InputOptions{.encoding = "latin-1"}, InputOptions{.invalid_text = InvalidText::replace},
        InputOptions{.has_header = false}, InputOptions{.delimiter = ';'},
        InputOptions{.token_ids_field = "n"}})
    EXPECT_EQ(code(file, options), ErrorCode::invalid_argument);
  EXPECT_EQ(code("-", {.format = InputFormat::parquet}), ErrorCode::invalid_argument);
}

TEST(ParquetRecordsErrorTest, AFileWithoutRowsHasNoRecords) {
  EXPECT_TRUE(records(*open_records(data("texts_empty.parquet")).value()).empty());
}

class DamagedParquetRecordsTest : public test::TemporaryDirectory {};

TEST_F(DamagedParquetRecordsTest, EndInErrors) {
  const MappedFile whole = MappedFile::open(data("texts_none.parquet")).value();
  const std::string content(as_text(whole.bytes()));
  int failed = 0;
  for (std::size_t cut = 0; cut < content.size(); cut += 37) {
    std::ofstream(path("cut.parquet"), std::ios::binary) << content.substr(0, cut);
    const auto reader = open_records(path("cut.parquet"));
    ASSERT_FALSE(reader);
    failed += reader.error().message().find("cut.parquet") != std::string::npos;
  }
  EXPECT_EQ(failed, static_cast<int>((content.size() + 36) / 37));
}

}  // namespace
}  // namespace embd
