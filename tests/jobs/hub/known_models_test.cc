#include "jobs/hub/known_models.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

namespace embd::hub {
namespace {

TEST(KnownModels, HashesAreTheManifests) {
  std::ifstream file(EMBD_MANIFEST);
  const auto manifest = nlohmann::json::parse(file);
  const std::string name = manifest["hub"]["repository"];
  ASSERT_FALSE(manifest["files"].empty());
  for (const auto& [path, sha256] : manifest["files"].items())
    EXPECT_EQ(known_sha256(name, path), sha256.get<std::string>()) << path;
}

TEST(KnownModels, OthersAreNotKnown) {
  EXPECT_EQ(known_sha256("sentence-transformers/all-MiniLM-L6-v2", "README.md"), "");
  EXPECT_EQ(known_sha256("someone/all-MiniLM-L6-v2", "model.safetensors"), "");
}

}  // namespace
}  // namespace embd::hub
