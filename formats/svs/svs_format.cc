#include "formats/svs/svs_format.h"

#include <array>

#include "base/byte_reader.h"
#include "formats/svs/seed_names.h"
#include "formats/svs/svs_layout.h"
#include "formats/svs/svs_reader.h"
#include "formats/svs/svs_writer.h"
#include "formats/svs/vamana_directory.h"

namespace embd::svs {
namespace {

constexpr std::array<std::string_view, 2> extensions = {".svs", ".config"};

bool has_magic(const std::filesystem::path& path, Bytes head) {
  if (head.size() >= sizeof(v1_magic)) {
    const auto magic = load<std::uint64_t>(head);
    return magic == v1_magic || magic == vtest_magic;
  }
  return is_svs_directory(path);
}

Room room(const std::filesystem::path& path, const WriteOptions& options) {
  if (options.svs_layout == "file") return {};
  const bool is_config = svs_output_path(path, options).extension() == config_extension;
  return {.ids = is_config ? IdsInside::numbers : IdsInside::none, .recipe = true};
}

}  // namespace

const Format format = {
    .name = "svs",
    .extensions = extensions,
    .has_magic = has_magic,
    .open = open_svs,
    .create = create_svs,
    .room = room,
    .output_path = svs_output_path,
};

}  // namespace embd::svs
