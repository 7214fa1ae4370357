#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/support/gzip.h"

namespace embd::test {

/// Copies a model folder of tests/data/unigram, "bert_mean" or "xlmr_cls", to `folder`. Adds the
/// tokenizer.json that both share.
inline void copy_multilingual_folder(const std::string& name, const std::filesystem::path& folder) {
  const std::filesystem::path data = std::filesystem::path(EMBD_TEST_DATA) / "unigram";
  std::filesystem::copy(data / name, folder, std::filesystem::copy_options::recursive);
  std::filesystem::remove(folder / "model.safetensors.gz");
  const auto unpack = [&](const std::filesystem::path& packed, const char* to) {
    std::ofstream(folder / to, std::ios::binary) << embd::testing::read_gzip(packed);
  };
  unpack(data / name / "model.safetensors.gz", "model.safetensors");
  unpack(data / "tokenizer_words.json.gz", "tokenizer.json");
}

}  // namespace embd::test
