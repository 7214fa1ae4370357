#include "formats/vectors/cvc/cvc_reader.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <thread>

#include "base/half.h"
#include "base/path_text.h"
#include "formats/vectors/formats.h"
#include "tests/formats/vectors/cvc/fixture.h"

namespace embd::cvc {
namespace {

std::vector<float> expected_values(const std::string& name) {
  const test::Npy array = load_array(name);
  const auto widen = [](const auto& from) { return std::vector<float>(from.begin(), from.end()); };
  if (array.dtype == "<f4") return array.as<float>();
  if (array.dtype == "<i4") return widen(array.as<std::int32_t>());
  if (array.dtype == "<i8") return widen(array.as<std::int64_t>());
  if (array.dtype == "|i1") return widen(array.as<std::int8_t>());
  if (array.dtype == "|u1") return widen(array.as<std::uint8_t>());
  const auto halves = array.as<std::uint16_t>();
  EXPECT_EQ(array.dtype, "<f2");
  std::vector<float> values(halves.size());
  floats_from_halves(halves, values);
  return values;
}

/// Equal values, NaN equal to NaN and a zero to the same zero.
void expect_values(const std::vector<float>& found, const std::vector<float>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (std::isnan(expected[i])) {
      EXPECT_TRUE(std::isnan(found[i])) << i;
    } else {
      EXPECT_EQ(std::bit_cast<std::uint32_t>(found[i]), std::bit_cast<std::uint32_t>(expected[i]))
          << i << ": " << found[i] << ", expected " << expected[i];
    }
  }
}

std::unique_ptr<VectorReader> open_file(const std::string& name, const ReadOptions& options = {}) {
  auto reader = format.open(fixture(name), options);
  EXPECT_TRUE(reader) << reader.error().message();
  return reader ? std::move(*reader) : nullptr;
}

std::vector<float> all_values(const VectorReader& reader) {
  std::vector<float> values(reader.info().num_rows * reader.info().dim);
  const auto read = reader.read(0, reader.info().num_rows, values);
  EXPECT_TRUE(read) << read.error().message();
  return values;
}

/// The expected arrays of a fixture by column name; a file that is not columnar has one without.
std::map<std::string, std::string> by_column(const nlohmann::json& arrays) {
  if (arrays.is_string()) return {{"", arrays}};
  return arrays.get<std::map<std::string, std::string>>();
}

TEST(CvcReader, ReadsEveryGoodFixture) {
  int files = 0;
  for (const auto& entry : manifest()) {
    if (entry.contains("bad") || entry["file"] == "v1_utf16_json.cvc") continue;
    for (const auto& [column, expected] : by_column(entry["expected"])) {
      SCOPED_TRACE(entry["file"].get<std::string>() + " " + column);
      const auto reader = open_file(entry["file"], {.column = column});
      ASSERT_TRUE(reader);
      EXPECT_EQ(reader->info().num_rows, load_array(expected).rows());
      expect_values(all_values(*reader), expected_values(expected));
      const auto verified = reader->verify();
      EXPECT_TRUE(verified) << verified.error().message();
      EXPECT_TRUE(nlohmann::json::accept(reader->describe())) << reader->describe();
    }
    ++files;
  }
  EXPECT_EQ(files, 35);
}

TEST(CvcReader, SelectsSections) {
  int selections = 0;
  for (const auto& entry : manifest()) {
    for (const auto& select : entry.value("section_selects", nlohmann::json::array())) {
      const std::string value =
          select["value"].is_string() ? select["value"].get<std::string>() : select["value"].dump();
      const std::string section = select["key"].get<std::string>() + "=" + value;
      SCOPED_TRACE(entry["file"].get<std::string>() + " " + section);
      ++selections;
      if (select.contains("error")) {
        const auto reader = format.open(fixture(entry["file"]), {.section = section});
        ASSERT_FALSE(reader);
        EXPECT_EQ(reader.error().code(), ErrorCode::invalid_argument);
        continue;
      }
      for (const auto& [column, expected] : by_column(select["expected"])) {
        const auto reader = open_file(entry["file"], {.column = column, .section = section});
        ASSERT_TRUE(reader);
        expect_values(all_values(*reader), expected_values(expected));
      }
    }
  }
  EXPECT_EQ(selections, 16);
}

TEST(CvcReader, EveryRowRangeEqualsThatPartOfTheWhole) {
  for (const char* name : {"v1_fp16_multi.cvc", "v1_int8_multi.cvc", "v1_lossless_multi.cvc",
                           "v1_mmap_int8.cvc", "v1_zero_row_chunk.cvc", "v0_fp16.cvc",
                           "v1_lossless_special.cvc", "v1_sections_lossless.cvc"}) {
    SCOPED_TRACE(name);
    const auto reader = open_file(name);
    const std::vector<float> whole = all_values(*reader);
    const std::uint64_t rows = reader->info().num_rows, dim = reader->info().dim;
    for (std::uint64_t first = 0; first <= rows; ++first) {
      for (std::uint64_t count = 0; first + count <= rows; ++count) {
        std::vector<float> part(count * dim);
        ASSERT_TRUE(reader->read(first, count, part));
        expect_values(part, {whole.begin() + static_cast<std::ptrdiff_t>(first * dim),
                             whole.begin() + static_cast<std::ptrdiff_t>((first + count) * dim)});
      }
    }
  }
}

TEST(CvcReader, GivesPlainRowsAsTheyAreStored) {
  const auto halves = open_file("v1_fp16_multi.cvc");
  EXPECT_EQ(halves->info().element_type, ElementType::f16);
  std::vector<std::byte> raw = {std::byte{1}};
  ASSERT_TRUE(halves->plain_rows()->read_stored(8, 4, raw));
  const std::vector<float> values = all_values(*halves);
  ASSERT_EQ(raw.size(), 4 * 8 * sizeof(std::uint16_t));
  for (std::size_t i = 0; i < 32; ++i) {
    std::uint16_t half;
    std::memcpy(&half, raw.data() + 2 * i, 2);
    EXPECT_EQ(half, half_from_float(values[64 + i]));
  }

  const auto numbers = open_file("v2_dtypes.cvc", {.column = "i64"});
  EXPECT_EQ(numbers->info().element_type, ElementType::i64);
  EXPECT_EQ(numbers->info().encoding, "none");
  ASSERT_TRUE(numbers->plain_rows()->read_stored(0, 7, raw));
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(raw.data()), raw.size()),
            load_array("v2_dtypes.i64.source.npy").bytes);

  EXPECT_EQ(open_file("v1_int8_multi.cvc")->plain_rows(), nullptr);
  EXPECT_EQ(open_file("v1_mixed_chunks.cvc")->info().encoding, "mixed");
}

