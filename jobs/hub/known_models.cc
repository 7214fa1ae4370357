#include "jobs/hub/known_models.h"

#include <array>

namespace embd::hub {
namespace {

struct KnownFile {
  std::string_view path;
  std::string_view sha256;
};

/// The files of models/manifest.json. A test checks that both lists are equal.
constexpr std::array<KnownFile, 8> all_minilm_l6_v2{{
    {"config.json", "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41"},
    {"vocab.txt", "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"},
    {"tokenizer.json", "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"},
    {"tokenizer_config.json", "acb92769e8195aabd29b7b2137a9e6d6e25c476a4f15aa4355c233426c61576b"},
    {"sentence_bert_config.json",
     "fc1993fde0a95c24ec6c022539d41cf6e2f7c9721e5415d6fb6897472a9cd4b7"},
    {"modules.json", "84e40c8e006c9b1d6c122e02cba9b02458120b5fb0c87b746c41e0207cf642cf"},
    {"1_Pooling/config.json", "4be450dde3b0273bb9787637cfbd28fe04a7ba6ab9d36ac48e92b11e350ffc23"},
    {"model.safetensors", "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"},
}};

}  // namespace

std::string_view known_sha256(std::string_view name, std::string_view path) noexcept {
  if (name != "sentence-transformers/all-MiniLM-L6-v2") return {};
  for (const KnownFile& file : all_minilm_l6_v2)
    if (file.path == path) return file.sha256;
  return {};
}

}  // namespace embd::hub
