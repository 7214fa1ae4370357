#include "jobs/embed/part_manifest.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/files.h"
#include "tests/support/temporary_directory.h"

namespace embd {
namespace {

using Json = nlohmann::ordered_json;

class PartManifestTest : public test::TemporaryDirectory {
 protected:
  static PartManifest manifest() {
    PartManifest made;
    made.part = {2, 5};
    made.vectors = "a.npy";
    made.rows = 3;
    made.first_text = 40;
    made.texts = 2;
    made.has_ids = true;
    made.first_id = std::uint64_t{18446744073709551615U};
    made.last_id = std::string("naïve");
    made.input_bytes = 1000;
    made.input_sha256_before = std::string(64, 'a');
    made.input_sha256_after = std::string(64, '0');
    made.conditions = {{"id_field", "\"key\""}, {"index", "[1,0.25,false]"}};
    made.digest = Digest({.model_sha256 = "12"});
    made.stored_digest = "34";
    made.recipe.prompt = "q: ";
    return made;
  }
  std::filesystem::path vectors() const { return path("a.npy"); }
  std::filesystem::path file() const { return part_manifest_path(vectors()); }
  /// The manifest as it stands in its file, to be changed.
  Json written() const {
    EXPECT_TRUE(write_part_manifest(manifest(), vectors()));
    return Json::parse(test::content(file()));
  }
  Error error_of(const Json& json) const {
    test::write_file(file(), json.dump());
    const auto read = read_part_manifest(file());
    EXPECT_FALSE(read) << json;
    EXPECT_EQ(read.error().file(), file());
    return read.error();
  }
};

TEST_F(PartManifestTest, IsReadAsItWasWritten) {
  ASSERT_TRUE(write_part_manifest(manifest(), vectors()));
  EXPECT_EQ(file(), path("a.npy.part.json"));
  const auto found = read_part_manifest(file());
  ASSERT_TRUE(found) << found.error().message();
  const PartManifest expected = manifest();
  EXPECT_EQ(found->part, expected.part);
  EXPECT_EQ(found->vectors, expected.vectors);
  EXPECT_EQ(found->rows, expected.rows);
  EXPECT_EQ(found->first_text, expected.first_text);
  EXPECT_EQ(found->texts, expected.texts);
  EXPECT_EQ(found->has_ids, expected.has_ids);
  EXPECT_EQ(found->first_id, expected.first_id);
  EXPECT_EQ(found->last_id, expected.last_id);
  EXPECT_EQ(found->input_bytes, expected.input_bytes);
  EXPECT_EQ(found->input_sha256_before, expected.input_sha256_before);
  EXPECT_EQ(found->input_sha256_after, expected.input_sha256_after);
  EXPECT_EQ(found->conditions, expected.conditions);
  EXPECT_EQ(found->digest.to_json(), expected.digest.to_json());
  EXPECT_EQ(found->stored_digest, expected.stored_digest);
  EXPECT_EQ(found->recipe, expected.recipe);
}

TEST_F(PartManifestTest, EveryMemberIsNeededAndOfOneType) {
  const Json good = written();
  for (const auto& [name, value] : good.items()) {
    SCOPED_TRACE(name);
    Json without = good;
    without.erase(name);
    EXPECT_EQ(error_of(without).code(), ErrorCode::missing);
    EXPECT_NE(error_of(without).message().find(name), std::string::npos);
    Json wrong = good;
    wrong[name] = Json::array();
    EXPECT_EQ(error_of(wrong).code(), ErrorCode::bad_type);
    EXPECT_NE(error_of(wrong).message().find(name), std::string::npos);
  }
}

TEST_F(PartManifestTest, ValuesThatCannotBeAreRefused) {
  const Json good = written();
  const auto changed = [&](const char* name, const Json& value) {
    Json json = good;
    json[name] = value;
    return error_of(json);
  };
  EXPECT_EQ(changed("part", 5).code(), ErrorCode::bad_value);
  EXPECT_EQ(changed("parts", 0).code(), ErrorCode::bad_value);
  EXPECT_EQ(changed("rows", -1).code(), ErrorCode::bad_type);
  EXPECT_EQ(changed("first_id", 1.5).code(), ErrorCode::bad_type);
  for (const char* name : {"../a.npy", "/a.npy", "x/", ".", "..", ""})
    EXPECT_EQ(changed("vectors", name).code(), ErrorCode::bad_value);
  for (const std::string& hash : {std::string(), std::string(63, 'a'), std::string(64, 'A')})
    EXPECT_EQ(changed("input_sha256_after", hash).code(), ErrorCode::bad_value);
}

TEST_F(PartManifestTest, AnotherVersionIsRefusedWithWhatToDo) {
  Json old = written();
  for (const int version : {0, 1, 3}) {
    old["embd_part"] = version;
    EXPECT_EQ(error_of(old).code(), ErrorCode::unsupported);
    EXPECT_NE(error_of(old).message().find("make the part again"), std::string::npos);
  }
}

TEST_F(PartManifestTest, WhatIsNoManifestIsCalledSo) {
  for (const std::string content : {"", " \n", "[1]", "\x93NUMPY"}) {
    test::write_file(file(), content);
    EXPECT_EQ(read_part_manifest(file()).error().code(), ErrorCode::bad_type);
  }
  test::write_file(file(), "{\"embd_part\": 2");
  EXPECT_EQ(read_part_manifest(file()).error().code(), ErrorCode::bad_json);
  EXPECT_EQ(read_part_manifest(path("none")).error().code(), ErrorCode::not_found);
}

TEST_F(PartManifestTest, TheVectorsOfAnotherPartAreNotReplaced) {
  EXPECT_TRUE(check_part_manifest({0, 5}, vectors()));
  ASSERT_TRUE(write_part_manifest(manifest(), vectors()));
  EXPECT_TRUE(check_part_manifest({2, 5}, vectors()));
  EXPECT_TRUE(check_part_manifest({0, 4}, vectors()));  // of an input that is split anew
  const auto refused = check_part_manifest({0, 5}, vectors());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::invalid_argument);
  EXPECT_NE(refused.error().message().find("holds part 2 of 5 already, but part 0"),
            std::string::npos);
  ASSERT_TRUE(remove_part_manifest(vectors()));
  ASSERT_TRUE(remove_part_manifest(vectors()));  // It is not there, which is all that is asked for.
  EXPECT_TRUE(check_part_manifest({0, 5}, vectors()));
}

}  // namespace
}  // namespace embd
