#include "jobs/hub/hub_file.h"

#include <algorithm>
#include <array>
#include <set>

#include "base/try.h"

namespace embd::hub {
namespace {

constexpr std::array<std::string_view, 12> settings{"modules.json",
                                                    "config_sentence_transformers.json",
                                                    "config.json",
                                                    "tokenizer.json",
                                                    "tokenizer_config.json",
                                                    "vocab.txt",
                                                    "vocab.json",
                                                    "merges.txt",
                                                    "special_tokens_map.json",
                                                    "added_tokens.json",
                                                    "sentence_bert_config.json",
                                                    "model.safetensors.index.json"};

struct KnownFile {
  std::string_view path;
  std::string_view sha256;
  bool may_be_missing = false;
};

constexpr std::string_view known_model = "sentence-transformers/all-MiniLM-L6-v2";

/// The files of `known_model` that embd reads. Those of models/manifest.json are needed; a test
/// checks that their hashes are equal. The other two do not change what embd computes.
constexpr std::array<KnownFile, 10> known_files{{
    {"config.json", "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41"},
    {"vocab.txt", "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"},
    {"tokenizer.json", "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"},
    {"tokenizer_config.json", "acb92769e8195aabd29b7b2137a9e6d6e25c476a4f15aa4355c233426c61576b"},
    {"sentence_bert_config.json",
     "fc1993fde0a95c24ec6c022539d41cf6e2f7c9721e5415d6fb6897472a9cd4b7"},
    {"modules.json", "84e40c8e006c9b1d6c122e02cba9b02458120b5fb0c87b746c41e0207cf642cf"},
    {"1_Pooling/config.json", "4be450dde3b0273bb9787637cfbd28fe04a7ba6ab9d36ac48e92b11e350ffc23"},
    {"model.safetensors", "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"},
    {"config_sentence_transformers.json",
     "061ca9d39661d6c6d6de5ba27f79a1cd5770ea247f8d46412a68a498dc5ac9f3", true},
    {"special_tokens_map.json", "303df45a03609e4ead04bc3dc1536d0ab19b5358db685b6f3da123d05ec200e3",
     true},
}};

std::string_view name_of(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

/// Returns the folder of a path with its slash; an empty string for a file at the top.
std::string_view folder_of(std::string_view path) {
  return path.substr(0, path.rfind('/') + 1);
}

/// Returns true for the settings of an encoder or of a module in a folder of its own.
bool is_setting(std::string_view path) {
  const std::string_view name = name_of(path);
  const bool is_of_older_encoder = name.starts_with("sentence_") && name.ends_with("_config.json");
  return std::ranges::find(settings, name) != settings.end() || is_of_older_encoder;
}

/// Returns true for "model.safetensors" and for its shards, "model-00001-of-00002.safetensors".
bool is_weights(std::string_view path) {
  const std::string_view name = name_of(path);
  return name.ends_with(".safetensors") &&
         (name == "model.safetensors" || name.starts_with("model-"));
}

/// Returns true for files of other runtimes, which some repositories keep in folders of their own.
bool is_for_another_runtime(std::string_view path) {
  constexpr std::array<std::string_view, 4> folders{"onnx/", "openvino/", "coreml/", "gguf/"};
  return std::ranges::any_of(folders,
                             [&](std::string_view folder) { return path.starts_with(folder); });
}

bool has(const std::vector<HubFile>& files, std::string_view path) {
  return std::ranges::find(files, path, &HubFile::path) != files.end();
}

/// Checks that each path occurs once. Otherwise one file could be checked and another one be read.
Result<void> check_paths(const std::vector<HubFile>& files) {
  std::set<std::string_view> paths;
  for (const HubFile& file : files)
    if (!paths.insert(file.path).second)
      return fail(ErrorCode::duplicate, "the hub's listing contains the file {:?} twice",
                  file.path);
  return {};
}

/// Returns true if the files may be those of a static model, which needs no config.json: a list of
/// modules, of which none pools rows of an encoder.
bool may_be_static(const std::vector<HubFile>& files) {
  const auto pools = [](const HubFile& file) { return file.path.contains("Pooling/"); };
  return has(files, "modules.json") && std::ranges::none_of(files, pools);
}

/// Checks that the encoder is there. Its folder is the top, or in older repositories a folder such
/// as "0_Transformer/".
Result<void> check_encoder(std::string_view name, const std::vector<HubFile>& files) {
  const auto missing = [&](std::string_view what) {
    return fail(ErrorCode::unsupported,
                "the repository of the model {} has no {}, which embd needs", name, what);
  };
  const auto is_of_encoder = [](const HubFile& file) {
    const std::string_view folder = folder_of(file.path);
    return is_weights(file.path) && (folder.empty() || folder.starts_with("0_"));
  };
  const auto weights = std::ranges::find_if(files, is_of_encoder);
  if (weights == files.end()) return missing("weights in safetensors");
  const std::string config = std::string(folder_of(weights->path)) + "config.json";
  if (!has(files, config) && !may_be_static(files)) return missing(config);
  return {};
}

/// Gives the files of a known model their hashes, and checks that they are the known ones.
Result<void> add_known_hashes(std::vector<HubFile>& files) {
  const auto differs = [](std::string_view what, std::string_view path) {
    return fail(ErrorCode::checksum_mismatch,
                "the hub's listing {} {:?}: it is not the model that embd knows by this name", what,
                path);
  };
  for (HubFile& file : files) {
    const auto known = std::ranges::find(known_files, file.path, &KnownFile::path);
    if (known == known_files.end()) return differs("contains the file", file.path);
    if (file.hash.size() == known->sha256.size() && file.hash != known->sha256)
      return differs("has another SHA-256 for the file", file.path);
    file.known_sha256 = known->sha256;
  }
  for (const KnownFile& known : known_files)
    if (!known.may_be_missing && !has(files, known.path))
      return differs("lacks the file", known.path);
  return {};
}

}  // namespace

bool is_read(std::string_view path) noexcept {
  const bool is_deep = std::ranges::count(path, '/') > 1;
  return !is_deep && !is_for_another_runtime(path) && (is_setting(path) || is_weights(path));
}

Result<std::vector<HubFile>> files_of_model(std::string_view name, const HubListing& listing) {
  std::vector<HubFile> files;
  std::ranges::copy_if(listing.files, std::back_inserter(files), is_read, &HubFile::path);
  EMBD_TRY(check_paths(files));
  EMBD_TRY(check_encoder(name, files));
  if (name == known_model) EMBD_TRY(add_known_hashes(files));
  return files;
}

}  // namespace embd::hub
