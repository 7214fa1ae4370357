#include "embd/find_model.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include "base/path_text.h"
#include "tests/support/on_windows.h"
#include "tests/support/temporary_directory.h"

namespace embd {
namespace {

class FindModelTest : public test::TemporaryDirectory {
 protected:
  void SetUp() override {
    TemporaryDirectory::SetUp();
    for (const char* name : {"SENTENCE_TRANSFORMERS_HOME", "HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE",
                             "HF_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME"})
      ::unsetenv(name);
    ::setenv(test::on_windows ? "USERPROFILE" : "HOME", text_of_path(path("home")).c_str(), 1);
  }

  std::filesystem::path file(const std::filesystem::path& name) {
    std::filesystem::create_directories((directory() / name).parent_path());
    std::ofstream(directory() / name) << "x";
    return directory() / name;
  }
  /// Makes a repository as Hugging Face's tools do and returns the folder of its commit.
  std::filesystem::path repository(const std::string& cache, const std::string& name) {
    std::ofstream(file(cache + "/models--" + name + "/refs/main")) << "abc";
    const std::string commit = cache + "/models--" + name + "/snapshots/abc";
    for (const char* part : {"/config.json", "/vocab.txt", "/model.safetensors"})
      file(commit + part);
    return directory() / commit;
  }
};

TEST_F(FindModelTest, APathIsItself) {
  const auto model = file("some/model.weights");
  EXPECT_EQ(find_model(text_of_path(model)).value(), model);
  EXPECT_EQ(find_model(text_of_path(directory() / "some")).value(), directory() / "some");
}

TEST_F(FindModelTest, WeightFilesAreFoundByNameInOrder) {
  const auto carried = file("carrier/a.weights");
  const ModelPlaces places = {.folders = {directory() / "carrier"}};
  EXPECT_EQ(find_model("a", places).value(), carried);
  EXPECT_EQ(find_model("sentence-transformers/a", places).value(), carried);
  EXPECT_FALSE(find_model("other/a", places));
  const auto own = file("home/.local/share/embd/a.weights");
  EXPECT_EQ(find_model("a", places).value(), own);
  ::setenv("XDG_DATA_HOME", text_of_path(path("data")).c_str(), 1);
  EXPECT_EQ(find_model("a", places).value(), carried);
}

TEST_F(FindModelTest, RepositoriesAreFoundInTheCachesOfHuggingFace) {
  const auto usual = repository("home/.cache/huggingface/hub", "sentence-transformers--b");
  EXPECT_EQ(find_model("b").value(), usual);
  const auto other = repository("home/.cache/huggingface/hub", "intfloat--e5");
  EXPECT_EQ(find_model("intfloat/e5").value(), other);

  const auto below_home = repository("home/hf/hub", "sentence-transformers--b");
  ::setenv("HF_HOME", "~/hf", 1);
  EXPECT_EQ(find_model("b").value(), below_home);
  const auto hub = repository("hub", "sentence-transformers--b");
  ::setenv("HF_HUB_CACHE", text_of_path(path("hub")).c_str(), 1);
  EXPECT_EQ(find_model("b").value(), hub);
  const auto sentences = repository("sentences", "sentence-transformers--b");
  ::setenv("SENTENCE_TRANSFORMERS_HOME", text_of_path(path("sentences")).c_str(), 1);
  EXPECT_EQ(find_model("b").value(), sentences);
  const auto given = repository("given", "sentence-transformers--b");
  EXPECT_EQ(find_model("b", {.cache_folder = directory() / "given"}).value(), given);
}

TEST_F(FindModelTest, ARepositoryThatIsNotWholeIsPassedOver) {
  const auto folder = repository("home/.cache/huggingface/hub", "sentence-transformers--c");
  std::filesystem::remove(folder / "model.safetensors");
  const auto error = find_model("c").error();
  EXPECT_EQ(error.code(), ErrorCode::not_found);
  EXPECT_TRUE(std::string(error.what()).contains("models--sentence-transformers--c"));
}

TEST_F(FindModelTest, WhatCanOnlyBeAPathIsLookedForNowhereElse) {
  for (const char* name : {"/none", "./none", "~/none", "a/b/c", "none.weights"}) {
    const auto error = find_model(name).error();
    EXPECT_EQ(error.code(), ErrorCode::not_found);
    EXPECT_EQ(error.file(), name);
  }
  EXPECT_EQ(find_model("").error().code(), ErrorCode::not_found);
}

}  // namespace
}  // namespace embd
