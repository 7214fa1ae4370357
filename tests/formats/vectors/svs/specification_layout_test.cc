#include "formats/vectors/svs/specification_layout.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "base/half.h"
#include "base/path_text.h"
#include "formats/vectors/formats.h"
#include "tests/support/npy.h"

namespace embd::svs {
namespace {

using Json = nlohmann::json;

const std::filesystem::path data = std::filesystem::path(EMBD_TEST_DATA) / "svsseed";

Json manifest(const std::filesystem::path& path) {
  return Json::parse(std::ifstream(path))["files"];
}

void expect_rows(const VectorReader& reader, const test::Npy& expected, float tolerance) {
  ASSERT_EQ(reader.info().num_rows, expected.rows());
  ASSERT_EQ(reader.info().dim, expected.cols());
  Matrix rows(expected.rows(), expected.cols());
  ASSERT_TRUE(reader.read(0, rows.rows(), rows.values()));
  if (tolerance > 0 || expected.dtype == "<f4") {
    const auto values = expected.as<float>();
    for (std::size_t i = 0; i < values.size(); ++i)
      ASSERT_NEAR(rows.values()[i], values[i], tolerance) << i;
  }
  if (tolerance == 0) {
    std::vector<std::byte> raw;
    if (const PlainRowSource* stored = reader.plain_rows()) {
      ASSERT_TRUE(stored->read_stored(0, rows.rows(), raw));
      EXPECT_EQ(as_text(raw), expected.bytes);
    }
  }
}

TEST(SpecificationLayout, EveryGoodFileHasItsRowsAndIds) {
  int files = 0;
  for (const Json& file : manifest(data / "manifest.json")) {
    SCOPED_TRACE(file["file"].get<std::string>());
    const auto reader = format.open(data / file["file"].get<std::string>(), {});
    ASSERT_TRUE(reader) << reader.error().message();
    ++files;
    if (file["kind"] != "vector") continue;
    expect_rows(**reader, test::read_npy(data / file["vectors"].get<std::string>()),
                file.value("atol", 0.0F));
    const auto ids = (*reader)->ids();
    ASSERT_TRUE(ids);
    if (!file.contains("ids")) {
      EXPECT_TRUE(std::holds_alternative<std::monostate>(*ids));
      continue;
    }
    const test::Npy expected = test::read_npy(data / file["ids"].get<std::string>());
    const auto& found = std::get<std::vector<std::uint64_t>>(*ids);
    if (expected.dtype == "<u8") {
      EXPECT_EQ(found, expected.as<std::uint64_t>());
    } else {
      EXPECT_TRUE(std::ranges::equal(found, expected.as<std::uint32_t>()));
    }
  }
  EXPECT_GE(files, 24);
}

TEST(SpecificationLayout, AnIndexHasItsGraph) {
  for (const Json& file : manifest(data / "manifest.json")) {
    if (file["kind"] != "vamana") continue;
    SCOPED_TRACE(file["file"].get<std::string>());
    const auto index = open_specification_index(data / file["file"].get<std::string>());
    ASSERT_TRUE(index) << index.error().message();
    EXPECT_EQ(index->entry_point, file["entry_point"]);
    EXPECT_EQ(index->graph.max_degree(), file["max_out_degree"]);
    EXPECT_EQ(index->distance == SpecificationDistance::squared_l2, file["distance"] == "l2");
    EXPECT_EQ(index->distance == SpecificationDistance::cosine, file["distance"] == "cosine");
  }
}

/// The manifest's word for a fault → our code.
ErrorCode code_of(const std::string& fault) {
  const std::map<std::string, ErrorCode> codes = {{"toml", ErrorCode::bad_toml},
                                                  {"version", ErrorCode::unsupported_version},
                                                  {"config_type", ErrorCode::bad_type},
                                                  {"missing_key", ErrorCode::missing},
                                                  {"wrong_type", ErrorCode::bad_type},
                                                  {"out_of_range", ErrorCode::bad_value},
                                                  {"element_type", ErrorCode::bad_type},
                                                  {"bad_uuid", ErrorCode::bad_value},
                                                  {"rows", ErrorCode::bad_count},
                                                  {"columns", ErrorCode::bad_count},
                                                  {"missing_binary", ErrorCode::missing},
                                                  {"id_type", ErrorCode::bad_type},
                                                  {"truncated", ErrorCode::file_too_short},
                                                  {"quantised", ErrorCode::unsupported},
                                                  {"uuid_mismatch", ErrorCode::missing},
                                                  {"bad_magic", ErrorCode::bad_magic},
                                                  {"trailing_bytes", ErrorCode::trailing_bytes},
                                                  {"duplicate_id", ErrorCode::duplicate},
                                                  {"dimensions", ErrorCode::bad_count},
                                                  {"levels", ErrorCode::bad_count},
                                                  {"position", ErrorCode::missing},
                                                  {"origin_uuid", ErrorCode::bad_value},
                                                  {"distance", ErrorCode::bad_type},
                                                  {"entry_point", ErrorCode::bad_value},
                                                  {"index_uuid", ErrorCode::missing},
                                                  {"contradiction", ErrorCode::bad_value},
                                                  {"degree", ErrorCode::bad_count},
                                                  {"neighbour", ErrorCode::bad_value},
                                                  {"n_elements", ErrorCode::bad_count}};
  return codes.at(fault);
}

TEST(SpecificationLayout, EveryBadFileIsRefusedWithItsFieldAndPlace) {
  int refused = 0;
  for (const Json& file : manifest(data / "bad" / "manifest.json")) {
    SCOPED_TRACE(file["file"].get<std::string>());
    const auto reader = format.open(data / "bad" / file["file"].get<std::string>(), {});
    if (file["fault"].is_null()) {
      EXPECT_TRUE(reader) << reader.error().message();
      continue;
    }
    ++refused;
    ASSERT_FALSE(reader);
    const Error& error = reader.error();
    EXPECT_EQ(error.code(), code_of(file["fault"])) << error.message();
    EXPECT_EQ(text_of_path(std::filesystem::path(error.file()).filename()),
              file["in"].get<std::string>())
        << error.message();
    const std::string field = file["field"];
    EXPECT_TRUE(field == "TOML" || error.message().find(field) != std::string::npos)
        << field << ": " << error.message();
    if (file.contains("offset")) {
      EXPECT_EQ(error.offset(), file["offset"].get<std::uint64_t>()) << error.message();
    }
  }
  EXPECT_GT(refused, 70);
}

}  // namespace
}  // namespace embd::svs