TEST(CvcReader, ChoosesTheOnlyVectorColumn) {
  // Two columns have more than one value a row.
  const auto unclear = format.open(fixture("v2_basic.cvc"), {});
  ASSERT_FALSE(unclear);
  EXPECT_NE(unclear.error().message().find("text, image, doc_id"), std::string::npos);
  EXPECT_EQ(open_file("v2_sections.cvc")->info().dim, 4);
  EXPECT_EQ(open_file("v2_sections.cvc", {.column = "id"})->info().dim, 1);
  EXPECT_FALSE(format.open(fixture("v2_basic.cvc"), {.column = "audio"}));
  EXPECT_FALSE(format.open(fixture("v1_fp16_multi.cvc"), {.column = "text"}));
  EXPECT_FALSE(format.open(fixture("v1_sections_fp16.cvc"), {.section = "wiki"}));
}

TEST(CvcReader, RefusesRowsThatAreNotThere) {
  const auto reader = open_file("v1_fp16_multi.cvc");
  std::vector<float> room(8);
  EXPECT_FALSE(reader->read(25, 1, room));
  EXPECT_FALSE(reader->read(UINT64_MAX, 1, room));
  EXPECT_FALSE(reader->read(0, 2, room));
  EXPECT_TRUE(reader->read(24, 1, room));
}

struct Refusal {
  ErrorCode code;
  std::uint64_t offset;
  std::string_view reason;
};

