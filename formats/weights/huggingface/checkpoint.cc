#include "formats/weights/huggingface/checkpoint.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <functional>
#include <set>
#include <utility>

#include "base/checksum.h"
#include "base/os/mapped_file.h"
#include "base/path_text.h"
#include "base/try.h"
#include "formats/weights/huggingface/json_file.h"

namespace embd::huggingface {
namespace {

namespace fs = std::filesystem;

/// The ends of the names of files with weights.
constexpr auto weight_formats = std::to_array<std::pair<std::string_view, std::string_view>>(
    {{".gguf", "a GGUF file of llama.cpp"},
     {".onnx", "an ONNX file"},
     {"pytorch_model.bin", "a pickle of PyTorch"},
     {"pytorch_model.bin.index.json", "pickles of PyTorch"},
     {".h5", "a file of TensorFlow"},
     {".msgpack", "a file of Flax"},
     {".npz", "a file of MLX or NumPy"}});

/// The folders beside config.json in which such files lie, too.
constexpr auto weight_folders = std::to_array<std::string_view>({"", "onnx"});

/// Returns the files that an index lists, each once, in the order of their names.
Result<std::set<std::string>> shard_names(const JsonFile& index) {
  std::set<std::string> names;
  const auto map = index.root().find("weight_map");
  if (map == index.root().end() || !map->is_object())
    return index.fail(ErrorCode::missing, "weight_map", "expected an object");
  for (const auto& [tensor, file] : map->items()) {
    const std::string name = file.is_string() ? file.get<std::string>() : std::string();
    if (name.empty() || name == ".." || path_of_text(name).filename() != path_of_text(name)) {
      return index.fail(ErrorCode::bad_value, tensor,
                        "{}, expected the name of a file beside the index", file.dump());
    }
    names.insert(name);
  }
  return names;
}

constexpr const char* weights_name = "model.safetensors";

std::unexpected<Error> no_weights(const fs::path& folder) {
  const std::string others = weights_of_other_formats(folder);
  if (others.empty())
    return fail_in(folder, ErrorCode::not_found, "model.safetensors is not there");
  return fail_in(folder, ErrorCode::unsupported,
                 "the weights are in {}, expected model.safetensors", others);
}

}  // namespace

std::string weights_of_other_formats(const fs::path& folder) {
  std::vector<std::string> found;
  for (const std::string_view inner : weight_folders) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder / path_of_text(inner), error)) {
      const std::string name = text_of_path(entry.path().filename());
      for (const auto& [end, what] : weight_formats)
        if (name.ends_with(end))
          found.push_back(fmt::format(
              "{} ({})", generic_text_of_path(path_of_text(inner) / path_of_text(name)), what));
    }
  }
  std::ranges::sort(found);
  constexpr std::size_t most = 3;
  const bool all = found.size() <= most;
  if (!all) found.resize(most);
  return fmt::format("{}{}", fmt::join(found, ", "), all ? "" : ", …");
}

Result<Checkpoint> Checkpoint::open(const fs::path& folder, Family family) {
  Checkpoint checkpoint;
  checkpoint.family_ = family;
  std::set<std::string> names = {weights_name};
  std::error_code error;
  if (!fs::exists(folder / weights_name, error)) {
    const auto index = EMBD_TRY(JsonFile::read_if_there(folder / "model.safetensors.index.json"));
    if (!index) return no_weights(folder);
    names = EMBD_TRY(shard_names(*index));
  }
  for (const std::string& name : names) {
    auto file = std::make_shared<const FileDescriptor>(
        EMBD_TRY(FileDescriptor::open(folder / path_of_text(name))));
    MappedFile map = EMBD_TRY(MappedFile::of(*file, folder / path_of_text(name)));
    checkpoint.files_.push_back(EMBD_TRY(SafetensorsFile::from_map(std::move(map))));
    if (names.size() == 1) checkpoint.only_file_ = std::move(file);
  }
  for (const SafetensorsFile& file : checkpoint.files_)
    for (const SourceTensor& tensor : file.tensors())
      checkpoint.tensors_.try_emplace(tensor.name, &tensor);
  return checkpoint;
}

