#include "jobs/proof/weight_description.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace embd {
namespace {

using OrderedJson = nlohmann::ordered_json;

OrderedJson shape_of(const Tensor& tensor) {
  OrderedJson shape = OrderedJson::array();
  for (const std::uint32_t size : tensor.shape.view()) shape.push_back(size);
  return shape;
}

OrderedJson tensors_of(const WeightFile& file) {
  OrderedJson tensors = OrderedJson::array();
  for (const Tensor& tensor : file.tensors()) {
    tensors.push_back({{"name", tensor.name},
                       {"type", element_name(tensor.type)},
                       {"shape", shape_of(tensor)},
                       {"offset", tensor.file_offset},
                       {"bytes", tensor.data.size()}});
  }
  return tensors;
}

OrderedJson as_json(const WeightFile& file) {
  OrderedJson metadata = OrderedJson::object();
  for (const MetadataEntry& entry : file.metadata()) metadata[std::string(entry.key)] = entry.value;
  return {{"file", file.path().native()},
          {"format", "embd"},
          {"version", fmt::format("{}.{}", file.version_major(), file.version_minor())},
          {"file_bytes", file.file_bytes()},
          {"sha256", file.sha256()},
          {"aligned", file.is_aligned()},
          {"checksums", file.has_checksums()},
          {"own_vocabulary", file.has_own_vocab()},
          {"metadata", std::move(metadata)}};
}

}  // namespace

std::string describe_weights(const WeightFile& file, bool lists_tensors) {
  OrderedJson description = as_json(file);
  if (lists_tensors)
    description["tensors"] = tensors_of(file);
  else
    description["num_tensors"] = file.tensors().size();
  return description.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

}  // namespace embd