// Every bad fixture, by what is wrong with it.
const std::map<std::string, Refusal> refusals = {
    {"bad_bitflip.cvc",
     {ErrorCode::checksum_mismatch, 167,
      "chunk 1 (rows 2 to 4): the CRC-32 of the data is ce0eaeb2"}},
    {"bad_chunks_fewer.cvc",
     {ErrorCode::bad_count, 12, "the chunks have 2 rows together, but num_vectors is 4"}},
    {"bad_chunks_more.cvc", {ErrorCode::file_too_short, 190, "length of chunk 2"}},
    {"bad_crc.cvc", {ErrorCode::checksum_mismatch, 167, "the file says 00000001"}},
    {"bad_dim0.cvc", {ErrorCode::bad_value, 12, "dimension: found 0"}},
    {"bad_empty.cvc", {ErrorCode::bad_magic, 0, "expected \"CVCF\""}},
    {"bad_hdr_beyond.cvc",
     {ErrorCode::section_out_of_bounds, 8, "the length of the header is 1000000"}},
    {"bad_hdr_short.cvc", {ErrorCode::bad_json, 32, "missing closing quote"}},
    {"bad_hdr_zero.cvc", {ErrorCode::section_out_of_bounds, 8, "the length of the header is 0"}},
    {"bad_int8_nomin.cvc", {ErrorCode::missing, 12, "the header has no member chunks[0].min"}},
    {"bad_json.cvc", {ErrorCode::bad_json, 27, "unexpected ','"}},
    {"bad_json_array.cvc",
     {ErrorCode::bad_json, 12, "header: found [1,2], expected a JSON object"}},
    {"bad_len_huge.cvc", {ErrorCode::file_too_short, 167, "payload of chunk 1"}},
    {"bad_lossless_count.cvc",
     {ErrorCode::bad_count, 198, "the compressed data has 1 values, expected 80"}},
    {"bad_lossless_trunc.cvc", {ErrorCode::file_too_short, 650, "lossless indices"}},
    {"bad_magic.cvc", {ErrorCode::bad_magic, 0, "begins with \"CVCX\""}},
    {"bad_mmap_overflow.cvc",
     {ErrorCode::section_out_of_bounds, 12, "chunk 0 begins at byte 4096"}},
    {"bad_no_chunks.cvc", {ErrorCode::missing, 12, "the header has no member chunks"}},
    {"bad_no_compression.cvc", {ErrorCode::missing, 12, "the header has no member compression"}},
    {"bad_no_dimension.cvc", {ErrorCode::missing, 12, "the header has no member dimension"}},
    {"bad_no_num_vectors.cvc", {ErrorCode::missing, 12, "the header has no member num_vectors"}},
    {"bad_no_rows.cvc", {ErrorCode::missing, 12, "the header has no member chunks[0].rows"}},
    {"bad_none_v1.cvc", {ErrorCode::bad_value, 12, "compression: found \"none\""}},
    {"bad_nv_float.cvc", {ErrorCode::bad_value, 12, "num_vectors: found 4.0"}},
    {"bad_nv_less.cvc",
     {ErrorCode::bad_count, 12, "together have more rows than num_vectors, which is 3"}},
    {"bad_nv_more.cvc",
     {ErrorCode::bad_count, 12, "the chunks have 4 rows together, but num_vectors is 6"}},
    {"bad_nv_neg.cvc", {ErrorCode::bad_value, 12, "num_vectors: found -1"}},
    {"bad_nv_str.cvc", {ErrorCode::bad_value, 12, "num_vectors: found \"4\""}},
    {"bad_payload_long.cvc",
     {ErrorCode::file_size_mismatch, 147, "chunk 0 has 14 bytes, expected 2 rows of 6"}},
    {"bad_rows_wrong.cvc",
     {ErrorCode::file_size_mismatch, 105, "chunk 0 has 12 bytes, expected 3 rows of 6"}},
    {"bad_short11.cvc", {ErrorCode::file_too_short, 8, "header length"}},
    {"bad_short6.cvc", {ErrorCode::file_too_short, 6, "minor version"}},
    {"bad_trunc_chunk.cvc", {ErrorCode::file_too_short, 159, "length of chunk 1"}},
    {"bad_trunc_payload.cvc", {ErrorCode::file_too_short, 167, "payload of chunk 1"}},
    {"bad_unk_comp.cvc", {ErrorCode::bad_value, 12, "compression: found \"int4\""}},
    {"bad_utf8.cvc", {ErrorCode::invalid_utf8, 18, "not UTF-8"}},
    {"bad_v2_as_v1.cvc",
     {ErrorCode::unsupported_version, 12, "the version of the file is 1.0, expected version 2"}},
    {"bad_v2_bitflip.cvc", {ErrorCode::checksum_mismatch, 1439, "the CRC-32 of the data is"}},
    {"bad_v2_col_beyond.cvc",
     {ErrorCode::section_out_of_bounds, 1007,
      "column \"doc_id\" of chunk 0 takes 24 bytes from byte 1000000"}},
    {"bad_v2_col_missing.cvc",
     {ErrorCode::missing, 12, "the header has no member chunks[0].columns.doc_id"}},
    {"bad_v2_trunc.cvc", {ErrorCode::file_too_short, 1439, "payload of chunk"}},
    {"bad_v2_unk_comp.cvc",
     {ErrorCode::bad_value, 12, "chunks[0].columns.doc_id.compression: found \"zstd\""}},
    {"bad_version0_0.cvc", {ErrorCode::section_out_of_bounds, 4, "the length of the header is 0"}},
    {"bad_version10.cvc", {ErrorCode::unsupported_version, 4, "the version is 10.2"}},
    {"bad_version11.cvc", {ErrorCode::bad_json, 9, "a NUL byte was found"}},
    {"bad_version1_101.cvc",
     {ErrorCode::section_out_of_bounds, 4, "the length of the header is 6619137"}},
    {"bad_version3.cvc", {ErrorCode::unsupported_version, 4, "the version is 3.0"}},
};

