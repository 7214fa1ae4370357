#include <gtest/gtest.h>

#include <fstream>

#include "formats/vectors/formats.h"
#include "formats/vectors/svs/binary_file.h"
#include "formats/vectors/svs/vamana_directory.h"

namespace embd::svs {
namespace {

const std::filesystem::path bad = std::filesystem::path(EMBD_TEST_DATA) / "svs" / "bad";

struct BadCase {
  const char* name;
  ErrorCode code;
  const char* mentions;
};

class BadDirectory : public testing::TestWithParam<BadCase> {};

TEST_P(BadDirectory, IsRefusedWithItsReason) {
  const std::filesystem::path path = bad / GetParam().name;
  const auto reader = format.open(is_vamana_directory(path) ? path : path / "data", {});
  ASSERT_FALSE(reader);
  EXPECT_EQ(reader.error().code(), GetParam().code) << reader.error().message();
  EXPECT_NE(reader.error().message().find(GetParam().mentions), std::string::npos)
      << reader.error().message();
  EXPECT_FALSE(reader.error().file().empty());
}

INSTANTIATE_TEST_SUITE_P(
    Fixtures, BadDirectory,
    testing::Values(
        BadCase{"data_bad_magic", ErrorCode::bad_magic, "expected 0xcad4a6b2579980fe"},
        BadCase{"data_eltype_mismatch", ErrorCode::trailing_bytes, "elements of 2 bytes"},
        BadCase{"data_global_version_0_0_3", ErrorCode::unsupported_version, "v0.0.3"},
        BadCase{"data_header_num_vectors_huge", ErrorCode::bad_count, "rows"},
        BadCase{"data_header_num_vectors_too_big", ErrorCode::bad_count,
                "the number of rows is 17"},
        BadCase{"data_malformed_toml", ErrorCode::bad_toml, "line"},
        BadCase{"data_missing_binary", ErrorCode::missing, "no file in the directory has the UUID"},
        BadCase{"data_no_config", ErrorCode::not_found, "svs_config.toml"},
        BadCase{"data_object_version_0_0_1", ErrorCode::unsupported_version,
                "uncompressed_data v0.0.1"},
        BadCase{"data_toml_dims_wrong", ErrorCode::bad_count, "the number of columns is 4"},
        BadCase{"data_trailing_bytes", ErrorCode::trailing_bytes, "byte 1184"},
        BadCase{"data_truncated_header", ErrorCode::file_too_short, "header"},
        BadCase{"data_truncated_payload", ErrorCode::file_too_short, "10 × 4 elements"},
        BadCase{"data_uuid_mismatch_binary", ErrorCode::missing, "byte 8"},
        BadCase{"data_uuid_mismatch_toml", ErrorCode::missing, "byte 8"},
        BadCase{"data_uuid_short_string", ErrorCode::bad_value, "35 characters"},
        BadCase{"data_wrong_schema", ErrorCode::unsupported_version, "default_graph v0.0.0"},
        BadCase{"dynamic_translation_duplicate_external", ErrorCode::duplicate, "external id"},
        BadCase{"dynamic_translation_truncated", ErrorCode::file_size_mismatch,
                "records of 12 bytes"},
        BadCase{"vamana_config_alpha_integer", ErrorCode::bad_type, "alpha: expected a float"},
        BadCase{"vamana_config_entry_point_out_of_range", ErrorCode::bad_value, "entry_point"},
        BadCase{"vamana_graph_bad_magic", ErrorCode::bad_magic, "graph_0.svs"},
        BadCase{"vamana_graph_degree_over_max", ErrorCode::bad_count, "degree"},
        BadCase{"vamana_graph_neighbor_out_of_range", ErrorCode::bad_value, "neighbour"},
        BadCase{"vamana_graph_truncated", ErrorCode::file_too_short, "elements of 4 bytes"}),
    [](const auto& test) { return test.param.name; });

class OddDirectory : public testing::TestWithParam<const char*> {};

TEST_P(OddDirectory, IsAcceptedAsTheLibraryAcceptsIt) {
  const std::filesystem::path path = bad / GetParam();
  const auto reader = format.open(is_vamana_directory(path) ? path : path / "data", {});
  ASSERT_TRUE(reader) << reader.error().message();
  EXPECT_EQ((*reader)->info().num_rows, 10U);
}

INSTANTIATE_TEST_SUITE_P(Fixtures, OddDirectory,
                         testing::Values("data_extra_key_ok", "data_global_version_0_0_1",
                                         "data_renamed_binary_ok", "data_stray_small_file",
                                         "data_uppercase_uuid_ok",
                                         "vamana_config_legacy_v0_0_2_ok"),
                         [](const auto& test) { return test.param; });

TEST(OtherKinds, AreRefusedByName) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "svs-others";
  std::filesystem::remove_all(folder);
  const auto expect = [&](const std::filesystem::path& path, const char* mentions) {
    const auto reader = format.open(path, {});
    ASSERT_FALSE(reader) << path;
    EXPECT_EQ(reader.error().code(), ErrorCode::unsupported) << reader.error().message();
    EXPECT_NE(reader.error().message().find(mentions), std::string::npos)
        << reader.error().message();
  };
  std::filesystem::create_directories(folder / "config");
  std::ofstream(folder / "config" / "svs_config.toml")
      << "__version__ = 'v0.0.2'\n[object]\n__schema__ = 'ivf_index'\n__version__ = 'v0.0.0'\n";
  expect(folder, "IVF");
  for (const auto& [magic, mentions] :
       {std::pair(stream_magic, "in one stream"), std::pair(database_magic, "database")}) {
    std::ofstream file(folder / "other.svs", std::ios::binary);
    file.write(reinterpret_cast<const char*>(&magic), sizeof(magic));
    file << std::string(2000, '\0');
    file.close();
    expect(folder / "other.svs", mentions);
  }
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace embd::svs
