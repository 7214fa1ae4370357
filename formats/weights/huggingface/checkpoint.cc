#include "formats/weights/huggingface/checkpoint.h"

#include <fmt/format.h>

#include <set>

#include "base/checksum.h"
#include "base/try.h"
#include "formats/weights/huggingface/json_file.h"

namespace embd::huggingface {
namespace {

namespace fs = std::filesystem;

/// Returns the files that an index lists, each once, in the order of their names.
Result<std::set<std::string>> shard_names(const JsonFile& index) {
  std::set<std::string> names;
  const auto map = index.root().find("weight_map");
  if (map == index.root().end() || !map->is_object())
    return std::unexpected(index.error(ErrorCode::missing, "weight_map", "expected an object"));
  for (const auto& [tensor, file] : map->items()) {
    const std::string name = file.is_string() ? file.get<std::string>() : std::string();
    if (name.empty() || name == ".." || fs::path(name).filename() != name) {
      return std::unexpected(index.error(
          ErrorCode::bad_value, tensor,
          fmt::format("{}, expected the name of a file beside the index", file.dump())));
    }
    names.insert(name);
  }
  return names;
}

std::unexpected<Error> no_weights(const fs::path& folder) {
  std::error_code error;
  ErrorCode code = ErrorCode::not_found;
  std::string what = "model.safetensors is not there";
  for (const char* other : {"pytorch_model.bin", "tf_model.h5", "flax_model.msgpack"}) {
    if (!fs::exists(folder / other, error)) continue;
    code = ErrorCode::unsupported;
    what += fmt::format("; {} is, which has to be saved as safetensors", other);
  }
  return fail_in(folder, code, what);
}

}  // namespace

Result<Checkpoint> Checkpoint::open(const fs::path& folder) {
  Checkpoint checkpoint;
  checkpoint.folder_ = folder;
  std::set<std::string> names = {"model.safetensors"};
  std::error_code error;
  if (!fs::exists(folder / "model.safetensors", error)) {
    const auto index = EMBD_TRY(JsonFile::read_if_there(folder / "model.safetensors.index.json"));
    if (!index) return no_weights(folder);
    names = EMBD_TRY(shard_names(*index));
  }
  for (const std::string& name : names)
    checkpoint.files_.push_back(EMBD_TRY(SafetensorsFile::open(folder / name)));
  return checkpoint;
}

Result<const SourceTensor*> Checkpoint::find(const ModelTensor& wanted) const {
  for (const std::string& name : checkpoint_names(wanted)) {
    for (const SafetensorsFile& file : files_) {
      const SourceTensor* tensor = file.find(name);
      if (tensor == nullptr) continue;
      if (tensor->is_float()) return tensor;
      return fail(
          ErrorCode::tensor_wrong_type,
          fmt::format("tensor {} has the type {}, expected a type for floating-point numbers",
                      wanted.name, tensor->dtype));
    }
  }
  return fail(ErrorCode::tensor_missing, wanted.name);
}

std::string Checkpoint::sha256() const {
  Sha256 hash;
  for (const SafetensorsFile& file : files_) hash.update(file.bytes());
  return hash.hex();
}

}  // namespace embd::huggingface