/// Opens, reads and verifies every column; the first error of these.
Result<void> use_whole_file(const std::filesystem::path& path) {
  auto reader = Reader::open(path);
  if (!reader) return std::unexpected(reader.error());
  const Header& header = reader->header();
  for (std::size_t c = 0; c < header.columns.size(); ++c) {
    std::vector<float> values(header.num_rows * header.columns[c].dim);
    if (auto read = reader->read(c, 0, header.num_rows, values); !read) return read;
  }
  (void)reader->describe();
  return reader->verify();
}

TEST(CvcReader, RefusesEveryBadFixtureWithItsReason) {
  std::size_t files = 0;
  for (const auto& entry : manifest()) {
    if (!entry.contains("bad")) continue;
    const std::string name = entry["file"];
    SCOPED_TRACE(name);
    const auto used = use_whole_file(fixture(name));
    ASSERT_FALSE(used);
    const Refusal& refusal = refusals.at(name);
    EXPECT_EQ(used.error().code(), refusal.code) << used.error().message();
    EXPECT_EQ(used.error().file(), text_of_path(fixture(name)));
    ASSERT_TRUE(used.error().offset()) << used.error().message();
    EXPECT_EQ(*used.error().offset(), refusal.offset) << used.error().message();
    EXPECT_NE(used.error().what().find(refusal.reason), std::string::npos)
        << used.error().message();
    ++files;
  }
  EXPECT_EQ(files, refusals.size());
}

TEST(CvcReader, RefusesAHeaderThatIsNotUtf8) {
  EXPECT_FALSE(use_whole_file(fixture("v1_utf16_json.cvc")));
  EXPECT_EQ(Reader::open(fixture("no_such_file.cvc")).error().code(), ErrorCode::not_found);
}

TEST(CvcReader, RefusesEveryTruncation) {
  const auto path = std::filesystem::path(testing::TempDir()) / "truncated.cvc";
  for (const char* name : {"v1_fp16_multi.cvc", "v1_int8_halves.cvc", "v1_lossless_special.cvc",
                           "v2_basic.cvc", "v0_int8.cvc", "v1_mmap_fp16.cvc"}) {
    const std::string whole = file_bytes(fixture(name));
    for (std::size_t size = 0; size < whole.size(); size += 1 + size / 200) {
      write_file(path, whole.substr(0, size));
      EXPECT_FALSE(use_whole_file(path)) << name << " cut to " << size;
    }
  }
}

TEST(CvcReader, SurvivesEveryFlippedByte) {
  const auto path = std::filesystem::path(testing::TempDir()) / "flipped.cvc";
  for (const char* name : {"v1_mixed_chunks.cvc", "v1_lossless_special.cvc", "v0_int8.cvc"}) {
    const std::string whole = file_bytes(fixture(name));
    int accepted = 0;
    for (std::size_t i = 0; i < whole.size(); ++i) {
      for (const char flip : {'\x01', '\x80', '\xff'}) {
        std::string damaged = whole;
        damaged[i] = static_cast<char>(damaged[i] ^ flip);
        write_file(path, damaged);
        accepted += use_whole_file(path).has_value();
      }
    }
    // A flip in a number of the header, or in the data of version 0, leaves a valid file.
    EXPECT_LT(accepted, static_cast<int>(whole.size()) / 2) << name;
  }
}