Result<void> Checkpoint::add_module(std::uint32_t number, VectorModuleKind kind,
                                    const fs::path& folder) {
  std::error_code error;
  if (!fs::exists(folder / weights_name, error)) {
    const std::string others = weights_of_other_formats(folder);
    if (others.empty())
      return fail_in(folder, ErrorCode::not_found, "{} is not there", weights_name);
    return fail_in(folder, ErrorCode::unsupported,
                   "the weights of the module are in {}, expected {}, which "
                   "SentenceTransformer(FOLDER).save_pretrained(FOLDER) in Python writes",
                   others, weights_name);
  }
  files_.push_back(EMBD_TRY(SafetensorsFile::open(folder / weights_name)));
  only_file_ = nullptr;
  for (const SourceTensor& tensor : files_.back().tensors()) {
    const std::string name = vector_module_tensor(kind, number, tensor.name);
    if (!name.empty()) tensors_.insert_or_assign(name, &tensor);
  }
  return {};
}

const SourceTensor* Checkpoint::named(const std::string& name) const noexcept {
  const auto found = tensors_.find(name);
  return found == tensors_.end() ? nullptr : found->second;
}

Result<SourceTensor> Checkpoint::find_named(const ModelTensor& wanted) const {
  for (const auto& [name, part, parts] : checkpoint_places(wanted, family_)) {
    if (const auto found = tensors_.find(name); found != tensors_.end())
      return found->second->part(part, parts);
  }
  return fail(ErrorCode::tensor_missing, wanted.name);
}

Result<SourceTensor> Checkpoint::find(const ModelTensor& wanted) const {
  SourceTensor tensor = EMBD_TRY(find_named(wanted));
  if (!tensor.is_float() && tensor.recipe == nullptr) {
    return fail(
        ErrorCode::tensor_wrong_type,
        "tensor {} has the type {}, expected float32, float16 or bfloat16 (F32, F16 or BF16)",
        wanted.name, tensor.dtype);
  }
  const auto shape = wanted.shape.view();
  if (tensor.shape.size() == shape.size() &&
      fits(wanted.checkpoint_rows, tensor.shape[0], shape[0]) &&
      std::equal(shape.begin() + 1, shape.end(), tensor.shape.begin() + 1)) {
    return tensor;
  }
  return fail(ErrorCode::tensor_wrong_shape, "tensor {} has the shape [{}], expected {}",
              wanted.name, fmt::join(tensor.shape, ", "), wanted.shape.text());
}

Result<std::uint64_t> Checkpoint::rows_of(Module module) const {
  const SourceTensor tensor = EMBD_TRY(
      find_named({.module = module, .name = weight_name(module), .shape = {}, .role = {}}));
  return tensor.shape.empty() ? 0 : tensor.shape.front();
}

bool Checkpoint::has(Bytes part) const noexcept {
  return std::ranges::any_of(files_, [part](const SafetensorsFile& file) {
    const Bytes all = file.bytes();
    return !part.empty() && !std::less<>()(part.data(), all.data()) &&
           std::less<>()(part.data(), all.data() + all.size());
  });
}

std::string Checkpoint::sha256() const {
  Sha256 hash;
  constexpr std::size_t piece_bytes = std::size_t{1} << 20;
  for (const SafetensorsFile& file : files_) {
    for (Bytes rest = file.bytes(); !rest.empty();) {
      const Bytes piece = rest.first(std::min(piece_bytes, rest.size()));
      hash.update(piece);
      MappedFile::release(piece);  // Else all weights would count as memory of this process.
      rest = rest.subspan(piece.size());
    }
  }
  return hash.hex();
}

}  // namespace embd::huggingface
