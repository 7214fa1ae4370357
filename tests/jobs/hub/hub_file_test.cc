#include "jobs/hub/hub_file.h"

#include <gtest/gtest.h>

namespace embd::hub {
namespace {

std::vector<std::string> wanted(const std::vector<std::string>& paths) {
  HubListing listing;
  for (const std::string& path : paths) listing.files.push_back({.path = path});
  std::vector<std::string> names;
  for (const HubFile& file : wanted_files(listing)) names.push_back(file.path);
  return names;
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
                                        "model.safetensors",
                                        "model-00001-of-00002.safetensors",
                                        "model.safetensors.index.json",
                                        "0_Transformer/model.safetensors"};
  EXPECT_EQ(wanted(all), all);
}

TEST(HubFile, NothingElseIsWanted) {
  EXPECT_TRUE(wanted({"README.md", "pytorch_model.bin", "tf_model.h5", "onnx/config.json",
                      "onnx/model.onnx", "openvino/config.json", ".gitattributes",
                      "train_script.py", "sentencepiece.bpe.model", "a/b/config.json",
                      "adapter.safetensors", "consolidated.safetensors"})
                  .empty());
}

}  // namespace
}  // namespace embd::hub