/// A version 1 file of this header and nothing else.
Result<void> use_header(const std::string& json, const std::string& chunks = {}) {
  const auto path = std::filesystem::path(testing::TempDir()) / "header.cvc";
  const auto length = static_cast<std::uint32_t>(json.size());
  std::string file("CVCF\1\0\0\0", 8);
  file.append(reinterpret_cast<const char*>(&length), 4).append(json).append(chunks);
  write_file(path, file);
  return use_whole_file(path);
}

TEST(CvcReader, NeverBelievesAClaimBeyondTheFile) {
  const std::string rest = R"(,"compression":"fp16","chunks":[{"rows":)";
  EXPECT_FALSE(use_header(R"({"num_vectors":1000000000000,"dimension":4294967295)" + rest +
                          "1000000000000}]}"));
  EXPECT_FALSE(use_header(R"({"num_vectors":18446744073709551615,"dimension":4)" + rest +
                          "18446744073709551615}]}"));
  EXPECT_FALSE(use_header(R"({"num_vectors":1,"dimension":18446744073709551615)" + rest + "1}]}"));
  EXPECT_FALSE(use_header(R"({"num_vectors":3,"dimension":1)" + rest +
                          R"(18446744073709551615},{"rows":4}]})"));
  // Two chunks in the same bytes, of right size.
  const std::string place = R"("rows":1,"file_offset":150})";
  const std::string json = R"({"num_vectors":2,"dimension":2,"compression":"fp16","chunks":[{)" +
                           place + ",{" + place + "]}";
  ASSERT_LT(json.size() + 12, 150);
  const auto overlap = use_header(json + std::string(150 - 12 - json.size(), ' '),
                                  std::string("\4\0\0\0", 4) + std::string(64, '\0'));
  ASSERT_FALSE(overlap);
  EXPECT_EQ(overlap.error().code(), ErrorCode::sections_overlap) << overlap.error().message();
  EXPECT_TRUE(use_header(R"({"num_vectors":0,"dimension":4,"compression":"fp16","chunks":[]})"));
}

TEST(CvcReader, RefusesLosslessPayloadsThatDoNotFit) {
  const std::string header =
      R"({"num_vectors":1,"dimension":1,"compression":"lossless","chunks":[{"rows":1}]})";
  const auto use = [&](std::string payload) {
    const auto size = static_cast<std::uint32_t>(payload.size());
    std::string chunk(reinterpret_cast<const char*>(&size), 4);
    const std::uint32_t crc = 0;
    chunk.append(reinterpret_cast<const char*>(&crc), 4).append(payload);
    return use_header(header, chunk);
  };
  const std::string plane("\1\0\7\0", 4);
  const std::string good = std::string("\1\0\0\0\1\1\1\1", 8) + plane + plane + plane + plane;
  EXPECT_EQ(use(good).error().code(), ErrorCode::checksum_mismatch);  // right but for its CRC
  EXPECT_EQ(use(good + "x").error().code(), ErrorCode::trailing_bytes);
  std::string wide = good;
  wide[4] = 9;
  EXPECT_EQ(use(wide).error().code(), ErrorCode::bad_value);
  std::string narrow = good;
  narrow[4] = 0;
  EXPECT_EQ(use(narrow).error().code(), ErrorCode::bad_value);
  std::string large = good;
  large[9] = 2;
  EXPECT_EQ(use(large).error().code(), ErrorCode::bad_count);
}

TEST(CvcReader, ManyThreadsReadAtOnce) {
  const auto reader = open_file("v1_int8_384.cvc");
  const std::vector<float> whole = all_values(*open_file("v1_int8_384.cvc"));
  std::vector<std::vector<float>> found(8, std::vector<float>(whole.size()));
  {
    std::vector<std::jthread> threads;
    for (auto& values : found)
      threads.emplace_back([&] { (void)reader->read(0, reader->info().num_rows, values); });
  }
  for (const auto& values : found) expect_values(values, whole);
}

}  // namespace
}  // namespace embd::cvc
