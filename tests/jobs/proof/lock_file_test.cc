#include "jobs/proof/lock.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/files.h"
#include "tests/support/temporary_directory.h"

namespace embd {
namespace {

using Json = nlohmann::ordered_json;

class LockFileTest : public test::TemporaryDirectory {
 protected:
  static LockFile lock() {
    LockFile made;
    made.model = "../models/a.weights";
    made.recipe = {.model_sha256 = std::string(64, 'a'), .max_length = 12, .prompt = "q: "};
    made.probes = {"", "naïve"};
    made.sha256 = {{"f32", {"12", "34"}}, {"int8", {"56", "78"}}};
    return made;
  }
  Result<LockFile> read(const std::string& text) const {
    test::write_file(path("embd.lock"), text);
    return LockFile::read(path("embd.lock"));
  }
  ErrorCode error_of(const std::string& text) const {
    const auto found = read(text);
    EXPECT_FALSE(found) << text;
    if (found) return ErrorCode::cancelled;
    EXPECT_EQ(found.error().file(), path("embd.lock"));
    return found.error().code();
  }
};

TEST_F(LockFileTest, IsReadAsItWasWritten) {
  const auto found = read(lock().text());
  ASSERT_TRUE(found) << found.error().message();
  EXPECT_EQ(found->model, lock().model);
  EXPECT_EQ(found->recipe, lock().recipe);
  EXPECT_EQ(found->probes, lock().probes);
  EXPECT_EQ(found->sha256, lock().sha256);
  EXPECT_FALSE(found->by_kernels);
  EXPECT_EQ(found->text(), lock().text());
}

TEST_F(LockFileTest, OneOfTheFirstVersionHasHashesByKernels) {
  Json old = Json::parse(lock().text());
  old["embd_lock"] = 1;
  EXPECT_TRUE(read(old.dump())->by_kernels);
  old["embd_lock"] = 3;
  EXPECT_EQ(error_of(old.dump()), ErrorCode::unsupported_version);
}

TEST_F(LockFileTest, EveryMemberIsNeededAndOfItsType) {
  const Json good = Json::parse(lock().text());
  for (const auto& [name, value] : good.items()) {
    SCOPED_TRACE(name);
    Json without = good;
    without.erase(name);
    EXPECT_EQ(error_of(without.dump()),
              name == "embd_lock" ? ErrorCode::bad_json : ErrorCode::bad_value);
    Json wrong = good;
    wrong[name] = 1.5;
    const ErrorCode code = error_of(wrong.dump());
    EXPECT_EQ(code, name == "embd_lock" ? ErrorCode::unsupported_version
                    : name == "recipe"  ? ErrorCode::bad_json
                                        : ErrorCode::bad_value);
  }
  Json fewer = good;
  fewer["sha256"]["int8"] = {"56"};
  EXPECT_EQ(error_of(fewer.dump()), ErrorCode::bad_count);
  Json numbers = good;
  numbers["probes"] = {1, 2};
  EXPECT_EQ(error_of(numbers.dump()), ErrorCode::bad_value);
  numbers = good;
  numbers["sha256"]["f32"] = {1, 2};
  EXPECT_EQ(error_of(numbers.dump()), ErrorCode::bad_value);
}

TEST_F(LockFileTest, WhatIsNoLockIsCalledSo) {
  for (const std::string text : {"", "[]", "{\"embd_lock\":", "a text"})
    EXPECT_EQ(error_of(text), ErrorCode::bad_json);
  EXPECT_EQ(LockFile::read(path("none")).error().code(), ErrorCode::not_found);
}

}  // namespace
}  // namespace embd
