#include "formats/vectors/usearch/usearch_file.h"

#include <gtest/gtest.h>

#include <cmath>

#include "fixture.h"
#include "formats/vectors/usearch/usearch_scalar.h"

namespace embd::usearch {
namespace {

Bytes bytes_of(const std::string& text) {
  return as_bytes(text);
}

TEST(UsearchReader, ReadsTheHeadersOfThePackage) {
  int checked = 0;
  for (const auto& entry : fixtures(false)) {
    if (!entry.contains("header")) continue;
    ++checked;
    const auto reader = Reader::open(fixture(entry["file"]));
    ASSERT_TRUE(reader) << reader.error().message();
    const Header& header = reader->header();
    const auto& expected = entry["header"];
    EXPECT_EQ(std::string(1, metric_code(header.metric)), expected["metric"]);
    EXPECT_EQ(scalar_code(header.scalar), expected["scalar"]);
    EXPECT_EQ(static_cast<int>(header.key), expected["key"]);
    EXPECT_EQ(static_cast<int>(header.slot), expected["slot"]);
    EXPECT_EQ(header.present, expected["present"]);
    EXPECT_EQ(header.deleted, expected["deleted"]);
    EXPECT_EQ(header.dimensions, expected["dimensions"]);
    EXPECT_EQ(header.multi, expected["multi"] == 1);

    const Array keys = load_array(entry["slot_keys"]);
    ASSERT_EQ(keys.rows, header.size) << entry["file"];
    const std::size_t width = keys.dtype == "<u4" ? 4 : 8;
    for (std::uint64_t slot = 0; slot < header.size; ++slot) {
      std::uint64_t key = 0;
      std::memcpy(&key, keys.bytes.data() + slot * width, width);
      EXPECT_EQ(reader->key(slot), key) << entry["file"] << " slot " << slot;
    }
  }
  EXPECT_GT(checked, 30);
}

/// Stored values as the package gives them back, and sources as we store them.
TEST(UsearchScalar, RowsAreStoredAndReadLikeThePackage) {
  int compared = 0;
  for (const auto& entry : fixtures(false)) {
    if (!entry.contains("header") || !entry.contains("source")) continue;
    const auto reader = Reader::open(fixture(entry["file"])).value();
    const Header& header = reader.header();
    if (!reader.has_rows() || header.deleted != 0 || header.size == 0) continue;
    const bool bits = header.scalar == ElementType::b1;
    std::size_t dim = 0;
    // Rows that other threads or later additions put elsewhere have no source row of their slot.
    const std::string stored_name = entry.value("stored", std::string());
    if (!stored_name.empty()) {
      const std::vector<float> stored = load_rows(stored_name, bits, dim);
      for (std::uint64_t slot = 0; slot < header.size; ++slot) {
        std::vector<float> row(dim);
        decode_row(header.scalar, reader.row(slot), row);
        for (std::size_t i = 0; i < dim; ++i) {
          EXPECT_NEAR(row[i], stored[slot * dim + i], 1e-6) << entry["file"];
        }
      }
    }
    if (entry["slot_keys"] != entry["source_keys"]) continue;
    ++compared;
    const std::vector<float> source = load_rows(entry["source"], bits, dim);
    for (std::uint64_t slot = 0; slot < header.size; ++slot) {
      std::vector<std::byte> row(reader.row_bytes());
      encode_row(header.scalar, std::span(source).subspan(slot * dim, dim), row.data());
      EXPECT_EQ(std::memcmp(row.data(), reader.row(slot), row.size()), 0)
          << entry["file"] << " slot " << slot;
    }
  }
  EXPECT_GT(compared, 20);
}

TEST(UsearchScalar, SmallFloatsRoundTripAndSaturate) {
  for (const ElementType type :
       {ElementType::e5m2, ElementType::e4m3, ElementType::e3m2, ElementType::e2m3}) {
    const float* values = small_float_values(type);
    const int codes = type == ElementType::e5m2 || type == ElementType::e4m3 ? 256 : 64;
    for (int code = 0; code < codes; ++code) {
      const float value = values[code];
      if (std::isnan(value)) continue;
      std::byte again;
      encode_row(type, std::span(&value, 1), &again);
      EXPECT_EQ(std::to_integer<int>(again), code) << element_name(type) << " " << value;
    }
  }
  const auto encoded = [](ElementType type, float value) {
    std::byte code;
    encode_row(type, std::span(&value, 1), &code);
    return std::to_integer<int>(code);
  };
  EXPECT_EQ(encoded(ElementType::e5m2, 1e9F), 0x7c);
  EXPECT_EQ(encoded(ElementType::e5m2, NAN), 0x7d);
  EXPECT_EQ(encoded(ElementType::e4m3, 1e9F), 0x7e);
  EXPECT_EQ(encoded(ElementType::e4m3, 465.0F), 0x7e);
  EXPECT_EQ(encoded(ElementType::e4m3, NAN), 0x7f);
  EXPECT_EQ(encoded(ElementType::e3m2, -1e9F), 0x3f);
  EXPECT_EQ(encoded(ElementType::e2m3, 1e9F), 0x1f);
  EXPECT_EQ(encoded(ElementType::e2m3, NAN), 0x1f);
}

TEST(UsearchReader, RefusesEveryTruncation) {
  const std::string whole = file_bytes(fixture("f32_multi.usearch"));
  ASSERT_TRUE(Reader::parse(bytes_of(whole)));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const std::string part = whole.substr(0, size);
    EXPECT_FALSE(Reader::parse(bytes_of(part))) << size;
  }
}

TEST(UsearchReader, AnyFlippedByteIsRefusedOrReadWithinBounds) {
  const std::string whole = file_bytes(fixture("bad_base_good.usearch"));
  for (std::size_t i = 0; i < whole.size(); ++i) {
    for (const char flip : {'\x01', '\x80', '\xff'}) {
      std::string flipped = whole;
      flipped[i] = static_cast<char>(flipped[i] ^ flip);
      const auto reader = Reader::parse(bytes_of(flipped));
      if (!reader) continue;
      for (std::uint64_t slot = 0; slot < reader->header().size; ++slot) {
        for (std::int16_t level = 0; level <= reader->level(slot); ++level) {
          const LinkList list = reader->links(slot, level);
          for (std::uint32_t l = 0; l < list.count(); ++l) {
            ASSERT_LT(list[l], reader->header().size);
          }
        }
      }
    }
  }
}

TEST(UsearchReader, SaysWhatIsWrongAndWhere) {
  const auto error_of = [](const std::string& name) { return Reader::open(fixture(name)).error(); };
  EXPECT_EQ(error_of("bad_major3.usearch").code(), ErrorCode::unsupported_version);
  EXPECT_EQ(error_of("bad_major3.usearch").offset(), 135);
  EXPECT_EQ(error_of("bad_magic.usearch").code(), ErrorCode::bad_magic);
  EXPECT_EQ(error_of("bad_magic.usearch").offset(), 128);
  EXPECT_EQ(error_of("bad_dup_key.usearch").code(), ErrorCode::duplicate);
  EXPECT_EQ(error_of("bad_dup_key.usearch").offset(), 296);
  EXPECT_EQ(error_of("bad_count_2e31.usearch").offset(), 252);
  EXPECT_EQ(error_of("bad_slot_9.usearch").offset(), 256);
  EXPECT_EQ(error_of("bad_size_2e60.usearch").code(), ErrorCode::bad_count);
  EXPECT_EQ(error_of("bad_zero_bytes.usearch").code(), ErrorCode::file_too_short);
  EXPECT_EQ(error_of("bad_rows_huge.usearch").code(), ErrorCode::section_out_of_bounds);
}

TEST(UsearchVectors, GivesThePresentRowsWithTheirKeys) {
  const auto vectors = open(fixture("f32_removed.usearch"), {}).value();
  EXPECT_EQ(vectors->info().num_rows, 26);
  const auto keys = std::get<std::vector<std::uint64_t>>(vectors->ids().value());
  std::size_t dim = 0;
  const std::vector<float> source = load_rows("src_main.npy", false, dim);
  const auto all_keys = load_array("f32_removed.slot_keys.npy").as<std::uint64_t>();
  std::vector<float> rows(26 * dim);
  ASSERT_TRUE(vectors->read(0, 26, rows));
  std::size_t present = 0;
  for (std::size_t slot = 0; slot < all_keys.size(); ++slot) {
    if (all_keys[slot] == removed_key) continue;
    EXPECT_EQ(keys[present], all_keys[slot]);
    for (std::size_t i = 0; i < dim; ++i) {
      EXPECT_EQ(rows[present * dim + i], source[slot * dim + i]);
    }
    ++present;
  }
  EXPECT_EQ(present, 26);
  EXPECT_FALSE(vectors->read(26, 1, std::span(rows).first(dim)));
  EXPECT_FALSE(open(fixture("cpp_ex.usearch"), {}));
}

TEST(UsearchVectors, KnowsItsFilesByTheMagicBehindTheMatrix) {
  const auto recognized = [](const std::string& name) {
    const std::string bytes = file_bytes(fixture(name));
    return has_magic(fixture(name), bytes_of(bytes).first(std::min<std::size_t>(64, bytes.size())));
  };
  for (const auto& entry : fixtures(false)) EXPECT_TRUE(recognized(entry["file"])) << entry["file"];
  for (const char* other : {"bad_magic.usearch", "bad_zero_bytes.usearch", "src_main.npy",
                            "bad_rows_huge.usearch", "manifest.json"}) {
    EXPECT_FALSE(recognized(other)) << other;
  }
}

}  // namespace
}  // namespace embd::usearch
