#include "jobs/hub/hub_file.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

namespace embd::hub {
namespace {

constexpr std::string_view known = "sentence-transformers/all-MiniLM-L6-v2";

HubListing listing_of(const std::vector<std::string>& paths) {
  HubListing listing;
  for (const std::string& path : paths) listing.files.push_back({.path = path});
  return listing;
}

std::vector<std::string> wanted(const std::vector<std::string>& paths) {
  const auto files = files_of_model("someone/small", listing_of(paths));
  std::vector<std::string> names;
  if (!files) return {files.error().message()};
  for (const HubFile& file : *files) names.push_back(file.path);
  return names;
}

std::string refusal(std::string_view name, const HubListing& listing) {
  const auto files = files_of_model(name, listing);
  return files ? "none" : files.error().message();
}

/// The files of models/manifest.json, as a hub lists them that sends their SHA-256 for the weights.
HubListing listing_of_manifest() {
  std::ifstream file(EMBD_MANIFEST);
  const auto manifest = nlohmann::json::parse(file);
  EXPECT_EQ(manifest["hub"]["repository"], known);
  HubListing listing;
  for (const auto& [path, sha256] : manifest["files"].items())
    listing.files.push_back(
        {.path = path,
         .hash = path.ends_with("safetensors") ? sha256.get<std::string>() : std::string(40, '0')});
  return listing;
}

TEST(HubFile, SettingsTokenizerAndWeightsAreWanted) {
  const std::vector<std::string> all = {"config.json",
                                        "modules.json",
                                        "1_Pooling/config.json",
                                        "2_Normalize/config.json",
                                        "sentence_bert_config.json",
                                        "sentence_xlm-roberta_config.json",
                                        "config_sentence_transformers.json",
                                        "tokenizer.json",
                                        "tokenizer_config.json",
                                        "special_tokens_map.json",
                                        "added_tokens.json",
                                        "vocab.txt",
                                        "vocab.json",
                                        "merges.txt",
                                        "model.safetensors",
                                        "model-00001-of-00002.safetensors",
                                        "model.safetensors.index.json",
                                        "0_Transformer/model.safetensors"};
  EXPECT_EQ(wanted(all), all);
}

TEST(HubFile, NothingElseIsWanted) {
  const std::vector<std::string> needed = {"config.json", "model.safetensors"};
  std::vector<std::string> all = needed;
  for (const char* path :
       {"README.md", "pytorch_model.bin", "tf_model.h5", "onnx/config.json", "onnx/model.onnx",
        "openvino/config.json", ".gitattributes", "train_script.py", "sentencepiece.bpe.model",
        "a/b/config.json", "adapter.safetensors", "consolidated.safetensors"})
    all.push_back(path);
  EXPECT_EQ(wanted(all), needed);
}

TEST(HubFile, AnEncoderHasWeightsAndAConfigurationBesideThem) {
  const auto refused = [](const std::vector<std::string>& paths) {
    return refusal("someone/small", listing_of(paths));
  };
  EXPECT_EQ(refused({"config.json", "model.safetensors"}), "none");
  EXPECT_EQ(refused({"0_Transformer/config.json", "0_Transformer/model.safetensors"}), "none");
  EXPECT_EQ(refused({"modules.json", "model.safetensors", "tokenizer.json"}), "none");
  EXPECT_EQ(refused({"modules.json", "0_StaticEmbedding/model.safetensors",
                     "0_StaticEmbedding/tokenizer.json"}),
            "none");
  EXPECT_NE(refused({"modules.json", "1_Pooling/config.json", "model.safetensors"})
                .find("has no config.json"),
            std::string::npos);
  for (const char* other :
       {"tokenizer_config.json", "1_Pooling/config.json", "config_sentence_transformers.json"})
    EXPECT_NE(refused({other, "model.safetensors"}).find("has no config.json"), std::string::npos);
  EXPECT_NE(refused({"config.json", "2_Dense/config.json", "2_Dense/model.safetensors"})
                .find("has no weights in safetensors"),
            std::string::npos);
}

TEST(HubFile, APathOccursOnce) {
  EXPECT_NE(
      refusal("someone/small", listing_of({"config.json", "model.safetensors", "config.json"}))
          .find("the file \"config.json\" twice"),
      std::string::npos);
}

TEST(KnownModel, ItHasTheHashesOfTheManifest) {
  std::ifstream file(EMBD_MANIFEST);
  const auto manifest = nlohmann::json::parse(file);
  const auto files = files_of_model(known, listing_of_manifest());
  ASSERT_TRUE(files) << files.error().message();
  ASSERT_EQ(files->size(), manifest["files"].size());
  for (const HubFile& found : *files)
    EXPECT_EQ(found.known_sha256, manifest["files"][found.path].get<std::string>()) << found.path;
}

TEST(KnownModel, OthersHaveNoKnownHashes) {
  const auto files = files_of_model("someone/all-MiniLM-L6-v2", listing_of_manifest());
  ASSERT_TRUE(files) << files.error().message();
  for (const HubFile& found : *files) EXPECT_EQ(found.known_sha256, "") << found.path;
}

TEST(KnownModel, ItHasExactlyTheKnownFiles) {
  const std::string refused = "it is not the model that embd knows by this name";
  for (const char* path :
       {"model-0.safetensors", "model-00001-of-00001.safetensors", "model.safetensors.index.json",
        "added_tokens.json", "2_Dense/model.safetensors", "2_Dense/config.json"}) {
    HubListing more = listing_of_manifest();
    more.files.insert(more.files.begin(), {.path = path, .hash = std::string(40, '0')});
    EXPECT_NE(refusal(known, more).find(refused), std::string::npos) << path;
  }
  const std::size_t count = listing_of_manifest().files.size();
  for (std::size_t i = 0; i < count; ++i) {
    HubListing fewer = listing_of_manifest();
    fewer.files.erase(fewer.files.begin() + static_cast<std::ptrdiff_t>(i));
    EXPECT_NE(refusal(known, fewer), "none") << i;
  }
}

TEST(KnownModel, AnotherHashInTheListingIsRefusedBeforeTheDownload) {
  HubListing other = listing_of_manifest();
  for (HubFile& file : other.files)
    if (file.hash.size() == 64) file.hash[0] = file.hash[0] == '0' ? '1' : '0';
  EXPECT_NE(refusal(known, other).find("another SHA-256 for the file \"model.safetensors\""),
            std::string::npos);
}

TEST(KnownModel, FilesThatChangeNothingAreKnownToo) {
  HubListing more = listing_of_manifest();
  more.files.push_back({.path = "config_sentence_transformers.json", .hash = std::string(40, '0')});
  const auto files = files_of_model(known, more);
  ASSERT_TRUE(files) << files.error().message();
  EXPECT_FALSE(files->back().known_sha256.empty());
}

}  // namespace
}  // namespace embd::hub
