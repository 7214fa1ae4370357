#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/support/gzip.h"

namespace embd::test {

inline const std::filesystem::path golden_pairs = std::filesystem::path(EMBD_TEST_DATA) / "rerank";

/// Creates the folder `to` with a cross-encoder of tests/data/rerank: its configurations, its
/// tokenizer and its weights. Several cross-encoders share a tokenizer or weights.
inline void make_cross_encoder(const std::string& name, const std::filesystem::path& to) {
  const bool has_three = name == "bert_three";
  std::filesystem::copy(golden_pairs / name, to);
  if (name == "xlmr_sigmoid") {
    const auto unpack = [&](const char* file) {
      const std::filesystem::path packed = to / (std::string(file) + ".gz");
      std::ofstream(to / file, std::ios::binary) << testing::read_gzip(packed);
      std::filesystem::remove(packed);
    };
    unpack("tokenizer.json");
    unpack("model.safetensors");
    return;
  }
  std::filesystem::copy_file(golden_pairs / "tokenizer.json", to / "tokenizer.json");
  std::filesystem::copy_file(
      golden_pairs / (has_three ? "three_labels.safetensors" : "one_label.safetensors"),
      to / "model.safetensors");
}

}  // namespace embd::test
